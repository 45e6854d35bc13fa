use super::{act, fresh, header, write_sample};
use benchwright_store::{Copied, Decision, EventBody, Storage, StoreError, copy_run, moderate};

fn assert_same(a: &dyn Storage, b: &dyn Storage, run: &str) {
    assert_eq!(a.log(run).unwrap(), b.log(run).unwrap());
    assert_eq!(a.result(run).unwrap(), b.result(run).unwrap());
    let ids = |storage: &dyn Storage| storage.blobs(run).unwrap().into_iter().map(|blob| blob.id).collect::<Vec<_>>();
    assert_eq!(ids(a), ids(b));
    for id in ids(a) {
        assert_eq!(a.blob(run, &id).unwrap(), b.blob(run, &id).unwrap());
    }
}

#[test]
fn a_copy_is_the_same_byte_for_byte_and_copying_again_changes_nothing() {
    let ((_a, from), (_b, to)) = (fresh(), fresh());
    write_sample(&from, "r1");
    assert_eq!(copy_run(&from, &to, "r1").unwrap(), Copied::Copied);
    assert_same(&from, &to, "r1");
    assert_eq!(copy_run(&from, &to, "r1").unwrap(), Copied::AlreadyThere);
    moderate(&from, "r1", act(Decision::Quarantine)).unwrap();
    assert_eq!(copy_run(&from, &to, "r1").unwrap(), Copied::Copied);
    assert_same(&from, &to, "r1");
}

/// Events of a newer Benchwright cannot be written by this one, but they can be kept.
#[test]
fn a_run_with_events_of_a_newer_version_is_copied_whole() {
    let (_b, to) = fresh();
    let (folder, from) = fresh();
    let fixture = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/format-1");
    let id = "01JCSAMPLE0000000000000000";
    let run = folder.path().join("runs").join(id);
    std::fs::create_dir_all(&run).unwrap();
    std::fs::copy(fixture.join("log"), run.join("log")).unwrap();
    assert_eq!(copy_run(&from, &to, id).unwrap(), Copied::Copied);
    assert!(to.read(id).unwrap().events.iter().any(|event| event.body == EventBody::Unknown));
    assert_same(&from, &to, id);
}

#[cfg(feature = "bucket")]
#[test]
fn a_run_goes_into_a_bucket_and_comes_back_the_same() {
    let ((_a, from), (_b, back)) = (fresh(), fresh());
    let bucket = benchwright_store::Bucket::in_memory().unwrap();
    write_sample(&from, "r1");
    assert_eq!(copy_run(&from, &bucket, "r1").unwrap(), Copied::Copied);
    assert_eq!(copy_run(&bucket, &back, "r1").unwrap(), Copied::Copied);
    assert_same(&from, &back, "r1");
    assert_eq!(copy_run(&back, &bucket, "r1").unwrap(), Copied::AlreadyThere);
}

#[test]
fn an_old_backup_does_not_bring_back_what_was_taken_down() {
    let ((_a, data), (_b, backup)) = (fresh(), fresh());
    write_sample(&data, "r1");
    copy_run(&data, &backup, "r1").unwrap();
    moderate(&data, "r1", act(Decision::TakeDown)).unwrap();
    assert_eq!(copy_run(&backup, &data, "r1").unwrap(), Copied::TakenDown);
    assert_eq!(data.blobs("r1").unwrap(), []);
    assert_eq!(copy_run(&data, &backup, "r1").unwrap(), Copied::TakenDown);
    assert_eq!((backup.blobs("r1").unwrap(), backup.result("r1").unwrap()), (Vec::new(), None));
    assert_same(&data, &backup, "r1");
}

/// Killed between the log and the removal: the decision is there, and the evidence too.
#[test]
fn a_copied_take_down_that_was_interrupted_is_completed() {
    let ((_a, data), (_b, backup)) = (fresh(), fresh());
    write_sample(&data, "r1");
    copy_run(&data, &backup, "r1").unwrap();
    moderate(&data, "r1", act(Decision::TakeDown)).unwrap();
    backup.extend_log("r1", &data.log("r1").unwrap()).unwrap();
    assert_eq!(backup.blobs("r1").unwrap().len(), 4);
    assert_eq!(copy_run(&data, &backup, "r1").unwrap(), Copied::TakenDown);
    assert_eq!((backup.blobs("r1").unwrap(), backup.result("r1").unwrap()), (Vec::new(), None));
}

#[test]
fn another_run_of_the_same_id_is_refused_and_left_alone() {
    let ((_a, from), (_b, to)) = (fresh(), fresh());
    write_sample(&from, "r1");
    let other = benchwright_store::RunHeader { started_at: "2020-01-01T00:00:00Z".to_owned(), ..header("r1") };
    drop(to.create(&other).unwrap());
    assert!(matches!(copy_run(&from, &to, "r1"), Err(StoreError::HoldsRun { .. })));
    assert_eq!(to.read("r1").unwrap().header, other);
    assert_eq!(to.result("r1").unwrap(), None);
}

#[test]
fn a_damaged_blob_is_not_copied() {
    let ((folder, from), (_b, to)) = (fresh(), fresh());
    let sample = write_sample(&from, "r1");
    let path = folder.path().join("runs/r1/blobs").join(&sample.evidence.0[..2]).join(&sample.evidence.0);
    std::fs::write(path, "tampered").unwrap();
    assert!(matches!(copy_run(&from, &to, "r1"), Err(StoreError::DamagedBlob { .. })));
    let left = to.read("r1");
    let is_no_run = matches!(left, Err(StoreError::NotARun { .. } | StoreError::NeverStarted { .. }));
    assert!(is_no_run, "a run without its evidence is no run");
}
