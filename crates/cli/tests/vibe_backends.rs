//! The same apps in containers and behind walls: every mark is the same.

#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

mod support;

use benchwright_fixtures::{Docker, TaskApp, TaskBundle};
use serde_json::{Value, json};
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;
use support::Corner;

/// All workflows of all tasks where this variable names a file for the diary, as `cargo xtask soak` does; a sample otherwise.
const EVERY_APP: &str = "BENCHWRIGHT_EVERY_TASK_APP";
/// Of all tasks only these, with commas between them.
const CHOSEN: &str = "BENCHWRIGHT_TASKS";
/// Two tasks, of each a workflow that the first mutant fails and one that it passes.
const SAMPLE: [(&str, [&str; 2]); 2] = [
    ("leave-desk", ["ask-and-approve", "weekends-do-not-count"]),
    ("course-places", ["plan-a-course-and-take-a-place", "refuse-courses-that-make-no-sense"]),
];

/// What an evaluation says: each workflow with its state and the marks of its substeps.
type Marks = Vec<String>;

fn evaluate(task: &str, bundle: &TaskBundle, only: &[&str], backend: &str, docker: &Docker) -> (Marks, f64) {
    let corner = Corner::new();
    let tasks = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/tasks");
    let mut words = vec!["vibe", "evaluate", "--task", task, "--tasks", tasks.to_str().unwrap()];
    words.extend(["--bundle", bundle.folder().to_str().unwrap(), "--backend", backend, "--seed", "both"]);
    words.extend(["--evaluator", "resolver", "--judge", "rules", "--concurrency", "2", "--format", "json", "--quiet"]);
    words.extend(only.iter().flat_map(|workflow| ["--workflow", workflow]));
    let begun = Instant::now();
    let output = corner.command(&words).env("DOCKER_HOST", docker.host()).output().unwrap();
    support::Said::of(&output).expect_code(0);
    let report = fs::read(corner.path("work/benchwright-vibe/report.json")).unwrap();
    let report: Value = serde_json::from_slice(&report).unwrap();
    assert_eq!(report["app"]["backend"], backend);
    assert_eq!(report["started"], true, "{}", report["start_note"]);
    let mut marks: Marks = report["workflows"].as_array().unwrap().iter().map(line).collect();
    marks.sort();
    assert!(!marks.is_empty());
    (marks, begun.elapsed().as_secs_f64())
}

fn line(workflow: &Value) -> String {
    let verdict = &workflow["verdict"];
    let marks: Vec<&str> =
        verdict["substeps"].as_array().unwrap().iter().map(|substep| substep["mark"].as_str().unwrap()).collect();
    format!("{} {} {}", verdict["workflow"].as_str().unwrap(), verdict["state"].as_str().unwrap(), marks.join(" "))
}

/// The tasks of this time, each with the only workflows that are walked; all when there are none.
fn tasks() -> Vec<(TaskApp, Vec<&'static str>)> {
    if std::env::var_os(EVERY_APP).is_none() {
        return SAMPLE.iter().map(|(task, only)| (TaskApp::of(task).unwrap(), only.to_vec())).collect();
    }
    let chosen = std::env::var(CHOSEN).unwrap_or_default();
    let is_chosen = |app: &TaskApp| chosen.is_empty() || chosen.split(',').any(|one| one == app.task());
    let apps = TaskApp::all().unwrap().into_iter().filter(is_chosen);
    apps.map(|app| (app, Vec::new())).collect()
}

#[test]
fn containers_and_walls_give_the_same_verdicts() {
    let Some(docker) = Docker::start() else { return };
    let mut apart = Vec::new();
    let tasks = tasks();
    assert!(!tasks.is_empty());
    for (app, only) in &tasks {
        let mutant = app.mutants().next().map(|(name, _)| name.to_owned()).unwrap();
        for (name, bundle) in [("reference".to_owned(), app.reference()), (mutant.clone(), app.mutant(&mutant))] {
            let bundle = bundle.unwrap();
            let (native, native_seconds) = evaluate(app.task(), &bundle, only, "native", &docker);
            let (compose, compose_seconds) = evaluate(app.task(), &bundle, only, "compose", &docker);
            let differing = native.iter().zip(&compose).filter(|(one, other)| one != other).count();
            note(&json!({
                "task": app.task(), "app": name, "as_expected": native == compose, "workflows": native.len(), "differing": differing,
                "native_seconds": native_seconds, "compose_seconds": compose_seconds,
            }));
            if native != compose {
                apart.push(format!("{} {name}: {native:#?} behind walls, {compose:#?} in containers", app.task()));
            }
            let fails = native.iter().any(|line| line.contains("fail"));
            assert_eq!(fails, name == mutant, "{} {name}: {native:#?}", app.task());
        }
    }
    assert!(apart.is_empty(), "{}", apart.join("\n"));
    assert_eq!(docker.everything(), [""; 0]);
}

/// A line of JSON for whoever waits for all of them.
fn note(line: &Value) {
    if let Some(diary) = std::env::var_os(EVERY_APP) {
        writeln!(OpenOptions::new().create(true).append(true).open(diary).unwrap(), "{line}").unwrap();
    }
}
