//! Old runs are read for ever, and every change of a scorer shows in the diff of one file.
#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use support::Corner;

/// A run of the bundled sample app, gathered once and committed.
fn frozen_run() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/runs/harbor-coffee-format-1").canonicalize().unwrap()
}

#[test]
fn the_frozen_run_gives_the_expected_report() {
    let corner = Corner::new();
    let run = frozen_run();
    corner.run(&["rescore", run.to_str().unwrap(), "--out", "benchwright-report", "--quiet"]).expect_code(0);
    let report = fs::read_to_string(corner.out().join("report.json")).unwrap();
    insta::assert_snapshot!("frozen_run", report);
}

#[test]
fn reading_a_run_writes_nothing_to_it() {
    let before = listing(&frozen_run());
    let corner = Corner::new();
    corner.run(&["rescore", frozen_run().to_str().unwrap(), "--out", "elsewhere", "--quiet"]).expect_code(0);
    assert_eq!(listing(&frozen_run()), before);
    assert!(!before.is_empty());
}

#[test]
fn thresholds_of_the_settings_file_hold_for_a_run_that_was_made_before() {
    let corner = Corner::new();
    let run = frozen_run();
    let again = ["rescore", run.to_str().unwrap(), "--out", "again", "--quiet"];
    fs::write(corner.path("work/benchwright.toml"), "fail-under = { composite = 100, f1 = 0.5 }").unwrap();
    corner.run(&again).expect_code(1).expect_error(&["100"]);
    let lower = [&again[..], &["--fail-under", "1"]].concat();
    corner.run(&lower).expect_code(0);
    fs::write(corner.path("work/benchwright.toml"), "fail-under = \"high\"").unwrap();
    corner.run(&again).expect_code(2).expect_error(&["benchwright.toml:1:", "expected a number such as 80"]);
}

fn listing(folder: &Path) -> Vec<(PathBuf, u64)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.path().is_dir() {
            found.extend(listing(&entry.path()));
        } else {
            found.push((entry.path(), entry.metadata().unwrap().len()));
        }
    }
    found.sort();
    found
}
