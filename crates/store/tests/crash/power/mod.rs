//! Power loss: what a process did is written down, and a disk is made that kept only what it was told to sync.

mod disk;
mod shares;

use super::{arguments, block_on, header, record};
use benchwright_domain::Order;
use benchwright_store::index::{Durability, Entry, Index, entry_of, rebuild};
use benchwright_store::jobs::{Ending, JobState, NewJob, News, Priority, Queue, SubmitLimits};
use benchwright_store::{EventBody, Folder, ReadRun, Storage};
use disk::Disk;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

/// The file that says how surely the victim is to write.
const PART: &str = "power-part";
const ACKNOWLEDGED: &str = "acknowledged";
const RUNS: usize = 8;
const VICTIM: &str = "power::power_victim_acknowledges_runs";
/// What can change a file, or make a change last.
const CALLS: &str = "trace=openat,write,pwrite64,ftruncate,rename,link,linkat,unlink,mkdir,fsync,fdatasync";

fn id(number: usize) -> String {
    format!("r{number}")
}

/// Whether a run is that of a job; the others are found by a site that looks for news.
fn is_job(number: usize) -> bool {
    number % 2 == 1
}

/// Ends the job of a run as a worker does, which takes the run into the index.
async fn end_job(queue: &Queue, id: &str, entry: Entry) {
    let (priority, submitter) = (Priority::Normal, "ada".to_owned());
    let new = NewJob { id: id.to_owned(), order: Order::of("https://app.example/"), priority, submitter, once: None };
    queue.submit(&new, SubmitLimits { waiting: 9, per_hour: 99 }).await.unwrap().unwrap();
    let held = queue.take("w").await.unwrap().unwrap().held;
    let news = News { held, events: Vec::new(), cost_micros: 0 };
    assert!(queue.end(&news, &Ending::Done(Box::new(entry)), 3).await.unwrap());
}

/// Writes runs, each to its end, and has each taken into the index as a site or a worker does it; says so when it was told that it is there.
async fn acknowledge_runs(root: &Path, durability: Durability) {
    let storage = Folder::at(root);
    let queue = Queue::of(Arc::new(Index::sqlite(&root.join("index.sqlite"), durability).await.unwrap()));
    for number in 0..RUNS {
        let mut run = storage.create(&header(&id(number))).unwrap();
        let blob = run.put_blob(&number.to_le_bytes()).unwrap();
        run.append(EventBody::Evidence { kind: "page".to_owned(), version: 1, blob, seconds: 1.0 }, 1).unwrap();
        run.append(EventBody::Finished {}, 2).unwrap();
        run.finish(&serde_json::json!({ "record": record(&id(number)) })).unwrap();
        let entry = entry_of(&storage, &id(number), &no_record).unwrap().unwrap();
        if is_job(number) {
            end_job(&queue, &id(number), entry).await;
        } else {
            queue.index().take_in(&[entry]).await.unwrap();
        }
        fs::write(root.join(ACKNOWLEDGED), id(number)).unwrap();
    }
    // A closed index is written back and synced whatever was asked for; the power fails before that.
    std::process::exit(0);
}

fn no_record(_: &str, _: &ReadRun) -> Result<benchwright_domain::RunRecord, String> {
    Err("every run of this test has a record".to_owned())
}

#[test]
fn power_victim_acknowledges_runs() {
    let Ok(part) = fs::read_to_string(PART) else { return };
    let durability = if part == "power" { Durability::Power } else { Durability::Process };
    block_on(acknowledge_runs(&std::env::current_dir().unwrap(), durability));
}

/// What the victim did, call by call; nothing where it cannot be watched.
fn watched(folder: &Path, victim: &str, part: &str) -> Option<String> {
    fs::write(folder.join(PART), part).unwrap();
    let trace = folder.join("trace");
    let status = Command::new("strace")
        .args(["-f", "-y", "-xx", "-s", "4000000", "-e", CALLS, "-o"])
        .arg(&trace)
        .arg(std::env::current_exe().unwrap())
        .args(arguments(victim))
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status();
    if !status.is_ok_and(|status| status.success()) {
        benchwright_fixtures::skip("strace is missing or may not watch here, so no power loss was tried");
        return None;
    }
    Some(fs::read_to_string(trace).unwrap())
}

/// The disk as a power loss leaves it after each acknowledgement, and how many runs were acknowledged by then.
fn after_each_acknowledgement(folder: &Path, trace: &str, mut look: impl FnMut(&Path, usize)) {
    let mut disk = Disk::default();
    let mut acknowledged = 0;
    for line in trace.lines() {
        let Some(path) = disk.follow(line) else { continue };
        if path != folder.join(ACKNOWLEDGED) {
            continue;
        }
        acknowledged += 1;
        let after = tempfile::tempdir().unwrap();
        disk.restore(folder, after.path());
        look(after.path(), acknowledged);
    }
    assert_eq!(acknowledged, RUNS, "the trace tells the whole story");
}

/// Every acknowledged run is whole in its folder; how many of them the index has, with the end of its job where it has one.
fn look_after(folder: &Path, acknowledged: usize) -> usize {
    let storage = Folder::at(folder);
    for number in 0..acknowledged {
        let read = storage.read(&id(number)).unwrap();
        assert_eq!((read.events.len(), read.torn, read.damage), (3, false, None), "run {number} of {acknowledged}");
        assert!(read.run_json.is_some(), "run {number} of {acknowledged}");
        let EventBody::Evidence { blob, .. } = &read.events[1].body else { panic!("{:?}", read.events) };
        assert_eq!(storage.blob(&id(number), blob).unwrap(), number.to_le_bytes());
    }
    block_on(async {
        let index = Index::sqlite(&folder.join("index.sqlite"), Durability::Process).await.unwrap();
        let queue = Queue::of(Arc::new(index));
        let mut known = BTreeSet::new();
        for number in 0..acknowledged {
            let run = queue.index().run(&id(number)).await.unwrap();
            let job = queue.job(&id(number)).await.unwrap();
            let is_over = job.is_some_and(|job| job.state == JobState::Done);
            assert_eq!(is_over, is_job(number) && run.is_some(), "run {number} of {acknowledged}: one transaction");
            known.extend(run.map(|run| run.record.run));
        }
        let storage: Arc<dyn Storage> = Arc::new(storage);
        let rebuilt = rebuild(storage, queue.index(), Arc::new(no_record), Arc::default(), |_, _| ()).await.unwrap();
        assert!(rebuilt.indexed >= acknowledged && rebuilt.bad.is_empty(), "{rebuilt:?}");
        known.len()
    })
}

#[test]
fn an_acknowledged_run_survives_a_power_loss_where_commits_are_synced() {
    let folder = tempfile::tempdir().unwrap();
    let Some(trace) = watched(folder.path(), VICTIM, "power") else { return };
    after_each_acknowledgement(folder.path(), &trace, |after, acknowledged| {
        assert_eq!(look_after(after, acknowledged), acknowledged);
    });
}

/// Otherwise the test above would prove nothing.
#[test]
fn an_index_that_is_not_synced_may_forget_but_the_runs_bring_it_back() {
    let folder = tempfile::tempdir().unwrap();
    let Some(trace) = watched(folder.path(), VICTIM, "process") else { return };
    let mut forgotten = 0;
    after_each_acknowledgement(folder.path(), &trace, |after, acknowledged| {
        forgotten += acknowledged - look_after(after, acknowledged);
    });
    assert!(forgotten > 0, "the disk keeps what was never synced");
}
