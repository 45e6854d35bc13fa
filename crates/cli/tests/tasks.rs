//! Tasks on the command line: checked, listed, frozen, imported.
#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use support::Corner;

fn project(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(path).canonicalize().unwrap()
}

/// A folder with one task of the corpus in it, not frozen.
fn pack(corner: &Corner, id: &str) -> PathBuf {
    let folder = corner.path("work/pack").join(id);
    fs::create_dir_all(&folder).unwrap();
    for name in ["task.yaml", "spec.md", "workflows.yaml"] {
        fs::copy(project("corpus/tasks").join(id).join(name), folder.join(name)).unwrap();
    }
    folder
}

fn edit(file: &Path, find: &str, replace: &str) {
    let text = fs::read_to_string(file).unwrap();
    assert!(text.contains(find), "{find}");
    fs::write(file, text.replacen(find, replace, 1)).unwrap();
}

#[test]
fn the_corpus_is_checked_and_listed() {
    let corner = Corner::new();
    let corpus = project("corpus/tasks");
    let said = corner.run(&["tasks", "check", corpus.to_str().unwrap()]).expect_code(0);
    assert!(said.stdout.ends_with("tasks checked, nothing wrong\n"), "{}", said.stdout);
    let said = corner.run(&["tasks", "list", corpus.to_str().unwrap()]).expect_code(0);
    let line = said.stdout.lines().find(|line| line.starts_with("plant-diary")).unwrap();
    let cells: Vec<_> = line.split_whitespace().collect();
    assert_eq!(cells[1..5], ["individual", "easy", "validation", "10"], "{line}");
    assert!(!said.stdout.contains("not frozen"), "{}", said.stdout);
    let rows: Vec<&str> = said.stdout.lines().skip(1).collect();
    let first = rows.iter().position(|line| line.ends_with("written afterwards")).unwrap();
    let afterwards: Vec<&str> =
        rows[first..rows.len() - 1].iter().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(afterwards, ["book-shelf", "course-places"], "what the resolver was not tuned on stands apart");
}

#[test]
fn mistakes_are_named_with_their_place_and_a_frozen_task_may_not_change() {
    let corner = Corner::new();
    let folder = pack(&corner, "plant-diary");
    corner.run(&["tasks", "check", "pack"]).expect_code(0);
    corner.run(&["tasks", "freeze", "pack/plant-diary"]).expect_code(0);
    let said = corner.run(&["tasks", "freeze", "pack"]).expect_code(0);
    assert_eq!(said.stdout, "plant-diary version 1 was frozen before\n");
    edit(&folder.join("spec.md"), "about thirty plants", "about forty plants");
    let said = corner.run(&["tasks", "check", "pack"]).expect_code(2);
    assert!(
        said.stdout.starts_with("pack/plant-diary/task.yaml:3:10: error: version 1 was changed"),
        "{}",
        said.stdout
    );
    assert!(said.stdout.ends_with("1 task checked: 1 error, 0 warnings\n"), "{}", said.stdout);
    corner.run(&["tasks", "freeze", "pack"]).expect_code(2).expect_error(&["raise the version to 2"]);
    edit(&folder.join("task.yaml"), "version: 1", "version: 2");
    corner.run(&["tasks", "freeze", "pack"]).expect_code(0);
    assert!(fs::read_to_string(corner.path("work/pack/frozen.yaml")).unwrap().contains("    2: sha256:"));
    edit(&folder.join("workflows.yaml"), "Type {fern} into", "Type {ferns} into");
    let said = corner.run(&["tasks", "check", "pack"]).expect_code(2);
    assert!(said.stdout.contains("`{ferns}` is not among the variables"), "{}", said.stdout);
    corner.run(&["tasks", "list", "pack"]).expect_code(2).expect_error(&["failed to read task", "workflows.yaml:"]);
    corner.run(&["tasks", "check", "nowhere"]).expect_code(2).expect_error(&["nowhere"]);
}

#[test]
fn published_tasks_are_imported_once() {
    let corner = Corner::new();
    let from = project("crates/vibe/tests/vcb-1-100/ferry-board");
    let arguments =
        ["tasks", "import", from.to_str().unwrap(), "--out", "pack", "--domain", "enterprise", "--difficulty", "easy"];
    let said = corner.run(&arguments).expect_code(0);
    assert!(said.stdout.ends_with("2 tasks imported\n"), "{}", said.stdout);
    corner.run(&["tasks", "check", "pack"]).expect_code(0);
    corner.run(&arguments).expect_code(2).expect_error(&["is there already"]);
}
