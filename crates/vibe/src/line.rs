//! What a page, a provider or another model says, as part of a line of ours: it cannot begin a line of its own.

/// The text in one line.
pub(crate) fn flat(text: &str) -> String {
    text.chars().map(blank).collect()
}

/// A blank for whatever ends a line somewhere, and for other control characters.
pub(crate) fn blank(character: char) -> char {
    let ends_a_line = matches!(character, '\u{2028}' | '\u{2029}');
    if ends_a_line || character.is_control() { ' ' } else { character }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_anybody_takes_for_the_end_of_a_line_is_left() {
        assert_eq!(flat("a\nb\r\nc\u{85}d\u{2028}e\u{2029}f\u{b}g\u{c}h\u{1b}[1mi"), "a b  c d e f g h [1mi");
    }
}
