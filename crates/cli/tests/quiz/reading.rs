//! `quiz extract` and `quiz questions`.

use crate::support::{Corner, Said};
use serde_json::{Value, json};
use std::fs;
use std::io::Write as _;
use std::process::Stdio;

fn fed(corner: &Corner, arguments: &[&str], input: &[u8]) -> Said {
    let mut child = corner.command(arguments).stdin(Stdio::piped()).spawn().unwrap();
    // Whoever refuses its arguments does not read its input.
    let _ = child.stdin.take().unwrap().write_all(input);
    Said::of(&child.wait_with_output().unwrap())
}

fn corner() -> Corner {
    let corner = Corner::new();
    fs::write(corner.path("work/choices.json"), r#"["Paris", "Rome", "B cells", "14"]"#).unwrap();
    corner
}

#[test]
fn one_output_gives_letter_tier_rule_span_and_flags() {
    let corner = corner();
    let read = |output: &str| -> Value {
        let said = fed(&corner, &["quiz", "extract", "--choices", "choices.json"], output.as_bytes()).expect_code(0);
        serde_json::from_str(&said.stdout).unwrap()
    };
    let found = read("Well, größer.\nANSWER: C");
    assert_eq!((&found["letter"], &found["tier"], &found["rule"]), (&json!("C"), &json!(1), &json!("answer_line")));
    let span: [usize; 2] = serde_json::from_value(found["span"].clone()).unwrap();
    assert!("Well, größer.\nANSWER: C"[span[0]..span[1]].contains('C'));
    assert!(found["flags"].is_array() && found["version"].is_u64());
    let none = read("The answer is not B.");
    assert_eq!((&none["letter"], &none["tier"], &none["span"]), (&Value::Null, &json!(5), &Value::Null));
    assert_eq!(read("")["letter"], Value::Null);
}

#[test]
fn many_outputs_give_as_many_lines_in_their_order() {
    let corner = corner();
    let lines = [
        json!({ "id": 1, "output": "ANSWER: D" }),
        json!({ "question_id": "x/2", "output": "The capital is Oslo.", "choices": ["Oslo", "Rome", "Bern", "Bonn"] }),
        json!({ "output": "ANSWER: A or B" }),
    ];
    let input = lines.map(|line| line.to_string()).join("\n") + "\n\n";
    let said =
        fed(&corner, &["quiz", "extract", "--jsonl", "--choices", "choices.json"], input.as_bytes()).expect_code(0);
    let found: Vec<Value> = said.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let letters: Vec<_> =
        found.iter().map(|one| (one["id"].clone(), one["letter"].clone(), one["tier"].clone())).collect();
    assert_eq!(
        letters,
        [(json!(1), json!("D"), json!(1)), (json!("x/2"), json!("A"), json!(3)), (Value::Null, Value::Null, json!(5))]
    );
    let said = fed(&corner, &["quiz", "extract", "--jsonl"], input.as_bytes()).expect_code(2);
    said.expect_error(&["line 1 has no `choices`"]);
}

#[test]
fn what_cannot_be_read_is_said() {
    let corner = corner();
    fs::write(corner.path("work/three.json"), r#"["a", "b", "c"]"#).unwrap();
    for (arguments, input, words) in [
        (vec!["quiz", "extract"], &b"x"[..], "--choices"),
        (vec!["quiz", "extract", "--choices", "three.json"], b"x", "no JSON array of the four choices"),
        (vec!["quiz", "extract", "--choices", "nowhere.json"], b"x", "nowhere.json"),
        (vec!["quiz", "extract", "--choices", "choices.json"], b"\xff\xfe", "cannot read standard input"),
        (vec!["quiz", "extract", "--jsonl"], b"{\"output\": 1}\n", "line 1 cannot be read"),
    ] {
        fed(&corner, &arguments, input).expect_code(2).expect_error(&[words]);
    }
}

#[test]
fn a_set_is_printed_with_its_hash_and_json_has_what_a_run_needs() {
    let corner = corner();
    let listed = corner.run(&["quiz", "questions"]).expect_code(0).stdout;
    assert_eq!(listed.lines().count(), 3, "{listed}");
    let text = corner.run(&["quiz", "questions", "--set", "own-36"]).expect_code(0).stdout;
    let whole: Value =
        serde_json::from_str(&corner.run(&["quiz", "questions", "--set", "own-36", "--json"]).expect_code(0).stdout)
            .unwrap();
    let hash = whole["sha256"].as_str().unwrap();
    assert_eq!(hash.len(), 64);
    assert!(text.starts_with(&format!("own-36: 36 questions\nsha256 {hash}\n")), "{text}");
    assert!(listed.contains(hash));
    assert_eq!(whole["questions"].as_array().unwrap().len(), 36);
    assert_eq!(whole["question_ids"][0], whole["questions"][0]["id"]);
    assert!(whole["examples"].as_object().unwrap().values().all(|examples| examples.as_array().unwrap().len() == 5));
}
