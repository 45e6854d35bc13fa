//! The words of the text formats, for reviewers to read as a diff.

use crate::sample;
use benchwright_report::terminal::Style;
use benchwright_report::{json, markdown, terminal};

#[test]
fn json_of_a_decent_page() {
    insta::assert_snapshot!(json::render(&sample::decent()));
}

#[test]
fn markdown_of_a_decent_page() {
    insta::assert_snapshot!(markdown::render(&sample::decent()));
}

#[test]
fn markdown_of_a_page_that_did_not_render() {
    insta::assert_snapshot!(markdown::render(&sample::unrendered()));
}

#[test]
fn terminal_of_a_decent_page() {
    insta::assert_snapshot!(terminal::render(&sample::decent(), Style { color: false, width: 80 }));
}

#[test]
fn terminal_of_a_page_that_did_not_render() {
    insta::assert_snapshot!(terminal::render(&sample::unrendered(), Style { color: false, width: 60 }));
}

#[test]
fn terminal_of_a_flawless_page() {
    insta::assert_snapshot!(terminal::render(&sample::flawless(), Style { color: false, width: 80 }));
}

#[test]
fn terminal_of_an_empty_report() {
    insta::assert_snapshot!(terminal::render(&sample::empty(), Style { color: false, width: 0 }));
}
