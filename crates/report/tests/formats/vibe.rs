//! The vibe track in every format: what is shown, and that nothing an app, a model or a judge wrote becomes markup.

use crate::escaping::{assert_harmless, elements, visible, vocabulary};
use crate::hostile::Canvas;
use crate::sample::PIXEL;
use crate::sample::vibe::{Kept, analysis, mixed, unstarted};
use crate::vectors::VECTORS;
use base64::Engine as _;
use benchwright_domain::BlobId;
use benchwright_domain::vibe::analysis::Analysis;
use benchwright_domain::vibe::{Evaluation, Trace};
use benchwright_report::vibe::{
    analysis_files, analysis_html, evaluation, evaluation_csv, evaluation_html, evaluation_markdown, replay,
};
use benchwright_report::{Blobs, NoBlobs};
use scraper::{ElementRef, Html, Selector};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeSet;

fn sample() -> (Evaluation, Kept) {
    mixed(&[PIXEL.to_vec(), [PIXEL, b"2"].concat()])
}

fn page(evaluation: &Evaluation, kept: &Kept) -> Html {
    Html::parse_document(&evaluation_html(evaluation, &|id: &BlobId| kept.bytes(id)))
}

/// A site has addresses for pictures.
struct Hosted<'a>(&'a Kept);

impl Blobs for Hosted<'_> {
    fn bytes(&self, id: &BlobId) -> Option<Vec<u8>> {
        self.0.bytes(id)
    }

    fn address(&self, id: &BlobId) -> Option<String> {
        Some(format!("/pictures/{}", id.0))
    }
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
fn the_number_stands_with_the_strict_reading_and_the_other_track() {
    let (evaluation, kept) = sample();
    let document = page(&evaluation, &kept);
    assert_eq!(texts(&document, ".composite"), ["Accuracy 40% 2 of 5"]);
    let sure = texts(&document, ".sure li");
    assert_eq!(sure[0], "App started");
    assert!(sure[1].starts_with("Strict reading 40%"), "{sure:?}");
    assert!(
        sure[2].starts_with("Score track 81.2 of 100") || sure[2].starts_with("Score track 81.3 of 100"),
        "{sure:?}"
    );
    let because = texts(&document, ".because li").join(" ");
    assert!(because.contains("1 workflow failed because the evaluator gave no answer in time"), "{because}");
    assert!(because.contains("the walker and not the app may be at fault"), "{because}");
    assert!(because.contains("1 substep could not be decided"), "{because}");
}

#[test]
fn every_substep_is_a_square_that_needs_no_colour() {
    let (evaluation, kept) = sample();
    let document = page(&evaluation, &kept);
    let rows = all(&document, ".rows-of-squares > li");
    assert_eq!(rows.len(), 5);
    let signs: Vec<String> = texts(&document, ".rows-of-squares .squares .square > [aria-hidden]");
    assert_eq!(signs.len(), 30);
    assert_eq!(signs[12..18].join(""), "✓✗✗?––");
    let said = texts(&document, ".rows-of-squares .square.fail .unseen");
    assert_eq!(said[0], "6: failed, critical. Check that \"Oat milk\" is still there.");
    assert!(said.iter().any(|words| words.contains("perhaps the walker’s fault")), "{said:?}");
}

#[test]
fn a_workflow_unfolds_to_verdict_reason_evidence_actions_and_film() {
    let (evaluation, kept) = sample();
    let document = page(&evaluation, &kept);
    let first = texts(&document, "#w2-step-6 p").join(" ");
    assert!(first.contains("failed") && first.contains("data or back end"), "{first}");
    assert!(first.contains("kept in memory only"), "{first}");
    let rests = all(&document, "#w2-step-6 .rests a").iter().map(|a| a.attr("href").unwrap()).collect::<Vec<_>>();
    assert_eq!(rests, ["#w2-after-6", "#w2-a2", "#w2-f1"], "evidence leads to where it can be seen");
    assert_eq!(texts(&document, "#w2-step-6 .rests code"), ["gone"], "what is not there is named, not linked");
    assert_eq!(texts(&document, "#w1-step-2 .acts li a"), ["Type “Oat milk” into textbox “New item”"]);
    assert_eq!(all(&document, "#w1 .film li").len(), 10);
    let hit = all(&document, "#w1-a3 .hit")[0];
    assert_eq!((hit.attr("cx"), hit.attr("cy")), (Some("858.0"), Some("292.0")));
    assert!(texts(&document, "#w3 summary")[0].contains("evaluator stuck"));
    assert!(texts(&document, "#w3-step-2")[0].contains("the field is covered by a dialog"));
    assert!(texts(&document, "#w1 .opinions li")[0].contains("differs on substep 6"));
    assert!(texts(&document, ".log")[0].contains("TypeError: items is undefined"));
    assert_eq!(all(&document, "svg.store image").len(), 2, "each picture is in the file once");
}

#[test]
fn what_held_the_app_to_its_limits_stands_beside_how_it_was_deployed() {
    let (evaluation, kept) = sample();
    let document = page(&evaluation, &kept);
    let rows = texts(&document, "dl.rows > div");
    assert!(
        rows.iter().any(|row| row.contains("Limit of memory") && row.contains("2048 MiB (control group)")),
        "{rows:?}"
    );
}

#[test]
fn an_app_that_did_not_start_fails_everything_and_says_so() {
    let document =
        page(&Evaluation { started: false, start_note: "port 4000 refused".into(), ..unstarted() }, &Kept::default());
    assert_eq!(texts(&document, ".composite"), ["Accuracy 0% 0 of 5"]);
    assert_eq!(texts(&document, ".sure .bad"), ["App did not start"]);
    assert!(texts(&document, ".because li")[0].contains("port 4000 refused"));
    assert_eq!(texts(&document, ".squares .skipped > [aria-hidden]").len(), 30);
}

fn assert_whole(document: &Html) {
    let ids: Vec<_> = all(document, "[id]").iter().map(|element| element.attr("id").unwrap().to_owned()).collect();
    let unique: BTreeSet<_> = ids.iter().cloned().collect();
    assert_eq!(ids.len(), unique.len(), "an id is there twice");
    for link in all(document, "[href^='#']") {
        assert!(unique.contains(&link.attr("href").unwrap()[1..]), "{}", link.attr("href").unwrap());
    }
    let levels: Vec<_> =
        all(document, "h1, h2, h3, h4").iter().map(|h| h.value().name().as_bytes()[1] - b'0').collect();
    assert!(levels[0] == 1 && levels.windows(2).all(|pair| pair[1] <= pair[0] + 1), "{levels:?}");
}

#[test]
fn links_lead_somewhere_headings_skip_nothing_and_the_policy_allows_this_style_only() {
    let (evaluation, kept) = sample();
    let pages = [
        page(&evaluation, &kept),
        page(&unstarted(), &Kept::default()),
        Html::parse_document(&analysis_html(&analysis())),
    ];
    for document in pages {
        assert_whole(&document);
        let style: String = all(&document, "style")[0].text().collect();
        let hash = base64::engine::general_purpose::STANDARD.encode(Sha256::digest(style));
        let policy = all(&document, "meta[http-equiv=Content-Security-Policy]")[0].attr("content").unwrap();
        assert!(policy.contains(&format!("default-src 'none'; style-src 'sha256-{hash}'")), "{policy}");
        assert!(all(&document, "script, [style], link").is_empty());
    }
}

#[test]
fn a_replay_shows_every_moment_and_leads_to_its_neighbours() {
    let (evaluation, kept) = sample();
    let body = replay::body(&evaluation, 2, &Hosted(&kept), "/vibe/apps/x").unwrap();
    let document = Html::parse_fragment(&body.html);
    assert_eq!(texts(&document, "h1"), ["✗failed: A second person sees the list"]);
    assert_eq!(all(&document, ".stage .frame").len(), 10);
    assert_eq!(all(&document, ".film li").len(), 10);
    assert_eq!(all(&document, "#a3 img")[0].attr("src"), Some("/pictures/shot-0"));
    assert_eq!(all(&document, "#a3 .hit").len(), 1);
    let pages: Vec<_> = all(&document, ".pages a").iter().map(|a| a.attr("href").unwrap()).collect();
    assert_eq!(pages, ["/vibe/apps/x/workflows/1", "/vibe/apps/x/workflows/3"]);
    assert!(replay::body(&evaluation, 0, &Hosted(&kept), "/x").is_none());
    assert!(replay::body(&evaluation, 6, &Hosted(&kept), "/x").is_none());
    assert!(replay::body(&evaluation, 1, &NoBlobs, "/x").is_none(), "without its trace there is nothing to watch");
}

#[test]
fn on_a_site_a_workflow_leads_to_its_replay() {
    let (evaluation, kept) = sample();
    let body = evaluation::body(&evaluation, &Hosted(&kept), "/vibe/apps/x");
    let document = Html::parse_fragment(&body.html);
    assert!(all(&document, "main, .film, img").is_empty());
    assert_eq!(all(&document, ".watch a")[1].attr("href"), Some("/vibe/apps/x/workflows/2"));
    let rests = all(&document, "#w2-step-6 .rests a")[0].attr("href");
    assert_eq!(rests, Some("/vibe/apps/x/workflows/2#after-6"), "evidence leads to where it can be watched");
    assert_eq!(all(&document, ".sure a")[0].attr("href"), Some("/runs/20261116T080000Z-0001"));
}

fn drenched(vector: &str) -> (Evaluation, Kept) {
    let (evaluation, mut kept) = sample();
    for (id, bytes) in &mut kept.0 {
        if id.starts_with("trace-") {
            let trace: Trace = serde_json::from_slice(bytes).unwrap();
            let mut hostile = Canvas::of(&trace).drench(vector);
            // What names a picture keeps naming it: the page must show it beside the hostile words.
            for (one, other) in hostile.substeps.iter_mut().zip(&trace.substeps) {
                one.after.clone_from(&other.after);
                for (done, kept) in one.actions.iter_mut().zip(&other.actions) {
                    done.screenshot.clone_from(&kept.screenshot);
                }
            }
            *bytes = serde_json::to_vec(&hostile).unwrap();
        }
    }
    let mut hostile = Canvas::of(&evaluation).drench(vector);
    for (one, other) in hostile.workflows.iter_mut().zip(&evaluation.workflows) {
        one.trace.clone_from(&other.trace);
    }
    hostile.log = Some(kept.keep("log", vector.as_bytes()));
    (hostile, kept)
}

#[test]
fn nothing_an_app_or_a_judge_wrote_becomes_markup() {
    let render = |(evaluation, kept): &(Evaluation, Kept)| {
        let hosted = replay::body(evaluation, 3, &Hosted(kept), "/vibe/apps/x").unwrap();
        [page(evaluation, kept), Html::parse_fragment(&hosted.html)]
    };
    let mut own: BTreeSet<_> = render(&sample()).iter().flat_map(vocabulary).collect();
    own.extend(render(&drenched("plain")).iter().flat_map(vocabulary));
    for vector in VECTORS {
        for document in render(&drenched(vector)) {
            let foreign: Vec<_> = vocabulary(&document).difference(&own).cloned().collect();
            assert!(foreign.is_empty(), "{vector:?} brought {foreign:?}");
            for element in elements(&document) {
                assert_harmless_on_site(&element, vector);
            }
            let text: String = document.root_element().text().collect();
            assert!(visible(&text).contains(&visible(vector)), "{vector:?} is not shown");
        }
    }
}

/// Addresses on the site itself are those we make and no others; everything else is held to what offline files may do.
fn assert_harmless_on_site(element: &ElementRef, vector: &str) {
    let addresses: Vec<(&str, &str)> = element
        .value()
        .attrs()
        .filter(|(name, value)| ["href", "src"].contains(name) && value.starts_with('/'))
        .collect();
    if addresses.is_empty() {
        return assert_harmless(element, vector);
    }
    for (name, value) in element.value().attrs() {
        assert!(!name.starts_with("on") && name != "style", "{vector:?} brought {name}={value}");
    }
    for (name, value) in addresses {
        let is_made_by_us =
            value == "/vibe/apps/x" || value.starts_with("/vibe/apps/x/") || value.starts_with("/pictures/");
        let is_plain =
            !value.contains(['<', '>', '"', '\'', '\\', ' ', '\n']) && !value.contains("//") && !value.contains("..");
        assert!(is_made_by_us && is_plain, "{vector:?} brought {name}={value}");
    }
}

#[test]
fn nothing_in_an_analysis_becomes_markup_or_a_formula() {
    let canvas: Canvas<Analysis> = Canvas::of(&analysis());
    let own = vocabulary(&Html::parse_document(&analysis_html(&analysis())));
    for vector in VECTORS {
        let document = Html::parse_document(&analysis_html(&canvas.drench(vector)));
        let foreign: Vec<_> = vocabulary(&document).difference(&own).cloned().collect();
        assert!(foreign.is_empty(), "{vector:?} brought {foreign:?}");
        for element in elements(&document) {
            assert_harmless(&element, vector);
        }
        let text: String = document.root_element().text().collect();
        assert!(visible(&text).contains(&visible(vector)), "{vector:?} is not shown");
    }
    for (name, text) in analysis_files(&canvas.drench("=1+1")) {
        assert!(!name.ends_with("csv") || !text.contains("\"=1"), "{name}: {text}");
    }
}

#[test]
fn an_analysis_shows_every_table_and_never_takes_an_unknown_cost_for_nothing() {
    let document = Html::parse_document(&analysis_html(&analysis()));
    let titles = texts(&document, "h4");
    for title in [
        "Standings",
        "Accuracy and cost",
        "Accuracy and time",
        "By how hard tasks proved",
        "Which tasks are in which tier",
        "By outside services",
        "By who would want the app",
        "How app scores are spread",
        "Why workflows failed",
        "What tools were used for",
        "When tools were used",
        "What goes along with accuracy",
        "What settings change",
        "How much results move by themselves",
        "What several tries would give",
        "Every pair of models",
        "Raters",
        "Agreement",
        "Every pair of raters",
    ] {
        assert!(titles.iter().any(|found| found == title), "{title} is missing among {titles:?}");
    }
    let order: Vec<_> = all(&document, "section.part > h2").iter().map(|h| h.attr("id").unwrap()).collect();
    assert_eq!(order, ["test", "validation", "agreement"], "the test split comes first");
    let files = analysis_files(&analysis());
    let standings = &files.iter().find(|(name, _)| name == "standings.csv").unwrap().1;
    let open = standings.lines().find(|line| line.contains("cinder-open")).unwrap();
    assert!(open.contains(",,\"0 of 8\""), "an unknown cost is an empty cell: {open}");
    let names: BTreeSet<_> = files.iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), files.len(), "no file is written twice");
    for (name, text) in files.iter().filter(|(name, _)| name.rsplit_once('.').is_some_and(|(_, form)| form == "json")) {
        assert!(serde_json::from_str::<serde_json::Value>(text).is_ok(), "{name}");
    }
    let of_test = "[aria-labelledby=test-frontier]";
    assert_eq!(all(&document, &format!("{of_test} .scatter")).len(), 2);
    assert_eq!(
        all(&document, &format!("{of_test} .scatter g")).len(),
        7,
        "the model of unknown cost is in the plane of time only"
    );
}

#[test]
fn csv_has_a_row_per_substep_and_markdown_says_what_failed() {
    let (evaluation, kept) = sample();
    let blobs = |id: &BlobId| kept.bytes(id);
    let table = evaluation_csv(&evaluation, &blobs);
    assert_eq!(table.lines().count(), 31);
    assert!(table.contains("Check that \"\"Oat milk\"\" is still there."));
    let page = evaluation_markdown(&evaluation, &blobs);
    assert!(page.contains("**40%**") && page.contains("✓✗✗?––"), "{page}");
    assert!(page.contains("kept in memory only"), "{page}");
    let (hostile, kept) = drenched("=1+1");
    let table = evaluation_csv(&hostile, &|id: &BlobId| kept.bytes(id));
    assert!(!table.contains(",=") && !table.contains("\"=1"), "{table}");
}
