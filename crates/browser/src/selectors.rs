//! Selectors of Playwright's engine, built from what a person would say.

use crate::options::TextMatch;

/// Enters the frame that the selector before it found.
pub(crate) const ENTER_FRAME: &str = " >> internal:control=enter-frame >> ";

/// What is asked of an element besides its role.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoleOptions {
    pub checked: Option<bool>,
    pub disabled: Option<bool>,
    pub selected: Option<bool>,
    pub expanded: Option<bool>,
    pub include_hidden: Option<bool>,
    pub level: Option<u32>,
    pub name: Option<TextMatch>,
    pub description: Option<TextMatch>,
    pub pressed: Option<bool>,
}

pub fn by_role(role: &str, options: &RoleOptions) -> String {
    let flag = |flag: Option<bool>| flag.map(|flag| flag.to_string());
    let attributes = [
        ("checked", flag(options.checked)),
        ("disabled", flag(options.disabled)),
        ("selected", flag(options.selected)),
        ("expanded", flag(options.expanded)),
        ("include-hidden", flag(options.include_hidden)),
        ("level", options.level.map(|level| level.to_string())),
        ("name", options.name.as_ref().map(attribute_text)),
        ("description", options.description.as_ref().map(attribute_text)),
        ("pressed", flag(options.pressed)),
    ];
    let asked = attributes.into_iter().filter_map(|(name, value)| Some(format!("[{name}={}]", value?)));
    format!("internal:role={role}{}", asked.collect::<String>())
}

pub fn by_label(text: &TextMatch) -> String {
    format!("internal:label={}", body_text(text))
}

pub fn by_text(text: &TextMatch) -> String {
    format!("internal:text={}", body_text(text))
}

pub fn by_attribute(name: &str, text: &TextMatch) -> String {
    format!("internal:attr=[{name}={}]", attribute_text(text))
}

/// By `data-testid`.
pub fn by_test_id(id: &TextMatch) -> String {
    format!("internal:testid=[data-testid={}]", attribute_text(id))
}

/// Elements of `inner` within elements of `outer`.
pub fn within(outer: &str, inner: &str) -> String {
    format!("{outer} >> {inner}")
}

/// Elements within the frame that the element of `outer` holds.
pub fn in_frame(outer: &str, inner: &str) -> String {
    format!("{outer}{ENTER_FRAME}{inner}")
}

/// Those of a selector's elements whose text, their own or of what is in them, matches or does not.
pub fn with_text(selector: &str, text: &TextMatch, wanted: bool) -> String {
    format!("{selector} >> internal:has-{}text={}", if wanted { "" } else { "not-" }, body_text(text))
}

/// Those of a selector's elements that hold an element of `inner`, or that do not.
pub fn with_element(selector: &str, inner: &str, wanted: bool) -> String {
    format!("{selector} >> internal:has{}={}", if wanted { "" } else { "-not" }, quoted(inner))
}

/// Those of a selector's elements that show, or that do not.
pub fn with_visibility(selector: &str, visible: bool) -> String {
    format!("{selector} >> visible={visible}")
}

/// Elements of `inner`, itself a whole selector, within elements of `outer`.
pub fn chained(outer: &str, inner: &str) -> String {
    format!("{outer} >> internal:chain={}", quoted(inner))
}

/// Elements that both selectors find.
pub fn both(left: &str, right: &str) -> String {
    format!("{left} >> internal:and={}", quoted(right))
}

/// Elements that either selector finds.
pub fn either(left: &str, right: &str) -> String {
    format!("{left} >> internal:or={}", quoted(right))
}

/// One of a selector's elements, counted from 0, or from the end with -1.
pub fn nth(selector: &str, index: i64) -> String {
    format!("{selector} >> nth={index}")
}

/// A text as JSON writes it.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
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
        let name = Some(TextMatch::Substring("Say \"hi\" \\ now".into()));
        let named = RoleOptions { name, level: Some(2), checked: Some(false), ..RoleOptions::default() };
        assert_eq!(
            by_role("button", &named),
            r#"internal:role=button[checked=false][level=2][name="Say \"hi\" \\ now"i]"#
        );
        assert_eq!(by_role("list", &RoleOptions::default()), "internal:role=list");
        assert_eq!(by_text(&TextMatch::Exact("a\nb".into())), r#"internal:text="a\nb"s"#);
        assert_eq!(by_test_id(&TextMatch::Exact("x".into())), r#"internal:testid=[data-testid="x"s]"#);
    }

    #[test]
    fn regular_expressions_are_escaped_once() {
        let regex = |pattern: &str| TextMatch::Regex { pattern: pattern.into(), flags: "i".into() };
        assert_eq!(by_label(&regex(r"a/b")), r"internal:label=/a\/b/i");
        assert_eq!(by_label(&regex(r#"a\"b"c"#)), r#"internal:label=/a\"b\"c/i"#);
        assert_eq!(by_attribute("alt", &regex("x >> y")), r"internal:attr=[alt=/x \>\> y/i]");
    }
}
