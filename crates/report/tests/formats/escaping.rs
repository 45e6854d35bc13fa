//! Nothing a page wrote becomes markup, a link to code, a terminal command or a second structure, in any format.

use crate::hostile::Canvas;
use crate::sample;
use crate::vectors::VECTORS;
use benchwright_domain::{BlobId, Report};
use benchwright_report::{html, json, markdown, terminal};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use scraper::{ElementRef, Html, Selector};
use std::collections::BTreeSet;

pub fn canvas() -> Canvas<Report> {
    Canvas::of(&sample::decent())
}

fn page(report: &Report) -> Html {
    let pixel = |_: &BlobId| Some(sample::PIXEL.to_vec());
    Html::parse_document(&html::render(report, &pixel))
}

pub fn elements(document: &Html) -> Vec<ElementRef<'_>> {
    document.select(&Selector::parse("*").unwrap()).collect()
}

/// Every pair of element and attribute, and every element by itself.
pub fn vocabulary(document: &Html) -> BTreeSet<(String, String)> {
    let mut words = BTreeSet::new();
    for element in elements(document) {
        words.insert((element.value().name().to_owned(), String::new()));
        for (attribute, _) in element.value().attrs() {
            words.insert((element.value().name().to_owned(), attribute.to_owned()));
        }
    }
    words
}

/// The words of our own templates: every sample with harmless text and harmless links in every field.
fn own_vocabulary(parse: impl Fn(&Report) -> Html) -> BTreeSet<(String, String)> {
    let samples = [sample::decent(), sample::unrendered(), sample::flawless(), sample::empty()];
    let mut words: BTreeSet<_> = samples.iter().flat_map(|report| vocabulary(&parse(report))).collect();
    for text in ["plain", "https://example.com/", "some `code` here"] {
        words.extend(vocabulary(&parse(&canvas().drench(text))));
    }
    words
}

/// What a reader sees of a text, whatever the format did to defuse it.
pub fn visible(text: &str) -> String {
    let dropped = |c: &char| {
        !c.is_control()
            && !matches!(c, '`' | 'ˋ' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
            && !matches!(c, '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
            && !c.is_whitespace()
    };
    text.replace('¦', "|").chars().filter(dropped).collect()
}

#[test]
fn only_names_of_variants_are_not_free_text() {
    let canvas = canvas();
    assert!(canvas.strings.len() > 200, "{}", canvas.strings.len());
    for path in &canvas.fixed {
        let last = path.last().unwrap().as_str();
        let in_measured = path.len() == 4 && path[0] == "dimensions" && path[2] == "measured";
        let is_scorer_id = path.len() == 3 && path[0] == "scorers" && last == "id";
        assert!(in_measured || is_scorer_id || ["kind", "status", "outcome", "gate"].contains(&last), "{path:?}");
    }
}

#[test]
fn html_holds_no_element_or_attribute_but_its_own() {
    let own = own_vocabulary(page);
    let canvas = canvas();
    for vector in VECTORS {
        let document = page(&canvas.drench(vector));
        let foreign: Vec<_> = vocabulary(&document).difference(&own).cloned().collect();
        assert!(foreign.is_empty(), "{vector:?} brought {foreign:?}");
        for element in elements(&document) {
            assert_harmless(&element, vector);
        }
        let text: String = document.root_element().text().collect();
        assert!(visible(&text).contains(&visible(vector)), "{vector:?} is not shown");
    }
}

pub fn assert_harmless(element: &ElementRef, vector: &str) {
    assert!(
        !["script", "iframe", "object", "embed", "base", "form", "foreignObject"].contains(&element.value().name())
    );
    for (name, value) in element.value().attrs() {
        assert!(!name.starts_with("on") && name != "style" && name != "src", "{vector:?} brought {name}={value}");
        if name.ends_with("href") {
            let start = value.to_ascii_lowercase();
            let known = ["#", "http://", "https://", "data:image/png;base64,"];
            assert!(known.iter().any(|scheme| start.starts_with(scheme)), "{vector:?} brought {name}={value}");
        }
    }
    if element.value().name() == "a" && element.attr("href").is_some_and(|href| !href.starts_with('#')) {
        assert_eq!(element.attr("rel"), Some("noopener noreferrer nofollow"));
    }
}

#[test]
fn every_string_of_a_report_is_shown_or_known_not_to_be() {
    let canvas = canvas();
    let report = canvas.paint(|number| format!("<{number}>"));
    let text: String = page(&report).root_element().text().collect();
    for (number, path) in canvas.strings.iter().enumerate() {
        let path: Vec<_> = path.iter().map(String::as_str).collect();
        let is_shown = text.contains(&format!("<{number}>"));
        let may_be_left_out = match path.as_slice() {
            ["screenshots", ..] | [.., "shot"] => true,
            ["scorers", key, "title" | "version"] => report.scorers[*key].score.is_none(),
            _ => false,
        };
        assert!(is_shown || may_be_left_out, "{path:?} is not shown");
    }
}

#[test]
fn json_can_stand_inside_a_script_element_and_reads_back() {
    let canvas = canvas();
    for vector in VECTORS {
        let report = canvas.drench(vector);
        let text = json::render(&report);
        assert!(!text.contains(['<', '>', '&', '\u{2028}', '\u{2029}']), "{vector:?}");
        assert!(serde_json::from_str::<Report>(&text).unwrap() == report, "{vector:?}");
    }
}

fn parse_markdown(text: &str) -> Parser<'_> {
    Parser::new_ext(
        text,
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS | Options::ENABLE_MATH,
    )
}

fn markdown_page(report: &Report) -> Html {
    let mut page = String::new();
    pulldown_cmark::html::push_html(&mut page, parse_markdown(&markdown::render(report)));
    Html::parse_fragment(&page)
}

#[test]
fn markdown_renders_to_no_element_or_attribute_but_its_own() {
    let own = own_vocabulary(markdown_page);
    let canvas = canvas();
    for vector in VECTORS {
        let report = canvas.drench(vector);
        let document = markdown_page(&report);
        let foreign: Vec<_> = vocabulary(&document).difference(&own).cloned().collect();
        assert!(foreign.is_empty(), "{vector:?} brought {foreign:?}");
        for element in elements(&document) {
            assert!(element.attr("href").is_none_or(|href| href.starts_with("http")), "{vector:?}");
        }
        let text: String = document.root_element().text().collect();
        assert!(visible(&text).contains(&visible(vector)), "{vector:?} is not shown");
        assert_rows_keep_their_cells(&document, vector);
    }
}

fn assert_rows_keep_their_cells(document: &Html, vector: &str) {
    let row = Selector::parse("tr").unwrap();
    let rows: Vec<_> = document.select(&row).map(|row| row.child_elements().count()).collect();
    assert_eq!(rows, [4; 5], "{vector:?}");
}

#[test]
fn markdown_prose_holds_nothing_that_links_or_mentions_by_itself() {
    let canvas = canvas();
    for vector in VECTORS {
        let text = markdown::render(&canvas.drench(vector));
        let prose = prose_outside_links(&text).to_lowercase();
        assert!(!prose.contains("://") && !prose.contains("www."), "{vector:?}");
        assert!(prose.split('@').skip(1).all(|after| after.starts_with('\u{200b}')), "{vector:?}");
    }
}

fn prose_outside_links(markdown: &str) -> String {
    let mut depth = 0;
    let mut prose = String::new();
    for event in parse_markdown(markdown) {
        match event {
            Event::Start(Tag::Link { .. }) => depth += 1,
            Event::End(TagEnd::Link) => depth -= 1,
            Event::Text(text) if depth == 0 => prose.push_str(&text),
            Event::Code(_) | Event::End(_) | Event::SoftBreak => prose.push('\n'),
            _ => {}
        }
    }
    prose
}

#[test]
fn the_terminal_gets_no_control_character_from_a_page_and_no_row_too_wide() {
    let canvas = canvas();
    for vector in VECTORS {
        let report = canvas.drench(vector);
        for width in [40, 80] {
            let plain = terminal::render(&report, terminal::Style { color: false, width });
            let colored = terminal::render(&report, terminal::Style { color: true, width });
            assert_eq!(without_colors(&colored), plain, "{vector:?}");
            assert!(plain.chars().all(|c| c == '\n' || !c.is_control()), "{vector:?}");
            assert!(!plain.contains(['\u{202e}', '\u{2066}', '\u{200f}', '\u{feff}']), "{vector:?}");
            assert!(visible(&plain).contains(&visible(vector)), "{vector:?} is not shown");
            let widest = plain.lines().map(|line| line.chars().count()).max();
            assert!(widest <= Some(width), "{vector:?}: {widest:?}");
        }
    }
}

fn without_colors(text: &str) -> String {
    ["0", "1", "2", "31", "32", "33", "34", "35", "36"]
        .iter()
        .fold(text.to_owned(), |text, code| text.replace(&format!("\x1b[{code}m"), ""))
}
