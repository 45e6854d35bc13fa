//! Prompt files on the command line: checked, listed, and walked.

#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

mod support;

use benchwright_fixtures::{Server, Site};
use std::fs;
use std::path::PathBuf;
use support::{Corner, outcome, score};

fn corpus() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus/prompts").canonicalize().unwrap()
}

const BAD: &str = "id: bad\ntier: 1\nprompt: Build a page about lighthouses.\nmust_have:\n  \
                   - id: a\n    locator: getByRole('buton')\n    assert: toBeVisible\n  \
                   - id: b\n    locator: getByRole('button')\n    assert: toBeThere\n";

#[test]
fn every_problem_is_named_with_file_line_and_column() {
    let corner = Corner::new();
    fs::write(corner.path("work/bad.yaml"), BAD).unwrap();
    let said = corner.run(&["prompts", "check", "bad.yaml"]).expect_code(2);
    let lines: Vec<_> = said.stdout.lines().collect();
    assert!(
        lines[0].starts_with("bad.yaml:6:24: error: this locator cannot be used: `buton` is no ARIA role"),
        "{}",
        lines[0]
    );
    assert!(lines[1].starts_with("bad.yaml:10:13: error: this assertion cannot be used"), "{}", lines[1]);
    assert_eq!(lines[2], "1 file checked: 2 errors, 0 warnings");
    let said = corner.run(&["score", "http://127.0.0.1:9", "--prompt", "bad.yaml"]).expect_code(2);
    assert!(said.stderr.contains("bad.yaml:6:24: this locator cannot be used"), "{}", said.stderr);
    corner.run(&["prompts", "check", "missing.yaml"]).expect_code(2).expect_error(&["missing.yaml"]);
}

#[test]
fn the_corpus_has_no_problems_and_is_listed() {
    let corner = Corner::new();
    let mut files: Vec<_> = fs::read_dir(corpus()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut arguments = vec!["prompts", "check"];
    arguments.extend(files.iter().map(|file| file.to_str().unwrap()));
    corner.run(&arguments).expect_code(0);
    let said = corner.run(&["prompts", "list", corpus().to_str().unwrap()]).expect_code(0);
    let line = said.stdout.lines().find(|line| line.starts_with("harbor-coffee-landing")).unwrap().to_owned();
    assert_eq!(line.split_whitespace().collect::<Vec<_>>()[1..5], ["1", "5", "3", "2"], "{line}");
    assert_eq!(corner.run(&["prompts", "list"]).expect_code(0).stdout, said.stdout, "the corpus is inside the binary");
    corner.run(&["prompts", "list", "."]).expect_code(2).expect_error(&["holds no prompts"]);
    let shown = corner.run(&["prompts", "show", "harbor-coffee-landing"]).expect_code(0).stdout;
    assert_eq!(shown, fs::read_to_string(corpus().join("harbor-coffee-landing.yaml")).unwrap());
    corner.run(&["prompts", "show", "tea"]).expect_code(2).expect_error(&["`tea`", "harbor-coffee-landing"]);
}

#[test]
fn the_sample_app_does_what_its_prompt_asks_and_a_mutant_does_not() {
    let prompt = corpus().join("harbor-coffee-landing.yaml");
    let run = |site: Site| {
        let server = Server::start(site).unwrap();
        let corner = Corner::new();
        let arguments =
            ["score", &server.url(), "--prompt", prompt.to_str().unwrap(), "--only", "f1,f2,f5,c5", "--quiet"];
        corner.run(&arguments).expect_code(0);
        (corner.report(), fs::read_to_string(corner.out().join("report.html")).unwrap())
    };
    let (report, _) = run(Site::app("harbor-coffee"));
    assert_eq!(score(&report, "f2"), 1.0, "{:#}", report["scorers"]["f2"]["details"]);
    assert_eq!(report["scorers"]["f5"]["details"]["facts"]["criteria_contexts"], 8);
    assert_eq!(outcome(&report, "c5"), "scored");
    let index = fs::read_to_string(benchwright_fixtures::app_folder("harbor-coffee").join("index.html")).unwrap();
    let mutant = index.replace("Slow mornings start", "Quick mornings begin");
    assert_ne!(index, mutant);
    let (report, html) = run(Site::app("harbor-coffee").page("/", "text/html; charset=utf-8", mutant));
    assert!((score(&report, "f2") - 5.5 / 6.5).abs() < 1e-9, "{:#}", report["scorers"]["f2"]["details"]);
    assert_eq!(report["scorers"]["f2"]["passed"], false);
    let items = report["scorers"]["f2"]["details"]["items"].as_array().unwrap();
    let failed: Vec<_> = items.iter().filter(|item| item["status"] == "failed").collect();
    assert_eq!(failed.len(), 1);
    assert_eq!(failed[0]["id"], "headline");
    let shots = report["screenshots"].as_array().unwrap();
    assert!(shots.iter().any(|shot| shot["name"] == "criterion-headline"), "{shots:?}");
    assert!(html.contains("the window at that moment"), "the report shows the window");
}
