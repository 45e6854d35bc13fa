//! What every storage promises.

use benchwright_domain::BlobId;
use benchwright_store::{Event, EventBody, RUN_FORMAT, RunHeader, Storage, StoreError};
use serde_json::json;
use std::any::Any;
use std::time::{Duration, SystemTime};

/// A storage, and what must live as long as it.
pub type Fresh = (Box<dyn Storage>, Box<dyn Any>);

pub fn header(id: &str) -> RunHeader {
    RunHeader {
        format: RUN_FORMAT,
        id: id.to_owned(),
        started_at: "2026-11-16T08:00:00Z".to_owned(),
        benchwright: "0.1.0".to_owned(),
        request: json!({ "url": "https://example.org/", "threshold": 0.1 }),
    }
}

/// Runs every case on an empty storage.
pub fn run(fresh: impl Fn() -> Fresh) {
    let cases: [fn(&dyn Storage); 10] = [
        a_run_is_written_finished_and_read_back,
        a_run_goes_on_where_it_ended,
        an_id_is_taken_once,
        what_is_not_there_is_said_not_to_be_there,
        hostile_names_lead_nowhere,
        a_result_is_put_once,
        blobs_are_listed_and_removed,
        a_log_is_copied_byte_for_byte_and_only_ever_extended,
        runs_are_listed_in_order,
        a_job_that_nobody_began_is_not_a_run_yet,
    ];
    for case in cases {
        let (storage, _alive) = fresh();
        case(&*storage);
    }
}

fn note(text: &str) -> EventBody {
    EventBody::Note { text: text.to_owned() }
}

fn bodies(events: &[Event]) -> Vec<EventBody> {
    events.iter().map(|event| event.body.clone()).collect()
}

fn a_run_is_written_finished_and_read_back(storage: &dyn Storage) {
    let mut run = storage.create(&header("r1")).unwrap();
    let id = run.put_blob(b"evidence").unwrap();
    assert_eq!(run.put_blob(b"evidence").unwrap(), id);
    let evidence = EventBody::Evidence { kind: "page".to_owned(), version: 3, blob: id.clone(), seconds: 0.1 + 0.2 };
    run.append(note("x"), 16).unwrap();
    run.append(evidence.clone(), 17).unwrap();
    run.append(EventBody::Finished {}, 18).unwrap();
    assert_eq!(run.blob(&id).unwrap(), b"evidence");
    let result = json!({ "composite": 81.300_000_000_000_01, "nested": { "b": 1, "a": [null, true] } });
    assert_eq!(storage.read("r1").unwrap().run_json, None);
    run.finish(&result).unwrap();
    drop(run);
    let read = storage.read("r1").unwrap();
    assert_eq!(read.header, header("r1"));
    let started = EventBody::Started { header: header("r1") };
    assert_eq!(bodies(&read.events), [started, note("x"), evidence, EventBody::Finished {}]);
    assert_eq!(read.events.iter().map(|event| event.at_ms).collect::<Vec<_>>(), [0, 16, 17, 18]);
    assert_eq!((read.torn, read.damage, read.run_json), (false, None, Some(result)));
    assert_eq!(storage.blob("r1", &id).unwrap(), b"evidence");
}

fn a_run_goes_on_where_it_ended(storage: &dyn Storage) {
    let mut run = storage.create(&header("r1")).unwrap();
    run.append(EventBody::Interrupted { reason: "ctrl-C".to_owned() }, 5).unwrap();
    drop(run);
    let (mut run, events) = storage.open("r1").unwrap();
    assert_eq!(events.len(), 2);
    run.append(EventBody::Resumed { benchwright: "0.2.0".to_owned() }, 6).unwrap();
    run.append(EventBody::Finished {}, 7).unwrap();
    drop(run);
    let sequence: Vec<u64> = storage.read("r1").unwrap().events.iter().map(|event| event.sequence).collect();
    assert_eq!(sequence, [0, 1, 2, 3]);
}

/// Also after the clock went back and made the same id again.
fn an_id_is_taken_once(storage: &dyn Storage) {
    drop(storage.create(&header("r1")).unwrap());
    let later = RunHeader { started_at: "2025-01-01T00:00:00Z".to_owned(), ..header("r1") };
    assert!(matches!(storage.create(&later).err().unwrap(), StoreError::HoldsRun { .. }));
    assert_eq!(storage.read("r1").unwrap().header, header("r1"));
    let newer = RunHeader { format: RUN_FORMAT + 1, ..header("r2") };
    assert!(matches!(storage.create(&newer).err().unwrap(), StoreError::Unwritable { .. }));
    assert_eq!(storage.runs().unwrap(), ["r1"]);
}

fn what_is_not_there_is_said_not_to_be_there(storage: &dyn Storage) {
    assert_eq!(storage.runs().unwrap(), [""; 0]);
    assert!(matches!(storage.read("none").unwrap_err(), StoreError::NotARun { .. }));
    assert!(matches!(storage.log("none").unwrap_err(), StoreError::NotARun { .. }));
    assert!(matches!(storage.open("none").err().unwrap(), StoreError::NotARun { .. }));
    assert_eq!(storage.result("none").unwrap(), None);
    assert_eq!(storage.blobs("none").unwrap(), []);
    drop(storage.create(&header("r1")).unwrap());
    let absent = BlobId("0".repeat(64));
    assert!(matches!(storage.blob("r1", &absent).unwrap_err(), StoreError::MissingBlob { .. }));
    storage.remove_blob("r1", &absent).unwrap();
    storage.remove_result("r1").unwrap();
}

fn hostile_names_lead_nowhere(storage: &dyn Storage) {
    for id in ["", "..", "../up", "a/b", "/etc", "a\0"] {
        assert!(matches!(storage.read(id).unwrap_err(), StoreError::BadRunId { .. }), "{id:?}");
        assert!(matches!(storage.create(&header(id)).err().unwrap(), StoreError::BadRunId { .. }), "{id:?}");
        assert!(matches!(storage.remove_result(id).unwrap_err(), StoreError::BadRunId { .. }), "{id:?}");
    }
    drop(storage.create(&header("r1")).unwrap());
    for id in ["", "../run.json", &"A".repeat(64)] {
        assert!(matches!(storage.blob("r1", &BlobId(id.to_owned())), Err(StoreError::BadBlobId { .. })), "{id}");
        assert!(matches!(storage.remove_blob("r1", &BlobId(id.to_owned())), Err(StoreError::BadBlobId { .. })), "{id}");
    }
}

fn a_result_is_put_once(storage: &dyn Storage) {
    let mut run = storage.create(&header("r1")).unwrap();
    run.finish(&json!({ "composite": 1.5 })).unwrap();
    run.finish(&json!({ "composite": 1.5 })).unwrap();
    assert!(matches!(run.finish(&json!({ "composite": 2 })), Err(StoreError::AlreadyFinished { .. })));
    let bytes = storage.result("r1").unwrap().unwrap();
    storage.put_result("r1", &bytes).unwrap();
    assert!(matches!(storage.put_result("r1", b"{}"), Err(StoreError::AlreadyFinished { .. })));
    let deep = (0..200).fold(serde_json::Value::Null, |inner, _| json!([inner]));
    assert!(matches!(run.finish(&deep), Err(StoreError::Unwritable { .. })));
    storage.remove_result("r1").unwrap();
    assert_eq!(storage.result("r1").unwrap(), None);
}

fn blobs_are_listed_and_removed(storage: &dyn Storage) {
    let begun = SystemTime::now();
    drop(storage.create(&header("r1")).unwrap());
    let mut ids: Vec<BlobId> =
        [&b"one"[..], b"two", b""].iter().map(|bytes| storage.put_blob("r1", bytes).unwrap()).collect();
    ids.sort_by(|a, b| a.0.cmp(&b.0));
    let kept = storage.blobs("r1").unwrap();
    assert_eq!(kept.iter().map(|blob| blob.id.clone()).collect::<Vec<_>>(), ids);
    assert_eq!(kept.iter().map(|blob| blob.bytes).sum::<u64>(), 6);
    // A service may keep whole seconds only.
    assert!(kept.iter().all(|blob| blob.written + Duration::from_secs(2) > begun), "{kept:?}");
    storage.remove_blob("r1", &ids[0]).unwrap();
    storage.remove_blob("r1", &ids[0]).unwrap();
    assert_eq!(storage.blobs("r1").unwrap().len(), 2);
}

fn a_log_is_copied_byte_for_byte_and_only_ever_extended(storage: &dyn Storage) {
    let mut run = storage.create(&header("r1")).unwrap();
    let beginning = storage.log("r1").unwrap();
    run.append(note("x"), 16).unwrap();
    run.append(EventBody::Finished {}, 18).unwrap();
    drop(run);
    let log = storage.log("r1").unwrap();
    assert!(log.starts_with(&beginning) && log.len() > beginning.len());
    // A log says which run it is of, but not where it lies.
    storage.extend_log("copy", &beginning).unwrap();
    storage.extend_log("copy", &log).unwrap();
    storage.extend_log("copy", &log).unwrap();
    assert_eq!(storage.log("copy").unwrap(), log);
    assert!(matches!(storage.extend_log("copy", &beginning).unwrap_err(), StoreError::HoldsRun { .. }));
    for wrong in [&b""[..], b"no log", &log[..log.len() - 1], &log[beginning.len()..]] {
        assert!(matches!(storage.extend_log("other", wrong).unwrap_err(), StoreError::DamagedLog { .. }));
    }
    drop(storage.create(&header("r2")).unwrap());
    assert!(matches!(storage.extend_log("r2", &log).unwrap_err(), StoreError::HoldsRun { .. }));
    assert_eq!(storage.read("copy").unwrap().events.len(), 3);
}

fn runs_are_listed_in_order(storage: &dyn Storage) {
    for id in ["b", "a", "B2", "a-1"] {
        drop(storage.create(&header(id)).unwrap());
    }
    assert_eq!(storage.runs().unwrap(), ["B2", "a", "a-1", "b"]);
}

/// Its source is kept when it is submitted, before there is a log.
fn a_job_that_nobody_began_is_not_a_run_yet(storage: &dyn Storage) {
    let source = storage.put_blob("job1", b"source").unwrap();
    assert!(matches!(storage.read("job1"), Err(StoreError::NeverStarted { .. })));
    assert!(matches!(storage.log("job1"), Err(StoreError::NeverStarted { .. })));
    let mut run = storage.create(&header("job1")).unwrap();
    assert_eq!(run.blob(&source).unwrap(), b"source");
    run.append(EventBody::Finished {}, 1).unwrap();
    assert_eq!(storage.read("job1").unwrap().events.len(), 2);
}
