//! Looking after runs: copies, garbage, take-downs, exports.
#![expect(clippy::unwrap_used, reason = "all of this is test code, which fails by panicking")]

mod copies;
mod exports;
mod garbage;

use benchwright_domain::BlobId;
use benchwright_store::{Act, Decision, EventBody, Folder, RUN_FORMAT, RunHeader, Storage, StoreError, moderate};
use serde_json::json;

fn header(id: &str) -> RunHeader {
    RunHeader {
        format: RUN_FORMAT,
        id: id.to_owned(),
        started_at: "2026-11-16T08:00:00Z".to_owned(),
        benchwright: "0.1.0".to_owned(),
        request: json!({ "url": "https://example.org/" }),
    }
}

fn act(decision: Decision) -> Act {
    Act { decision, reason: "asked for".to_owned(), by: "ada".to_owned(), at: "2026-11-17T08:00:00Z".to_owned() }
}

/// A finished run: evidence that names a screenshot, a report named by the result, and a blob that nothing names.
struct Sample {
    evidence: BlobId,
    screenshot: BlobId,
    report: BlobId,
    unnamed: BlobId,
}

fn write_sample(storage: &dyn Storage, id: &str) -> Sample {
    let mut run = storage.create(&header(id)).unwrap();
    let screenshot = run.put_blob(b"\x89PNG pixels").unwrap();
    let unnamed = run.put_blob(b"nobody names me").unwrap();
    let evidence = run.put_blob(format!("{{\"shot\":\"{}\"}}", screenshot.0).as_bytes()).unwrap();
    let report = run.put_blob(b"{\"composite\":81.5}").unwrap();
    let body = EventBody::Evidence { kind: "page".to_owned(), version: 1, blob: evidence.clone(), seconds: 0.5 };
    run.append(body, 1).unwrap();
    run.append(EventBody::Finished {}, 2).unwrap();
    run.finish(&json!({ "composite": 81.5, "record": { "report": report.0 } })).unwrap();
    Sample { evidence, screenshot, report, unnamed }
}

fn fresh() -> (tempfile::TempDir, Folder) {
    let folder = tempfile::tempdir().unwrap();
    let storage = Folder::at(folder.path());
    (folder, storage)
}

#[test]
fn a_run_that_was_taken_down_keeps_its_events_and_nothing_else() {
    let (folder, storage) = fresh();
    let sample = write_sample(&storage, "r1");
    let run = folder.path().join("runs/r1");
    // What commands put there beside the run, and what a damaged log left.
    std::fs::create_dir(run.join("videos")).unwrap();
    for name in ["app.log", "places.json", "log.damaged-77", "run.json.part", "videos/walk.webm"] {
        std::fs::write(run.join(name), "somebody's").unwrap();
    }
    moderate(&storage, "r1", act(Decision::TakeDown)).unwrap();
    let left: Vec<_> = std::fs::read_dir(&run).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["log"]);
    let read = storage.read("r1").unwrap();
    assert_eq!(read.events.len(), 4);
    assert_eq!(read.events[3].body, EventBody::Moderated { act: act(Decision::TakeDown) });
    assert_eq!(read.run_json, None);
    assert_eq!(storage.blobs("r1").unwrap(), []);
    assert!(matches!(storage.blob("r1", &sample.evidence), Err(StoreError::MissingBlob { .. })));
    // A second time is no second act.
    moderate(&storage, "r1", act(Decision::TakeDown)).unwrap();
    assert_eq!(storage.read("r1").unwrap().events.len(), 4);
    let error = moderate(&storage, "r1", act(Decision::Release)).unwrap_err();
    assert!(error.to_string().contains("final"), "{error}");
}

#[test]
fn decisions_need_a_reason_a_name_and_a_run_they_fit() {
    let (_folder, storage) = fresh();
    write_sample(&storage, "r1");
    for wrong in [
        Act { reason: "  ".to_owned(), ..act(Decision::Quarantine) },
        Act { reason: "x".repeat(2001), ..act(Decision::Quarantine) },
        Act { by: String::new(), ..act(Decision::Quarantine) },
        act(Decision::Release),
    ] {
        assert!(matches!(moderate(&storage, "r1", wrong), Err(StoreError::Refused { .. })));
    }
    assert!(matches!(moderate(&storage, "none", act(Decision::TakeDown)), Err(StoreError::NotARun { .. })));
    moderate(&storage, "r1", act(Decision::Quarantine)).unwrap();
    assert!(matches!(moderate(&storage, "r1", act(Decision::Quarantine)), Err(StoreError::Refused { .. })));
    moderate(&storage, "r1", act(Decision::Release)).unwrap();
    assert_eq!(storage.read("r1").unwrap().events.len(), 5);
}

#[test]
fn a_run_that_is_being_written_cannot_be_decided_about() {
    let (_folder, storage) = fresh();
    let _running = storage.create(&header("r1")).unwrap();
    assert!(matches!(moderate(&storage, "r1", act(Decision::TakeDown)), Err(StoreError::AlreadyRunning { .. })));
}
