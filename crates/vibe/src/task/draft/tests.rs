use super::*;
use crate::task::{self, folder};
use benchwright_domain::yaml::Severity;
use std::path::PathBuf;

/// A task of the corpus as a model would have answered with it.
fn answered(id: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus/tasks").join(id);
    let text = folder::read_text(&folder.join(folder::WORKFLOWS)).unwrap();
    let body: serde_json::Value = benchwright_domain::yaml::read(&text, 40_000).unwrap();
    let pairs = |value: &serde_json::Value| -> Vec<serde_json::Value> {
        let map = value.as_object().cloned().unwrap_or_default();
        map.into_iter().map(|(name, value)| serde_json::json!({ "name": name, "value": value })).collect()
    };
    let workflows: Vec<serde_json::Value> = body["workflows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|workflow| {
            let substeps: Vec<serde_json::Value> = workflow["substeps"]
                .as_array()
                .unwrap()
                .iter()
                .map(|substep| match substep.as_str() {
                    Some(sentence) => serde_json::json!({ "do": sentence, "expect": [], "critical": false }),
                    None => serde_json::json!({
                        "do": substep["do"],
                        "expect": substep.get("expect").cloned().unwrap_or_else(|| serde_json::json!([])),
                        "critical": substep.get("critical").is_some_and(|it| it == true),
                    }),
                })
                .collect();
            serde_json::json!({
                "id": workflow["id"], "title": workflow["title"], "purpose": workflow["purpose"], "kind": workflow["kind"],
                "variables": pairs(&workflow["variables"]), "explained": pairs(&workflow["explained"]), "substeps": substeps,
            })
        })
        .collect();
    let spec = folder::read_text(&folder.join(folder::SPEC)).unwrap();
    let spec = spec.split("<!--").next().unwrap();
    serde_json::json!({
        "id": "Plant diary 2", "title": "Plant diary", "domain": "individual", "difficulty": "easy", "services": [],
        "access": "anyone", "spec": spec, "workflows": workflows,
    })
    .to_string()
}

fn answer(text: &str) -> Answer {
    Answer { text: text.to_owned(), ..Answer::default() }
}

fn wish() -> Wish {
    Wish { idea: "a diary for plants".to_owned(), domain: None, difficulty: None, split: Split::Validation }
}

#[test]
fn a_draft_becomes_a_task_that_the_check_has_nothing_against() {
    let draft = read(&answer(&answered("plant-diary"))).unwrap();
    let files = draft.files(&wish(), "seed").unwrap();
    assert_eq!(files.folder, "plant-diary-2");
    assert_eq!(task::check(&files), Vec::new());
    let made = task::load(&files).unwrap();
    assert_eq!((made.domain, made.workflows.len()), (Domain::Individual, 10));
    assert!(!made.spec.contains("canary"));
    let wished = Wish { difficulty: Some(Difficulty::Hard), split: Split::Test, ..wish() };
    let made = task::load(&draft.files(&wished, "seed").unwrap()).unwrap();
    assert_eq!((made.difficulty, made.split), (Difficulty::Hard, Split::Test));
}

#[test]
fn what_the_check_finds_goes_back_with_the_text_it_is_about() {
    let broken = answered("plant-diary").replacen("Click \\\"Save plant\\\"", "Click \\\"Save herb\\\"", 1);
    let files = read(&answer(&broken)).unwrap().files(&wish(), "seed").unwrap();
    let problems = task::check(&files);
    assert!(problems.iter().any(|problem| problem.severity == Severity::Error), "{problems:?}");
    let complaints = complaints(&files, &problems);
    assert!(complaints[0].contains("Save herb"), "{complaints:?}");
    let earlier = Earlier { answer: &broken, complaints: &complaints };
    let question = question(&wish(), Some(&earlier), 1);
    assert!(matches!(&question.parts[1], Part::Text(text) if text.contains("Save herb") && text.contains("mended")));
    assert!(question.system.contains("Workflows know nothing of each other"));
    assert_eq!(question.schema.schema["additionalProperties"], false);
    assert_eq!(question.repeat, 1);
}

#[test]
fn an_id_cannot_lead_out_of_its_folder() {
    let draft = Draft { id: "../../etc/Passwd".to_owned(), ..read(&answer(&answered("plant-diary"))).unwrap() };
    assert_eq!(draft.id(), "etc-passwd");
    assert!(read(&answer("{\"id\": 1}")).unwrap_err().contains("schema"));
}
