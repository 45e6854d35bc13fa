//! Pages on which a careless scorer goes wrong, each in a real browser.
#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

mod support;

use benchwright_fixtures::{Server, Site};
use serde_json::Value;
use support::{Corner, score};

fn report_on(site: Site, only: &str) -> Value {
    let server = Server::start(site).unwrap();
    let corner = Corner::new();
    corner.run(&["score", &server.url(), "--only", only, "--quiet"]).expect_code(0);
    corner.report()
}

/// How one item of a scorer came out.
fn item<'a>(report: &'a Value, scorer: &str, id: &str) -> &'a Value {
    let items = report["scorers"][scorer]["details"]["items"].as_array().unwrap();
    items.iter().find(|item| item["id"] == id).unwrap_or_else(|| panic!("{scorer} has no item {id}: {items:#?}"))
}

#[test]
fn white_on_white_in_oklch_is_a_contrast_fault() {
    let report = report_on(Site::app("oklch"), "v2");
    assert_eq!(item(&report, "v2", "contrast")["status"], "failed", "{:#}", report["scorers"]["v2"]);
}

#[test]
fn an_undeclared_body_background_is_white_and_contrast_is_measured() {
    let report = report_on(Site::app("bare-body"), "v2");
    assert_eq!(item(&report, "v2", "contrast")["status"], "passed", "{:#}", report["scorers"]["v2"]);
}

#[test]
fn a_full_bleed_picture_is_not_whitespace() {
    let report = report_on(Site::app("full-bleed"), "v2");
    assert_eq!(item(&report, "v2", "whitespace")["status"], "failed", "{:#}", report["scorers"]["v2"]);
}

#[test]
fn a_page_with_inline_code_only_has_an_empty_bundle_not_none() {
    let report = report_on(Site::app("inline-only"), "c5");
    assert_eq!(score(&report, "c5"), 1.0);
    assert_eq!(report["scorers"]["c5"]["details"]["facts"]["scoring_source"], "network");
}

#[test]
fn one_missing_file_is_one_error() {
    let page = "<!doctype html><html lang=en><title>One missing file</title><h1>One missing file here</h1><script src=/no.js></script>";
    let report = report_on(Site::html(page), "f5");
    assert_eq!(score(&report, "f5"), 0.9, "{:#}", report["scorers"]["f5"]);
}

#[test]
fn faults_inside_frames_are_found_and_their_elements_counted() {
    let inner = "<!doctype html><html lang=en><title>Inner page</title><p>Inside the frame</p><img src=/a.svg>";
    let outer = "<!doctype html><html lang=en><title>Outer page</title><h1>Outside the frame</h1><iframe title=Inner src=/inner.html></iframe>";
    let site = Site::html(outer).page("/inner.html", "text/html", inner).page(
        "/a.svg",
        "image/svg+xml",
        "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>",
    );
    let report = report_on(site, "c3");
    let fault = item(&report, "c3", "image-alt");
    assert_eq!(fault["places_total"], 1, "{fault:#}");
    assert!(fault["places"][0]["selector"].as_str().unwrap().contains("iframe"), "{fault:#}");
    assert_eq!(report["scorers"]["c3"]["details"]["facts"]["frames"], 2, "{:#}", report["scorers"]["c3"]["details"]);
}

#[test]
fn touch_targets_leave_inline_links_out_and_count_small_buttons() {
    let links = "Words around <a href='#there'>a link</a> in a sentence. ".repeat(20);
    let buttons = "<button style='width:20px;height:20px'>x</button>".repeat(4);
    let page = |body: &str| {
        format!(
            "<!doctype html><html lang=en><meta name=viewport content='width=device-width'><title>Targets</title><p>{body}</p>"
        )
    };
    let report = report_on(Site::html(page(&links)), "v4");
    assert_eq!(item(&report, "v4", "touch_targets")["status"], "passed", "{:#}", report["scorers"]["v4"]);
    let report = report_on(Site::html(page(&format!("{links}{buttons}"))), "v4");
    assert_eq!(item(&report, "v4", "touch_targets")["status"], "failed", "{:#}", report["scorers"]["v4"]);
}
