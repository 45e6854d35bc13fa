//! Looking after a data folder, with the real binary.
#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

mod support;

use benchwright_fixtures::{LlmCall, LlmReply, ScriptedLlm};
use benchwright_quiz::mmlu::SUBJECTS;
use benchwright_store::{Act, Decision, Folder, moderate};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use support::Corner;

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// The run gathered once and committed, finished as the first version did it: its `run.json` has no record.
fn data_folder(corner: &Corner) -> String {
    let frozen = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/runs/harbor-coffee-format-1");
    let log = fs::read_to_string(frozen.join("log")).unwrap();
    let first: Value = serde_json::from_str(log.lines().next().unwrap().splitn(3, ' ').nth(2).unwrap()).unwrap();
    let id = first["body"]["header"]["id"].as_str().unwrap().to_owned();
    let run = corner.path("work/data/runs").join(&id);
    copy_folder(&frozen, &run);
    fs::write(run.join("run.json"), "{\"format\": 1}\n").unwrap();
    id
}

fn exported(corner: &Corner, data: &str) -> Vec<Value> {
    let said = corner.run(&["data", "export", "--data", data]).expect_code(0);
    said.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn an_index_is_made_from_the_runs_and_bad_ones_are_named() {
    let corner = Corner::new();
    let id = data_folder(&corner);
    let said = corner.run(&["index", "rebuild", "--data", "data"]).expect_code(0);
    assert_eq!(said.stdout, "1 runs in the index\n");
    fs::create_dir(corner.path("work/data/runs/broken")).unwrap();
    fs::write(corner.path("work/data/runs/broken/log"), "nonsense\n").unwrap();
    let said = corner.run(&["index", "rebuild", "--data", "data"]).expect_code(2);
    assert_eq!(said.stdout, "1 runs in the index, 1 could not be read\n");
    said.expect_error(&["left out run broken", "not a run folder"]);
    let runs = exported(&corner, "data");
    assert_eq!((runs.len(), runs[0]["run"].as_str()), (1, Some(id.as_str())));
    assert!(runs[0]["composite"].as_f64().is_some(), "{}", runs[0]);
}

#[test]
fn runs_leave_as_csv_and_parquet() {
    let corner = Corner::new();
    let id = data_folder(&corner);
    corner.run(&["index", "rebuild", "--data", "data", "--quiet"]).expect_code(0);
    corner.run(&["data", "export", "--data", "data", "--format", "csv", "--out", "runs.csv"]).expect_code(0);
    let csv = fs::read_to_string(corner.path("work/runs.csv")).unwrap();
    assert!(csv.lines().nth(1).unwrap().starts_with(&id), "{csv}");
    if cfg!(feature = "parquet") {
        corner
            .run(&["data", "export", "--data", "data", "--format", "parquet", "--out", "runs.parquet"])
            .expect_code(0);
        let bytes = fs::read(corner.path("work/runs.parquet")).unwrap();
        assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
    }
}

#[test]
fn what_is_backed_up_comes_back_and_what_was_taken_down_does_not() {
    let corner = Corner::new();
    let id = data_folder(&corner);
    corner.run(&["index", "rebuild", "--data", "data", "--quiet"]).expect_code(0);
    let before = exported(&corner, "data");
    let said = corner.run(&["data", "backup", "--data", "data", "--to", "backup"]).expect_code(0);
    assert_eq!(said.stdout, "1 runs copied, 0 were there, 0 taken down\n");
    corner.run(&["data", "restore", "--data", "elsewhere", "--from", "backup"]).expect_code(0);
    assert_eq!(exported(&corner, "elsewhere"), before);

    let decide = |what: &str, reason: &str| {
        corner.run(&["data", what, &id, "--data", "data", "--reason", reason, "--by", "ada"]).expect_code(0).stdout
    };
    assert!(decide("quarantine", "looks copied").contains("quarantine"));
    assert_eq!(exported(&corner, "data"), [] as [Value; 0]);
    assert!(decide("release", "looked at it").contains("shown again"));
    assert_eq!(exported(&corner, "data"), before);
    assert!(decide("take-down", "asked for by its owner").contains("taken down"));
    assert_eq!(exported(&corner, "data"), [] as [Value; 0]);
    let run: PathBuf = corner.path("work/data/runs").join(&id);
    assert!(run.join("log").is_file() && !run.join("run.json").exists());

    let log = corner.run(&["data", "log", "--data", "data"]).expect_code(0).stdout;
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(lines.len(), 3, "{log}");
    assert!(log.contains("take down  by ada: asked for by its owner"), "{log}");
    let said = corner.run(&["data", "restore", "--data", "data", "--from", "backup"]).expect_code(0);
    assert!(said.stdout.starts_with("0 runs copied, 0 were there, 1 taken down\n"), "{}", said.stdout);
    assert_eq!(exported(&corner, "data"), [] as [Value; 0]);
    let again = corner.run(&["data", "log", "--data", "data", "--json"]).expect_code(0).stdout;
    assert_eq!(again.lines().count(), 3, "a rebuilt index has the same log");
}

#[test]
fn a_decision_that_was_interrupted_before_the_index_followed_can_be_repeated() {
    let corner = Corner::new();
    let id = data_folder(&corner);
    corner.run(&["index", "rebuild", "--data", "data", "--quiet"]).expect_code(0);
    let before = exported(&corner, "data");
    let storage = Folder::at(&corner.path("work/data"));
    let (reason, by, at) = ("looks copied".to_owned(), "ada".to_owned(), "2026-11-17T08:00:00Z".to_owned());
    let again = |what: &str| corner.run(&["data", what, &id, "--data", "data", "--reason", "again", "--by", "ada"]);
    for (decision, what, refusal, shown) in [
        (Decision::Quarantine, "quarantine", "in quarantine already", Vec::new()),
        (Decision::Release, "release", "not in quarantine", before),
    ] {
        let act = Act { decision, reason: reason.clone(), by: by.clone(), at: at.clone() };
        moderate(&storage, &id, act).unwrap();
        assert_ne!(exported(&corner, "data"), shown, "the index knows nothing of it yet");
        again(what).expect_code(2).expect_error(&[refusal]);
        assert_eq!(exported(&corner, "data"), shown);
    }
    let log = corner.run(&["data", "log", "--data", "data"]).expect_code(0).stdout;
    assert_eq!((log.lines().count(), log.contains("again")), (2, false), "{log}");
}

#[test]
fn a_restore_said_nothing_of_runs_that_it_left_out() {
    let corner = Corner::new();
    let id = data_folder(&corner);
    corner.run(&["data", "backup", "--data", "data", "--to", "backup"]).expect_code(0);
    fs::write(corner.path("work/backup/runs").join(&id).join("run.json"), r#"{"format":1,"record":{"run":7}}"#)
        .unwrap();
    let said = corner.run(&["data", "restore", "--data", "again", "--from", "backup"]).expect_code(2);
    assert!(said.stdout.ends_with("0 runs in the index, 1 could not be read\n"), "{}", said.stdout);
    said.expect_error(&[&format!("left out run {id}")]);
}

/// Twelve questions and five examples of every subject.
fn small_mmlu(folder: &Path) {
    for (split, count) in [("dev", 5), ("test", 12)] {
        fs::create_dir_all(folder.join(split)).unwrap();
        for (subject, ..) in SUBJECTS {
            let row = |n: usize| format!("{subject} {split} {n}: which?,one,two,three,four,{}\n", ["A", "B"][n % 2]);
            let rows: String = (0..count).map(row).collect();
            fs::write(folder.join(split).join(format!("{subject}_{split}.csv")), rows).unwrap();
        }
    }
}

/// Puts a shared run on imported questions into the data folder.
fn share_on_mmlu(corner: &Corner) {
    small_mmlu(&corner.path("work/mmlu"));
    corner.run(&["quiz", "import", "mmlu", "mmlu", "--data", "data"]).expect_code(0);
    let usage = r#""usage":{"prompt_tokens":60,"completion_tokens":4}"#;
    let choice = r#""choices":[{"delta":{"content":"ANSWER: A"},"finish_reason":"stop"}]"#;
    let said = format!("data: {{{choice},{usage}}}");
    let llm = ScriptedLlm::start(move |_, _: &LlmCall| LlmReply::ok(format!("{said}\n\ndata: [DONE]\n\n"))).unwrap();
    let base = llm.base_url();
    let ask = ["quiz", "--model", "m", "--base-url", &base, "--data", "data", "--set", "mmlu-12", "--quiet"];
    corner.run(&ask).expect_code(0);
    corner.run(&["quiz", "seed", "--data", "data", "benchwright-quiz"]).expect_code(0);
}

#[test]
fn a_backup_left_imported_questions_behind_and_runs_on_them_with_it() {
    let corner = Corner::new();
    data_folder(&corner);
    share_on_mmlu(&corner);
    let backup = || corner.run(&["data", "backup", "--data", "data", "--to", "backup"]).expect_code(0).stdout;
    let line = "imported questions of the quiz copied";
    assert!(backup().contains(line));
    assert!(!backup().contains(line), "they are there");
    let restore = || corner.run(&["data", "restore", "--data", "again", "--from", "backup"]);
    let said = restore().expect_code(0);
    assert!(said.stdout.ends_with("1 runs in the index, 1 shared runs of the quiz\n"), "{}", said.stdout);
    let questions = |place: &str| corner.path(&format!("work/{place}/questions/mmlu.json"));
    assert_eq!(fs::read(questions("again")).unwrap(), fs::read(questions("data")).unwrap());

    fs::remove_file(questions("backup")).unwrap();
    fs::remove_file(questions("again")).unwrap();
    restore().expect_code(2).expect_error(&["left out run"]);
}

/// A site whose index is elsewhere is backed up with its tokens, too.
#[test]
fn tokens_are_backed_up_from_the_index_that_is_named() {
    let corner = Corner::new();
    data_folder(&corner);
    let place = ["--data", "data", "--database", "elsewhere.sqlite"];
    corner.run(&[&["index", "rebuild"], &place[..]].concat()).expect_code(0);
    corner.run(&[&["token", "create", "--name", "ada", "--scope", "submit"], &place[..]].concat()).expect_code(0);
    corner.run(&[&["data", "backup", "--to", "backup"], &place[..]].concat()).expect_code(0);
    let kept: Value = serde_json::from_slice(&fs::read(corner.path("work/backup/tokens.json")).unwrap()).unwrap();
    assert_eq!((&kept["format"], &kept["tokens"][0]["name"]), (&1.into(), &"ada".into()), "{kept}");
    corner.run(&["data", "restore", "--data", "again", "--from", "backup"]).expect_code(0);
    assert!(corner.run(&["token", "list", "--data", "again"]).expect_code(0).stdout.contains("ada"));
}

#[test]
fn tokens_of_the_first_backups_are_read_for_ever_and_newer_ones_refused() {
    let corner = Corner::new();
    data_folder(&corner);
    corner.run(&["data", "backup", "--data", "data", "--to", "backup"]).expect_code(0);
    let bare = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/tokens-bare.json");
    fs::copy(bare, corner.path("work/backup/tokens.json")).unwrap();
    corner.run(&["data", "restore", "--data", "again", "--from", "backup"]).expect_code(0);
    assert!(corner.run(&["token", "list", "--data", "again"]).expect_code(0).stdout.contains("1f2e3d4c"));
    fs::write(corner.path("work/backup/tokens.json"), r#"{"format":2,"tokens":[]}"#).unwrap();
    let newer = corner.run(&["data", "restore", "--data", "again", "--from", "backup"]).expect_code(2);
    newer.expect_error(&["format 2", "update"]);
}

/// As if it had been written more than a day ago.
fn age(file: &Path) {
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_hours(25);
    fs::File::options().write(true).open(file).unwrap().set_modified(long_ago).unwrap();
}

#[test]
fn garbage_is_named_before_it_is_removed() {
    let corner = Corner::new();
    let blobs = corner.path("work/data/runs").join(data_folder(&corner)).join("blobs");
    let unnamed = blobs.join("0a").join(format!("0a{}", "0".repeat(62)));
    fs::create_dir_all(unnamed.parent().unwrap()).unwrap();
    fs::write(&unnamed, "nobody names this").unwrap();
    let named = || fs::read_dir(&blobs).unwrap().flatten().filter(|folder| folder.file_name() != "0a").count();
    let before = named();
    let looked = || corner.run(&["data", "gc", "--data", "data", "--dry-run"]).expect_code(0).stdout;
    assert!(looked().starts_with("0 blobs"), "somebody may be about to name it");
    for folder in fs::read_dir(&blobs).unwrap().flatten() {
        fs::read_dir(folder.path()).unwrap().flatten().for_each(|blob| age(&blob.path()));
    }
    let said = looked();
    assert!(said.starts_with("1 blobs") && said.contains("would be removed") && unnamed.is_file(), "{said}");
    let said = corner.run(&["data", "gc", "--data", "data"]).expect_code(0).stdout;
    assert!(said.starts_with("1 blobs") && !unnamed.exists(), "{said}");
    assert_eq!((named(), before > 0), (before, true), "what somebody names stays, however old it is");
    corner.run(&["index", "rebuild", "--data", "data"]).expect_code(0);
}

/// The source of a job is kept before the job is put in, and its run begins later.
#[test]
fn a_source_that_waits_is_no_damage_and_one_that_nobody_waits_for_goes() {
    let corner = Corner::new();
    data_folder(&corner);
    let folder = corner.path("work/data/runs/20261116T090000Z-000000000000/blobs/0a");
    let source = folder.join(format!("0a{}", "0".repeat(62)));
    fs::create_dir_all(&folder).unwrap();
    fs::write(&source, "PK").unwrap();
    corner.run(&["data", "gc", "--data", "data"]).expect_code(0);
    corner.run(&["data", "backup", "--data", "data", "--to", "backup"]).expect_code(0);
    corner.run(&["index", "rebuild", "--data", "data", "--quiet"]).expect_code(0);
    let collect = || corner.run(&["data", "gc", "--data", "data"]).expect_code(0).stdout;
    assert!(collect().starts_with("0 blobs") && source.is_file(), "its job may be put in any moment");
    age(&source);
    assert!(collect().starts_with("1 blobs that nobody needs removed"));
    assert!(!corner.path("work/data/runs/20261116T090000Z-000000000000").exists(), "nothing else was in it");
    let half = corner.path("work/data/runs/20261116T090000Z-111111111111/blobs/part-1-0");
    fs::create_dir_all(half.parent().unwrap()).unwrap();
    fs::write(&half, "PK").unwrap();
    age(&half);
    collect();
    assert!(!half.exists(), "whoever wrote it was killed");
}

#[test]
fn mistakes_say_what_to_do() {
    let corner = Corner::new();
    let id = data_folder(&corner);
    let early = corner.run(&["data", "export", "--data", "data"]).expect_code(2);
    early.expect_error(&["no index", "benchwright index rebuild --data data"]);
    corner.run(&["index", "rebuild", "--data", "data"]).expect_code(0);
    corner.run(&["index", "rebuild", "--data", "none"]).expect_code(2).expect_error(&["no data folder", "score --out"]);
    corner.run(&["data", "quarantine", "../up", "--data", "data", "--reason", "r", "--by", "b"]).expect_code(2);
    let unreasoned = corner.run(&["data", "take-down", &id, "--data", "data", "--reason", " ", "--by", "b"]);
    unreasoned.expect_code(2).expect_error(&["needs a reason"]);
    corner.run(&["data", "release", &id, "--data", "data", "--reason", "r", "--by", "b"]).expect_code(2);
    let bucket = corner.command(&["data", "gc", "--data", "s3://bucket/x"]).env_remove("AWS_ACCESS_KEY_ID").output();
    let bucket = support::Said::of(&bucket.unwrap()).expect_code(3);
    let wanted = if cfg!(feature = "bucket") { "AWS_ACCESS_KEY_ID is not set" } else { "--features bucket" };
    bucket.expect_error(&[wanted]);
}
