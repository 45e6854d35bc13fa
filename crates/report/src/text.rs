//! Cleaning of strings that the page under test may have written.

/// Longest text shown in a report, in characters; the whole is in `report.json`.
pub const LONGEST: usize = 600;

/// Takes out what could reorder, hide or garble the text around it, and cuts what is overlong. Line breaks and tabs stay.
pub fn block(text: &str) -> String {
    cut(text.chars().filter(|c| matches!(c, '\n' | '\t') || is_visible(*c)), LONGEST)
}

/// As [`block`], however long it is: where every word counts.
pub fn whole(text: &str) -> String {
    text.chars().filter(|c| matches!(c, '\n' | '\t') || is_visible(*c)).collect()
}

/// As [`block`], on one line: every run of white space becomes one space.
pub fn line(text: &str) -> String {
    line_within(text, LONGEST)
}

/// As [`line`], cut at `longest` characters.
pub fn line_within(text: &str, longest: usize) -> String {
    let mut in_space = true;
    let folded = text.chars().filter_map(|c| {
        let is_space = c.is_whitespace() || c == '\u{2028}' || c == '\u{2029}';
        let keep = if is_space { !in_space } else { is_visible(c) };
        if is_space || keep {
            in_space = is_space;
        }
        keep.then_some(if is_space { ' ' } else { c })
    });
    let mut one_line = cut(folded, longest);
    one_line.truncate(one_line.trim_end().len());
    one_line
}

/// A stretch of prose, or of code that stood between backticks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    pub text: String,
    pub is_code: bool,
}

/// Splits cleaned text at its backticks. One without a partner stays what it is.
pub fn runs(clean: &str) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut rest = clean;
    while let Some((before, code, after)) = code_span(rest) {
        runs.extend(run(before, false).into_iter().chain(run(code, true)));
        rest = after;
    }
    runs.extend(run(rest, false));
    runs
}

fn code_span(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('`')?;
    let (code, after) = rest.split_once('`')?;
    Some((before, code, after))
}

fn run(text: &str, is_code: bool) -> Option<Run> {
    (!text.is_empty()).then(|| Run { text: text.to_owned(), is_code })
}

/// The address, if it may become a link: only http and https, without white space or control characters.
pub fn link(url: &str) -> Option<String> {
    const LONGEST_LINK: usize = 2048;
    let scheme_is = |scheme: &str| url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    let clean = url.len() <= LONGEST_LINK && url.chars().all(|c| is_visible(c) && !c.is_whitespace());
    (clean && (scheme_is("http://") || scheme_is("https://"))).then(|| url.to_owned())
}

/// False for control characters (terminal escapes among them), for bidirectional overrides and isolates, for the invisible tag characters,
/// and for the two that XML cannot hold: one of them in the name of an app would break a feed.
fn is_visible(c: char) -> bool {
    !c.is_control()
        && !matches!(c, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2028}' | '\u{2029}')
        && !matches!(c, '\u{2066}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}')
        && !matches!(c, '\u{e0000}'..='\u{e007f}')
}

fn cut(chars: impl Iterator<Item = char>, longest: usize) -> String {
    let mut kept: Vec<char> = chars.take(longest + 1).collect();
    if kept.len() > longest {
        kept.truncate(longest.saturating_sub(1));
        kept.push('…');
    }
    kept.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bidirectional_overrides_and_terminal_escapes_are_taken_out() {
        assert_eq!(line("a\u{202e}b\u{2066}c\x1b[31md\u{9b}e\0"), "abc[31mde");
        assert_eq!(block("a\r\n\tb\u{7f}"), "a\n\tb");
    }

    #[test]
    fn a_character_that_xml_cannot_hold_broke_the_feed() {
        assert_eq!(line("a\u{fffe}b\u{ffff}c\u{fffd}"), "abc\u{fffd}");
    }

    #[test]
    fn white_space_folds_on_one_line() {
        assert_eq!(line("  a \n\n b\u{2028}c\t"), "a b c");
    }

    #[test]
    fn overlong_text_ends_in_an_ellipsis_and_keeps_the_limit() {
        assert_eq!(line_within("äöüß", 4), "äöüß");
        assert_eq!(line_within("äöüßx", 4), "äöü…");
        assert_eq!(block(&"x".repeat(5000)).chars().count(), LONGEST);
    }

    #[test]
    fn backticks_mark_code_and_a_lone_one_stays() {
        let shown = |text: &str| runs(text).iter().map(|run| (run.text.clone(), run.is_code)).collect::<Vec<_>>();
        let expected = [("Send ", false), ("A: b", true), (" now", false)];
        assert_eq!(shown("Send `A: b` now"), expected.map(|(text, code)| (text.to_owned(), code)));
        assert_eq!(shown("a ` b"), [("a ` b".to_owned(), false)]);
        assert_eq!(shown("``"), []);
    }

    #[test]
    fn only_plain_web_addresses_become_links() {
        assert_eq!(link("HTTPS://example.com/a?b=c").as_deref(), Some("HTTPS://example.com/a?b=c"));
        for refused in
            ["javascript:alert(1)", "java\nscript:x", " https://a", "https://a b", "data:text/html,x", "//a", ""]
        {
            assert_eq!(link(refused), None, "{refused:?}");
        }
    }
}
