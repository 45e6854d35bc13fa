//! Texts in texts: words, phrases and names, found at the boundaries of words.

/// The words of a text, each with the number of characters before it. Hyphens and apostrophes are parts of words.
pub(super) fn words(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut begin: Option<(usize, usize)> = None;
    for (at, (byte, character)) in text.char_indices().enumerate() {
        let inside = character.is_alphanumeric() || (begin.is_some() && matches!(character, '-' | '\'' | '’'));
        match begin {
            None if inside => begin = Some((at, byte)),
            Some((first, from)) if !inside => {
                found.push((first, &text[from..byte]));
                begin = None;
            }
            _ => {}
        }
    }
    found.extend(begin.map(|(first, from)| (first, &text[from..])));
    found
}

/// Where a text begins in another, with no letter or digit right before or after it; in bytes.
pub(super) fn find(text: &str, wanted: &str) -> Option<usize> {
    let is_inner = |neighbour: Option<char>, own: Option<char>| {
        neighbour.is_some_and(char::is_alphanumeric) && own.is_some_and(char::is_alphanumeric)
    };
    text.match_indices(wanted).map(|(at, _)| at).find(|at| {
        let (before, after) = (&text[..*at], &text[at + wanted.len()..]);
        !is_inner(before.chars().next_back(), wanted.chars().next())
            && !is_inner(after.chars().next(), wanted.chars().next_back())
    })
}

/// Whether a lower-case text has a word that begins so.
pub(super) fn has_stem(lower: &str, stem: &str) -> bool {
    lower.match_indices(stem).any(|(at, _)| !lower[..at].chars().next_back().is_some_and(char::is_alphanumeric))
}

/// A specification without what only formats it: comments, emphasis, line ends.
pub(super) fn plain(spec: &str) -> String {
    let text: String =
        without_comments(spec).chars().filter(|character| !matches!(character, '*' | '`' | '_')).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A specification without its comments, in which the canary stands.
pub(super) fn without_comments(spec: &str) -> String {
    let mut kept = String::new();
    let mut rest = spec;
    while let Some((before, comment)) = rest.split_once("<!--") {
        kept.push_str(before);
        rest = comment.split_once("-->").map_or("", |(_, after)| after);
    }
    kept.push_str(rest);
    kept
}

/// Whether an id consists of lower-case words and digits.
pub(super) fn is_words_joined_by(id: &str, joint: char) -> bool {
    id.split(joint)
        .all(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_with_their_places() {
        assert_eq!(words("Öffne „Neu“, don't"), [(0, "Öffne"), (7, "Neu"), (13, "don't")]);
        assert_eq!(words("sign-in x"), [(0, "sign-in"), (8, "x")]);
        assert!(words(" – ").is_empty());
    }

    #[test]
    fn names_are_found_as_whole_words_only() {
        assert_eq!(find("Address, then Add", "Add"), Some(14));
        assert_eq!(find("Address", "Add"), None);
        assert_eq!(find("costs €4.50 each", "€4.50"), Some(6));
        assert_eq!(find("14.50", "4.50"), None);
        assert!(has_stem("i delete it", "delet") && !has_stem("undeleted", "delet"));
    }

    #[test]
    fn a_specification_is_read_without_its_formatting() {
        let spec = "# Box\n\nThe **\"Add\n  plant\"** button.\n<!-- canary -->\nEnd<!-- never closed";
        assert_eq!(plain(spec), "# Box The \"Add plant\" button. End");
        assert_eq!(without_comments("a<!-- b -->c"), "ac");
    }
}
