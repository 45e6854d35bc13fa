//! The tasks against their own apps, without any model: references pass everything, cheats and the empty page nothing that
//! counts, mutants fail the workflows of what is broken in them.

#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

#[path = "support/diary.rs"]
mod diary;
mod support;

use benchwright_fixtures::{TaskApp, TaskBundle, null_bundle};
use diary::Diary;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;
use support::Corner;

/// Tasks whose reference and one mutant are walked every time: one that lives in the browser, whose mutant does everything and keeps it
/// in memory alone, and one with a server.
const SAMPLE: [(&str, &str); 2] = [("plant-diary", "nothing-is-kept"), ("leave-desk", "approve-does-nothing")];
/// Of cheats and empty pages, just these workflows of these tasks: whatever is missing in them is waited for. The second cheat shows what
/// was typed, until somebody else signs in.
const SAMPLED_FAKES: [(&str, &[&str]); 2] = [
    ("plant-diary", &["add-a-plant", "write-notes", "everything-survives-a-reload"]),
    ("client-notes", &["coaches-stay-apart"]),
];

/// Workflows walked at the same time, beside other tests.
const AT_ONCE: &str = "2";
/// The same where nothing else goes on: a walk waits more than it works.
const ALONE_AT_ONCE: &str = "4";
/// What a fake lacks is waited for, and whoever waits takes no processor from others.
const FAKES_AT_ONCE: &str = "8";
/// For the same reason, so many fakes at the same time where nothing else goes on. Real apps have the machine to themselves: one that
/// starves is one that fails.
const FAKE_APPS_AT_ONCE: usize = 4;

/// One app to walk, and the workflows it must fail.
struct Trial {
    task: String,
    name: String,
    bundle: TaskBundle,
    must: Must,
    /// The only workflows to walk; all when there are none.
    only: Vec<&'static str>,
}

/// What must come of a trial.
enum Must {
    PassAll,
    /// Every workflow fails.
    FailAll,
    /// Just these fail.
    Fail(BTreeSet<String>),
}

impl Trial {
    fn new(app: &TaskApp, name: impl Into<String>, bundle: TaskBundle, must: Must) -> Self {
        Self { task: app.task().to_owned(), name: name.into(), bundle, must, only: Vec::new() }
    }

    /// Walks it, and says what is wrong with what came of it.
    fn walk(&self) -> Walked {
        let corner = Corner::new();
        let bundle = self.bundle.folder().to_str().unwrap();
        let tasks = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/tasks");
        let tasks = tasks.to_str().unwrap();
        let mut words = vec!["vibe", "evaluate", "--task", &self.task, "--tasks", tasks, "--bundle", bundle];
        let at_once = match self.must {
            Must::FailAll => FAKES_AT_ONCE,
            _ if Diary::wanted().is_some() => ALONE_AT_ONCE,
            _ => AT_ONCE,
        };
        words.extend(["--concurrency", at_once, "--evaluator", "resolver", "--judge", "rules"]);
        words.extend(["--format", "json", "--quiet"]);
        words.extend(self.only.iter().flat_map(|workflow| ["--workflow", workflow]));
        corner.run(&words).expect_code(0);
        let report = corner.path("work/benchwright-vibe/report.json");
        let report: Value = serde_json::from_slice(&fs::read(report).unwrap()).unwrap();
        Walked::of(&report)
    }

    fn compare(&self, walked: &Walked) -> Result<(), String> {
        let as_expected = match &self.must {
            Must::PassAll => walked.failed.is_empty(),
            Must::FailAll => walked.failed.len() == walked.all,
            Must::Fail(which) => walked.failed == *which,
        };
        if as_expected { Ok(()) } else { Err(format!("{} {}: {}", self.task, self.name, walked.said())) }
    }
}

/// What came of a walk.
struct Walked {
    all: usize,
    failed: BTreeSet<String>,
    /// The first substep of each failed workflow that did not pass, in words.
    reasons: Vec<String>,
}

impl Walked {
    fn of(report: &Value) -> Self {
        let workflows = report["workflows"].as_array().unwrap();
        let mut walked = Self { all: workflows.len(), failed: BTreeSet::new(), reasons: Vec::new() };
        for workflow in workflows {
            let (verdict, id) = (&workflow["verdict"], workflow["verdict"]["workflow"].as_str().unwrap());
            let substeps = verdict["substeps"].as_array().unwrap();
            let passed = substeps.iter().filter(|substep| substep["mark"] == "pass").count();
            if verdict["state"] == "judged" && 10 * passed >= 9 * substeps.len() && passed > 0 {
                continue;
            }
            let first = substeps.iter().find(|substep| substep["mark"] != "pass");
            walked.failed.insert(id.to_owned());
            walked.reasons.push(format!("{id}: {} {}", verdict["state"], first.unwrap_or(&Value::Null)));
        }
        walked
    }

    fn said(&self) -> String {
        format!("{} of {} failed: {:#?}", self.failed.len(), self.all, self.reasons)
    }
}

/// The apps of the tasks that are walked this time.
fn apps() -> Vec<TaskApp> {
    let is_chosen = |task: &str| match Diary::wanted() {
        Some(diary) => diary.is_about(task),
        None => SAMPLE.iter().any(|(sampled, _)| *sampled == task),
    };
    let apps: Vec<_> = TaskApp::all().unwrap().into_iter().filter(|app| is_chosen(app.task())).collect();
    assert!(!apps.is_empty(), "no task is called {}", Diary::wanted().unwrap().chosen);
    apps
}

/// Whether the resolver was tuned on a task.
fn written(task: &str) -> &'static str {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/tasks").join(task).join("task.yaml");
    let text = fs::read_to_string(file).unwrap();
    if text.lines().any(|line| line == "written: afterwards") { "afterwards" } else { "before" }
}

/// Walks all that a test has, in the soak so many at once, and fails with all that is wrong.
fn walk_all(test: &str, trials: &[Trial], at_once: usize) {
    let diary = Diary::wanted();
    let at_once = if diary.is_some() { at_once } else { 1 };
    let is_known = |trial: &&Trial| diary.as_ref().is_some_and(|diary| diary.knows(&trial.task, &trial.name));
    let unknown: Vec<&Trial> = trials.iter().filter(|trial| !is_known(trial)).collect();
    let next = AtomicUsize::new(0);
    let taken = || unknown.get(next.fetch_add(1, Ordering::Relaxed)).copied();
    let wrong: Vec<String> = thread::scope(|scope| {
        let walkers: Vec<_> =
            (0..at_once).map(|_| scope.spawn(|| std::iter::from_fn(taken).filter_map(try_one).collect())).collect();
        walkers.into_iter().flat_map(|walker| -> Vec<String> { walker.join().unwrap() }).collect()
    });
    if let Some(diary) = &diary {
        diary.close(test);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is wrong with what came of a trial.
fn try_one(trial: &Trial) -> Option<String> {
    let begun = Instant::now();
    let walked = trial.walk();
    let wrong = trial.compare(&walked).err();
    if let Some(diary) = Diary::wanted() {
        note(&diary, trial, &walked, wrong.as_ref(), begun.elapsed().as_secs_f64());
    }
    wrong
}

#[test]
fn references_pass_every_workflow() {
    let trials: Vec<_> =
        apps().iter().map(|app| Trial::new(app, "reference", app.reference().unwrap(), Must::PassAll)).collect();
    assert!(!trials.is_empty());
    walk_all("references", &trials, 1);
}

#[test]
fn cheats_and_the_empty_page_fail_every_workflow() {
    let whole = || apps().into_iter().map(|app| (app, Vec::new())).collect();
    let sample = || SAMPLED_FAKES.map(|(task, only)| (TaskApp::of(task).unwrap(), only.to_vec())).into();
    let tried: Vec<(TaskApp, Vec<&str>)> = if Diary::wanted().is_some() { whole() } else { sample() };
    let fakes = |(app, only): &(TaskApp, Vec<&'static str>)| {
        [("cheat", app.cheat()), ("null", null_bundle())].map(|(name, bundle)| {
            let trial = Trial::new(app, name, bundle.unwrap(), Must::FailAll);
            Trial { only: only.clone(), ..trial }
        })
    };
    let trials: Vec<_> = tried.iter().flat_map(fakes).collect();
    assert!(!trials.is_empty());
    walk_all("fakes", &trials, FAKE_APPS_AT_ONCE);
}

#[test]
fn mutants_fail_the_workflows_of_what_is_broken() {
    let is_tried = |app: &TaskApp, name: &str| Diary::wanted().is_some() || SAMPLE.contains(&(app.task(), name));
    let apps = apps();
    let trials: Vec<_> = apps
        .iter()
        .flat_map(|app| {
            app.mutants().filter(move |(name, _)| is_tried(app, name)).map(move |(name, mutant)| {
                let must = Must::Fail(mutant.fails.iter().cloned().collect());
                Trial::new(app, name, app.mutant(name).unwrap(), must)
            })
        })
        .collect();
    assert!(trials.len() >= apps.len());
    walk_all("mutants", &trials, 1);
}

/// What became of an app, a line of JSON, for whoever waits for all of them.
#[allow(clippy::print_stdout, reason = "somebody waits for many minutes")]
fn note(diary: &Diary, trial: &Trial, walked: &Walked, wrong: Option<&String>, seconds: f64) {
    let line = json!({
        "task": trial.task, "written": written(&trial.task), "app": trial.name, "as_expected": wrong.is_none(), "wrong": wrong,
        "workflows": walked.all, "failed": walked.failed.len(), "seconds": seconds,
    });
    diary.note(&line);
    let verdict = if wrong.is_none() { "as expected" } else { "WRONG" };
    println!("{} {}: {verdict}, {seconds:.1} s", trial.task, trial.name);
}
