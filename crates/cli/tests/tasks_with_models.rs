//! Tasks that a model drafts and audits, and that people review.
#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

mod support;

use benchwright_fixtures::{LlmReply, ScriptedLlm};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use support::Corner;

fn project(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(path).canonicalize().unwrap()
}

fn reply(text: &str) -> LlmReply {
    let choice = json!({ "message": { "content": text }, "finish_reason": "stop" });
    LlmReply::ok(
        json!({ "model": "m", "choices": [choice], "usage": { "prompt_tokens": 9, "completion_tokens": 9 } })
            .to_string(),
    )
}

fn workflow(number: usize, click: &str) -> Value {
    let jam = "{jam}";
    json!({
        "id": format!("put-jam-{number}"), "title": format!("Put jam number {number}"), "kind": (["core", "edge", "regression"][number % 3]),
        "purpose": "What is entered stands on the list with its number of jars.",
        "variables": [{ "name": "jam", "value": format!("Plum {number} {{unique}}") }], "explained": [],
        "substeps": [
            { "do": "Open the app and expect the heading \"Jam shelf\".", "expect": [{ "text": "Jam shelf" }], "critical": false },
            { "do": format!("Type {jam} into \"Name\" and type \"3\" into \"Jars\"."), "expect": [], "critical": false },
            { "do": format!("Click \"{click}\" and expect {jam} on the list."), "expect": [{ "text": jam }], "critical": true },
        ],
    })
}

fn draft(click: &str) -> String {
    let spec = fs::read_to_string(project("fixtures/vibe/pack/jam-shelf/spec.md")).unwrap();
    let workflows: Vec<Value> = (0..6).map(|number| workflow(number, click)).collect();
    json!({
        "id": "jam-shelf-2", "title": "Jam shelf", "domain": "individual", "difficulty": "easy", "services": [], "access": "anyone",
        "spec": spec.split("<!--").next().unwrap(), "workflows": workflows,
    })
    .to_string()
}

#[test]
fn a_draft_is_checked_and_what_is_wrong_goes_back_to_the_model() {
    let llm = ScriptedLlm::start(|number, _| match number {
        0 => reply("I would rather not."),
        1 => reply(&draft("Put in the cellar")),
        _ => reply(&draft("Put on the shelf")),
    })
    .unwrap();
    let corner = Corner::new();
    let address = llm.base_url();
    let arguments = ["tasks", "draft", "A shelf for jam", "--model", "m", "--base-url", &address, "--budget", "inf"];
    let said = corner.run(&arguments).expect_code(0);
    assert!(said.stdout.contains("drafts/jam-shelf-2"), "{}", said.stdout);
    assert_eq!(llm.calls().len(), 3);
    assert!(llm.calls()[1].body.contains("no JSON object"), "{}", llm.calls()[1].body);
    assert!(llm.calls()[2].body.contains("Put in the cellar"));
    corner.run(&["tasks", "check", "drafts"]).expect_code(0);
    corner.run(&arguments).expect_code(2).expect_error(&["is there already"]);
    let unpriced = ["tasks", "draft", "A shelf for jam", "--model", "m", "--base-url", &address];
    corner.run(&unpriced).expect_code(2).expect_error(&["the price of m is unknown"]);
}

#[test]
fn an_audit_names_class_and_place() {
    let finding = json!({ "findings": [{
        "class": "isolation_violation", "workflow": "eat-a-jar", "substep": 3, "why": "It needs a jar.", "mend": "Put one there.",
    }] });
    let llm = ScriptedLlm::start(move |number, _| match number {
        0 => reply(&finding.to_string().replace("eat-a-jar", "no-such-workflow")),
        1 => reply(&finding.to_string()),
        _ => reply("{\"findings\": []}"),
    })
    .unwrap();
    let corner = Corner::new();
    let pack = project("fixtures/vibe/pack");
    let address = llm.base_url();
    let arguments =
        ["tasks", "audit", pack.to_str().unwrap(), "--model", "m", "--base-url", &address, "--budget", "inf"];
    let said = corner.run(&arguments).expect_code(2);
    assert!(
        said.stdout.contains("workflows.yaml:") && said.stdout.contains("isolation violation: It needs a jar."),
        "{}",
        said.stdout
    );
    assert!(llm.calls()[1].body.contains("no workflow `no-such-workflow`"));
    assert_eq!(llm.calls().len(), 2);
    let said = corner.run(&arguments).expect_code(0);
    assert!(said.stdout.ends_with("1 task audited by m: 0 mistakes named\n"), "{}", said.stdout);
    assert_eq!(llm.calls().len(), 3, "an answer that could not be used was not kept");
    corner.run(&arguments).expect_code(0);
    assert_eq!(llm.calls().len(), 3, "one that could be used was");
}

#[test]
fn a_review_needs_two_people_and_holds_until_the_text_changes() {
    let corner = Corner::new();
    let folder = corner.path("work/jam-shelf");
    fs::create_dir_all(&folder).unwrap();
    for name in ["task.yaml", "spec.md", "workflows.yaml"] {
        fs::copy(project("fixtures/vibe/pack/jam-shelf").join(name), folder.join(name)).unwrap();
    }
    let said = corner.run(&["tasks", "review", "jam-shelf"]).expect_code(2);
    assert!(said.stdout.contains("0 of 6 workflows accepted"), "{}", said.stdout);
    let workflows = fs::read_to_string(folder.join("workflows.yaml")).unwrap();
    let ids: Vec<&str> = workflows.lines().filter_map(|line| line.strip_prefix("  - id: ")).collect();
    let yes = "{ in_spec: true, in_browser: true, isolated: true, sign_in: true, unambiguous: true, worthwhile: true }";
    let all: Vec<String> = ids.iter().map(|id| format!("  {id}: {{ decision: accept, checklist: {yes} }}\n")).collect();
    fs::write(corner.path("work/yes.yaml"), format!("workflows:\n{}", all.concat())).unwrap();
    let review =
        |who: &str, file: &str| corner.run(&["tasks", "review", "jam-shelf", "--reviewer", who, "--decisions", file]);
    review("ann", "yes.yaml").expect_code(0);
    review("ann", "yes.yaml").expect_code(2).expect_error(&["somebody else"]);
    review("ben", "yes.yaml").expect_code(0);
    corner.run(&["tasks", "review", "jam-shelf"]).expect_code(0);
    fs::write(folder.join("workflows.yaml"), workflows.replacen("title: Eat a jar", "title: Eat one jar", 1)).unwrap();
    let said = corner.run(&["tasks", "review", "jam-shelf"]).expect_code(2);
    assert!(said.stdout.contains("5 of 6 workflows accepted"), "{}", said.stdout);
    fs::write(corner.path("work/no.yaml"), "workflows:\n  eat-a-jar: { decision: modify }\n").unwrap();
    review("ann", "no.yaml").expect_code(2).expect_error(&["note"]);
    fs::write(corner.path("work/no.yaml"), "workflows:\n  eat-a-jar: { decision: modify, note: Say which jar. }\n")
        .unwrap();
    let said = review("ann", "no.yaml").expect_code(0);
    assert!(said.stdout.contains("to be changed: modify"), "{}", said.stdout);
    corner
        .run(&["tasks", "review", "jam-shelf", "--reviewer", "cy"])
        .expect_code(2)
        .expect_error(&["--decisions FILE"]);
}
