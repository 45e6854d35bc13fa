//! A run directory from the outside: life, death and resumption.

use benchwright_domain::BlobId;
use benchwright_store::{Damage, Event, EventBody, RUN_FORMAT, RunDir, RunHeader, StoreError, blob};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

fn header() -> RunHeader {
    RunHeader {
        format: RUN_FORMAT,
        id: "01TEST".to_owned(),
        started_at: "2026-11-16T08:00:00Z".to_owned(),
        benchwright: "0.1.0".to_owned(),
        request: json!({ "url": "https://example.org/", "threshold": 0.1 }),
    }
}

fn note(text: &str) -> EventBody {
    EventBody::Note { text: text.to_owned() }
}

fn bodies(events: &[Event]) -> Vec<EventBody> {
    events.iter().map(|event| event.body.clone()).collect()
}

/// Every file under a folder with its content.
fn snapshot(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder can be listed") {
        let path = entry.expect("the folder can be listed").path();
        if path.is_dir() {
            files.extend(snapshot(&path));
        } else {
            let content = fs::read(&path).expect("the file can be read");
            files.push((path, content));
        }
    }
    files.sort();
    files
}

#[test]
fn a_run_is_written_finished_and_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/er/run");
    let mut run = RunDir::create(&path, &header()).unwrap();
    let id = run.put_blob(b"evidence").unwrap();
    let evidence = EventBody::Evidence { kind: "page".to_owned(), version: 3, blob: id.clone(), seconds: 0.1 + 0.2 };
    run.append(evidence.clone(), 17).unwrap();
    run.append(EventBody::Finished {}, 18).unwrap();
    let result = json!({ "composite": 81.300_000_000_000_01, "nested": { "b": 1, "a": [null, true] } });
    run.finish(&result).unwrap();
    drop(run);

    let read = RunDir::read(&path).unwrap();
    assert_eq!(read.header, header());
    assert_eq!(bodies(&read.events), [EventBody::Started { header: header() }, evidence, EventBody::Finished {}]);
    assert_eq!(
        read.events.iter().map(|event| (event.sequence, event.at_ms)).collect::<Vec<_>>(),
        [(0, 0), (1, 17), (2, 18)]
    );
    assert!(!read.torn && read.damage.is_none());
    assert_eq!(read.run_json, Some(result));
    assert_eq!(blob(&path, &id).unwrap(), b"evidence");
    let names: Vec<_> = snapshot(&path).into_iter().map(|(file, _)| file).collect();
    assert_eq!(names.len(), 3, "no temporary file is left: {names:?}");
}

#[test]
fn a_run_goes_on_where_it_was_torn() {
    let folder = tempfile::tempdir().unwrap();
    let mut run = RunDir::create(folder.path(), &header()).unwrap();
    run.append(note("kept"), 1).unwrap();
    run.append(note("torn"), 2).unwrap();
    drop(run);
    let log = folder.path().join("log");
    let whole = fs::read(&log).unwrap();
    fs::write(&log, &whole[..whole.len() - 1]).unwrap();
    assert!(RunDir::read(folder.path()).unwrap().torn);

    let (mut run, events) = RunDir::open(folder.path()).unwrap();
    assert_eq!(bodies(&events), [EventBody::Started { header: header() }, note("kept")]);
    assert_eq!(run.damage(), None);
    run.append(EventBody::Resumed { benchwright: "0.2.0".to_owned() }, 3).unwrap();
    drop(run);
    let read = RunDir::read(folder.path()).unwrap();
    assert!(!read.torn);
    assert_eq!(read.events[2].body, EventBody::Resumed { benchwright: "0.2.0".to_owned() });
    assert_eq!(read.events[2].sequence, 2);
}

#[test]
fn damage_in_the_middle_is_reported_and_set_aside() {
    let folder = tempfile::tempdir().unwrap();
    let mut run = RunDir::create(folder.path(), &header()).unwrap();
    let offset = fs::metadata(folder.path().join("log")).unwrap().len();
    run.append(note("damaged"), 1).unwrap();
    run.append(note("after"), 2).unwrap();
    drop(run);
    let log = folder.path().join("log");
    let mut bytes = fs::read(&log).unwrap();
    bytes[offset as usize + 3] ^= 1;
    fs::write(&log, &bytes).unwrap();
    let damage = Damage { offset, bytes: bytes.len() as u64 - offset };

    let read = RunDir::read(folder.path()).unwrap();
    assert_eq!((read.events.len(), read.torn, read.damage), (1, false, Some(damage.clone())));
    let (mut run, events) = RunDir::open(folder.path()).unwrap();
    assert_eq!(events.len(), 1);
    assert_eq!(run.damage(), Some(&damage));
    assert_eq!(
        fs::read(folder.path().join(format!("log.damaged-{offset}"))).unwrap(),
        bytes[usize::try_from(offset).unwrap()..]
    );
    run.append(note("again"), 3).unwrap();
    drop(run);
    let read = RunDir::read(folder.path()).unwrap();
    assert_eq!((read.events.len(), read.damage), (2, None));
}

#[test]
fn a_folder_with_a_run_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    drop(RunDir::create(folder.path(), &header()).unwrap());
    let before = snapshot(folder.path());
    let error = RunDir::create(folder.path(), &header()).unwrap_err();
    assert!(matches!(error, StoreError::HoldsRun { .. }));
    assert!(error.to_string().contains("resume that one, or choose another folder"), "{error}");
    assert_eq!(snapshot(folder.path()), before);
}

#[test]
fn a_folder_with_other_files_or_an_empty_log_is_welcome() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("report.html"), "old").unwrap();
    fs::write(folder.path().join("log"), "").unwrap();
    assert!(matches!(RunDir::open(folder.path()), Err(StoreError::NeverStarted { .. })));
    drop(RunDir::create(folder.path(), &header()).unwrap());
    assert_eq!(RunDir::read(folder.path()).unwrap().events.len(), 1);
    assert_eq!(fs::read(folder.path().join("report.html")).unwrap(), b"old");
}

#[test]
fn what_is_no_run_is_said_to_be_none_and_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(RunDir::read(&folder.path().join("none")), Err(StoreError::NotARun { .. })));
    assert!(matches!(RunDir::open(folder.path()), Err(StoreError::NotARun { .. })));
    fs::write(folder.path().join("log"), "boot: ok\nnet: ok\n").unwrap();
    let before = snapshot(folder.path());
    assert!(matches!(RunDir::open(folder.path()), Err(StoreError::NotARun { .. })));
    assert!(matches!(RunDir::read(folder.path()), Err(StoreError::NotARun { .. })));
    assert!(matches!(RunDir::create(folder.path(), &header()), Err(StoreError::HoldsRun { .. })));
    assert_eq!(snapshot(folder.path()), before);
}

#[test]
fn a_second_writer_is_told_to_wait_and_a_reader_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let mut run = RunDir::create(folder.path(), &header()).unwrap();
    let error = RunDir::open(folder.path()).unwrap_err();
    assert!(matches!(error, StoreError::AlreadyRunning { .. }));
    assert!(error.to_string().contains("wait for it to end"), "{error}");
    assert!(RunDir::read(folder.path()).is_ok());
    run.append(note("still mine"), 1).unwrap();
    drop(run);
    assert_eq!(RunDir::open(folder.path()).unwrap().1.len(), 2);
}

#[test]
fn a_result_is_written_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut run = RunDir::create(folder.path(), &header()).unwrap();
    assert_eq!(RunDir::read(folder.path()).unwrap().run_json, None);
    run.finish(&json!({ "composite": 1.5 })).unwrap();
    run.finish(&json!({ "composite": 1.5 })).unwrap();
    assert!(matches!(run.finish(&json!({ "composite": 2 })), Err(StoreError::AlreadyFinished { .. })));
    assert_eq!(RunDir::read(folder.path()).unwrap().run_json, Some(json!({ "composite": 1.5 })));
    drop(run);
    fs::remove_file(folder.path().join("log")).unwrap();
    assert!(matches!(RunDir::create(folder.path(), &header()), Err(StoreError::HoldsRun { .. })));
}

#[test]
fn a_damaged_result_says_so_and_one_that_could_not_be_read_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let mut run = RunDir::create(folder.path(), &header()).unwrap();
    let deep = (0..200).fold(Value::Null, |inner, _| json!([inner]));
    assert!(matches!(run.finish(&deep), Err(StoreError::Unwritable { .. })));
    assert!(!folder.path().join("run.json").exists());
    fs::write(folder.path().join("run.json"), "{\"composite\":").unwrap();
    let error = RunDir::read(folder.path()).unwrap_err();
    assert!(matches!(error, StoreError::DamagedResult { .. }), "{error}");
}

#[test]
fn a_run_of_a_newer_format_is_neither_read_nor_cut() {
    let folder = tempfile::tempdir().unwrap();
    let newer = RunHeader { format: RUN_FORMAT + 1, ..header() };
    assert!(matches!(RunDir::create(folder.path(), &newer), Err(StoreError::Unwritable { .. })));
    let json = serde_json::to_string(&Event { sequence: 0, at_ms: 0, body: EventBody::Started { header: newer } });
    let json = json.unwrap();
    let line = format!("{:08x} {} {json}\ntorn", crc32fast::hash(json.as_bytes()), json.len());
    fs::write(folder.path().join("log"), &line).unwrap();
    assert!(matches!(RunDir::read(folder.path()), Err(StoreError::NewerFormat { .. })));
    assert!(matches!(RunDir::open(folder.path()), Err(StoreError::NewerFormat { .. })));
    assert_eq!(fs::read(folder.path().join("log")).unwrap(), line.as_bytes());
}

#[test]
fn reading_changes_nothing_not_even_a_torn_run() {
    let folder = tempfile::tempdir().unwrap();
    let mut run = RunDir::create(folder.path(), &header()).unwrap();
    run.put_blob(b"x").unwrap();
    drop(run);
    let log = folder.path().join("log");
    let mut bytes = fs::read(&log).unwrap();
    bytes.extend_from_slice(b"0123abcd 99 {");
    fs::write(&log, bytes).unwrap();
    let before = snapshot(folder.path());
    assert!(RunDir::read(folder.path()).unwrap().torn);
    assert_eq!(snapshot(folder.path()), before);
}

#[cfg(unix)]
#[test]
fn a_folder_one_may_not_write_to_is_named_with_advice() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let mut closed = folder.path().join("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(closed.join("probe"), "").is_ok() {
        // Permissions do not stop the superuser, but the kernel's own tree does.
        closed = PathBuf::from("/sys/kernel");
    }
    let error = RunDir::create(&closed.join("run"), &header()).unwrap_err();
    assert!(matches!(error, StoreError::Denied { .. }), "{error:?}");
    assert!(error.to_string().contains("choose a folder you may write to"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_log_that_is_a_link_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let (real, fake) = (folder.path().join("real"), folder.path().join("fake"));
    drop(RunDir::create(&real, &header()).unwrap());
    fs::create_dir(&fake).unwrap();
    std::os::unix::fs::symlink(real.join("log"), fake.join("log")).unwrap();
    assert!(matches!(RunDir::open(&fake), Err(StoreError::NotARun { .. })));
    assert!(matches!(RunDir::read(&fake), Err(StoreError::NotARun { .. })));
    assert!(matches!(RunDir::create(&fake, &header()), Err(StoreError::HoldsRun { .. })));
}

/// The folder holds a run as the first released format wrote it. It must be readable for ever: never regenerate it, add a
/// folder for each new format instead.
#[test]
fn the_first_format_is_read_for_ever() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/format-1");
    let read = RunDir::read(&path).unwrap();
    assert_eq!(read.header.format, 1);
    assert_eq!(read.header.id, "01JCSAMPLE0000000000000000");
    assert_eq!(read.header.request, json!({ "url": "https://example.org/", "only": ["f1"] }));
    assert!(!read.torn && read.damage.is_none());
    let page = BlobId("50d97e5f27f239267fec2999bbb75a0f1f894549750144785fbf15f9b936168a".to_owned());
    assert_eq!(
        bodies(&read.events[1..]),
        [
            EventBody::Evidence { kind: "page".to_owned(), version: 1, blob: page.clone(), seconds: 1.25 },
            EventBody::Absent { kind: "lighthouse".to_owned(), absence: json!({ "reason": "no Node" }), seconds: 0.0 },
            EventBody::Interrupted { reason: "ctrl-C".to_owned() },
            EventBody::Resumed { benchwright: "0.1.0".to_owned() },
            EventBody::Unknown,
            note("the event before this one was written by a newer version"),
            EventBody::Finished {},
        ]
    );
    assert_eq!(blob(&path, &page).unwrap(), b"{\"status\":200}\n");
    assert_eq!(read.run_json, Some(json!({ "composite": 100.0 })));
}
