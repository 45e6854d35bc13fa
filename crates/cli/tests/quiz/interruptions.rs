//! Engines that fail, users that press ctrl-C, time that runs out: nothing is lost, and nothing missing is scored.

use crate::support::{Said, signal, wait_until};
use crate::table::{Table, asked, quick, stream, words};
use benchwright_fixtures::{LlmCall, LlmReply, ScriptedLlm};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A model that answers, and while `is_ill` does `instead` at its second question.
fn recovering(is_ill: &Arc<AtomicBool>, instead: LlmReply) -> ScriptedLlm {
    let is_ill = Arc::clone(is_ill);
    ScriptedLlm::start(move |number, _: &LlmCall| {
        if number > 0 && is_ill.load(Ordering::SeqCst) { instead.clone() } else { stream("ANSWER: A", "stop") }
    })
    .unwrap()
}

fn questions_of(llm: &ScriptedLlm) -> Vec<String> {
    llm.calls().iter().map(asked).collect()
}

fn assert_whole(table: &Table, llm: &ScriptedLlm) {
    let report = table.report();
    assert_eq!(report["derived"]["accuracy"]["n"], 3);
    assert_eq!(report["run"]["failed"].as_array().unwrap().len(), 0);
    assert!(table.run_folder().join("run.json").is_file());
    let ids = |list: &Value| {
        list.as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    let answered: Vec<_> = report["submission"]["answers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["question_id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(answered, ids(&report["questions"]), "in the order they are asked");
    let distinct: BTreeSet<_> = questions_of(llm).into_iter().collect();
    assert_eq!(distinct.len(), 3);
}

#[test]
fn a_failed_question_leaves_the_run_incomplete_and_resuming_asks_it_alone() {
    let is_ill = Arc::new(AtomicBool::new(true));
    let failing = Arc::clone(&is_ill);
    let llm = ScriptedLlm::start(move |number, _: &LlmCall| {
        if number == 1 && failing.load(Ordering::SeqCst) {
            stream("I must not", "content_filter")
        } else {
            stream("ANSWER: A", "stop")
        }
    })
    .unwrap();
    let table = Table::new();
    let said = table.corner.run(&words(&quick(&llm))).expect_code(3);
    said.expect_error(&["2 of 3 questions have an answer", "benchwright quiz --resume"]);
    let report = table.report();
    assert_eq!(report["derived"]["accuracy"]["n"], 2, "the failed one counts neither way");
    assert!(report["run"]["failed"][0]["reason"].as_str().unwrap().contains("filter"));
    assert!(table.file("report.html").contains("Incomplete"));
    is_ill.store(false, Ordering::SeqCst);
    table.corner.run(&["quiz", "--resume", "benchwright-quiz"]).expect_code(0);
    assert_eq!(llm.calls().len(), 4);
    assert_eq!(questions_of(&llm)[3], questions_of(&llm)[1]);
    assert_whole(&table, &llm);
    let said = table.corner.run(&["quiz", "--resume", "benchwright-quiz"]).expect_code(0);
    assert!(said.stderr.contains("nothing was left to ask"), "{}", said.stderr);
    assert_eq!(llm.calls().len(), 4);
}

#[test]
fn an_engine_that_keeps_failing_is_not_asked_for_ever() {
    let is_ill = Arc::new(AtomicBool::new(true));
    let llm = recovering(&is_ill, stream("", "content_filter"));
    let table = Table::new();
    let mut arguments = quick(&llm);
    arguments[6] = "10".to_owned();
    table.corner.run(&words(&arguments)).expect_code(3).expect_error(&["1 of 10 questions have an answer"]);
    assert_eq!(llm.calls().len(), 3, "one answer, two failures in a row");
}

#[test]
fn ctrl_c_keeps_what_was_gathered_and_resuming_goes_on_from_there() {
    let is_ill = Arc::new(AtomicBool::new(true));
    let llm = recovering(&is_ill, LlmReply::Silence);
    let table = Table::new();
    let child = table.corner.start(&words(&quick(&llm)));
    wait_until("the second question is asked", || llm.calls().len() == 2);
    signal(child.id(), "INT");
    let said = Said::of(&child.wait_with_output().unwrap()).expect_code(130);
    said.expect_error(&["interrupted; what was gathered is kept", "benchwright quiz --resume"]);
    assert_eq!(table.kept(), 1);
    let run = table.run_folder();
    let said = table.corner.run(&["quiz", "rescore", run.to_str().unwrap()]).expect_code(0);
    assert!(said.stdout.contains("1 of 3 questions have an answer"), "{}", said.stdout);
    is_ill.store(false, Ordering::SeqCst);
    table.corner.run(&["quiz", "--resume", run.to_str().unwrap()]).expect_code(0);
    assert_eq!(llm.calls().len(), 4, "two before, two after: the first was not asked again");
    assert_whole(&table, &llm);
    table.corner.assert_left_clean();
}

#[test]
fn a_killed_run_goes_on_too() {
    let is_ill = Arc::new(AtomicBool::new(true));
    let llm = recovering(&is_ill, LlmReply::Silence);
    let table = Table::new();
    let mut child = table.corner.start(&words(&quick(&llm)));
    wait_until("the second question is asked", || llm.calls().len() == 2);
    child.kill().unwrap();
    child.wait().unwrap();
    is_ill.store(false, Ordering::SeqCst);
    table.corner.run(&["quiz", "--resume", "benchwright-quiz", "--quiet"]).expect_code(0);
    assert_whole(&table, &llm);
}

#[test]
fn when_the_time_is_up_the_question_under_way_is_dropped_and_asked_again_later() {
    let is_ill = Arc::new(AtomicBool::new(true));
    let llm = recovering(&is_ill, LlmReply::Silence);
    let table = Table::new();
    let mut arguments = quick(&llm);
    arguments.extend(["--limit-time", "5"].map(str::to_owned));
    table.corner.run(&words(&arguments)).expect_code(3).expect_error(&["1 of 3", "the time was up"]);
    is_ill.store(false, Ordering::SeqCst);
    table.corner.run(&["quiz", "--resume", "benchwright-quiz"]).expect_code(0);
    assert_whole(&table, &llm);
}
