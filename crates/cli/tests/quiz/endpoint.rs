//! Runs against an endpoint.

use crate::support::Said;
use crate::table::{Table, asked, quick, says, stream, words};
use benchwright_fixtures::{LlmCall, LlmReply, ScriptedLlm};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const KEY: &str = "sk-very-s3cret-0123456789";

#[test]
fn a_run_asks_by_the_protocol_and_reports_every_word() {
    let llm = says("Let me think. ANSWER: B");
    let table = Table::new();
    let mut arguments = quick(&llm);
    arguments.extend(["--format", "html,json,md,csv"].map(str::to_owned));
    let said = table.corner.run(&words(&arguments)).expect_code(0);
    assert!(said.stderr.contains("3 questions (a draw with seed 7): expect about ±"), "{}", said.stderr);
    assert!(said.stdout.contains("of 3 right"), "{}", said.stdout);

    let bodies: Vec<Value> = llm.calls().iter().map(|call| serde_json::from_str(&call.body).unwrap()).collect();
    assert_eq!(bodies.len(), 3);
    let system = bodies[0]["messages"][0]["content"].as_str().unwrap();
    assert!(
        system.starts_with("You are taking a multiple-choice exam.")
            && system.ends_with("X where X is the chosen letter.")
    );
    assert_eq!(asked(&llm.calls()[0]).matches("\nANSWER: ").count(), 5, "five solved examples");
    for body in &bodies {
        assert_eq!(
            (&body["temperature"], &body["top_p"], &body["max_tokens"]),
            (&json!(0.1), &json!(1.0), &json!(400))
        );
        assert!(body["seed"].is_u64());
        assert_eq!(body["chat_template_kwargs"], json!({ "enable_thinking": false }));
    }
    let seeds: BTreeSet<_> = bodies.iter().map(|body| body["seed"].as_u64()).collect();
    assert_eq!(seeds.len(), 3, "every question has a seed of its own");

    let report = table.report();
    let submission = &report["submission"];
    assert_eq!((&submission["protocol"], &submission["quick"]["seed"]), (&json!("one-message-1"), &json!(7)));
    assert_eq!(submission["model"]["custom_name"], "tiny");
    assert_eq!(submission["engine"]["backend"], "endpoint");
    let answers = submission["answers"].as_array().unwrap();
    assert_eq!(answers.len(), 3);
    for answer in answers {
        assert_eq!(answer["output"], "Let me think. ANSWER: B");
        assert_eq!(
            (&answer["prompt_tokens"], &answer["cached_tokens"], &answer["output_tokens"]),
            (&json!(420), &json!(300), &json!(5))
        );
        // The words are sent at once; where they also arrive so, nobody knows when the first was written.
        assert!(answer["first_token_ms"].as_f64().is_none_or(|first| first <= answer["total_ms"].as_f64().unwrap()));
        assert_eq!(answer["client"], json!({ "letter": "B", "tier": 1 }));
    }
    assert_eq!(report["derived"]["accuracy"]["n"], 3);
    assert_eq!(report["derived"]["chosen"]["B"], 3);
    assert_eq!(table.file("report.html").matches("<mark>ANSWER: B</mark>").count(), 3);
    assert_eq!(table.file("report.csv").lines().count(), 4);
    assert!(table.file("report.md").contains("## Benchwright quiz: tiny"));
}

#[test]
fn the_report_is_the_same_when_it_is_made_again_from_the_answers() {
    let table = Table::new();
    table.corner.run(&words(&quick(&says("I choose C.")))).expect_code(0);
    let files = ["report.json", "report.html", "report.md"].map(|name| (name, table.file(name)));
    std::fs::remove_file(table.out().join("report.json")).unwrap();
    let run = table.run_folder();
    table.corner.run(&["quiz", "rescore", run.to_str().unwrap(), "--quiet"]).expect_code(0);
    for (name, before) in files {
        assert!(table.file(name) == before, "{name} changed");
    }
    let elsewhere = table
        .corner
        .run(&["quiz", "rescore", "benchwright-quiz", "--out", "again", "--format", "csv", "--json"])
        .expect_code(0);
    assert!(elsewhere.stdout.starts_with('{') && table.corner.path("work/again/report.csv").is_file());
}

#[test]
fn a_run_of_the_quiz_is_told_from_one_that_scores_a_page() {
    let table = Table::new();
    table.corner.run(&words(&quick(&says("A")))).expect_code(0);
    let run = table.run_folder();
    for command in ["rescore", "resume"] {
        let said = table.corner.run(&[command, run.to_str().unwrap()]).expect_code(2);
        said.expect_error(&["is a run of the quiz", "benchwright quiz"]);
    }
    table.corner.run(&["quiz", "rescore", "."]).expect_code(2).expect_error(&["holds no run of the quiz"]);
}

#[test]
fn the_key_goes_to_the_endpoint_and_nowhere_else() {
    let llm = says("D");
    let table = Table::new();
    let mut arguments = quick(&llm);
    arguments.extend(["--key-variable", "TEST_QUIZ_KEY"].map(str::to_owned));
    table.corner.run(&words(&arguments)).expect_code(2).expect_error(&["TEST_QUIZ_KEY holds no key"]);
    assert!(llm.calls().is_empty());
    let output = table.corner.command(&words(&arguments)).env("TEST_QUIZ_KEY", KEY).output().unwrap();
    let said = Said::of(&output).expect_code(0);
    assert!(!format!("{}{}", said.stdout, said.stderr).contains("s3cret"));
    assert_eq!(llm.calls()[0].header("authorization"), Some(&*format!("Bearer {KEY}")));
    assert_eq!(crate::support::find_in(&table.out(), b"s3cret"), None);
}

#[test]
fn a_server_that_counts_no_tokens_in_streams_is_asked_for_whole_answers() {
    let whole = |call: &LlmCall| {
        let body: Value = serde_json::from_str(&call.body).unwrap();
        if body["stream"] == true {
            return LlmReply::ok(
                "data: {\"choices\":[{\"delta\":{\"content\":\"A\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
            );
        }
        let choice = json!({ "message": { "content": "ANSWER: C" }, "finish_reason": "length" });
        LlmReply::ok(
            json!({ "choices": [choice], "usage": { "prompt_tokens": 9, "completion_tokens": 400 } }).to_string(),
        )
    };
    let llm = ScriptedLlm::start(move |_, call: &LlmCall| whole(call)).unwrap();
    let table = Table::new();
    table.corner.run(&words(&quick(&llm))).expect_code(0);
    assert_eq!(llm.calls().len(), 4, "the first answer was asked for twice");
    let answer = &table.report()["submission"]["answers"][0];
    assert_eq!(
        (&answer["output"], &answer["finish"], &answer["first_token_ms"]),
        (&json!("ANSWER: C"), &json!("length"), &Value::Null)
    );
}

#[test]
fn an_endpoint_that_refuses_is_bad_input_and_nothing_is_counted_as_wrong() {
    let llm =
        ScriptedLlm::start(|_, _: &LlmCall| LlmReply::status(404, r#"{"error":{"message":"no such model"}}"#)).unwrap();
    let table = Table::new();
    let said = table.corner.run(&words(&quick(&llm))).expect_code(2);
    said.expect_error(&["no question was answered", "no such model"]);
    assert_eq!((llm.calls().len(), table.kept()), (1, 0));
    assert!(!table.out().join("report.json").exists());
}

#[test]
fn thinking_is_refused_unless_it_was_asked_for_and_then_shown() {
    let thought = r#"data: {"choices":[{"delta":{"reasoning_content":"Hm. B? No."}}]}"#;
    let word = r#"data: {"choices":[{"delta":{"content":"ANSWER: D"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":9}}"#;
    let llm = ScriptedLlm::start(move |_, _: &LlmCall| LlmReply::ok(format!("{thought}\n\n{word}\n\n"))).unwrap();
    let table = Table::new();
    table.corner.run(&words(&quick(&llm))).expect_code(2).expect_error(&["thinks before it answers", "--thinking"]);
    let table = Table::new();
    let mut arguments = quick(&llm);
    arguments.push("--thinking".to_owned());
    table.corner.run(&words(&arguments)).expect_code(0);
    let report = table.report();
    assert_eq!(report["submission"]["template"]["thinking"], true);
    assert_eq!(report["submission"]["answers"][0]["output"], "<think>Hm. B? No.</think>\nANSWER: D");
    assert_eq!(report["derived"]["chosen"]["D"], 3);
    let body: Value = serde_json::from_str(&llm.calls().last().unwrap().body).unwrap();
    assert_eq!(body["chat_template_kwargs"], json!({ "enable_thinking": true }));
}

#[test]
fn thoughts_among_the_words_are_refused_like_thoughts_apart() {
    for thoughts in ["<think>Hm. B? No.</think>\nANSWER: D", "<think>Hm, cut off", "Hm.</think>ANSWER: D"] {
        let llm = says(thoughts);
        let table = Table::new();
        table.corner.run(&words(&quick(&llm))).expect_code(2).expect_error(&["thinks before it answers", "--thinking"]);
        let table = Table::new();
        let mut arguments = quick(&llm);
        arguments.push("--thinking".to_owned());
        table.corner.run(&words(&arguments)).expect_code(0);
        assert_eq!(table.report()["submission"]["answers"][0]["output"], thoughts);
    }
    let table = Table::new();
    table.corner.run(&words(&quick(&says("<think>\n\n</think>\nANSWER: D")))).expect_code(0);
    assert_eq!(table.report()["derived"]["chosen"]["D"], 3, "a block without thoughts is what the switch leaves");
}

#[test]
fn a_server_that_does_not_know_the_switch_or_streams_is_asked_without() {
    for (refused, answers_to) in [
        (&["chat_template_kwargs"][..], (true, false)),
        (&["stream_options"][..], (false, true)),
        (&["chat_template_kwargs", "stream_options"][..], (false, false)),
    ] {
        let whole = json!({ "choices": [{ "message": { "content": "ANSWER: C" }, "finish_reason": "stop" }],
            "usage": { "prompt_tokens": 9, "completion_tokens": 3 } })
        .to_string();
        let answer = move |_: usize, call: &LlmCall| match refused.iter().find(|name| call.body.contains(**name)) {
            Some(name) => LlmReply::status(400, format!(r#"{{"error":{{"message":"what is {name}?"}}}}"#)),
            None => LlmReply::ok(whole.clone()),
        };
        let llm = ScriptedLlm::start(answer).unwrap();
        let table = Table::new();
        table.corner.run(&words(&quick(&llm))).expect_code(0);
        let bodies: Vec<Value> = llm.calls().iter().map(|call| serde_json::from_str(&call.body).unwrap()).collect();
        let manner = |body: &Value| (body["stream"] == true, body["chat_template_kwargs"]["enable_thinking"] == false);
        let last: Vec<_> = bodies.iter().rev().take(3).map(manner).collect();
        assert_eq!(last, [answers_to; 3], "{refused:?}");
    }
}

#[test]
fn chat_turns_are_another_protocol_with_other_prompts() {
    let llm = says("A");
    let (one, turns) = (Table::new(), Table::new());
    one.corner.run(&words(&quick(&llm))).expect_code(0);
    let mut arguments = quick(&llm);
    arguments.extend(["--protocol", "chat-turns-1"].map(str::to_owned));
    turns.corner.run(&words(&arguments)).expect_code(0);
    let body: Value = serde_json::from_str(&llm.calls()[3].body).unwrap();
    let roles: Vec<_> =
        body["messages"].as_array().unwrap().iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, [&["system"][..], &["user", "assistant"].repeat(5), &["user"]].concat());
    let hash = |table: &Table| table.report()["submission"]["answers"][0]["prompt_sha256"].clone();
    assert_ne!(hash(&one), hash(&turns));
}

#[test]
fn what_cannot_be_asked_is_said_before_anything_is() {
    let llm = says("A");
    let base = llm.base_url();
    let table = Table::new();
    for (arguments, words) in [
        (vec!["quiz"], "name a model"),
        (vec!["quiz", "--model", "m", "--base-url", &base, "--set", "own-13"], "is no set; there are own-12"),
        (vec!["quiz", "--model", "m", "--base-url", &base, "--set", "mmlu-12"], "quiz import mmlu"),
        (vec!["quiz", "--model", "m", "--base-url", &base, "--questions", "4"], "none of 3, 10, 20 and 40"),
        (vec!["quiz", "--model", "m", "--base-url", "http://llm.example/v1"], "plain http"),
        (vec!["quiz", "--model", "m", "--base-url", "http://192.168.1.20/v1"], "is asked with --key-variable \"\""),
        (vec!["quiz", "--model", "m", "--base-url", "http://192.168.1.20/v1", "--key-variable", "KEY"], "plain http"),
        (vec!["quiz", "--model", "m", "--base-url", "https://llm.example/v1"], "--key-variable NAME"),
        (vec!["quiz", "--model", "m", "--base-url", &base, "--limit-time", "0"], "--limit-time"),
        (vec!["quiz", "--gguf", "nowhere.gguf"], "there is no file nowhere.gguf"),
        (vec!["quiz", "--model", "m", "--base-url", &base, "--share", "ftp://board.example"], "https:// or http://"),
        (vec!["quiz", "--resume", "nowhere"], "holds no run of the quiz"),
    ] {
        table.corner.run(&arguments).expect_code(2).expect_error(&[words]);
    }
    assert!(llm.calls().is_empty());
}

#[test]
fn outputs_are_kept_to_the_letter_and_shown_as_text() {
    let evil = "<script>alert(1)</script>\u{202e}\n\nANSWER: C \"<img src=x onerror=alert(1)>\"";
    let llm = ScriptedLlm::start(move |_, _: &LlmCall| stream(evil, "stop")).unwrap();
    let table = Table::new();
    table.corner.run(&words(&quick(&llm))).expect_code(0);
    assert_eq!(table.report()["submission"]["answers"][0]["output"], evil);
    let page = table.file("report.html");
    assert!(page.contains("&#60;script&#62;alert(1)") && !page.contains("<script") && !page.contains("<img"));
    assert!(!page.contains('\u{202e}'));
}
