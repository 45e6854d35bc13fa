//! Repeated runs and batches, in a real browser.
#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

mod support;

use benchwright_fixtures::{NodeServer, Request, Server, Site, refused_port};
use serde_json::Value;
use std::fs;
use support::{Corner, Said, score, signal, wait_until};

fn ledger(corner: &Corner) -> Value {
    serde_json::from_slice(&fs::read(corner.path("work/benchwright-batch/batch.json")).unwrap()).unwrap()
}

fn contains(corner: &Corner, needle: &str) -> bool {
    let found = |folder: &std::path::Path| -> bool {
        let mut stack = vec![folder.to_owned()];
        while let Some(folder) = stack.pop() {
            for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
                if entry.path().is_dir() {
                    stack.push(entry.path());
                } else if String::from_utf8_lossy(&fs::read(entry.path()).unwrap()).contains(needle) {
                    return true;
                }
            }
        }
        false
    };
    found(&corner.path("work/benchwright-batch"))
}

#[test]
fn one_bad_entry_does_not_stop_the_rest_and_a_second_call_does_what_is_left() {
    let server = Server::start(Site::app("clean").secured()).unwrap();
    let corner = Corner::new();
    let url = server.url();
    let dead = refused_port().unwrap();
    let file = |zip: &str| {
        format!(
            "schema: 1
runs:
  - tool: kiln
    prompt: harbor-coffee-landing
    url: {url}
    cost: 1.5
    duration: 90
    backend:
      user_a: {{ email: a@example.com, password: opensesame-a }}
      user_b: {{ email: b@example.com, password: opensesame-b }}
  - {{ tool: forge, prompt: harbor-coffee-landing, url: 'http://127.0.0.1:{dead}/' }}
  - {{ tool: loom, prompt: harbor-coffee-landing, url: 'not an address' }}
  - {{ tool: anvil, prompt: harbor-coffee-landing, url: '{url}', {zip} }}
  - {{ tool: lathe, prompt: no-such-prompt, url: '{url}' }}
  - {{ tool: Chisel!, prompt: harbor-coffee-landing, url: '{url}' }}
  - {{ tool: plane, prompt: harbor-coffee-landing }}
"
        )
    };
    fs::write(corner.path("work/s.yaml"), file("source: gone.zip")).unwrap();
    let batch = ["batch", "s.yaml", "--only", "f1", "--timeout", "5"];
    let said = corner.run(&batch).expect_code(2);
    let said = said.expect_error(&["loom/harbor-coffee-landing/0 (line 12)", "gone.zip", "no-such-prompt", "kiln/"]);
    let said = said.expect_error(&["s.yaml:15:13: the tool `Chisel!`", "s.yaml:16:", "url"]);
    assert!(said.stdout.contains("failed: s.yaml:15:13:"), "{}", said.stdout);
    assert!(said.stdout.contains("kiln/harbor-coffee-landing/0   100.0  scored"), "{}", said.stdout);
    let first = ledger(&corner);
    assert_eq!(first["entries"]["kiln/harbor-coffee-landing/0"]["status"], "scored", "{first:#}");
    assert_eq!(first["entries"]["forge/harbor-coffee-landing/0"]["status"], "failed");
    let report = corner.path("work/benchwright-batch/entries/kiln/harbor-coffee-landing/0/report.json");
    let report: Value = serde_json::from_slice(&fs::read(report).unwrap()).unwrap();
    assert_eq!((&report["subject"]["tool"], &report["cost"]["usd"]), (&"kiln".into(), &1.5.into()));
    assert!(!contains(&corner, "opensesame"), "a password was written to disk");

    let seen = server.requests().len();
    fs::write(corner.path("work/s.yaml"), file("note: no source").replace("cost: 1.5", "cost: 2")).unwrap();
    let said = corner.run(&batch).expect_code(2);
    assert!(said.stderr.contains("kiln/harbor-coffee-landing/0: was scored before"), "{}", said.stderr);
    let second = ledger(&corner);
    assert_eq!(second["entries"]["anvil/harbor-coffee-landing/0"]["status"], "scored");
    assert_eq!(second["entries"]["kiln/harbor-coffee-landing/0"], first["entries"]["kiln/harbor-coffee-landing/0"]);
    assert!(server.requests().len() > seen, "the entry that was mended is scored");
    let board = corner.run(&["leaderboard", "--json"]).expect_code(0).stdout;
    assert!(board.contains("only some scorers were selected"), "--only is not ranked");
    let csv = fs::read_to_string(corner.path("work/benchwright-batch/batch.csv")).unwrap();
    assert!(csv.lines().count() == 4 && csv.contains(",2,"), "the new cost is told without scoring anew: {csv}");
    corner.assert_left_clean();
}

#[test]
fn an_entry_whose_accounts_were_refused_is_scored_again_when_they_may_have_been_corrected() {
    let app = NodeServer::backend("crm.mjs", "{}").unwrap();
    let corner = Corner::new();
    let write = |password: &str| {
        let accounts = format!(
            "{{ user_a: {{ email: ada@crm.test, password: {password} }}, user_b: {{ email: bob@crm.test, password: bob-Secret-2 }} }}"
        );
        let entry = format!("tool: kiln, prompt: harbor-coffee-landing, url: '{}', backend: {accounts}", app.url());
        fs::write(corner.path("work/s.yaml"), format!("runs:\n  - {{ {entry} }}\n")).unwrap();
    };
    let batch = || corner.run(&["batch", "s.yaml", "--only", "f1,f7"]).expect_code(0);
    let f7 = || {
        let report = corner.path("work/benchwright-batch/entries/kiln/harbor-coffee-landing/0/report.json");
        score(&serde_json::from_slice(&fs::read(report).unwrap()).unwrap(), "f7")
    };
    write("ada-Wrong-1");
    batch();
    assert_eq!(f7(), 0.0);
    let said = batch();
    assert!(said.stderr.contains("was scored before"), "nobody has changed anything: {}", said.stderr);
    write("ada-Secret-1");
    batch();
    assert_eq!(f7(), 1.0);
    write("ada-Wrong-2");
    let said = batch();
    assert!(said.stderr.contains("was scored before"), "the accounts worked: {}", said.stderr);
    assert!(!contains(&corner, "ada-Secret-1") && !contains(&corner, "ada-Wrong"), "a password was written to disk");
}

#[test]
fn an_entry_that_failed_is_tried_again_as_it_stands() {
    const KEY: &str = "kiln/harbor-coffee-landing/0";
    let corner = Corner::new();
    let port = refused_port().unwrap();
    let file = format!("runs:\n  - {{ tool: kiln, prompt: harbor-coffee-landing, url: 'http://127.0.0.1:{port}/' }}\n");
    fs::write(corner.path("work/s.yaml"), file).unwrap();
    let batch = ["batch", "s.yaml", "--only", "f1", "--timeout", "5"];
    corner.run(&batch).expect_code(2);
    let failed = ledger(&corner)["entries"][KEY].clone();
    assert_eq!(failed["status"], "failed", "{failed:#}");
    let server = Server::start_on(port, Site::app("clean").secured()).unwrap();
    corner.run(&batch).expect_code(0);
    let scored = ledger(&corner)["entries"][KEY].clone();
    assert_eq!((&scored["status"], &scored["composite"]), (&"scored".into(), &100.0.into()), "{scored:#}");
    assert_eq!(scored["fingerprint"], failed["fingerprint"], "nothing but the app has changed");
    assert!(!server.requests().is_empty());
    corner.assert_left_clean();
}

#[test]
fn what_opens_the_door_of_the_settings_files_own_app_is_not_sent_to_the_entries() {
    let corner = Corner::new();
    let batch = |own: &str, out: &str| {
        let server = Server::start(Site::app("clean").secured()).unwrap();
        let doors =
            "header = [\"X-Door: open-sesame\"]\ncookie = [\"door=open-sesame\"]\nbasic-auth = \"me:open-sesame\"";
        fs::write(corner.path("work/benchwright.toml"), format!("{own}\n{doors}\n")).unwrap();
        let entry = format!("runs:\n  - {{ tool: kiln, prompt: harbor-coffee-landing, url: '{}' }}\n", server.url());
        fs::write(corner.path("work/s.yaml"), entry).unwrap();
        corner.run(&["batch", "s.yaml", "--only", "f1", "--out", out]).expect_code(0);
        server.requests()
    };
    let door = |request: &Request| (request.header("x-door").is_some(), request.header("cookie").is_some());
    let own = batch("url = \"https://mine.example\"", "own");
    assert!(!own.is_empty());
    for request in &own {
        assert!(!format!("{request:?}").contains("open-sesame"), "{request:?}");
        assert_eq!((door(request), request.header("authorization")), ((false, false), None));
    }
    let shared = batch("", "shared");
    assert!(shared.iter().any(|request| door(request) == (true, true)), "{shared:?}");
}

#[test]
fn an_interrupted_batch_goes_on_where_it_was() {
    let server = Server::start(Site::app("clean").secured()).unwrap();
    let corner = Corner::new();
    let entry =
        |tool: &str| format!("  - {{ tool: {tool}, prompt: harbor-coffee-landing, url: '{}' }}\n", server.url());
    fs::write(corner.path("work/s.yaml"), format!("runs:\n{}{}", entry("kiln"), entry("forge"))).unwrap();
    let child = corner.start(&["batch", "s.yaml", "--only", "f1,c3,v4"]);
    wait_until("the page is being loaded", || !server.requests().is_empty());
    signal(child.id(), "INT");
    Said::of(&child.wait_with_output().unwrap()).expect_code(130).expect_error(&["the same command again"]);
    corner.assert_left_clean();
    let begun = ledger(&corner)["entries"]["kiln/harbor-coffee-landing/0"].clone();
    assert_eq!(begun["status"], "running");
    corner.run(&["batch", "s.yaml", "--only", "f1,c3,v4", "--quiet", "--concurrency", "2"]).expect_code(0);
    let done = ledger(&corner)["entries"].clone();
    assert_eq!(
        done["kiln/harbor-coffee-landing/0"]["run"], begun["run"],
        "the run that was begun is the one that ended"
    );
    assert_eq!(done["forge/harbor-coffee-landing/0"]["status"], "scored");
    corner.assert_left_clean();
}

#[test]
fn a_threshold_of_one_scorer_that_is_missed_ends_with_exit_code_1() {
    let server = Server::start(Site::html(
        "<!doctype html><h1>Harbour</h1><p>Says enough to be seen, and nothing to search engines.</p>",
    ))
    .unwrap();
    let corner = Corner::new();
    fs::write(corner.path("work/benchwright.toml"), "[fail-under]\ncomposite = 1\nf1 = 0.5\nc9 = 0.9\n").unwrap();
    let said = corner.run(&["score", &server.url(), "--only", "f1,c9", "--quiet"]).expect_code(1);
    let said = said.expect_error(&["C9 SEO hygiene: ", " is below the threshold of 90"]);
    assert!(!said.stderr.contains("F1") && !said.stderr.contains("composite"), "{}", said.stderr);
}

#[test]
fn an_interrupted_series_says_what_it_lacks_and_how_to_make_it() {
    let server = Server::start(Site::app("clean").secured()).unwrap();
    let corner = Corner::new();
    let child = corner.start(&["score", &server.url(), "--only", "f1,c3,v4", "--runs", "3"]);
    wait_until("the page is being loaded", || !server.requests().is_empty());
    signal(child.id(), "INT");
    let said = Said::of(&child.wait_with_output().unwrap()).expect_code(130);
    said.expect_error(&["run 1 of 3", "`resume` ends it alone", "lacks 2 more runs", "`--runs 3` again"]);
    corner.assert_left_clean();
}

#[test]
fn repeated_runs_are_all_kept_and_summed_up() {
    let server = Server::start(Site::app("clean").secured()).unwrap();
    let corner = Corner::new();
    let settings = "[fail-under]\ncomposite = 50\nf1 = 0.9\nvisual = 10\n";
    fs::write(corner.path("work/benchwright.toml"), settings).unwrap();
    let arguments = ["score", &server.url(), "--only", "f1", "--runs", "2", "--tool", "kiln", "--routes", "/a,/b"];
    let said = corner.run(&arguments).expect_code(1);
    let said = said.expect_error(&["Visual has no score", "run 2 of 2"]);
    assert!(said.stdout.contains("2 runs: mean"), "{}", said.stdout);
    let series: Value = serde_json::from_slice(&fs::read(corner.out().join("runs.json")).unwrap()).unwrap();
    assert_eq!(series["scorers"]["f1"]["values"], serde_json::json!([1.0, 1.0]));
    assert_eq!(series["composite"]["standard_error"], 0.0);
    let runs: Vec<_> = fs::read_dir(corner.out().join("runs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(runs.len(), 2);
    assert!(runs.iter().all(|run| run.join("report.json").is_file() && run.join("run.json").is_file()));
    assert_eq!(corner.report()["provenance"]["run"], series["representative"]);
    assert_eq!(corner.report()["provenance"]["settings"]["routes"], "/a, /b");
    let said = corner.run(&["compare", "benchwright-report", "benchwright-report"]).expect_code(0);
    assert!(said.stdout.contains("mean of 2 runs"), "{}", said.stdout);
}
