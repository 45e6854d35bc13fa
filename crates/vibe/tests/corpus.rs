//! The tasks that come with the project.
#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

use benchwright_vibe::task::{self, Access, Domain, Files, Frozen, Kind, Split, Task, Template, Written, folder};
use std::path::PathBuf;

fn corpus() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus/tasks").canonicalize().unwrap()
}

fn files() -> Vec<Files> {
    let folders = folder::tasks_in(&corpus()).unwrap();
    folders.iter().map(|folder| Files::read(folder).unwrap()).collect()
}

fn tasks() -> Vec<Task> {
    files().iter().map(|files| task::load(files).unwrap()).collect()
}

fn frozen() -> Frozen {
    let path = corpus().join(folder::FROZEN);
    Frozen::read(&folder::read_text(&path).unwrap(), "frozen.yaml").unwrap()
}

#[test]
fn the_corpus_has_no_problems_not_even_small_ones() {
    let files = files();
    let mut problems: Vec<_> = files.iter().flat_map(task::check).collect();
    problems.extend(task::check_together(&files, &frozen()));
    let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert!(told.is_empty(), "{}", told.join("\n"));
}

#[test]
fn it_is_as_large_and_as_varied_as_a_benchmark_must_be() {
    let tasks = tasks();
    let of = |domain| tasks.iter().filter(|task| task.domain == domain).count();
    assert!(of(Domain::Individual) >= 3 && of(Domain::SoloFounder) >= 5 && of(Domain::Enterprise) >= 4);
    let workflows: usize = tasks.iter().map(|task| task.workflows.len()).sum();
    let substeps: usize = tasks.iter().map(Task::substeps).sum();
    assert!(workflows >= 100 && substeps >= 1_000, "{workflows} workflows, {substeps} substeps");
    for task in &tasks {
        assert!((8..=12).contains(&task.workflows.len()), "{}: {} workflows", task.id, task.workflows.len());
        for kind in [Kind::Core, Kind::Edge, Kind::Regression] {
            assert!(task.workflows.iter().any(|workflow| workflow.kind == kind), "{}: no {kind:?}", task.id);
        }
        assert_eq!(task.split, Split::Validation, "{}: test tasks live outside of the repository", task.id);
        assert!(task.services.is_empty() && task.origin.is_none(), "{}", task.id);
        assert!(task.domain != Domain::Enterprise || task.access == Access::Accounts, "{}: no roles", task.id);
    }
}

#[test]
fn two_tasks_were_written_after_the_resolver_was_finished() {
    let tasks = tasks();
    let afterwards: Vec<&Task> = tasks.iter().filter(|task| task.written == Written::Afterwards).collect();
    assert_eq!(afterwards.len(), 2);
    assert!(afterwards.iter().any(|task| task.domain == Domain::Enterprise));
    assert!(afterwards.iter().all(|task| task.facts().written == Written::Afterwards));
}

#[test]
fn every_task_is_frozen_as_it_is() {
    let frozen = frozen();
    for (files, task) in files().iter().zip(tasks()) {
        assert_eq!(frozen.hash_of(&task.id, task.version), Some(&*task::hash(files)), "{}", task.id);
    }
}

#[test]
fn two_occasions_share_no_values() {
    let occasion = |seed: &str| task::Occasion { seed: seed.to_owned(), today: jiff::civil::date(2026, 11, 17) };
    for task in tasks() {
        for workflow in &task.workflows {
            let walked = workflow.on(&task.id, &occasion("one"));
            let left = walked.substeps.iter().find(|substep| substep.text.contains('{'));
            assert_eq!(left, None, "{}: {}", task.id, workflow.id);
            let again = workflow.on(&task.id, &occasion("two"));
            let has_values = workflow.variables.values().any(Template::is_unique);
            assert_eq!(walked.substeps != again.substeps, has_values, "{}: {}", task.id, workflow.id);
        }
    }
}
