//! A disk that really is full, and one that really is read-only: small file systems in a mount namespace of their own.

use super::{Victim, arguments, block_on, header, open_index, record};
use benchwright_domain::BlobId;
use benchwright_store::index::{Durability, Entry, Index, IndexError};
use benchwright_store::{Act, Decision, EventBody, Folder, ReadRun, Storage, StoreError, blob, moderate};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

const PART: &str = "disk-part";
const DONE: &str = "done";
const BALLAST: usize = 100_000;

/// Runs a test of this program where `mounting` was done first; whether that is possible here.
fn run_where(mounting: &str, test: &str) -> bool {
    let possible = Command::new("unshare").args(["-Urm", "true"]).stderr(Stdio::null()).status();
    if !possible.is_ok_and(|status| status.success()) {
        benchwright_fixtures::skip("no mount namespace can be made here, so no full and no read-only disk was tried");
        return false;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(PART), "").unwrap();
    fs::create_dir(folder.path().join("disk")).unwrap();
    let mut command = Command::new("unshare");
    command.args(["-Urm", "sh", "-c", &format!("{mounting} && exec \"$@\""), "sh"]);
    command.arg(std::env::current_exe().unwrap()).args(arguments(test));
    let mut victim = Victim::start(command, folder.path());
    let status = victim.0.wait().unwrap();
    assert!(status.success() && folder.path().join(DONE).exists(), "{test}: {status}");
    true
}

#[test]
fn a_full_disk_loses_nothing_that_was_accepted() {
    if Path::new(PART).exists() {
        fill_with_evidence();
        fs::write(DONE, "").unwrap();
    } else {
        run_where("mount -t tmpfs -o size=600k none disk", "small_disk::a_full_disk_loses_nothing_that_was_accepted");
    }
}

/// Puts blobs and names them until the disk is full; then everything accepted is there, and with some space the run goes on.
fn fill_with_evidence() {
    let storage = Folder::at(Path::new("disk"));
    fs::write("disk/ballast", vec![1; BALLAST]).unwrap();
    let mut run = storage.create(&header("r1")).unwrap();
    let mut accepted: Vec<BlobId> = Vec::new();
    let error = loop {
        let bytes = vec![accepted.len() as u8; 20_000];
        let outcome = run.put_blob(&bytes).and_then(|blob| {
            let body = EventBody::Evidence { kind: "x".repeat(3000), version: 1, blob: blob.clone(), seconds: 0.0 };
            run.append(body, 1).map(|()| blob)
        });
        match outcome {
            Ok(blob) => accepted.push(blob),
            Err(error) => break error,
        }
        assert!(accepted.len() < 100, "the disk is never full");
    };
    assert!(matches!(error, StoreError::DiskFull { .. }), "{error:?}");
    let refused = run.finish(&serde_json::json!({ "large": "x".repeat(100_000) })).unwrap_err();
    assert!(matches!(refused, StoreError::DiskFull { .. }), "{refused:?}");
    let read = storage.read("r1").unwrap();
    assert_eq!((read.events.len(), read.torn, read.damage, read.run_json), (accepted.len() + 1, false, None, None));
    for id in &accepted {
        blob(Path::new("disk/runs/r1"), id).unwrap();
    }
    fs::remove_file("disk/ballast").unwrap();
    run.append(EventBody::Finished {}, 2).unwrap();
    run.finish(&serde_json::json!({ "record": record("r1") })).unwrap();
    assert_eq!(storage.read("r1").unwrap().events.len(), accepted.len() + 2);
}

#[test]
fn an_index_on_a_full_disk_takes_all_of_a_batch_or_nothing() {
    if Path::new(PART).exists() {
        block_on(fill_the_index());
        fs::write(DONE, "").unwrap();
    } else {
        let test = "small_disk::an_index_on_a_full_disk_takes_all_of_a_batch_or_nothing";
        run_where("mount -t tmpfs -o size=2m none disk", test);
    }
}

async fn fill_the_index() {
    fs::write("disk/ballast", vec![1; BALLAST * 10]).unwrap();
    let index = open_index(Path::new("disk/index.sqlite")).await;
    let batch = |number: usize| -> Vec<Entry> {
        (0..20)
            .map(|place| {
                let id = format!("r{number:04}-{place:02}");
                let run =
                    ReadRun { header: header(&id), events: Vec::new(), torn: false, damage: None, run_json: None };
                Entry::of(&run, Some(record(&id))).unwrap()
            })
            .collect()
    };
    let mut taken = 0;
    let error = loop {
        match index.take_in(&batch(taken)).await {
            Ok(()) => taken += 1,
            Err(error) => break error,
        }
        assert!(taken < 1000, "the disk is never full");
    };
    assert!(matches!(error, IndexError::DiskFull { .. }), "{error:?}");
    assert_eq!(index.totals().await.unwrap().shown as usize, taken * 20);
    assert_eq!(index.run(&format!("r{taken:04}-00")).await.unwrap(), None);
    fs::remove_file("disk/ballast").unwrap();
    index.take_in(&batch(taken)).await.unwrap();
    assert_eq!(index.totals().await.unwrap().ranked as usize, (taken + 1) * 20);
}

#[test]
fn a_read_only_folder_can_be_read_and_says_so_when_written_to() {
    if Path::new(PART).exists() {
        look_at_what_cannot_be_changed();
        fs::write(DONE, "").unwrap();
        return;
    }
    let test = "small_disk::a_read_only_folder_can_be_read_and_says_so_when_written_to";
    run_where(
        "mount -t tmpfs none disk && \"$1\" --exact small_disk::a_folder_to_be_closed --test-threads=1 && mount -o remount,ro disk",
        test,
    );
}

/// Fills the folder that is closed afterwards.
#[test]
fn a_folder_to_be_closed() {
    let folder = tempfile::tempdir().unwrap();
    let root = if Path::new(PART).exists() { Path::new("disk") } else { folder.path() };
    let mut run = Folder::at(root).create(&header("r1")).unwrap();
    run.put_blob(b"evidence").unwrap();
    run.append(EventBody::Finished {}, 1).unwrap();
    run.finish(&serde_json::json!({ "record": record("r1") })).unwrap();
    assert_eq!(Folder::at(root).runs().unwrap(), ["r1"]);
}

fn look_at_what_cannot_be_changed() {
    let storage = Folder::at(Path::new("disk"));
    assert_eq!(storage.read("r1").unwrap().events.len(), 2);
    let denied = |error: StoreError| {
        assert!(matches!(error, StoreError::Denied { .. }), "{error:?}");
        assert!(error.to_string().contains("permission"), "{error}");
    };
    denied(storage.create(&header("r2")).err().unwrap());
    denied(storage.put_blob("r1", b"more").unwrap_err());
    let act = Act { decision: Decision::Quarantine, reason: "r".to_owned(), by: "b".to_owned(), at: String::new() };
    denied(moderate(&storage, "r1", act).unwrap_err());
    let error = block_on(Index::sqlite(Path::new("disk/index.sqlite"), Durability::Process)).unwrap_err();
    assert!(error.to_string().contains("disk/index.sqlite"), "{error}");
    assert_eq!(storage.runs().unwrap(), ["r1"]);
}
