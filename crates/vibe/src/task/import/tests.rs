//! A miniature in the published layout, written for this test.

use super::*;
use crate::task::{self, Task};
use std::fs;
use std::path::PathBuf;

const JUDGEMENT: Judgement = Judgement { domain: Domain::SoloFounder, difficulty: Difficulty::Hard };

fn miniature() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/vcb-1-100/ferry-board")
}

fn imported(from: &Path) -> Vec<Task> {
    let files = Published::read(from).unwrap().tasks(JUDGEMENT).unwrap();
    files.iter().map(|files| task::load(files).unwrap_or_else(|error| panic!("{error}\n{}", files.workflows))).collect()
}

#[test]
fn every_iteration_becomes_a_task_that_knows_the_changes_before_it() {
    let tasks = imported(&miniature());
    let ids: Vec<_> = tasks.iter().map(|task| task.id.as_str()).collect();
    assert_eq!(ids, ["ferry-board-iteration-1", "ferry-board-iteration-2"]);
    let (first, second) = (&tasks[0], &tasks[1]);
    assert_eq!(first.title, "Ferry board: Delays");
    assert!(first.spec.contains("shows the ferries") && first.spec.contains("can be delayed"), "{}", first.spec);
    assert!(!first.spec.contains("harbour filter") && second.spec.contains("harbour filter"));
    assert!(!second.spec.contains("canary"));
    assert_eq!((first.services.as_slice(), first.access), (&[Service::Email][..], Access::Mixed));
    assert_eq!(first.origin.as_deref(), Some("vcb-1-100"));
    assert_ne!(first.canary, second.canary);
}

#[test]
fn steps_keep_their_words_and_lose_their_numbers() {
    let tasks = imported(&miniature());
    let workflow = tasks[0].workflows.iter().find(|workflow| workflow.id == "iteration-1-delta-1").unwrap();
    assert_eq!(workflow.kind, Kind::Core);
    assert_eq!(workflow.substeps.len(), 3);
    assert_eq!(
        workflow.substeps[1].text,
        "Add a ferry 'fb1w1 Heron' to {Westhaven}: departure 2. 30, and say \"it leaves\" - confirm it is listed."
    );
    let kinds = tasks[0].workflows.iter().filter(|workflow| workflow.kind == Kind::Regression).count();
    assert_eq!(kinds, 2);
    let occasion = task::Occasion { seed: "x".to_owned(), today: jiff::civil::date(2026, 11, 17) };
    assert_eq!(workflow.on("ferry-board", &occasion).substeps[1].text, workflow.substeps[1].text);
}

#[test]
fn what_does_not_fit_together_is_refused_with_its_place() {
    let place = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(place.path().join(name), text).unwrap();
    write("task.yaml", "id: a\ntitle: A\n");
    write("base_prompt.md", "A page.");
    write("tests.yaml", "task_id: a\niterations:\n- id: ../../secret\n  title: T\n  workflows: {}\n");
    let refused = |from: &Path| match Published::read(from).and_then(|published| published.tasks(JUDGEMENT)) {
        Ok(_) => panic!("imported"),
        Err(error) => error.to_string(),
    };
    assert!(refused(place.path()).contains("letters, digits"));
    write("tests.yaml", "task_id: a\niterations:\n- id: iteration_1\n  title: T\n  workflows: {}\n");
    assert!(refused(place.path()).contains("iteration_1.md"));
    write("tests.yaml", "task_id: a\niterations:\n- id: iteration_1\n  title: [T]\n  workflows: {}\n");
    assert!(refused(place.path()).contains("tests.yaml:4:10"), "{}", refused(place.path()));
    write("tests.yaml", "task_id: b\niterations: []\n");
    assert!(refused(place.path()).contains("is about `b`"));
}

/// With the published sample at hand (`BENCHWRIGHT_DATA/vcb-1-100/<task>`), all of it.
#[test]
fn the_published_sample_is_imported() {
    let sample = std::env::var_os("BENCHWRIGHT_DATA").map(|data| PathBuf::from(data).join("vcb-1-100"));
    let Some(sample) = sample.filter(|sample| sample.is_dir()) else {
        println!("SKIPPED: BENCHWRIGHT_DATA has no vcb-1-100; the miniature is imported by the tests beside this one");
        return;
    };
    for folder in fs::read_dir(sample).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        let tasks = imported(&folder);
        assert!(!tasks.is_empty(), "{}", folder.display());
        assert!(tasks.iter().all(|task| task.substeps() >= 3 * task.workflows.len()));
    }
}
