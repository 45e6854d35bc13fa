//! Sinks in templates of components: `v-html`, `{@html}`, `set:html`.

use super::{Candidate, Scope};
use regex::Regex;
use std::sync::LazyLock;

static SINK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"v-html\s*=\s*"([^"]*)"|\{@html\s+([^}]*)\}|set:html=\{([^}]*)\}"#).expect("the pattern is fixed")
});
static SAFE_CALL: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)sanit|purify|escape").expect("the pattern is fixed"));
static COMMENT: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"<!--(?s:.)*?-->").expect("the pattern is fixed"));

/// Looks at the text of a component.
pub fn candidates(text: &str) -> Vec<Candidate> {
    let code = COMMENT.replace_all(text, |found: &regex::Captures<'_>| " ".repeat(found[0].len()));
    SINK.captures_iter(&code)
        .filter(|found| {
            let value = (1..=3).find_map(|group| found.get(group)).map_or("", |value| value.as_str()).trim();
            !is_constant(value) && !SAFE_CALL.is_match(value) && !is_declared_safely(&code, value)
        })
        .filter_map(|found| found.get(0))
        .map(|found| Candidate::new("xss_unsanitized_html", found.start(), Scope::Reached))
        .collect()
}

fn is_constant(value: &str) -> bool {
    let quoted =
        |quote: char| value.len() >= 2 && value.starts_with(quote) && value.ends_with(quote) && !value.contains("${");
    quoted('\'') || quoted('"') || quoted('`')
}

/// The script of the component sets the name from a sanitiser, a constant, or a computed value made by one.
fn is_declared_safely(text: &str, value: &str) -> bool {
    let name = value.trim_end_matches(".value");
    if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$') {
        return false;
    }
    let pattern = format!(r"(?m)(?:const|let|var|\$:)\s*{}\s*=\s*([^\n]*(?:\n[^\n]*)?)", regex::escape(name));
    let Ok(declared) = Regex::new(&pattern) else { return false };
    declared.captures(text).and_then(|found| found.get(1)).is_some_and(|init| {
        let init = init.as_str();
        let first = init.lines().next().unwrap_or_default().trim().trim_end_matches(';');
        SAFE_CALL.is_match(init) || is_constant(first)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_judged_by_what_they_insert() {
        assert_eq!(candidates(r#"<div v-html="post.body"/>"#).len(), 1);
        assert_eq!(candidates("{@html content}").len(), 1);
        assert!(candidates(r#"<div v-html="DOMPurify.sanitize(post.body)"/>"#).is_empty());
        assert!(candidates("<script>const html = DOMPurify.sanitize(raw)</script>{@html html}").is_empty());
        assert!(candidates("<!-- <p v-html=\"x\"> -->").is_empty());
    }
}
