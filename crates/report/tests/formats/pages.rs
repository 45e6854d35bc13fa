//! The pages about several reports: comparison and board. What they show, and that a page under test brings no markup into them.

use crate::escaping::{assert_harmless, canvas, elements, vocabulary};
use crate::hostile::Canvas;
use crate::sample;
use crate::vectors::VECTORS;
use benchwright_domain::board::{Board, Candidate};
use benchwright_domain::comparison::{Comparison, Side};
use benchwright_domain::repeats::Repeats;
use benchwright_domain::{BlobId, Report};
use benchwright_report::terminal::Style;
use benchwright_report::{NoBlobs, board, compare, repeats};
use scraper::{Html, Selector};
use sha2::{Digest as _, Sha256};

/// The decent page after a good day and a bad one: F5 mended, C3 worse, one item fixed and one broken.
fn later() -> Report {
    let mut report = sample::decent();
    report.provenance.started_at = "2026-11-17T09:00:00Z".into();
    report.provenance.run = "01KA8Z".into();
    let f5 = report.scorers.get_mut("f5").unwrap();
    f5.score = Some(1.0);
    f5.details.items.clear();
    let c3 = report.scorers.get_mut("c3").unwrap();
    c3.score = Some(0.4);
    let broken = benchwright_domain::Item::new("label", benchwright_domain::ItemStatus::Failed, "A field has no label")
        .fix("Give the field a `label`.");
    c3.details.items.push(broken);
    report.scorers.get_mut("c4").unwrap().score = Some(0.79);
    report.composite = Some(76.4);
    report
}

fn comparison(before: &Report, after: &Report) -> Comparison {
    Comparison::of(Side::of(before), Side::of(after))
}

fn compare_page(before: &Report, after: &Report) -> String {
    let pixel = |_: &BlobId| Some(sample::PIXEL.to_vec());
    compare::html(&comparison(before, after), (before, &pixel), (after, &pixel))
}

fn board_page(reports: &[Report]) -> String {
    let candidates: Vec<_> = reports.iter().map(|report| Candidate { report, link: "reports/a.html" }).collect();
    board::html(&Board::of(&candidates), board::Heading { title: "A board", made_at: "2026-11-16T10:00:00Z" })
}

fn ranked(prompt: &str, run: &str, report: Report) -> Report {
    let mut report = Report { rankable: true, ..report };
    report.subject.prompt = Some(prompt.into());
    report.provenance.run = run.into();
    report
}

fn texts(document: &Html, selector: &str) -> Vec<String> {
    let fold = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    document.select(&Selector::parse(selector).unwrap()).map(|element| fold(element.text().collect())).collect()
}

#[test]
fn compare_words() {
    insta::assert_snapshot!("compare_markdown", compare::markdown(&comparison(&sample::decent(), &later())));
    let style = Style { color: false, width: 90 };
    insta::assert_snapshot!("compare_terminal", compare::terminal(&comparison(&sample::decent(), &later()), style));
}

#[test]
fn repeats_words() {
    let series = Repeats::of(&[sample::decent(), later(), sample::decent()]);
    insta::assert_snapshot!("repeats_markdown", repeats::markdown(&series));
    insta::assert_snapshot!("repeats_terminal", repeats::terminal(&series, Style { color: false, width: 100 }));
}

#[test]
fn the_comparison_shows_what_moved_worst_first_and_both_screenshots() {
    let document = Html::parse_document(&compare_page(&sample::decent(), &later()));
    let verdicts = texts(&document, "section[aria-labelledby=scorers] > table .tone");
    assert_eq!(verdicts, ["Worse", "Better", "Within noise"]);
    assert_eq!(texts(&document, "section[aria-labelledby=broken] h3"), ["A field has no label"]);
    assert_eq!(texts(&document, "section[aria-labelledby=fixed] .badge")[0], "F5");
    assert_eq!(texts(&document, ".beside figcaption"), ["Before", "After", "Before", "After", "Before", "After"]);
    let without = compare::html(&comparison(&later(), &later()), (&later(), &NoBlobs), (&later(), &NoBlobs));
    assert!(!without.contains("<figure>") && without.contains("Every scorer gave the same number"));
}

#[test]
fn policies_allow_the_own_style_and_script_and_nothing_else() {
    use base64::Engine as _;
    let hash = |text: &str| base64::engine::general_purpose::STANDARD.encode(Sha256::digest(text));
    let board = board_page(&[ranked("todo", "a", sample::flawless())]);
    for page in [compare_page(&sample::decent(), &later()), board] {
        let between = |open: &str, close: &str| Some(page.split_once(open)?.1.split_once(close)?.0.to_owned());
        assert!(page.contains(&format!("style-src 'sha256-{}'", hash(&between("<style>", "</style>").unwrap()))));
        if let Some(script) = between("<script>", "</script>") {
            assert!(page.contains(&format!("script-src 'sha256-{}'", hash(&script))));
        }
        assert!(page.contains("default-src 'none'") && !page.contains("src=\"http"));
    }
}

#[test]
fn a_comparison_holds_no_element_or_attribute_but_its_own() {
    let canvas = canvas();
    let without_items = |report: &Report| {
        let mut other = report.clone();
        other.scorers.values_mut().for_each(|scorer| scorer.details.items.clear());
        other
    };
    let pages = |hostile: &Report| {
        let other = without_items(hostile);
        [compare_page(&sample::decent(), hostile), compare_page(hostile, &other), compare_page(&other, hostile)]
    };
    let harmless = ["plain", "https://example.com/", "some `code` here"].map(|text| canvas.drench(text));
    let samples = [sample::decent(), sample::unrendered(), sample::flawless(), sample::empty(), later()];
    let documents = harmless.iter().chain(&samples).flat_map(&pages).map(|page| Html::parse_document(&page));
    let own: std::collections::BTreeSet<_> = documents.flat_map(|document| vocabulary(&document)).collect();
    for vector in VECTORS {
        let hostile = canvas.drench(vector);
        for page in pages(&hostile) {
            let document = Html::parse_document(&page);
            let foreign: Vec<_> = vocabulary(&document).difference(&own).cloned().collect();
            assert!(foreign.is_empty(), "{vector:?} brought {foreign:?}");
            for element in elements(&document) {
                assert_harmless(&element, vector);
            }
        }
        let compared = comparison(&sample::decent(), &hostile);
        assert_markdown_is_harmless(&compare::markdown(&compared), vector);
        let text = compare::terminal(&compared, Style { color: false, width: 80 });
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{vector:?}");
    }
}

fn assert_markdown_is_harmless(markdown: &str, vector: &str) {
    let mut page = String::new();
    pulldown_cmark::html::push_html(
        &mut page,
        pulldown_cmark::Parser::new_ext(markdown, pulldown_cmark::Options::ENABLE_TABLES),
    );
    let document = Html::parse_fragment(&page);
    let own = [
        "html", "h2", "h3", "p", "strong", "ul", "li", "a", "br", "code", "table", "thead", "tbody", "tr", "th", "td",
        "details", "summary",
    ];
    for element in elements(&document) {
        assert!(own.contains(&element.value().name()), "{vector:?} brought {}", element.value().name());
        assert!(element.attr("href").is_none_or(|href| href.starts_with("http")), "{vector:?}");
    }
}

#[test]
fn a_board_holds_no_element_or_attribute_but_its_own() {
    let flawless = Canvas::of(&sample::flawless());
    let apart = canvas();
    let parse = |reports: &[Report]| Html::parse_document(&board_page(reports));
    let plain = [flawless.drench("plain"), apart.drench("also plain"), sample::flawless(), sample::decent()];
    let mut own = vocabulary(&parse(&plain));
    own.extend(vocabulary(&parse(&[ranked("a", "1", sample::flawless()), ranked("b", "2", sample::flawless())])));
    for vector in VECTORS {
        let document = parse(&[flawless.drench(vector), apart.drench(&format!("{vector}.")), sample::flawless()]);
        let foreign: Vec<_> = vocabulary(&document).difference(&own).cloned().collect();
        assert!(foreign.is_empty(), "{vector:?} brought {foreign:?}");
        assert_eq!(texts(&document, "script").len(), 1, "{vector:?}");
        for element in elements(&document) {
            let href = element.attr("href").unwrap_or("#");
            assert!(href.starts_with('#') || href == "reports/a.html", "{vector:?} brought {href}");
            assert!(element.value().attrs().all(|(name, _)| !name.starts_with("on") && name != "style"), "{vector:?}");
        }
    }
}

#[test]
fn the_board_ranks_per_prompt_and_shows_the_rest_apart() {
    let mut broken = sample::unrendered();
    broken.provenance.run = "broken".into();
    broken.subject.tool = Some("anvil".into());
    let page = board_page(&[ranked("todo", "a", sample::flawless()), ranked("crm", "b", sample::flawless()), broken]);
    let document = Html::parse_document(&page);
    assert_eq!(texts(&document, "main > section > h2"), ["All prompts", "crm", "todo", "Not ranked"]);
    assert_eq!(texts(&document, "section[aria-labelledby=prompt-0] .rank"), ["1"]);
    assert!(texts(&document, ".apart")[0].contains("The page did not render"));
    assert!(page.contains("one run, no interval") && page.contains("$1.20"));
    assert!(board_page(&[]).contains("Nothing here yet"));
}
