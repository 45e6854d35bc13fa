//! A board elsewhere: its ticket and questions before the run, the run afterwards.

use crate::table::{Table, asked, stream};
use benchwright_fixtures::{LlmCall, LlmReply, ScriptedLlm};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const DELETE_TOKEN: &str = "bwq_remove-me-0123456789";

/// The questions of a set, as the binary itself has them.
fn set(table: &Table) -> Value {
    serde_json::from_str(&table.corner.run(&["quiz", "questions", "--set", "own-12", "--json"]).expect_code(0).stdout)
        .unwrap()
}

/// A board that hands out the set in another order than ours, and takes runs in unless told otherwise.
fn board(set: Value, refuses: &Arc<AtomicBool>) -> ScriptedLlm {
    let refuses = Arc::clone(refuses);
    ScriptedLlm::start(move |_, call: &LlmCall| {
        let answer = |value: Value| LlmReply::status(201, value.to_string());
        match call.path.as_str() {
            "/v1/api/v1/quiz/catalogue" => LlmReply::ok(json!({ "format": 1, "models": [] }).to_string()),
            "/v1/api/v1/quiz/tickets" => {
                let mut order: Vec<Value> = set["question_ids"].as_array().unwrap().clone();
                order.reverse();
                answer(json!({ "format": 1, "ticket": "t.0123", "expires_in_seconds": 86_400, "set": "own-12", "quick": null,
                    "order": order, "questions": set["questions"], "examples": set["examples"] }))
            }
            "/v1/api/v1/quiz/runs" if refuses.load(Ordering::SeqCst) => {
                LlmReply::status(503, json!({ "error": "There is too much to do just now.", "code": "busy" }).to_string())
            }
            "/v1/api/v1/quiz/runs" => answer(json!({ "format": 1, "id": "q-1", "address": "/quiz/runs/q-1", "state": "confirmed",
                "reasons": [], "delete_token": DELETE_TOKEN })),
            other => LlmReply::status(404, format!("nothing at {other}")),
        }
    })
    .unwrap()
}

fn paths(board: &ScriptedLlm) -> Vec<String> {
    board.calls().iter().map(|call| call.path.trim_start_matches("/v1/api/v1/quiz/").to_owned()).collect()
}

#[test]
fn a_shared_run_begins_with_a_ticket_and_ends_with_a_receipt() {
    let table = Table::new();
    let (set, refuses) = (set(&table), Arc::new(AtomicBool::new(true)));
    let board = board(set.clone(), &refuses);
    let llm = ScriptedLlm::start(|_, _: &LlmCall| stream("ANSWER: C", "stop")).unwrap();
    let (base, address) = (llm.base_url(), board.base_url());
    let said =
        table.corner.run(&["quiz", "--model", "tiny", "--base-url", &base, "--set", "own-12", "--share", &address]);
    said.expect_code(2).expect_error(&["refuses (503)", "too much to do"]);
    assert_eq!(table.report()["derived"]["accuracy"]["n"], 12, "a board that is down costs nothing of the run");
    refuses.store(false, Ordering::SeqCst);
    let said = table.corner.run(&["quiz", "--resume", "benchwright-quiz"]).expect_code(0);
    assert!(said.stderr.contains("shared (confirmed)") && said.stderr.contains(DELETE_TOKEN), "{}", said.stderr);
    assert_eq!(paths(&board), ["tickets", "runs", "runs"]);

    let ticket: Value = serde_json::from_str(&board.calls()[0].body).unwrap();
    assert_eq!(ticket, json!({ "set": "own-12", "model": "tiny", "protocol": "one-message-1" }));
    let shared: Value = serde_json::from_str(&board.calls()[2].body).unwrap();
    assert_eq!(
        (&shared["ticket"], &shared["set"], &shared["device"]),
        (&json!("t.0123"), &json!("own-12"), &Value::Null)
    );
    let mut expected: Vec<_> = set["question_ids"].as_array().unwrap().clone();
    expected.reverse();
    let answered: Vec<_> =
        shared["answers"].as_array().unwrap().iter().map(|answer| answer["question_id"].clone()).collect();
    assert_eq!(answered, expected, "the board's order");
    let last = set["questions"].as_array().unwrap().last().unwrap()["question"].as_str().unwrap().to_owned();
    assert!(asked(&llm.calls()[0]).contains(&last), "the board's last question is asked first");

    let run = table.run_folder();
    let receipt = run.join("shared.json");
    assert_eq!(std::fs::metadata(&receipt).unwrap().permissions().mode() & 0o777, 0o600);
    let report = table.report();
    assert_eq!(
        report["run"]["address"].as_str().unwrap(),
        format!("{}/quiz/runs/q-1", address.trim_end_matches("/v1"))
    );
    for file in ["report.json", "report.html", "report.md"] {
        let text = table.file(file);
        assert!(!text.contains("t.0123") && !text.contains(DELETE_TOKEN), "{file}");
    }
    table.corner.run(&["quiz", "--resume", "benchwright-quiz"]).expect_code(0);
    assert_eq!(paths(&board).len(), 3, "it is shared once");
}

#[test]
fn a_draw_is_the_boards_own_unless_the_user_insists() {
    for (given, asked_for) in [(&[][..], Value::Null), (&["--seed", "7"][..], json!(7))] {
        let table = Table::new();
        let board = board(set(&table), &Arc::new(AtomicBool::new(false)));
        let llm = ScriptedLlm::start(|_, _: &LlmCall| stream("ANSWER: C", "stop")).unwrap();
        let (base, address) = (llm.base_url(), board.base_url());
        let run = ["quiz", "--model", "tiny", "--base-url", &base, "--questions", "10", "--share", &address];
        table.corner.run(&[&run[..], given].concat()).expect_code(0);
        let ticket: Value = serde_json::from_str(&board.calls()[0].body).unwrap();
        assert_eq!((&ticket["quick"]["count"], &ticket["quick"]["seed"]), (&json!(10), &asked_for));
    }
}

#[test]
fn a_board_that_is_none_is_told_before_a_question_is_asked() {
    let table = Table::new();
    let llm = ScriptedLlm::start(|_, _: &LlmCall| stream("A", "stop")).unwrap();
    let base = llm.base_url();
    let nonsense = ScriptedLlm::start(|_, _: &LlmCall| LlmReply::ok("<html>Welcome</html>")).unwrap();
    let closed = format!("http://127.0.0.1:{}", benchwright_fixtures::refused_port().unwrap());
    for (address, words) in [(nonsense.base_url(), "cannot be used"), (closed, "does not answer")] {
        let said =
            table.corner.run(&["quiz", "--model", "m", "--base-url", &base, "--questions", "3", "--share", &address]);
        said.expect_code(2).expect_error(&[words]);
    }
    assert!(llm.calls().is_empty() && !table.out().exists());
}
