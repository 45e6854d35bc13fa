//! What the commands say, word for word. Read the diff before you accept a change: `cargo xtask bless`.
#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

mod support;

use support::Corner;

fn stdout(arguments: &[&str]) -> String {
    Corner::new().run(arguments).expect_code(0).stdout
}

#[test]
fn help() {
    insta::assert_snapshot!(stdout(&["--help"]));
}

#[test]
fn help_of_score() {
    insta::assert_snapshot!(stdout(&["score", "--help"]));
}

#[test]
fn help_of_rescore() {
    insta::assert_snapshot!(stdout(&["rescore", "--help"]));
}

#[test]
fn help_of_compare() {
    insta::assert_snapshot!(stdout(&["compare", "--help"]));
}

#[test]
fn help_of_batch() {
    insta::assert_snapshot!(stdout(&["batch", "--help"]));
}

#[test]
fn help_of_leaderboard() {
    insta::assert_snapshot!(stdout(&["leaderboard", "--help"]));
}

#[test]
fn help_of_index() {
    insta::assert_snapshot!(stdout(&["index", "--help"]));
}

#[test]
fn help_of_data() {
    insta::assert_snapshot!(stdout(&["data", "--help"]));
}

#[test]
fn help_of_quiz() {
    insta::assert_snapshot!(stdout(&["quiz", "--help"]));
}

#[test]
fn help_of_vibe_evaluate() {
    insta::assert_snapshot!(stdout(&["vibe", "evaluate", "--help"]));
}

#[test]
fn help_of_vibe_analyse() {
    insta::assert_snapshot!(stdout(&["vibe", "analyse", "--help"]));
}

#[test]
fn help_of_tasks_review() {
    insta::assert_snapshot!(stdout(&["tasks", "review", "--help"]));
}

#[test]
fn the_list_of_scorers() {
    insta::assert_snapshot!(stdout(&["explain"]));
}

#[test]
fn a_scorer_that_is_measured() {
    insta::assert_snapshot!(stdout(&["explain", "C5"]));
}

#[test]
fn the_version() {
    assert_eq!(stdout(&["--version"]), format!("benchwright {}\n", env!("CARGO_PKG_VERSION")));
}
