//! Lighthouse in the quiet lane. Whether the machine is quiet does not matter here: the index it is judged against is forced.

#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

mod support;

use benchwright_fixtures::{Server, Site};
use std::fs;
use support::{Corner, outcome};

/// Scores C4 on a machine that is said to have been calibrated at `index`.
fn with_calibrated_index(index: f64) -> serde_json::Value {
    let server = Server::start(Site::app("clean")).unwrap();
    let corner = Corner::new();
    let cpu = benchwright_sandbox::machine::facts().cpu_model;
    let calibration = serde_json::json!({
        "format": 1, "benchmark_index": index, "samples": [index], "measured_at": "2026-11-16T00:00:00Z", "cpu_model": cpu,
    });
    fs::create_dir_all(corner.path("state/benchwright")).unwrap();
    fs::write(corner.path("state/benchwright/calibration.json"), calibration.to_string()).unwrap();
    fs::write(corner.path("work/benchwright.toml"), "lighthouse-max-steal-share = 1.0\nlighthouse-runs = 1\n").unwrap();
    corner.run(&["score", &server.url(), "--only", "f1,c4", "--quiet"]).expect_code(0);
    corner.assert_left_clean();
    corner.report()
}

#[test]
fn a_machine_as_fast_as_calibrated_measures() {
    let report = with_calibrated_index(1.0);
    assert_eq!(outcome(&report, "c4"), "scored", "{}", report["scorers"]["c4"]["reason"]);
    let c4 = &report["scorers"]["c4"];
    assert!(c4["score"].as_f64().unwrap() > 0.0);
    assert!(c4["details"]["facts"]["run_seconds_total"].as_f64().unwrap() > 0.0, "{c4:#}");
    assert_eq!(report["provenance"]["machine"]["contended_runs"], 0);
    assert!(report["provenance"]["machine"]["benchmark_index"].as_str().is_some_and(|index| !index.is_empty()));
}

#[test]
fn a_machine_far_slower_than_calibrated_is_contended_and_the_run_is_repeated() {
    let report = with_calibrated_index(1e9);
    assert_eq!(outcome(&report, "c4"), "errored");
    assert!(report["scorers"]["c4"]["reason"].as_str().unwrap().contains("contended"), "{}", report["scorers"]["c4"]);
    assert_eq!(report["provenance"]["machine"]["contended_runs"], 2, "one run was asked for, one repeat was made");
    assert_eq!(report["rankable"], false);
    assert!(report["headline"].as_str().unwrap().contains("C4"), "{}", report["headline"]);
}
