//! Markup and templates: text between tags, attributes, styles.

use super::{InFile, style};
use crate::entities::decode;
use regex::Regex;
use std::sync::LazyLock;

/// What is never closed goes on to the end, as in browsers; looking for its end again and again would take quadratic time.
static HIDDEN: LazyLock<Regex> = LazyLock::new(|| {
    let comment = r"<!--(?s:.)*?(?:-->|\z)";
    let script = r"<script\b[^>]*>(?s:.)*?(?:</script>|\z)";
    let style = r"<style\b[^>]*>(?s:.)*?(?:</style>|\z)";
    let front_matter = r"\A---\r?\n(?s:.)*?\n---";
    Regex::new(&format!("(?i){comment}|{script}|{style}|{front_matter}")).expect("the pattern is fixed")
});
static STYLE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)<style\b[^>]*>((?s:.)*?)(?:</style>|\z)").expect("the pattern is fixed"));
static COMMENT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"<!--(?s:.)*?(?:-->|\z)").expect("the pattern is fixed"));
static TAG: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"</?([A-Za-z][\w:.-]*)((?:[^<>"']|"[^"]*"|'[^']*')*)>"#).expect("the pattern is fixed")
});
static ATTRIBUTE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"([\w:@.-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'))?"#).expect("the pattern is fixed"));
static EXPRESSION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\{\{(?:[^{]|\{[^{])*?\}\}|\{[^{}]*\}").expect("the pattern is fixed"));
/// Strings and templates without expressions. Escaped signs outside of them are stepped over, lest each be tried as the beginning of one.
static LITERAL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?s)\\.|"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|`((?:[^`\\$]|\\.|\$[^{`\\])*)`"#)
        .expect("the pattern is fixed")
});
static ESCAPED_QUOTE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#"\\(["'`])"#).expect("the pattern is fixed"));

/// Elements that do not break a line of text.
const INLINE: [&str; 21] = [
    "a", "abbr", "b", "bdi", "cite", "code", "em", "font", "i", "kbd", "label", "mark", "q", "s", "small", "span",
    "strong", "sub", "sup", "tspan", "u",
];

/// Reads what is not a script.
pub fn read(file: &mut InFile<'_>, text: &str) {
    let blank = |found: &regex::Captures<'_>| " ".repeat(found[0].len());
    let visible = COMMENT.replace_all(text, blank);
    for sheet in STYLE.captures_iter(&visible).filter_map(|found| found.get(1)) {
        style::read(file, sheet.as_str(), sheet.start());
    }
    let markup = HIDDEN.replace_all(text, blank);
    tags(file, &markup);
    words(file, &markup, false);
    words(file, &markup, true);
    file.colours(&markup, 0);
    if file.wants_structure() {
        file.code(&markup, 0);
    }
}

fn tags(file: &mut InFile<'_>, markup: &str) {
    for tag in TAG.captures_iter(markup) {
        let Some(whole) = tag.get(0) else { continue };
        file.names([&tag[1]], whole.start());
        for attribute in ATTRIBUTE.captures_iter(&tag[2]) {
            file.names([&attribute[1]], whole.start());
            if let Some(value) = attribute.get(2).or_else(|| attribute.get(3)) {
                file.copy(&decode(value.as_str()), whole.start());
                file.names(value.as_str().split_whitespace(), whole.start());
            }
        }
    }
}

/// The text between tags: cut at every tag, or joined across those that do not break a line.
fn words(file: &mut InFile<'_>, markup: &str, joined: bool) {
    let mut piece = String::new();
    let mut begun = 0;
    let mut at = 0;
    for tag in TAG.captures_iter(markup) {
        let Some(whole) = tag.get(0) else { continue };
        piece.push_str(&markup[at..whole.start()]);
        at = whole.end();
        let name = tag[1].to_ascii_lowercase();
        if joined && name == "br" {
            piece.push(' ');
        } else if !joined || INLINE.binary_search(&name.as_str()).is_err() {
            tell(file, &piece, begun);
            piece.clear();
            begun = at;
        }
    }
    piece.push_str(&markup[at..]);
    tell(file, &piece, begun);
}

fn tell(file: &mut InFile<'_>, piece: &str, at: usize) {
    if !piece.trim().is_empty() {
        let lead = piece.len() - piece.trim_start().len();
        let known = EXPRESSION.replace_all(piece, |found: &regex::Captures<'_>| literals(&found[0]));
        file.copy(&decode(&known), at + lead);
    }
}

/// What is known of the text an expression inserts: its literals, with `\0` for everything else.
fn literals(expression: &str) -> String {
    let code = expression.trim_matches(['{', '}']);
    let mut known = String::new();
    let mut at = 0;
    for literal in LITERAL.captures_iter(code) {
        let text = (1..=3).find_map(|group| literal.get(group));
        let Some((whole, text)) = literal.get(0).zip(text) else { continue };
        known.push_str(unknown(&code[at..whole.start()]));
        known.push_str(&ESCAPED_QUOTE.replace_all(text.as_str(), "$1"));
        at = whole.end();
    }
    known.push_str(unknown(&code[at..]));
    known
}

fn unknown(code: &str) -> &'static str {
    if code.trim().is_empty() { "" } else { "\0" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verbatim::{Constraint, ConstraintKind, Search};

    fn holds(markup: &str, value: &str) -> bool {
        let wanted = Constraint { kind: ConstraintKind::ExactCopy, value: value.to_owned() };
        let search = Search::new(&[wanted]);
        let mut file = InFile::new(&search);
        read(&mut file, markup);
        file.is_done()
    }

    #[test]
    fn literals_within_mustaches_are_text() {
        for markup in [
            "<h1>{{ 'Get started' }}</h1>",
            "<h1>{'Get started'}</h1>",
            "<h1>Get{' '}{`started`}</h1>",
            "<h1>{{ busy ? \"Wait\" : \"Get started\" }}</h1>",
            "{#if ready}<b>{\n  'Get started'\n}</b>{/if}",
        ] {
            assert!(holds(markup, "Get started"), "{markup}");
        }
        assert!(holds("<p>{{ 'Don\\'t wait' }}</p>", "Don't wait"));
        for markup in [
            "<h1>{{ 'Get started for free' }}</h1>",
            "<h1>{{ ok ? 'Get' : 'started' }}</h1>",
            "<h1>{`Get ${how}started`}</h1>",
            "<h1>{{ Get started }}</h1>",
            "<!-- {{ 'Get started' }} -->",
        ] {
            assert!(!holds(markup, "Get started"), "{markup}");
        }
    }

    #[test]
    fn mustaches_and_literals_without_end_are_searched_once() {
        for text in ["{{ {a}\n", "{{ '{a}\n", "{'", "{{{'a'}", "{`$\n"] {
            assert!(!holds(&text.repeat(100_000), "Get started"), "{text}");
        }
        assert!(!holds(&format!("{{{{ {} }}}}", "\\\"".repeat(400_000)), "Get started"));
    }

    #[test]
    fn what_is_never_closed_hides_the_rest() {
        for opened in ["<!-- ", "<script>", "<style>"] {
            assert!(!holds(&format!("<p>Hello</p>{opened}<p>Get started</p>"), "Get started"), "{opened}");
            let hidden = format!("{opened}<style></style><!-- --><p>Get started</p>");
            assert!(holds(&format!("<p>Get started</p>{}", hidden.repeat(50_000)), "Get started"), "{opened}");
        }
    }
}
