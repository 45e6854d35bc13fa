//! What can be told of an XPath expression without a browser: whether what it opens is closed again.

/// What is wrong with an expression, if anything.
pub(super) fn problem(expression: &str) -> Option<String> {
    let mut open = Vec::new();
    let mut characters = expression.chars();
    while let Some(character) = characters.next() {
        match character {
            // Strings of XPath know no escapes; looking for the end of one leaves it behind.
            '"' | '\'' if !characters.any(|other| other == character) => {
                return Some(format!("does not end; `{character}` is missing"));
            }
            '(' => open.push(')'),
            '[' => open.push(']'),
            ')' | ']' if open.pop() != Some(character) => {
                return Some(format!("closes `{character}` that was not opened"));
            }
            _ => {}
        }
    }
    open.pop().map(|missing| format!("does not end; `{missing}` is missing"))
}
