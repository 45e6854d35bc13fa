//! The frame of a page that stands alone: a policy that allows its own style and nothing else, and a body.

use crate::style;
use askama::Template;

#[derive(Template)]
#[template(path = "page.html")]
struct Page<'a> {
    kind: &'a str,
    description: &'a str,
    title: &'a str,
    style: &'a str,
    style_hash: String,
    body: &'a str,
}

/// Puts a body into a page; `kind` is what it is called: "report".
pub(crate) fn alone(kind: &str, description: &str, title: &str, style: &str, body: &str) -> String {
    let page = Page { kind, description, title, style, style_hash: style::hash(style), body };
    page.render().expect("writing to a string does not fail")
}
