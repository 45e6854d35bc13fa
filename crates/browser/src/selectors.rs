//! Selectors of Playwright's engine, built from what a person would say.

use crate::options::TextMatch;

pub(crate) fn by_role(role: &str, name: Option<&TextMatch>) -> String {
    match name {
        None => format!("internal:role={role}"),
        Some(name) => format!("internal:role={role}[name={}]", attribute_text(name)),
    }
}

pub(crate) fn by_label(text: &TextMatch) -> String {
    format!("internal:label={}", body_text(text))
}

pub(crate) fn by_text(text: &TextMatch) -> String {
    format!("internal:text={}", body_text(text))
}

pub(crate) fn by_attribute(name: &str, text: &TextMatch) -> String {
    format!("internal:attr=[{name}={}]", attribute_text(text))
}

pub(crate) fn by_test_id(id: &str) -> String {
    format!("internal:testid=[data-testid={}]", attribute_text(&TextMatch::Exact(id.to_owned())))
}

/// Inside brackets the engine knows two escapes, of the quote and of the backslash.
fn attribute_text(text: &TextMatch) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    match text {
        TextMatch::Substring(text) => format!("{}i", quoted(text)),
        TextMatch::Exact(text) => format!("{}s", quoted(text)),
        TextMatch::Regex { pattern, flags } => regex(pattern, flags),
    }
}

/// After an equals sign the engine reads JSON.
fn body_text(text: &TextMatch) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    match text {
        TextMatch::Substring(text) => format!("{}i", quoted(text)),
        TextMatch::Exact(text) => format!("{}s", quoted(text)),
        TextMatch::Regex { pattern, flags } => regex(pattern, flags),
    }
}

/// A regular expression between slashes. Quotes and `>>` mean something to the engine, and are escaped unless they
/// already are.
fn regex(pattern: &str, flags: &str) -> String {
    let mut source = String::with_capacity(pattern.len() + 8);
    let mut escaped = false;
    let unicode = flags.contains(['u', 'v']);
    for (at, character) in pattern.char_indices() {
        let is_arrow = character == '>' && (pattern[at + 1..].starts_with('>') || pattern[..at].ends_with('>'));
        let must_escape = match character {
            '/' => true,
            '"' | '\'' | '`' => !unicode,
            _ => is_arrow && !unicode,
        };
        if must_escape && !escaped {
            source.push('\\');
        }
        source.push(character);
        escaped = character == '\\' && !escaped;
    }
    format!("/{source}/{flags}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_for_the_engine() {
        let name = TextMatch::Substring("Say \"hi\" \\ now".into());
        assert_eq!(by_role("button", Some(&name)), r#"internal:role=button[name="Say \"hi\" \\ now"i]"#);
        assert_eq!(by_role("list", None), "internal:role=list");
        assert_eq!(by_text(&TextMatch::Exact("a\nb".into())), r#"internal:text="a\nb"s"#);
        assert_eq!(by_test_id("x"), r#"internal:testid=[data-testid="x"s]"#);
    }

    #[test]
    fn regular_expressions_are_escaped_once() {
        let regex = |pattern: &str| TextMatch::Regex { pattern: pattern.into(), flags: "i".into() };
        assert_eq!(by_label(&regex(r"a/b")), r"internal:label=/a\/b/i");
        assert_eq!(by_label(&regex(r#"a\"b"c"#)), r#"internal:label=/a\"b\"c/i"#);
        assert_eq!(by_attribute("alt", &regex("x >> y")), r"internal:attr=[alt=/x \>\> y/i]");
    }
}
