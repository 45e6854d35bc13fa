//! Our own documentation as HTML. Nothing that came from outside goes through here: Markdown may carry HTML.

use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html::push_html};

/// The document as HTML, its headings lowered so that the first level becomes `top`. Headings get ids made from their words.
pub fn html(markdown: &str, top: usize) -> String {
    let first = Parser::new_ext(markdown, Options::ENABLE_TABLES)
        .filter_map(|event| match event {
            Event::Start(Tag::Heading { level, .. }) => Some(level as usize),
            _ => None,
        })
        .min()
        .unwrap_or(1);
    let lowered =
        |level: HeadingLevel| HeadingLevel::try_from(level as usize - first + top).unwrap_or(HeadingLevel::H6);
    let mut events: Vec<Event> = Parser::new_ext(markdown, Options::ENABLE_TABLES)
        .map(|event| match event {
            Event::Start(Tag::Heading { level, classes, attrs, .. }) => {
                Event::Start(Tag::Heading { level: lowered(level), id: None, classes, attrs })
            }
            Event::End(TagEnd::Heading(level)) => Event::End(TagEnd::Heading(lowered(level))),
            event => event,
        })
        .collect();
    name_headings(&mut events);
    let mut html = String::new();
    push_html(&mut html, events.into_iter());
    // A table wider than a phone scrolls by itself, and not the page.
    html.replace(
        "<table>",
        "<div class=\"wide-table\" tabindex=\"0\" role=\"group\" aria-label=\"Table\"><table class=\"plain\">",
    )
    .replace("</table>", "</table></div>")
}

fn name_headings(events: &mut [Event]) {
    for place in 0..events.len() {
        let mut words = String::new();
        for event in &events[place + 1..] {
            match event {
                Event::Text(text) | Event::Code(text) => words.push_str(text),
                Event::End(TagEnd::Heading(_)) => break,
                _ => {}
            }
        }
        if let Event::Start(Tag::Heading { id, .. }) = &mut events[place] {
            *id = Some(CowStr::from(slug(&words)));
        }
    }
}

fn slug(words: &str) -> String {
    let mapped: String = words.to_lowercase().chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    mapped.split_whitespace().collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_lowered_and_named() {
        let html = html("# What it measures\n\ntext `code`\n\n## More: of it\n", 2);
        assert!(html.contains("<h2 id=\"what-it-measures\">What it measures</h2>"), "{html}");
        assert!(html.contains("<h3 id=\"more-of-it\">") && html.contains("<code>code</code>"), "{html}");
    }

    #[test]
    fn a_table_scrolls_by_itself() {
        let html = html("| a | b |\n|---|---|\n| 1 | 2 |\n", 2);
        assert!(html.contains("<div class=\"wide-table\"") && html.contains("</table></div>"), "{html}");
    }
}
