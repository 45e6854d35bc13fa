//! Many models, many bundles: what is missing is named, what is finished is kept.
#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

mod support;

use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use support::Corner;

fn fixture(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(path).canonicalize().unwrap()
}

fn model(id: &str, price: &str) -> String {
    format!("  - {{ id: {id}, provider: acme, vision: true, open_weights: false{price} }}\n")
}

/// Two models; one of them has an app.
fn corner(price: &str) -> Corner {
    let corner = Corner::new();
    let models = format!("format: 1\nmodels:\n{}{}", model("acme/one", price), model("acme/two", price));
    fs::write(corner.path("work/models.yaml"), models).unwrap();
    let app = corner.path("work/bundles/acme__one/jam-shelf/0/app");
    fs::create_dir_all(&app).unwrap();
    fs::copy(fixture("vibe/jam-shelf/index.html"), app.join("index.html")).unwrap();
    corner
}

#[test]
fn missing_bundles_are_named_and_finished_ones_kept() {
    let corner = corner("");
    let pack = fixture("vibe/pack");
    let arguments = [
        "vibe",
        "run",
        "--models",
        "models.yaml",
        "--bundles",
        "bundles",
        "--tasks",
        pack.to_str().unwrap(),
        "--json",
        "--concurrency",
        "2",
    ];
    let states = |said: &str| -> Vec<String> {
        let told: Value = serde_json::from_str(said).unwrap();
        told["entries"].as_array().unwrap().iter().map(|entry| entry["state"].as_str().unwrap().to_owned()).collect()
    };
    let first = corner.run(&arguments).expect_code(2);
    assert_eq!(states(&first.stdout), ["evaluated", "missing"]);
    assert!(first.stdout.contains("acme__two"), "{}", first.stdout);
    let second = corner.run(&arguments).expect_code(2);
    assert_eq!(states(&second.stdout), ["was_there", "missing"]);
    assert_eq!(fs::read_dir(corner.path("work/benchwright-vibe/runs")).unwrap().count(), 1);
    let said = corner.run(&["vibe", "analyse", "benchwright-vibe", "--models", "models.yaml"]).expect_code(0);
    assert!(said.stdout.contains("Test split") && said.stdout.contains("acme/one  100.0 %"), "{}", said.stdout);
    corner.assert_left_clean();
}

#[test]
fn the_scorers_look_at_every_bundle_if_they_are_asked() {
    let corner = corner("");
    fs::write(corner.path("work/benchwright.toml"), "only = [\"c3\", \"c9\"]\n").unwrap();
    let pack = fixture("vibe/pack");
    let base = ["vibe", "run", "--models", "models.yaml", "--bundles", "bundles", "--model", "acme/one", "--json"];
    let plain = [&base[..], &["--tasks", pack.to_str().unwrap()]].concat();
    let scored = [&plain[..], &["--score"]].concat();
    let state = |arguments: &[&str]| {
        let told: Value = serde_json::from_str(&corner.run(arguments).expect_code(0).stdout).unwrap();
        told["entries"][0]["state"].as_str().unwrap().to_owned()
    };
    assert_eq!(state(&plain), "evaluated");
    assert_eq!(state(&scored), "evaluated", "what was evaluated without them lacks something");
    assert_eq!((state(&scored), state(&plain)), ("was_there".to_owned(), "was_there".to_owned()));
    let mut reports = fs::read_dir(corner.path("work/benchwright-vibe/score")).unwrap();
    let report = fs::read(reports.next().unwrap().unwrap().path().join("report.json")).unwrap();
    let report: Value = serde_json::from_slice(&report).unwrap();
    corner.run(&["vibe", "analyse", "benchwright-vibe", "--quiet"]).expect_code(0);
    let study = fs::read(corner.path("work/benchwright-analysis/study.json")).unwrap();
    let study: Value = serde_json::from_slice(&study).unwrap();
    assert_eq!((study["apps"].as_array().unwrap().len(), &study["apps"][0]["composite"]), (1, &report["composite"]));
    assert!(report["composite"].is_number() && reports.next().is_none(), "{report}");
    corner.assert_left_clean();
}

#[test]
fn a_bundle_that_cannot_be_opened_counts_as_nothing_done() {
    let corner = corner("");
    for (run, name) in [("0/app", None), ("1", Some("app.zip"))] {
        let folder = corner.path("work/bundles/acme__two/jam-shelf").join(run);
        fs::create_dir_all(&folder).unwrap();
        if let Some(name) = name {
            fs::write(folder.join(name), "no archive").unwrap();
        }
    }
    let pack = fixture("vibe/pack");
    let base = ["vibe", "run", "--models", "models.yaml", "--bundles", "bundles", "--model", "acme/two", "--json"];
    let arguments = [&base[..], &["--tasks", pack.to_str().unwrap()]].concat();
    let entries = || -> Vec<(Value, Value)> {
        let told: Value = serde_json::from_str(&corner.run(&arguments).expect_code(0).stdout).unwrap();
        let entries = told["entries"].as_array().unwrap();
        entries.iter().map(|entry| (entry["state"].clone(), entry["accuracy"].clone())).collect()
    };
    let nothing = |state: &str| (Value::from(state), Value::from(0.0));
    assert_eq!(entries(), [nothing("evaluated"), nothing("evaluated")]);
    assert_eq!(entries(), [nothing("was_there"), nothing("was_there")]);
    let said = corner.run(&["vibe", "analyse", "benchwright-vibe", "--models", "models.yaml"]).expect_code(0);
    assert!(said.stdout.contains("acme/two  0.0 %"), "{}", said.stdout);
    corner.assert_left_clean();
}

#[test]
fn a_model_without_a_price_is_refused_under_a_budget() {
    let corner = corner("");
    let pack = fixture("vibe/pack");
    let arguments =
        ["vibe", "run", "--models", "models.yaml", "--bundles", "bundles", "--tasks", pack.to_str().unwrap()];
    let budget = [&arguments[..], &["--budget", "5"]].concat();
    corner.run(&budget).expect_code(2).expect_error(&["acme/one", "budget of $5.00"]);
    corner.run(&[&arguments[..], &["--model", "acme/three"]].concat()).expect_code(2).expect_error(&["acme/three"]);
    let without = ["vibe", "run", "--bundles", "bundles", "--tasks", pack.to_str().unwrap()];
    corner.run(&without).expect_code(2).expect_error(&["--models models.yaml"]);
}
