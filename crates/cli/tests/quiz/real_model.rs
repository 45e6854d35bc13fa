//! The real SmolLM2-135M-Instruct in its real engine, behind walls. `cargo xtask setup` fetches the weights.

use crate::running::Running;
use crate::support::{Said, signal, wait_until};
use crate::table::Table;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

const FILE: &str = "SmolLM2-135M-Instruct.Q4_1.gguf";

fn weights() -> Option<PathBuf> {
    let folder = std::env::var_os("BENCHWRIGHT_WEIGHTS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../site/weights"), PathBuf::from);
    let file = folder.join(FILE);
    if !file.is_file() {
        benchwright_fixtures::skip(&format!(
            "there are no weights at {}; `cargo xtask setup` fetches them",
            file.display()
        ));
        return None;
    }
    Some(file)
}

#[test]
fn a_real_model_is_asked_and_what_questions_share_is_computed_once() {
    let Some(file) = weights() else { return };
    let table = Table::new();
    // Its answers to this protocol are short, which keeps the test quick on a slow machine.
    let arguments = [
        "quiz",
        "--gguf",
        file.to_str().unwrap(),
        "--questions",
        "10",
        "--seed",
        "1",
        "--protocol",
        "chat-turns-1",
        "--threads",
        "1",
    ];
    table.corner.run(&arguments).expect_code(0);
    let report = table.report();
    let submission = &report["submission"];
    assert_eq!(submission["engine"]["name"], "llama.cpp");
    assert_eq!((&submission["engine"]["backend"], &submission["engine"]["threads"]), (&json!("native"), &json!(1)));
    assert_eq!(submission["model"]["quantisation"], "q4_1");
    assert_eq!(submission["model"]["custom_name"], "SmolLM2-135M-Instruct.Q4_1");
    let hash = submission["model"]["file_sha256"].as_str().unwrap();
    assert!(hash.starts_with("b179c952") && hash.ends_with("db53"), "{hash}");
    let answers = submission["answers"].as_array().unwrap();
    let subject = |answer: &Value| answer["question_id"].as_str().unwrap().split('/').next().unwrap().to_owned();
    let computed =
        |answer: &Value| answer["prompt_tokens"].as_u64().unwrap() - answer["cached_tokens"].as_u64().unwrap();
    let mut reused = 0;
    for pair in answers.windows(2).filter(|pair| subject(&pair[0]) == subject(&pair[1])) {
        let all = pair[0]["prompt_tokens"].as_u64().unwrap();
        assert!(computed(&pair[1]) * 10 < all * 4, "{} of {all}", computed(&pair[1]));
        reused += 1;
    }
    assert!(reused >= 5, "ten questions of four subjects");
    assert!(answers.iter().any(|answer| answer["output"].as_str().unwrap().starts_with("ANSWER")), "{answers:?}");
    table.corner.assert_left_clean();
}

#[test]
fn a_real_run_is_shared_with_a_real_board_and_counts_there() {
    let Some(file) = weights() else { return };
    let table = Table::new();
    let site = Running::start(&table.corner, &[]);
    let get = |path: &str| {
        let (status, _, body) = site.get(path);
        assert_eq!(status, 200, "{path}");
        serde_json::from_slice::<Value>(&body).unwrap()
    };
    // Without a seed the draw is the board's own, as only such runs are ranked.
    let arguments = ["quiz", "--gguf", file.to_str().unwrap(), "--questions", "3", "--protocol", "chat-turns-1"];
    let said = table.corner.run(&[&arguments[..], &["--threads", "1", "--share", &site.base]].concat()).expect_code(0);
    assert!(said.stderr.contains("shared (confirmed)"), "{}", said.stderr);
    let runs = get("/api/v1/quiz/runs");
    let run = &runs["runs"][0];
    assert_eq!((runs["runs"].as_array().unwrap().len(), &run["state"]), (1, &json!("confirmed")), "{runs:#}");
    let (report, id) = (table.report(), run["id"].as_str().unwrap());
    assert!(report["run"]["address"].as_str().unwrap().ends_with(&format!("/quiz/runs/{id}")));
    let shared = get(&format!("/api/v1/quiz/runs/{id}/submission"));
    let outputs = |submission: &Value| {
        let answers = submission["answers"].as_array().unwrap();
        answers.iter().map(|answer| answer["output"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(outputs(&shared), outputs(&report["submission"]), "every word arrived");
    assert_eq!(shared["model"]["catalogue_id"], "smollm2-135m-instruct-q4_1", "known by its file");
    let row = &get("/api/v1/quiz/board")["tables"][0]["rows"][0];
    assert_eq!((&row["runs"], &row["accuracy"]["questions"]), (&json!(1), &json!(3)), "{row:#}");
}

#[test]
fn ctrl_c_ends_the_engine_and_the_run_goes_on_later() {
    let Some(file) = weights() else { return };
    let table = Table::new();
    let arguments =
        ["quiz", "--gguf", file.to_str().unwrap(), "--questions", "3", "--seed", "3", "--protocol", "chat-turns-1"];
    let child = table.corner.start(&arguments);
    wait_until("an answer is kept", || table.kept() >= 1);
    signal(child.id(), "INT");
    let said = Said::of(&child.wait_with_output().unwrap());
    table.corner.assert_left_clean();
    // On a fast machine the signal comes too late; then there is nothing to resume, which is as good.
    assert!([0, 130].contains(&said.code), "{}", said.stderr);
    table.corner.run(&["quiz", "--resume", "benchwright-quiz", "--threads", "1"]).expect_code(0);
    assert_eq!(table.report()["derived"]["accuracy"]["n"], 3);
}

#[test]
fn a_file_that_is_no_model_is_told_as_such() {
    let table = Table::new();
    fs::write(table.corner.path("work/page.gguf"), "<html>404</html>").unwrap();
    let text = |text: &str| [&(text.len() as u64).to_le_bytes(), text.as_bytes()].concat();
    let head = [b"GGUF".as_slice(), &3_u32.to_le_bytes(), &0_u64.to_le_bytes(), &1_u64.to_le_bytes()].concat();
    let base = [head, text("general.name"), 8_u32.to_le_bytes().to_vec(), text("a base model")].concat();
    fs::write(table.corner.path("work/base.gguf"), base).unwrap();
    table.corner.run(&["quiz", "--gguf", "page.gguf"]).expect_code(2).expect_error(&["no GGUF file"]);
    table
        .corner
        .run(&["quiz", "--gguf", "base.gguf", "--unconfined"])
        .expect_code(2)
        .expect_error(&["no chat template"]);
    assert!(!table.out().exists());
    table.corner.assert_left_clean();
}
