//! What stands on the HTML page, and in which order.

use crate::sample;
use base64::Engine as _;
use benchwright_domain::{BlobId, Report};
use benchwright_report::{NoBlobs, html};
use scraper::{ElementRef, Html, Selector};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeSet;

fn with_pictures(report: &Report) -> String {
    html::render(report, &|_: &BlobId| Some(sample::PIXEL.to_vec()))
}

fn samples() -> [Report; 4] {
    [sample::decent(), sample::unrendered(), sample::flawless(), sample::empty()]
}

fn all<'a>(document: &'a Html, selector: &str) -> Vec<ElementRef<'a>> {
    document.select(&Selector::parse(selector).unwrap()).collect()
}

fn text(element: &ElementRef) -> String {
    element.text().collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn texts(document: &Html, selector: &str) -> Vec<String> {
    all(document, selector).iter().map(text).collect()
}

#[test]
fn losses_stand_in_the_order_of_points_to_be_gained() {
    let document = Html::parse_document(&with_pictures(&sample::decent()));
    let badges = texts(&document, "section[aria-labelledby=lost] > article .ident .badge");
    assert_eq!(badges, ["S1", "F5", "V2", "C3", "V4", "C4", "C9", "house_colours"]);
    let points = texts(&document, "section[aria-labelledby=lost] .loss strong");
    assert_eq!(points[..3], ["−6.88", "−4.70", "−4.58"]);
}

#[test]
fn the_first_glance_says_how_good_how_sure_and_what_to_fix_first() {
    let document = Html::parse_document(&with_pictures(&sample::decent()));
    assert_eq!(texts(&document, ".composite"), ["Composite 75.5 of 100"]);
    let sure = texts(&document, ".sure li");
    assert_eq!(
        sure,
        ["Not rankable", "35.4% of the weight measured", "10 of 24 scorers scored", "1 could not be measured"]
    );
    let first = texts(&document, ".first li");
    assert_eq!(first.len(), 3);
    assert_eq!(first[0], "+2.75 S1 Revoke the key, and call the mail service from the server.");
    assert_eq!(first[1], "up to +2.66 V4 Give the navigation links 12 px of padding on phones.");
}

#[test]
fn sections_come_in_the_order_of_the_story() {
    let document = Html::parse_document(&with_pictures(&sample::decent()));
    let expected = [
        "Result",
        "Dimensions",
        "Screenshots",
        "Points you lost",
        "Could not be measured",
        "Passed",
        "Not measured",
        "Provenance",
    ];
    assert_eq!(texts(&document, "h2"), expected);
    let folded = texts(&document, "details.fold:not([open]) > summary h2");
    assert_eq!(folded, ["Passed", "Not measured", "Provenance"]);
}

#[test]
fn every_scorer_can_be_linked_to_and_ids_are_unique() {
    for report in samples() {
        let document = Html::parse_document(&with_pictures(&report));
        let ids: Vec<_> = all(&document, "[id]").iter().map(|element| element.attr("id").unwrap().to_owned()).collect();
        let unique: BTreeSet<_> = ids.iter().cloned().collect();
        assert_eq!(ids.len(), unique.len());
        for key in report.scorers.keys().filter(|key| *key != "house_colours") {
            assert!(unique.contains(key), "#{key}");
        }
        for link in all(&document, "[href^='#']") {
            assert!(unique.contains(&link.attr("href").unwrap()[1..]), "{}", link.attr("href").unwrap());
        }
    }
}

#[test]
fn headings_never_skip_a_level() {
    for report in samples() {
        let document = Html::parse_document(&with_pictures(&report));
        let levels =
            all(&document, "h1, h2, h3, h4, h5").into_iter().map(|heading| heading.value().name().as_bytes()[1] - b'0');
        let levels: Vec<_> = levels.collect();
        assert_eq!(levels[0], 1);
        assert!(!levels[1..].contains(&1), "{levels:?}");
        assert!(levels.windows(2).all(|pair| pair[1] <= pair[0] + 1), "{levels:?}");
    }
}

#[test]
fn each_picture_is_embedded_once_however_many_crops_show_it() {
    let document = Html::parse_document(&with_pictures(&sample::decent()));
    assert_eq!(all(&document, "image").len(), 4);
    assert_eq!(all(&document, ".shots use").len(), 3);
    assert_eq!(all(&document, ".crop use").len(), 7);
    let flawless = Html::parse_document(&with_pictures(&sample::flawless()));
    assert_eq!(all(&flawless, "image").len(), 3, "the full page is only there for crops");
}

#[test]
fn what_is_no_png_is_not_embedded() {
    let evil = html::render(&sample::decent(), &|_: &BlobId| Some(b"<svg onload=alert(1)>".to_vec()));
    let none = html::render(&sample::decent(), &NoBlobs);
    assert_eq!(evil, none);
    assert!(all(&Html::parse_document(&none), "image, .crop, .shots").is_empty());
}

#[test]
fn the_policy_allows_this_style_and_nothing_else() {
    for report in samples() {
        let page = with_pictures(&report);
        let document = Html::parse_document(&page);
        let styles = all(&document, "style");
        assert_eq!(styles.len(), 1);
        let hash =
            base64::engine::general_purpose::STANDARD.encode(Sha256::digest(styles[0].text().collect::<String>()));
        let policy = all(&document, "meta[http-equiv=Content-Security-Policy]")[0].attr("content").unwrap();
        let expected = format!(
            "default-src 'none'; style-src 'sha256-{hash}'; img-src data:; base-uri 'none'; form-action 'none'"
        );
        assert_eq!(policy, expected);
        assert!(all(&document, "script, [style], [src], link").is_empty());
    }
}

#[test]
fn a_page_that_did_not_render_says_so_and_gauges_say_not_measured() {
    let document = Html::parse_document(&with_pictures(&sample::unrendered()));
    assert_eq!(texts(&document, ".headline"), ["did not render"]);
    let gauges: Vec<_> =
        all(&document, ".gauge").iter().map(|gauge| gauge.attr("aria-label").unwrap().to_owned()).collect();
    let expected =
        ["Functional: 0.0 of 100", "Code quality: not measured", "Visual: not measured", "Security: not measured"];
    assert_eq!(gauges, expected);
    assert_eq!(all(&document, ".shots").len(), 0);
}

#[test]
fn reasons_that_repeat_stand_once() {
    let document = Html::parse_document(&with_pictures(&sample::decent()));
    let reasons = texts(&document, ".group h3");
    let expected = [
        "No input: no prompt was given",
        "No input: no key for a judge was given",
        "No input: no source folder was given",
        "Not applicable: the prompt does not ask for a backend",
    ];
    assert_eq!(reasons, expected);
}

#[test]
fn nothing_lost_and_nothing_scored_are_told_apart() {
    let flawless = Html::parse_document(&with_pictures(&sample::flawless()));
    assert_eq!(texts(&flawless, ".empty"), ["None. Everything that was measured reached its full score."]);
    let empty = Html::parse_document(&with_pictures(&sample::empty()));
    assert_eq!(texts(&empty, ".empty"), ["Nothing was scored, so there are no points to win back yet."]);
    assert_eq!(texts(&empty, ".composite"), ["No score"]);
}

#[test]
fn a_scorer_with_endless_items_is_cut_and_says_so() {
    let mut report = sample::decent();
    let details = &mut report.scorers.get_mut("house_colours").unwrap().details;
    let endless = benchwright_domain::Item::new("x", benchwright_domain::ItemStatus::Failed, "Again.");
    details.items = vec![endless; 5000];
    let document = Html::parse_document(&with_pictures(&report));
    let cut: Vec<_> = texts(&document, ".finding > .quiet");
    assert_eq!(cut, ["4920 more in report.json."]);
}
