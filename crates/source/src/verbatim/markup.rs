//! Markup and templates: text between tags, attributes, styles.

use super::{InFile, holds_classes, style};
use crate::entities::decode;
use crate::file::Language;
use regex::{Captures, Regex};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

/// Settings above a page.
const FRONT_MATTER: &str = r"\A---\r?\n(?s:.)*?\n---";
/// A script or style sheet that closes itself; in HTML none does. The arrow of a function does not end its tag.
const EMPTY: &str = r"<(?:script|style)(?:\s(?:[^=>]|=(?s:.))*)?/>";
/// A comment at the beginning of an expression.
const REMARK: &str = r"\{\s*/\*(?s:.)*?\*/";
/// What is never closed goes on to the end, as in browsers; looking for its end again and again would take quadratic time.
const OR_END: &str = r"|\z";

/// What hides parts of a file.
enum Hiding {
    Pattern(Regex),
    /// Comments, scripts and style sheets that are closed again, each as it is from its beginning.
    Closed([Regex; 3]),
}

/// One part of a file that is hidden, and where a style sheet stands in it.
struct Hidden {
    whole: Range<usize>,
    sheet: Option<Range<usize>>,
}

/// What hides parts of each kind of file, one after the other.
static HTML: LazyLock<Vec<Hiding>> = LazyLock::new(|| ready([FRONT_MATTER, &parts(OR_END).join("|")]));
static XML: LazyLock<Vec<Hiding>> = LazyLock::new(|| ready([FRONT_MATTER, EMPTY, &parts(OR_END).join("|")]));
/// Expressions of a component may insert tags that they cut in two.
static COMPONENT: LazyLock<Vec<Hiding>> = LazyLock::new(|| {
    let closed = parts("").map(|part| regex(&format!(r"\A{part}")));
    ready([FRONT_MATTER, EMPTY]).into_iter().chain([Hiding::Closed(closed)]).chain(ready([REMARK])).collect()
});
/// In prose an opening tag alone may be a word of the text. Each part has a pattern of its own, so that its end is looked for once.
static MDX: LazyLock<Vec<Hiding>> = LazyLock::new(|| {
    let [comment, script, style] = parts("");
    ready([FRONT_MATTER, EMPTY, REMARK, &comment, &script, &style])
});
/// What comments, scripts and style sheets begin with, in the order of [`parts`].
static OPENED: LazyLock<Regex> = LazyLock::new(|| regex(r"(<!--)|(<script[\s/>])|(<style[\s/>])"));
static TAG: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"</?([A-Za-z][\w:.-]*)((?:[^<>"']|"[^"]*"|'[^']*')*)>"#).expect("the pattern is fixed")
});
static ATTRIBUTE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"([\w:@.-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'))?"#).expect("the pattern is fixed"));
static EXPRESSION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\{\{(?:[^{]|\{[^{])*?\}\}|\{[^{}]*\}").expect("the pattern is fixed"));
/// Strings and templates without expressions. Comments and escaped signs outside of them are stepped over, lest each be tried as the
/// beginning of one.
static LITERAL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?s)/\*.*?(?:\*/|\z)|\\.|"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|`((?:[^`\\$]|\\.|\$[^{`\\])*)`"#)
        .expect("the pattern is fixed")
});
static ESCAPED_QUOTE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#"\\(["'`])"#).expect("the pattern is fixed"));

/// Elements that do not break a line of text.
const INLINE: [&str; 21] = [
    "a", "abbr", "b", "bdi", "cite", "code", "em", "font", "i", "kbd", "label", "mark", "q", "s", "small", "span",
    "strong", "sub", "sup", "tspan", "u",
];

/// Comments, scripts and style sheets, each up to the mark that closes it or to what else may end it.
fn parts(or: &str) -> [String; 3] {
    [
        format!(r"<!--(?s:.)*?(?:-->{or})"),
        format!(r"<script(?:[\s/][^>]*)?>(?s:.)*?(?:</script\s*>{or})"),
        format!(r"<style(?:[\s/][^>]*)?>(?<sheet>(?s:.)*?)(?:</style\s*>{or})"),
    ]
}

fn ready<const N: usize>(patterns: [&str; N]) -> Vec<Hiding> {
    patterns.map(|pattern| Hiding::Pattern(regex(pattern))).into()
}

fn regex(pattern: &str) -> Regex {
    Regex::new(&format!("(?i){pattern}")).expect("the pattern is fixed")
}

impl Hiding {
    fn parts(&self, text: &str) -> Vec<Hidden> {
        match self {
            Self::Pattern(pattern) => pattern.captures_iter(text).map(|found| Hidden::at(0, &found)).collect(),
            Self::Closed(kinds) => closed(kinds, text),
        }
    }
}

impl Hidden {
    fn at(start: usize, found: &Captures<'_>) -> Self {
        let moved = |range: Range<usize>| start + range.start..start + range.end;
        Self { whole: moved(found.get_match().range()), sheet: found.name("sheet").map(|sheet| moved(sheet.range())) }
    }
}

/// What is opened and closed again. Where one of a kind finds no end, none of its kind behind it does, so that each end is looked for once.
fn closed(kinds: &[Regex; 3], text: &str) -> Vec<Hidden> {
    let mut found = Vec::new();
    let mut endless = [false; 3];
    let mut at = 0;
    while let Some(opened) = OPENED.captures_at(text, at) {
        let begun = opened.get_match();
        at = begun.end();
        let Some(kind) = (0..3).find(|kind| opened.get(kind + 1).is_some() && !endless[*kind]) else { continue };
        if let Some(part) = kinds[kind].captures(&text[begun.start()..]) {
            let part = Hidden::at(begun.start(), &part);
            at = part.whole.end;
            found.push(part);
        } else {
            endless[kind] = true;
        }
    }
    found
}

fn hiding(name: &str, language: Language) -> &'static [Hiding] {
    let extension = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    match (language, extension.as_str()) {
        (Language::Component, _) => &COMPONENT,
        (Language::Mdx, _) => &MDX,
        (_, "svg" | "xhtml") => &XML,
        _ => &HTML,
    }
}

/// Reads what is not a script.
pub fn read(file: &mut InFile<'_>, text: &str, name: &str, language: Language) {
    let (markup, sheets) = shown(text, hiding(name, language));
    for sheet in sheets {
        let at = sheet.start;
        style::read(file, &text[sheet], at);
    }
    tags(file, &markup);
    words(file, &markup, false);
    words(file, &markup, true);
    file.colours(&markup, 0);
    if file.wants_structure() {
        file.code(&markup, 0);
    }
}

/// The text with blanks for what hides, byte for byte, and where style sheets stand in it.
fn shown<'t>(text: &'t str, hiding: &[Hiding]) -> (Cow<'t, str>, Vec<Range<usize>>) {
    let mut shown = Cow::Borrowed(text);
    let mut sheets = Vec::new();
    for one in hiding {
        for hidden in one.parts(&shown) {
            sheets.extend(hidden.sheet);
            let blanks = blank(&shown[hidden.whole.clone()]);
            shown.to_mut().replace_range(hidden.whole, &blanks);
        }
    }
    (shown, sheets)
}

/// Blanks as many as bytes. The brace of an expression stays, as its other one does.
fn blank(hidden: &str) -> String {
    let brace = if hidden.starts_with('{') { "{" } else { "" };
    brace.to_owned() + &" ".repeat(hidden.len() - brace.len())
}

fn tags(file: &mut InFile<'_>, markup: &str) {
    for tag in TAG.captures_iter(markup) {
        let Some(whole) = tag.get(0) else { continue };
        file.names([&tag[1]], whole.start());
        for attribute in ATTRIBUTE.captures_iter(&tag[2]) {
            file.names([&attribute[1]], whole.start());
            if let Some(value) = attribute.get(2).or_else(|| attribute.get(3)) {
                if !holds_classes(&attribute[1]) {
                    file.copy(&decode(value.as_str()), whole.start());
                }
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
        let known = EXPRESSION.replace_all(piece, |found: &Captures<'_>| literals(&found[0]));
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
    use crate::file::Nature;
    use crate::verbatim::{Constraint, ConstraintKind, Search};

    const LANGUAGES: [&str; 5] = ["a.html", "a.svg", "a.vue", "a.astro", "a.mdx"];

    fn satisfied(name: &str, text: &str, kind: ConstraintKind, value: &str) -> bool {
        let search = Search::new(&[Constraint { kind, value: value.to_owned() }]);
        let mut file = InFile::new(&search);
        file.rest(text, name, Nature::of(name));
        file.is_done()
    }

    fn holds_in(name: &str, text: &str, value: &str) -> bool {
        satisfied(name, text, ConstraintKind::ExactCopy, value)
    }

    fn holds(markup: &str, value: &str) -> bool {
        holds_in("a.html", markup, value)
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
        for opened in ["<!-- ", "<script>", "<script />", "<style>"] {
            assert!(!holds(&format!("<p>Hello</p>{opened}<p>Get started</p>"), "Get started"), "{opened}");
            let hidden = format!("{opened}<style></style><!-- --><p>Get started</p>");
            assert!(holds(&format!("<p>Get started</p>{}", hidden.repeat(50_000)), "Get started"), "{opened}");
        }
    }

    #[test]
    fn what_closes_itself_hides_nothing_but_itself() {
        for (name, text) in [
            ("a.astro", "<head><script set:html={JSON.stringify(schema)} /></head><h1>Get started</h1>"),
            ("a.astro", "<script set:html={pages.map((page) => page.name)} /><h1>Get started</h1>"),
            ("a.vue", "<script setup src=\"./App.ts\" />\n<template><h1>Get started</h1></template>"),
            ("a.svelte", "<style\n  lang=\"scss\"\n/>\n<h1>Get started</h1><style>h1 { color: red }</style>"),
            ("a.mdx", "<script async src=\"/a.js\"/>\n\n# Get started"),
            ("a.svg", "<svg><script href=\"a.js\"/><text>Get started</text></svg>"),
            ("a.html", "<style-guide></style-guide><script-loader /><h1>Get started</h1>"),
        ] {
            assert!(holds_in(name, text, "Get started"), "{text}");
        }
        let open = "<script lang=\"ts\" generic=\"T extends Record<string, X>\">const a = 'Get started' /></script>";
        assert!(!holds_in("a.vue", open, "Get started"));
    }

    #[test]
    fn a_script_that_an_expression_inserts_in_two_pieces_hides_nothing_below_it() {
        let hello = "<script>let s = '<p>'</script>\n<svelte:head>";
        for inserted in [
            "{@html `<script type=\"application/ld+json\">${JSON.stringify(s)}<\\/script>`}",
            "{@html '<script>' + s + '</' + 'script>'}",
            "{@html `<style>${s}<\\/style>`}",
            "{@html '<!-- ' + s}",
        ] {
            let text = format!("{hello}{inserted}</svelte:head>\n<h1>Get started</h1>\n");
            assert!(holds_in("a.svelte", &text, "Get started"), "{inserted}");
            let styled = format!("{text}<!-- <b>Sign up</b> --><style>p {{ color: #3b82f6 }}</style>");
            if !inserted.contains("<style") && !inserted.contains("<!--") {
                assert!(satisfied("a.svelte", &styled, ConstraintKind::HexValue, "#3b82f6"), "{inserted}");
                assert!(!holds_in("a.svelte", &styled, "Sign up"), "{inserted}");
            }
        }
    }

    #[test]
    fn in_prose_an_opening_tag_may_be_a_word() {
        for opened in ["`<style>`", "`<script>`", "`<!--`", "`{/*`"] {
            assert!(holds_in("a.mdx", &format!("Put it into {opened}.\n\n# Get started"), "Get started"), "{opened}");
        }
        let hidden = "<!-- Get started --> {/* Get started */} <script>'Get started'</script>";
        assert!(!holds_in("a.mdx", hidden, "Get started"));
        assert!(holds_in("a.mdx", "<style>p::after { content: 'Get started' }</style>", "Get started"));
    }

    #[test]
    fn what_is_commented_out_within_braces_is_no_text() {
        for hidden in
            ["{/* <h1>Get started</h1> */}", "{ /* <Button label=\"Get started\" /> */ }", "{/* 'Get started' */}"]
        {
            for name in ["a.astro", "a.svelte", "a.mdx"] {
                assert!(!holds_in(name, &format!("<p>Hello</p>{hidden}"), "Get started"), "{name}: {hidden}");
                assert!(holds_in(name, &format!("{hidden}<h1>Get started</h1>"), "Get started"), "{name}: {hidden}");
            }
        }
        for name in LANGUAGES {
            assert!(!holds_in(name, "<h1>{{ /* 'Get started' */ }}</h1>", "Get started"), "{name}");
            assert!(!holds_in(name, "<h1>{{ wait /* 'Get started' */ }}</h1>", "Get started"), "{name}");
            assert!(holds_in(name, "<h1>{{ /* it's */ 'Get started' }}</h1>", "Get started"), "{name}");
        }
        assert!(holds_in("a.vue", "<p :style=\"{ /* mine */ top: 0 }\">Get started</p>", "Get started"));
    }

    #[test]
    fn a_comment_within_a_script_hides_no_style_sheet() {
        let text = "<script>a('<!--', '{/*')</script><style>p { color: #3b82f6 }</style><p>Get started</p>";
        for name in LANGUAGES {
            assert!(satisfied(name, text, ConstraintKind::HexValue, "#3b82f6"), "{name}");
            assert!(holds_in(name, text, "Get started"), "{name}");
        }
        let sheet = "<style>p { color: #3b82f6 }</style>";
        let hidden = format!("<!-- {sheet} --><script>a('{sheet}')</script>");
        assert!(!satisfied("a.html", &hidden, ConstraintKind::HexValue, "#3b82f6"));
    }

    #[test]
    fn classes_are_no_copy() {
        for text in ["<b class=\"badge free\">0 €</b>", "<b :class=\"'badge free'\">0 €</b>", "<B className='free' />"]
        {
            assert!(!holds_in("a.vue", text, "free"), "{text}");
        }
        assert!(satisfied("a.vue", "<b class=\"badge free\">0 €</b>", ConstraintKind::Structural, ".free"));
        assert!(holds_in("a.vue", "<input placeholder=\"badge free\">", "free"));
    }

    #[test]
    fn what_hides_is_looked_for_once() {
        for text in [
            "<script ",
            "<script =>",
            "<script {/* */}",
            "<style><!--",
            "{/*",
            "<script/ {/*",
            "{{ /*",
            "<style />",
            "<script <!-- ",
            "<script><!-- -->",
            "<style></script ",
            "<script></script><style>",
        ] {
            for name in LANGUAGES {
                assert!(!holds_in(name, &text.repeat(30_000), "Get started"), "{name}: {text}");
            }
        }
    }
}
