use super::{act, fresh, header, write_sample};
use benchwright_store::{Decision, EventBody, Storage as _, garbage, moderate};
use std::time::{Duration, SystemTime};

fn tomorrow() -> SystemTime {
    SystemTime::now() + garbage::GRACE + Duration::from_mins(1)
}

#[test]
fn only_what_nothing_names_is_removed() {
    let (_folder, storage) = fresh();
    let sample = write_sample(&storage, "r1");
    let unnamed = garbage::unnamed(&storage, "r1", tomorrow()).unwrap();
    assert_eq!(unnamed.iter().map(|blob| &blob.id).collect::<Vec<_>>(), [&sample.unnamed]);
    assert_eq!(storage.blobs("r1").unwrap().len(), 4, "looking removes nothing");
    assert_eq!(garbage::collect(&storage, "r1", tomorrow()).unwrap(), unnamed);
    for named in [&sample.evidence, &sample.screenshot, &sample.report] {
        storage.blob("r1", named).unwrap();
    }
    assert_eq!(garbage::collect(&storage, "r1", tomorrow()).unwrap(), []);
}

#[test]
fn what_is_young_or_from_the_future_is_left_alone() {
    let (_folder, storage) = fresh();
    write_sample(&storage, "r1");
    for now in [SystemTime::now(), SystemTime::now() - Duration::from_hours(24 * 365)] {
        assert_eq!(garbage::collect(&storage, "r1", now).unwrap(), []);
    }
}

#[test]
fn a_run_that_is_not_finished_has_no_garbage() {
    let (_folder, storage) = fresh();
    let mut run = storage.create(&header("r1")).unwrap();
    run.put_blob(b"an event will name it soon").unwrap();
    assert_eq!(garbage::collect(&storage, "r1", tomorrow()).unwrap(), []);
    run.append(EventBody::Finished {}, 1).unwrap();
    assert_eq!(garbage::collect(&storage, "r1", tomorrow()).unwrap(), [], "run.json may still come");
}

/// Killed between the decision and the removal: the blobs and the result are still there.
#[test]
fn a_take_down_that_was_interrupted_is_completed() {
    let (folder, storage) = fresh();
    write_sample(&storage, "r1");
    let result = storage.result("r1").unwrap().unwrap();
    moderate(&storage, "r1", act(Decision::TakeDown)).unwrap();
    storage.put_blob("r1", b"left over").unwrap();
    std::fs::write(folder.path().join("runs/r1/run.json"), result).unwrap();
    assert_eq!(garbage::collect(&storage, "r1", SystemTime::now()).unwrap().len(), 1);
    assert_eq!((storage.blobs("r1").unwrap(), storage.result("r1").unwrap()), (Vec::new(), None));
}
