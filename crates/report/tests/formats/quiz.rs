//! A run of the quiz in every format: what is shown, and that nothing a model or a board wrote becomes markup.

use crate::escaping::{assert_harmless, elements, visible, vocabulary};
use crate::hostile::Canvas;
use crate::sample::quiz::{empty, interrupted, mixed};
use crate::vectors::VECTORS;
use base64::Engine as _;
use benchwright_report::quiz::{QuizReport, csv, html, markdown, terminal};
use benchwright_report::terminal::Style;
use scraper::{ElementRef, Html, Selector};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeSet;

fn page(report: &QuizReport) -> Html {
    Html::parse_document(&html::render(report))
}

fn all<'a>(document: &'a Html, selector: &str) -> Vec<ElementRef<'a>> {
    document.select(&Selector::parse(selector).unwrap()).collect()
}

fn texts(document: &Html, selector: &str) -> Vec<String> {
    let text =
        |element: ElementRef| element.text().collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ");
    all(document, selector).into_iter().map(text).collect()
}

#[test]
fn the_number_stands_with_its_interval_the_chance_line_and_strict_accuracy() {
    let document = page(&mixed());
    assert_eq!(texts(&document, ".composite"), ["Accuracy 33.3% 2 of 6"]);
    let headline = &texts(&document, ".headline")[0];
    assert!(headline.starts_with("2 of 6 right: 33.3%, with 95 % confidence between 9.7% and 70%"), "{headline}");
    assert_eq!(texts(&document, ".sure li"), ["Complete", "95 % interval 9.7% to 70%", "Strict 16.7% (tier 1 only)"]);
    let range = all(&document, ".scale .range")[0];
    assert_eq!((range.attr("x"), range.attr("width")), (Some("9.68%"), Some("60.32%")));
    assert_eq!(all(&document, ".scale .chance")[0].attr("x1"), Some("25%"));
}

#[test]
fn every_question_shows_every_word_and_marks_what_decided() {
    let report = mixed();
    let document = page(&report);
    let outputs: Vec<String> = all(&document, "pre.output").iter().map(|output| output.text().collect()).collect();
    let written: Vec<_> =
        report.submission.answers.iter().map(|answer| answer.output.clone()).filter(|text| !text.is_empty()).collect();
    assert_eq!(outputs, written);
    assert_eq!(texts(&document, ".nothing"), ["The model wrote nothing."]);
    let marks = texts(&document, "#q1 mark, #q2 mark");
    assert_eq!(marks.len(), 2);
    assert!(marks[0].contains('B') && marks[1].contains('A'), "{marks:?}");
    let outcomes = texts(&document, ".outcome");
    assert_eq!(outcomes[0], "✓ B is right");
    assert_eq!(outcomes[1], "✗ A is wrong, C is right");
    assert_eq!(outcomes[3], "✗ no answer found (empty output), D is right");
    assert!(texts(&document, "#q5 .tags li").contains(&"page hidden, times unreliable".to_owned()));
    assert!(texts(&document, "#q6 .tags li").contains(&"cut at the limit of tokens".to_owned()));
}

#[test]
fn tiers_and_letters_are_tables_with_their_bars_inside() {
    let report = mixed();
    let document = page(&report);
    let rows = texts(&document, ".chart:first-child tbody tr");
    assert_eq!(rows.len(), 5);
    assert!(rows[0].starts_with("1 explicit format"), "{rows:?}");
    let counted: u64 = report.derived.tiers.iter().map(|count| count.answers).sum();
    assert_eq!(counted, 6);
    assert_eq!(texts(&document, ".chart:last-child tbody th"), ["A", "B", "C", "D", "none"]);
    let unseen: Vec<_> = all(&document, ".chart svg").iter().map(|chart| chart.attr("aria-hidden")).collect();
    assert!(unseen.iter().all(|hidden| *hidden == Some("true")), "the table says it already");
}

#[test]
fn an_interrupted_run_says_so_and_counts_nothing_that_is_missing() {
    let document = page(&interrupted());
    assert_eq!(texts(&document, ".sure li")[0], "Incomplete");
    assert_eq!(texts(&document, ".composite"), ["Accuracy 66.7% 2 of 3"]);
    let because = texts(&document, ".because li");
    assert!(because[0].contains("3 of 6 questions have an answer; the engine failed on 1 question"), "{because:?}");
    assert!(because[1].contains("Thinking was left on"), "{because:?}");
    assert_eq!(texts(&document, ".cell.missing").len(), 3);
    assert!(texts(&document, "#failed li")[0].contains("out of memory"));
    let nothing = page(&empty());
    assert_eq!(texts(&nothing, ".composite"), ["Accuracy – 0 of 0"]);
    assert!(all(&nothing, ".scale").is_empty());
}

#[test]
fn a_model_that_thought_although_it_was_told_not_to_is_named() {
    let mut report = mixed();
    report.submission.answers[0].output.insert_str(0, "<think>Hm.</think>\n");
    let because = texts(&page(&report), ".because li");
    assert!(because.iter().any(|caution| caution.contains("although its template was told not to")), "{because:?}");
    assert!(!texts(&page(&mixed()), ".because li").iter().any(|caution| caution.contains("stand apart")));
}

#[test]
fn links_lead_somewhere_headings_skip_nothing_and_the_policy_allows_this_style_only() {
    for report in [mixed(), interrupted(), empty()] {
        let document = page(&report);
        let ids: Vec<_> = all(&document, "[id]").iter().map(|element| element.attr("id").unwrap().to_owned()).collect();
        let unique: BTreeSet<_> = ids.iter().cloned().collect();
        assert_eq!(ids.len(), unique.len());
        for link in all(&document, "[href^='#']") {
            assert!(unique.contains(&link.attr("href").unwrap()[1..]), "{}", link.attr("href").unwrap());
        }
        let levels: Vec<_> =
            all(&document, "h1, h2, h3, h4").iter().map(|h| h.value().name().as_bytes()[1] - b'0').collect();
        assert!(levels[0] == 1 && levels.windows(2).all(|pair| pair[1] <= pair[0] + 1), "{levels:?}");
        let style: String = all(&document, "style")[0].text().collect();
        let hash = base64::engine::general_purpose::STANDARD.encode(Sha256::digest(style));
        let policy = all(&document, "meta[http-equiv=Content-Security-Policy]")[0].attr("content").unwrap();
        assert_eq!(
            policy,
            format!("default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'")
        );
        assert!(all(&document, "script, [style], [src], link").is_empty());
    }
}

#[test]
fn nothing_a_model_or_a_board_wrote_becomes_markup() {
    let canvases = [Canvas::of(&mixed()), Canvas::of(&interrupted())];
    let mut own: BTreeSet<_> =
        [mixed(), interrupted(), empty()].iter().flat_map(|report| vocabulary(&page(report))).collect();
    for canvas in &canvases {
        assert!(canvas.strings.len() > 50, "{}", canvas.strings.len());
        own.extend(vocabulary(&page(&canvas.drench("plain"))));
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
}

#[test]
fn a_span_that_does_not_fit_marks_nothing_and_loses_nothing() {
    let mut report = mixed();
    let output = "größer".to_owned();
    report.submission.answers[0].output.clone_from(&output);
    for span in [[0, 99], [3, 4], [5, 2], [99, 100]] {
        report.derived.questions[0].extraction.span = Some(span);
        let document = page(&report);
        let shown: String = all(&document, "#q1 pre.output")[0].text().collect();
        assert_eq!((shown, all(&document, "#q1 mark").len()), (output.clone(), 0), "{span:?}");
    }
}

#[test]
fn csv_has_a_row_per_answer_and_no_formulas() {
    let table = csv::render(&Canvas::of(&mixed()).drench("=1+1"));
    let lines: Vec<_> = table.lines().collect();
    assert_eq!(lines.len(), 7);
    assert!(!table.contains(",=") && !table.contains("\"=1"), "{table}");
    let columns = |line: &str| line.split(',').count();
    assert!(lines.iter().all(|line| columns(line) == columns(lines[0])), "{table}");
}

#[test]
fn terminal_and_markdown_words() {
    insta::assert_snapshot!(terminal::render(&mixed(), Style { color: false, width: 90 }));
    insta::assert_snapshot!(markdown::render(&interrupted()));
}

#[test]
fn json_reads_back() {
    for report in [mixed(), interrupted(), empty()] {
        assert_eq!(serde_json::from_str::<QuizReport>(&report.json()).unwrap(), report);
    }
}
