//! The prompt corpus against its own apps: every reference does what its prompt asks, every mutant fails one criterion.

#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

mod support;

use benchwright_fixtures::{Copied, CorpusApp, accounts_file};
use benchwright_scoring::prompt::{self, Prompt};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use support::Corner;

/// How many mutants are walked at the same time; more than the machine has cores only makes them wait for each other.
const AT_ONCE: usize = 2;
/// Of the mutants, every so-manieth is walked here, and all of them where this variable names a file for the diary, as `cargo xtask soak`
/// does: a browser context for each of a thousand criteria takes many minutes on two cores.
const EVERY_MUTANT: &str = "BENCHWRIGHT_EVERY_MUTANT";
const STRIDE: usize = 9;
/// The least a reference reaches on Functional without judges, of 1.
const LEAST_FUNCTIONAL: f64 = 0.95;

fn prompts_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/prompts")
}

fn prompt_file(app: &CorpusApp) -> PathBuf {
    prompts_folder().join(format!("{}.yaml", app.prompt()))
}

fn prompts() -> Vec<Prompt> {
    let files = fs::read_dir(prompts_folder()).unwrap().map(|file| file.unwrap().path());
    let named = files.map(|path| (fs::read_to_string(&path).unwrap(), path.display().to_string()));
    named.map(|(text, name)| prompt::load(&text, &name).unwrap_or_else(|error| panic!("{error}"))).collect()
}

fn criteria_of(prompt: &Prompt) -> BTreeSet<&str> {
    prompt.must_have.iter().chain(&prompt.should_have).map(|criterion| criterion.id.as_str()).collect()
}

#[test]
fn every_prompt_has_a_reference_every_criterion_a_mutant_and_every_tier_its_prompts() {
    let (apps, prompts) = (CorpusApp::all().unwrap(), prompts());
    let mutants: BTreeMap<&str, BTreeSet<&str>> =
        apps.iter().map(|app| (app.prompt(), app.mutants().collect())).collect();
    let criteria: BTreeMap<&str, BTreeSet<&str>> =
        prompts.iter().map(|prompt| (prompt.id.as_str(), criteria_of(prompt))).collect();
    assert_eq!(mutants, criteria);
    assert_eq!(prompts.iter().map(|prompt| prompt.tier).collect::<BTreeSet<_>>(), BTreeSet::from([1, 2, 3]));
    let backends: BTreeSet<_> = apps.iter().filter(|app| app.has_server()).map(CorpusApp::prompt).collect();
    let third: BTreeSet<_> =
        prompts.iter().filter(|prompt| prompt.tier == 3).map(|prompt| prompt.id.as_str()).collect();
    assert_eq!(backends, third, "the third tier is the one with servers");
}

/// Scores a copy of an app with the given scorers and returns the report.
fn scored(app: &CorpusApp, copy: &Copied, scorers: &str) -> Value {
    let served = copy.serve().unwrap();
    let corner = Corner::new();
    let (url, prompt, source) = (served.url(), prompt_file(app), copy.folder());
    let accounts = accounts_file();
    let mut arguments = vec!["score", &url, "--only", scorers, "--quiet"];
    arguments.extend(["--prompt", prompt.to_str().unwrap(), "--source", source.to_str().unwrap()]);
    if app.has_server() && scorers.contains("f7") {
        arguments.extend(["--accounts", accounts.to_str().unwrap()]);
    }
    corner.run(&arguments).expect_code(0);
    corner.report()
}

/// The criteria that did not hold.
fn failed_criteria(report: &Value) -> Vec<String> {
    let items = report["scorers"]["f2"]["details"]["items"].as_array().unwrap_or_else(|| panic!("{report:#}"));
    let failed = items.iter().filter(|item| item["status"] != "passed");
    failed.map(|item| item["id"].as_str().unwrap().to_owned()).collect()
}

/// Does every job, a few at a time, and returns what each of them complains about.
fn complaints<Job: Sync>(jobs: &[Job], act: impl Fn(&Job) -> Option<String> + Sync) -> Vec<String> {
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let complaint = act(job);
                    found.lock().unwrap_or_else(PoisonError::into_inner).extend(complaint);
                }
            });
        }
    });
    found.into_inner().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn every_reference_reaches_95_on_functional_without_judges() {
    let wrong = complaints(&CorpusApp::all().unwrap(), |app| {
        let scorers = if app.has_server() { "f1,f2,f5,f6,f7,f8" } else { "f1,f2,f5,f6" };
        let report = scored(app, &app.reference().unwrap(), scorers);
        let functional = report["dimensions"]["functional"]["score"].as_f64().unwrap_or(0.0);
        let failed = failed_criteria(&report);
        (functional < LEAST_FUNCTIONAL || !failed.is_empty())
            .then(|| format!("{}: Functional {functional}, failed {failed:?}", app.name()))
    });
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_mutant_fails_its_own_criterion_and_no_other() {
    let apps = CorpusApp::all().unwrap();
    let all: Vec<_> = apps.iter().flat_map(|app| app.mutants().map(move |criterion| (app, criterion))).collect();
    let diary = std::env::var_os(EVERY_MUTANT).map(|file| Diary::new(&PathBuf::from(file), all.len()));
    let stride = if diary.is_some() { 1 } else { STRIDE };
    let mutants: Vec<_> = all.iter().step_by(stride).collect();
    assert!(mutants.len() >= 10, "only {} of {} mutants", mutants.len(), all.len());
    let wrong = complaints(&mutants, |(app, criterion)| {
        let begun = Instant::now();
        let failed = failed_criteria(&scored(app, &app.mutant(criterion).unwrap(), "f2"));
        if let Some(diary) = &diary {
            diary.note(app.name(), criterion, &failed, begun.elapsed().as_secs_f64());
        }
        (failed != [*criterion]).then(|| format!("{} mutant {criterion}: failed {failed:?}", app.name()))
    });
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What became of each mutant, a line of JSON each, for whoever waits for all of them.
struct Diary {
    file: Mutex<File>,
    walked: AtomicUsize,
    all: usize,
}

impl Diary {
    fn new(file: &Path, all: usize) -> Self {
        Self { file: Mutex::new(File::create(file).unwrap()), walked: AtomicUsize::new(0), all }
    }

    #[allow(clippy::print_stdout, reason = "somebody waits for many minutes")]
    fn note(&self, app: &str, criterion: &str, failed: &[String], seconds: f64) {
        let as_expected = failed == [criterion];
        let line =
            json!({"app": app, "mutant": criterion, "failed": failed, "as_expected": as_expected, "seconds": seconds});
        writeln!(self.file.lock().unwrap(), "{line}").unwrap();
        let number = self.walked.fetch_add(1, Ordering::Relaxed) + 1;
        let verdict = if as_expected { "as expected" } else { "WRONG" };
        println!("mutant {number} of {}: {app} {criterion}: {verdict}, {seconds:.1} s", self.all);
    }
}
