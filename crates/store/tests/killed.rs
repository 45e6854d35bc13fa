//! A writer killed with SIGKILL at any moment leaves a run that can be read and continued.
//!
//! The test starts this very test program again as the writer, in a folder that holds [`ENDLESS`].
#![expect(clippy::unwrap_used, reason = "all of this is test code, which fails by panicking")]

use benchwright_store::{Event, EventBody, RUN_FORMAT, RunDir, RunHeader, blob};
use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A writer that finds a file of this name in its working folder writes until it is killed.
const ENDLESS: &str = "write-until-killed";
const KILLS: usize = 40;

fn create_or_open(run: &Path) -> (RunDir, u64) {
    let header = RunHeader {
        format: RUN_FORMAT,
        id: "killed".to_owned(),
        started_at: "2026-11-16T08:00:00Z".to_owned(),
        benchwright: "0.1.0".to_owned(),
        request: serde_json::Value::Null,
    };
    if std::fs::metadata(run.join("log")).is_ok_and(|log| log.len() > 0) {
        let (run, events) = RunDir::open(run).unwrap();
        (run, events.len() as u64)
    } else {
        (RunDir::create(run, &header).unwrap(), 1)
    }
}

/// What a gatherer does: keep a blob, then name it in the log.
fn write_step(run: &mut RunDir, step: u64) {
    let bytes: Vec<u8> = (0..step * 7919 % 40_000).map(|index| (index * step) as u8).collect();
    let id = run.put_blob(&bytes).unwrap();
    run.append(EventBody::Note { text: "x".repeat((step % 5000) as usize) }, step).unwrap();
    run.append(EventBody::Evidence { kind: "page".to_owned(), version: 1, blob: id, seconds: 0.5 }, step).unwrap();
}

/// Asserts that every blob the events name is there and whole.
fn verify(run: &Path, events: &[Event]) {
    assert!(matches!(events[0].body, EventBody::Started { .. }));
    for (index, event) in events.iter().enumerate() {
        assert_eq!(event.sequence, index as u64);
        if let EventBody::Evidence { blob: id, .. } = &event.body {
            blob(run, id).unwrap();
        }
    }
}

#[test]
fn writer_writes_steps_that_verify() {
    if Path::new(ENDLESS).exists() {
        let (mut run, first) = create_or_open(Path::new("run"));
        (first..first + 20_000).for_each(|step| write_step(&mut run, step));
        panic!("nobody killed the writer");
    }
    let folder = tempfile::tempdir().unwrap();
    let (mut run, first) = create_or_open(folder.path());
    for step in first..first + 20 {
        write_step(&mut run, step);
    }
    drop(run);
    let events = RunDir::read(folder.path()).unwrap().events;
    assert_eq!(events.len(), 41);
    verify(folder.path(), &events);
}

/// A writer that does not outlive the test, whatever the test finds.
struct Writer(Child);

impl Drop for Writer {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

fn start_writer(folder: &Path) -> Writer {
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "writer_writes_steps_that_verify", "--nocapture", "--test-threads=1"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::inherit())
        .spawn();
    Writer(child.unwrap())
}

fn log_length(folder: &Path) -> u64 {
    std::fs::metadata(folder.join("run/log")).map_or(0, |log| log.len())
}

/// Waits until the writer has got further than it was, so that every kill hits a writer at work.
fn wait_for_progress(folder: &Path, writer: &mut Writer, from: u64) {
    let give_up = Instant::now() + Duration::from_mins(1);
    while log_length(folder) <= from {
        assert!(writer.0.try_wait().unwrap().is_none(), "the writer ended by itself");
        assert!(Instant::now() < give_up, "the writer makes no progress");
        sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_writer_killed_at_random_points_always_leaves_a_valid_run() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(ENDLESS), "").unwrap();
    let run = folder.path().join("run");
    let mut seen: HashMap<u64, Event> = HashMap::new();
    for kill in 0..KILLS {
        let from = log_length(folder.path());
        let mut writer = start_writer(folder.path());
        wait_for_progress(folder.path(), &mut writer, from);
        sleep(Duration::from_micros(random() % 20_000));
        drop(writer);

        let read = RunDir::read(&run).unwrap();
        assert_eq!(read.damage, None, "kill {kill}");
        verify(&run, &read.events);
        for event in read.events {
            let earlier = seen.entry(event.sequence).or_insert_with(|| event.clone());
            assert_eq!(*earlier, event, "kill {kill}: an event that was read once has changed");
        }
        let (_, events) = RunDir::open(&run).unwrap();
        assert_eq!(events.len(), seen.len(), "kill {kill}: an event that was read once is gone");
    }
    assert!(seen.len() > KILLS, "{} events", seen.len());
}

/// The standard library seeds its hashers anew in every process, which is randomness enough to choose a moment.
fn random() -> u64 {
    std::hash::RandomState::new().build_hasher().finish()
}
