//! Many models, many bundles: what is missing is named, what is finished is kept.
#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

#[path = "support/running.rs"]
mod running;
mod support;

use benchwright_fixtures::{LlmCall, LlmReply, ScriptedLlm};
use running::Running;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use support::{Corner, Said, signal, wait_until};

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
    let deployed = |backend: &str| corner.run(&[&arguments[..], &["--backend", backend]].concat()).expect_code(2);
    assert_eq!(states(&deployed("native").stdout), ["was_there", "missing"], "that is how it was deployed");
    let said = corner.run(&["vibe", "analyse", "benchwright-vibe", "--models", "models.yaml"]).expect_code(0);
    assert!(said.stdout.contains("Test split") && said.stdout.contains("acme/one  100.0 %"), "{}", said.stdout);
    assert_tables_are_those_of_the_last_analysis(&corner);
    corner.assert_left_clean();
}

fn names_in(folder: PathBuf) -> BTreeSet<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// The same results as if the task were of the other split: their tables have other names.
fn assert_tables_are_those_of_the_last_analysis(corner: &Corner) {
    let folder = corner.path("work/benchwright-analysis");
    let study = fs::read_to_string(folder.join("study.json")).unwrap();
    let other = study.replace("\"split\":\"test\"", "\"split\":\"validation\"");
    assert_ne!(study, other);
    fs::write(corner.path("work/other.json"), other).unwrap();
    fs::write(folder.join("tables/notes.csv"), "mine").unwrap();
    corner.run(&["vibe", "analyse", "other.json", "--out", "again", "--quiet"]).expect_code(0);
    corner.run(&["vibe", "analyse", "other.json", "--quiet"]).expect_code(0);
    let mut expected = names_in(corner.path("work/again/tables"));
    assert!(expected.len() > 10, "{expected:?}");
    expected.insert("notes.csv".to_owned());
    assert_eq!(names_in(folder.join("tables")), expected, "and what somebody put there");
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
fn another_backend_is_another_evaluation() {
    let corner = corner("");
    let pack = fixture("vibe/pack");
    let base = ["vibe", "run", "--models", "models.yaml", "--bundles", "bundles", "--model", "acme/one", "--json"];
    let entry = |backend: &str| {
        let arguments = [&base[..], &["--tasks", pack.to_str().unwrap(), "--backend", backend]].concat();
        let told: Value = serde_json::from_str(&corner.run(&arguments).stdout).unwrap();
        told["entries"][0]["state"].clone()
    };
    assert_eq!(entry("native"), "evaluated");
    assert_eq!(entry("compose"), "failed", "it has nothing that containers could be made from");
    assert_eq!(entry("native"), "was_there");
}

#[test]
fn an_evaluation_of_one_workflow_is_no_evaluation_of_the_app() {
    let corner = corner("");
    let (pack, bundle) = (fixture("vibe/pack"), "bundles/acme__one/jam-shelf/0/app");
    let tasks = ["--tasks", pack.to_str().unwrap()];
    let one = ["vibe", "evaluate", "--task", "jam-shelf", "--bundle", bundle, "--model", "acme/one", "--quiet"];
    corner.run(&[&one[..], &tasks, &["--workflow", "eat-a-jar"]].concat()).expect_code(0);
    let base = ["vibe", "run", "--models", "models.yaml", "--bundles", "bundles", "--model", "acme/one", "--json"];
    let entry = || {
        let told = corner.run(&[&base[..], &tasks].concat()).expect_code(0).stdout;
        serde_json::from_str::<Value>(&told).unwrap()["entries"][0]["state"].clone()
    };
    assert_eq!((entry(), entry()), (json!("evaluated"), json!("was_there")));
    let said = corner.run(&["vibe", "analyse", "benchwright-vibe"]).expect_code(0);
    assert!(said.stdout.contains("acme/one  100.0 %"), "{}", said.stdout);
    corner.assert_left_clean();
}

/// What a model did, of which only tokens are known: a million and a tenth of them.
fn tokens_without_a_sum() -> String {
    let line = |body: Value| format!("{}\n", json!({ "at": "2026-11-17T06:00:00Z", "body": body }));
    let begin = json!({ "event": "begin", "format": 1, "task": "jam-shelf", "model": "acme/one" });
    let tokens = json!({ "input": 1_000_000, "output": 100_000, "cache_read": 0, "cache_write": 0 });
    line(begin) + &line(json!({ "event": "response", "id": 1, "tokens": tokens }))
}

#[test]
fn costs_by_list_price_survive_an_export_and_stand_on_the_board() {
    let corner = corner(
        ", name: The one, endpoint: 'https://me:pw@llm.acme', price: { input: 3, output: 15, date: 2026-11-17 }",
    );
    fs::write(corner.path("work/bundles/acme__one/jam-shelf/0/trajectory.jsonl"), tokens_without_a_sum()).unwrap();
    let pack = fixture("vibe/pack");
    let run = ["vibe", "run", "--models", "models.yaml", "--bundles", "bundles", "--model", "acme/one", "--quiet"];
    corner.run(&[&run[..], &["--tasks", pack.to_str().unwrap(), "--out", "data"]].concat()).expect_code(0);
    corner.run(&["vibe", "export", "data", "-o", "study.zip", "--quiet"]).expect_code(0);
    corner.run(&["vibe", "import", "study.zip", "--out", "copy", "--quiet"]).expect_code(0);
    let analysed = |more: &[&str]| {
        let said = corner.run(&[&["vibe", "analyse"], more].concat()).expect_code(0).stdout;
        (said, fs::read_to_string(corner.path("work/benchwright-analysis/analysis.json")).unwrap())
    };
    let original = analysed(&["data", "--models", "models.yaml"]);
    assert!(original.0.contains("The one  100.0 %  1 app, $4.50 an app"), "{}", original.0);
    assert_eq!(analysed(&["copy"]), original);
    let dearer = fs::read_to_string(corner.path("work/models.yaml")).unwrap().replace("input: 3", "input: 4");
    fs::write(corner.path("work/models.yaml"), dearer).unwrap();
    assert!(analysed(&["copy", "--models", "models.yaml"]).0.contains("$5.50 an app"), "what is named now counts");
    let board = Running::start(&corner, &[]).get("/api/v1/vibe/board").2;
    let board: Value = serde_json::from_slice(&board).unwrap();
    let row = &board["splits"]["test"][0];
    assert_eq!((&row["name"], &row["cost_usd"]["mean"]), (&json!("The one"), &json!(4.5)), "{board:#}");
    assert_eq!(support::find_in(&corner.path("work/data"), b"me:pw"), None, "where the model is asked is kept nowhere");
    corner.assert_left_clean();
}

#[test]
fn without_docker_an_app_of_several_services_fails_alone() {
    let corner = corner("");
    let apps = corner.path("work/bundles/acme__one/jam-shelf");
    fs::rename(apps.join("0"), apps.join("1")).unwrap();
    fs::create_dir_all(apps.join("0/app")).unwrap();
    let services = "services:\n  web: { image: nginx, ports: ['80'] }\n  db: { image: postgres }\n";
    fs::write(apps.join("0/app/compose.yaml"), services).unwrap();
    let pack = fixture("vibe/pack");
    let base = ["vibe", "run", "--models", "models.yaml", "--bundles", "bundles", "--model", "acme/one", "--json"];
    let arguments = [&base[..], &["--tasks", pack.to_str().unwrap()]].concat();
    let output = corner.command(&arguments).env("DOCKER_HOST", "unix:///nowhere/docker.sock").output().unwrap();
    let said = Said::of(&output).expect_code(3);
    let told: Value = serde_json::from_str(&said.stdout).unwrap();
    let states: Vec<&Value> = told["entries"].as_array().unwrap().iter().map(|entry| &entry["state"]).collect();
    assert_eq!(states, ["no_containers", "evaluated"], "{told}");
    assert!(told["entries"][0]["reason"].as_str().unwrap().contains("install Docker"), "{told}");
    corner.assert_left_clean();
}

#[test]
fn an_app_for_which_something_was_set_differently_enters_the_ablations_alone() {
    let corner = corner("");
    let blind = corner.path("work/bundles/acme__one/jam-shelf/1");
    fs::create_dir_all(blind.join("app")).unwrap();
    fs::write(blind.join("variant.yaml"), "vision: [no]\n").unwrap();
    let pack = fixture("vibe/pack");
    let base = ["vibe", "run", "--models", "models.yaml", "--bundles", "bundles", "--model", "acme/one", "--quiet"];
    let arguments = [&base[..], &["--tasks", pack.to_str().unwrap()]].concat();
    corner.run(&arguments).expect_code(2).expect_error(&["variant.yaml:1:"]);
    fs::write(blind.join("variant.yaml"), "vision: false\n").unwrap();
    corner.run(&arguments).expect_code(0);
    let told = corner.run(&["vibe", "analyse", "benchwright-vibe", "--json"]).expect_code(0).stdout;
    let test = serde_json::from_str::<Value>(&told).unwrap()["splits"]["test"].clone();
    assert_eq!(test["models"].as_array().unwrap().len(), 1);
    assert_eq!(test["models"][0]["accuracy"]["mean"], 100.0, "the app that does not start counts nowhere else");
    let (ablation, row) = (&test["ablations"][0], &test["ablations"][0]["rows"][0]);
    assert_eq!((&ablation["factor"], &row["value"]), (&Value::from("vision"), &Value::from("false")));
    assert_eq!((&row["score"]["mean"], &row["usual"]["mean"]), (&Value::from(0.0), &Value::from(100.0)), "{row}");
    let table = fs::read_to_string(corner.path("work/benchwright-analysis/tables/ablations.csv")).unwrap();
    assert!(table.lines().any(|line| line.contains("vision") && line.contains("false")), "{table}");
    corner.assert_left_clean();
}

/// Evaluations in the order in which they were begun. The scorers' runs lie beside them.
fn evaluations(corner: &Corner) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(corner.path("work/benchwright-vibe/runs")) else { return Vec::new() };
    let is_ours =
        |run: &PathBuf| fs::read_to_string(run.join("log")).is_ok_and(|log| log.contains("\"track\":\"vibe\""));
    let mut runs: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).filter(is_ours).collect();
    runs.sort();
    runs
}

/// Workflows that are done in a run, in the order in which they were.
fn walked(run: &Path) -> Vec<String> {
    let log = fs::read_to_string(run.join("log")).unwrap_or_default();
    let events = log.lines().filter_map(|line| serde_json::from_str::<Value>(line.splitn(3, ' ').nth(2)?).ok());
    events.filter_map(|event| Some(event["body"]["kind"].as_str()?.strip_prefix("workflow/")?.to_owned())).collect()
}

fn is_finished(run: &Path) -> bool {
    run.join("run.json").is_file()
}

#[test]
fn after_a_kill_in_mid_matrix_finished_entries_are_not_walked_again_and_the_others_go_on() {
    let corner = corner("");
    fs::write(corner.path("work/benchwright.toml"), "only = [\"c9\"]\n").unwrap();
    for run in ["1", "2"] {
        let app = corner.path("work/bundles/acme__one/jam-shelf").join(run).join("app");
        fs::create_dir_all(&app).unwrap();
        fs::copy(fixture("vibe/jam-shelf/index.html"), app.join("index.html")).unwrap();
    }
    let pack = fixture("vibe/pack");
    let base = ["vibe", "run", "--models", "models.yaml", "--bundles", "bundles", "--model", "acme/one", "--json"];
    let arguments = [&base[..], &["--tasks", pack.to_str().unwrap(), "--score", "--apps", "2"]].concat();
    let mut child = corner.start(&arguments);
    wait_until("two apps are walked at once", || {
        let runs = evaluations(&corner);
        runs.len() == 2 && !runs.iter().any(|run| is_finished(run))
    });
    wait_until("one app is done and another one begun", || {
        let (done, open): (Vec<_>, Vec<_>) = evaluations(&corner).into_iter().partition(|run| is_finished(run));
        !done.is_empty() && open.iter().any(|run| (1..=3).contains(&walked(run).len()))
    });
    signal(child.id(), "KILL");
    child.wait().unwrap();
    wait_until("all processes of the killed matrix are gone", || corner.processes().is_empty());
    let (done, open): (Vec<_>, Vec<_>) = evaluations(&corner).into_iter().partition(|run| is_finished(run));
    assert!(!done.is_empty() && !open.is_empty(), "{done:?} {open:?}");
    let logs = |runs: &[PathBuf]| runs.iter().map(|run| fs::read(run.join("log")).unwrap()).collect::<Vec<_>>();
    let (logs_before, walked_before) = (logs(&done), open.iter().map(|run| walked(run)).collect::<Vec<_>>());

    let told: Value = serde_json::from_str(&corner.run(&arguments).expect_code(0).stdout).unwrap();
    let entries = told["entries"].as_array().unwrap();
    let of = |state: &str| entries.iter().filter(|entry| entry["state"] == state).count();
    assert_eq!((of("was_there"), of("evaluated")), (done.len(), 3 - done.len()), "{told}");
    assert!(entries.iter().all(|entry| entry["accuracy"] == 100.0), "{told}");
    assert_eq!(logs(&done), logs_before, "what was finished is not even opened");
    for (run, before) in open.iter().zip(&walked_before) {
        let after = walked(run);
        assert_eq!((after.len(), &after[..before.len()]), (6, &before[..]), "each workflow is walked once");
    }
    let runs = evaluations(&corner);
    assert_eq!(runs.len(), 3);
    for run in &runs {
        let scores = corner.path("work/benchwright-vibe/score").join(run.file_name().unwrap());
        assert!(run.join("report.html").is_file() && scores.join("report.json").is_file(), "{}", run.display());
    }
    assert!(!corner.path("work/benchwright-vibe/score/report.json").exists());
    corner.run(&["doctor", "--clean"]);
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
fn a_spent_budget_stops_the_whole_matrix_and_nothing_more_is_begun() {
    let corner = corner(", price: { input: 3, output: 15, date: 2026-11-17 }");
    let second = corner.path("work/bundles/acme__one/jam-shelf/1/app");
    fs::create_dir_all(&second).unwrap();
    fs::copy(fixture("vibe/jam-shelf/index.html"), second.join("index.html")).unwrap();
    let dear = ScriptedLlm::start(|_, _| {
        let function = json!({ "name": "navigate", "arguments": "{\"url\":\"/\"}" });
        let calls = json!([{ "id": "c", "type": "function", "function": function }]);
        let message = json!({ "role": "assistant", "content": "", "tool_calls": calls });
        let usage = json!({ "prompt_tokens": 900, "completion_tokens": 40, "cost": 3.0 });
        let choices = json!([{ "message": message, "finish_reason": "tool_calls" }]);
        LlmReply::ok(json!({ "model": "acme/two", "choices": choices, "usage": usage }).to_string())
    })
    .unwrap();
    let (pack, address) = (fixture("vibe/pack"), dear.base_url());
    let base = ["vibe", "run", "--models", "models.yaml", "--bundles", "bundles", "--model", "acme/one", "--json"];
    let walking = ["--evaluator", "agent", "--evaluator-model", "acme/two", "--base-url", &address, "--budget", "3.1"];
    let said = corner.run(&[&base[..], &["--tasks", pack.to_str().unwrap()], &walking].concat());
    let said = said.expect_code(3).expect_error(&["raise the budget"]);
    let told: Value = serde_json::from_str(&said.stdout).unwrap();
    let states: Vec<&Value> = told["entries"].as_array().unwrap().iter().map(|entry| &entry["state"]).collect();
    assert_eq!(states, ["failed", "not_begun"], "{told}");
    assert_eq!((dear.calls().len(), evaluations(&corner).len()), (1, 1), "what was begun can go on");
    corner.assert_left_clean();
}

/// A judge to whom nothing is good enough. How many substeps there are stands in the shape of its answer.
fn strict(call: &LlmCall) -> LlmReply {
    let (_, behind) = call.body.split_once("\"maximum\":").unwrap();
    let substeps: u32 = behind.trim().split(|sign: char| !sign.is_ascii_digit()).next().unwrap().parse().unwrap();
    let verdict = |number| json!({ "number": number, "mark": "fail", "not_attempted": false, "reason": "not good enough", "evidence": [], "category": "other", "walker_suspected": false });
    let written = json!({ "verdicts": (1..=substeps).map(verdict).collect::<Vec<_>>(), "ambiguous": false });
    let choice = json!({ "message": { "role": "assistant", "content": written.to_string() }, "finish_reason": "stop" });
    LlmReply::ok(json!({ "model": "strict", "choices": [choice] }).to_string())
}

#[test]
fn a_key_that_is_refused_in_mid_matrix_leaves_something_to_go_on_with() {
    let corner = corner("");
    let pack = fixture("vibe/pack");
    let run = |judge: &ScriptedLlm| {
        let base = ["vibe", "run", "--models", "models.yaml", "--bundles", "bundles", "--model", "acme/one", "--json"];
        let (address, tasks) = (judge.base_url(), pack.to_str().unwrap());
        let judging = ["--tasks", tasks, "--judge", "strict", "--base-url", &address, "--budget", "inf"];
        let said = corner.run(&[&base[..], &judging, &["--evaluator", "resolver"]].concat());
        let told: Value = serde_json::from_str(&said.stdout).unwrap();
        (said.code, told["entries"][0]["state"].clone(), told["entries"][0]["reason"].clone())
    };
    let locked_out = ScriptedLlm::start(|number, call: &LlmCall| match number {
        0 | 1 => strict(call),
        _ => LlmReply::status(401, r#"{"error":{"message":"User not found."}}"#),
    })
    .unwrap();
    let (code, state, reason) = run(&locked_out);
    assert_eq!((code, state), (3, json!("failed")), "{reason}");
    assert!(reason.as_str().is_some_and(|reason| reason.contains("401: User not found.; give a key")), "{reason}");
    let begun = evaluations(&corner).pop().unwrap();
    assert_eq!((walked(&begun).len(), is_finished(&begun)), (2, false));

    let let_in = ScriptedLlm::start(|_, call: &LlmCall| strict(call)).unwrap();
    assert_eq!(run(&let_in).1, "evaluated", "what was refused was not taken for done");
    assert_eq!((walked(&begun).len(), is_finished(&begun), let_in.calls().len()), (6, true, 4));
    assert_eq!((run(&let_in).1, evaluations(&corner).len()), (json!("was_there"), 1));
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
    let contradiction = [&arguments[..], &["--evaluator", "resolver", "--evaluator-model", "m"]].concat();
    corner.run(&contradiction).expect_code(2).expect_error(&["leave out --evaluator-model m"]);
    let without = ["vibe", "run", "--bundles", "bundles", "--tasks", pack.to_str().unwrap()];
    corner.run(&without).expect_code(2).expect_error(&["--models models.yaml"]);
}
