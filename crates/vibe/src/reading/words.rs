//! Finding texts as whole words.

/// A text with single blanks, plain hyphens and plain quotation marks.
pub fn normal(text: &str) -> String {
    let plain = text.chars().map(|character| match character {
        '\u{2212}' | '\u{2010}' | '\u{2011}' => '-',
        '\u{2018}' | '\u{2019}' => '\'',
        '\u{201c}' | '\u{201d}' => '"',
        other => other,
    });
    plain.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a text holds another as whole words, with its capital letters: `Low` is not in `Lower`, `3` neither in `30` nor in `3.60`.
pub fn contains(text: &str, wanted: &str) -> bool {
    find_words(&normal(text), &normal(wanted)).is_some()
}

/// Where a text begins in another as whole words, in bytes. Both are [`normal`].
pub fn find_words(text: &str, wanted: &str) -> Option<usize> {
    if wanted.is_empty() {
        return None;
    }
    text.match_indices(wanted).map(|(at, _)| at).find(|at| {
        let (before, after) = (&text[..*at], &text[at + wanted.len()..]);
        !goes_on(before.chars().rev(), wanted.chars().next())
            && !goes_on(after.chars(), wanted.chars().next_back())
            && !is_negated(before, wanted)
    })
}

/// Whether the word or number at the edge of what was found goes on beyond it.
fn goes_on(mut beyond: impl Iterator<Item = char>, edge: Option<char>) -> bool {
    let (Some(next), Some(edge)) = (beyond.next(), edge) else { return false };
    if next.is_alphanumeric() && edge.is_alphanumeric() {
        return true;
    }
    // `3` goes on in `3.60`, `1,000` and `12:30`, but not in `3.` or `3, 4`.
    edge.is_ascii_digit() && matches!(next, '.' | ',' | ':') && beyond.next().is_some_and(|far| far.is_ascii_digit())
}

/// Whether a number was found behind its minus sign, or the last parts of a date behind its first.
fn is_negated(before: &str, wanted: &str) -> bool {
    if !wanted.starts_with(|character: char| character.is_ascii_digit()) {
        return false;
    }
    let Some(rest) = before.strip_suffix('-') else { return false };
    let is_sign = rest.chars().next_back().is_none_or(char::is_whitespace);
    let part =
        rest.rsplit(|character: char| !character.is_ascii_digit() && character != '-').next().unwrap_or_default();
    let is_date = part.len() >= 4 && part.bytes().take(4).all(|byte| byte.is_ascii_digit());
    is_sign || is_date
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_words_with_their_capitals_are_found() {
        for (text, wanted, found) in [
            ("Lower", "Low", false),
            ("Low, High", "Low", true),
            ("low", "Low", false),
            ("30", "3", false),
            ("3.60", "3", false),
            ("3. Done", "3", true),
            ("1,000", "1", false),
            ("Total 8.40", "8.40", true),
            ("Total  8.40", "Total 8.40", true),
            ("R-1001", "R-", true),
            ("Approved", "Approve", false),
            ("−2 pieces", "-2", true),
            ("-2 pieces", "2", false),
            ("INV-001", "001", true),
            ("2026-11-17", "17", false),
            ("2026-11-17", "2026-11-17", true),
            ("10:00-11:00", "11:00", true),
            ("at 12:30", "12", false),
            ("Don’t", "Don't", true),
            ("5 × bun", "5 ×", true),
            ("anything", "", false),
        ] {
            assert_eq!(contains(text, wanted), found, "{wanted:?} in {text:?}");
        }
    }
}
