//! The same apps in containers and behind walls: every mark is the same.

#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

#[path = "support/diary.rs"]
mod diary;
mod support;

use benchwright_fixtures::{Docker, TaskApp, TaskBundle};
use diary::Diary;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::time::Instant;
use support::Corner;

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
    let Some(diary) = Diary::wanted() else {
        return SAMPLE.iter().map(|(task, only)| (TaskApp::of(task).unwrap(), only.to_vec())).collect();
    };
    let apps = TaskApp::all().unwrap().into_iter().filter(|app| diary.is_about(app.task()));
    apps.map(|app| (app, Vec::new())).collect()
}

#[test]
fn containers_and_walls_give_the_same_verdicts() {
    let Some(docker) = Docker::start() else { return };
    let (diary, mut apart) = (Diary::wanted(), Vec::new());
    let tasks = tasks();
    assert!(!tasks.is_empty());
    for (app, only) in &tasks {
        let mutant = app.mutants().next().map(|(name, _)| name.to_owned()).unwrap();
        for (name, bundle) in [("reference".to_owned(), app.reference()), (mutant.clone(), app.mutant(&mutant))] {
            if diary.as_ref().is_some_and(|diary| diary.knows(app.task(), &name)) {
                continue;
            }
            let bundle = bundle.unwrap();
            let (native, native_seconds) = evaluate(app.task(), &bundle, only, "native", &docker);
            let (compose, compose_seconds) = evaluate(app.task(), &bundle, only, "compose", &docker);
            let differing = native.iter().zip(&compose).filter(|(one, other)| one != other).count();
            let fails = native.iter().any(|line| line.contains("fail"));
            let as_expected = native == compose && fails == (name == mutant);
            let line = json!({
                "task": app.task(), "app": name, "as_expected": as_expected, "workflows": native.len(), "differing": differing,
                "native_seconds": native_seconds, "compose_seconds": compose_seconds,
            });
            if let Some(diary) = &diary {
                diary.note(&line);
            }
            if !as_expected {
                apart.push(format!("{} {name}: {native:#?} behind walls, {compose:#?} in containers", app.task()));
            }
        }
    }
    if let Some(diary) = &diary {
        diary.close("backends");
    }
    assert!(apart.is_empty(), "{}", apart.join("\n"));
    assert_eq!(docker.everything(), [""; 0]);
}
