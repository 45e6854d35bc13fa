//! A hundred jobs, two workers, one of them killed: nothing is lost, nothing is recorded twice.

use crate::light::{self, LONG, Light};
use crate::suite::{PLENTY, new_job};
use crate::{block_on, queue};
use benchwright_domain::Order;
use benchwright_store::Folder;
use benchwright_store::jobs::{JobState, NewJob, Worker, WorkerSettings};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

/// A worker that finds a file of this name in its working folder works on the queue it names.
const ORDERS: &str = "queue-to-work-on";
const JOBS: usize = 100;
/// Long enough for a machine that is busy with other tests.
const LEASE: Duration = Duration::from_secs(4);

#[test]
fn worker_works_until_nothing_is_left() {
    let Ok(address) = std::fs::read_to_string(ORDERS) else { return };
    let executor = Light { storage: Folder::at(Path::new("data")), long: LEASE * 2 };
    let settings = WorkerSettings {
        parallel: 3,
        beat: Duration::from_millis(100),
        lease: LEASE,
        tries: 20,
        until_empty: true,
        ..WorkerSettings::default()
    };
    block_on(async {
        let worker = Worker::new(queue(&address).await, settings, Arc::new(executor)).unwrap();
        worker.work(std::future::pending()).await.unwrap();
    });
}

struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        self.0.wait().unwrap();
    }
}

fn start(folder: &Path) -> Process {
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "crowd::worker_works_until_nothing_is_left", "--nocapture", "--test-threads=1"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::inherit())
        .spawn();
    Process(child.unwrap())
}

#[test]
fn on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    a_hundred_jobs_two_workers_one_killed(folder.path().join("index.sqlite").to_str().unwrap());
}

pub fn a_hundred_jobs_two_workers_one_killed(address: &str) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(ORDERS), address).unwrap();
    let queue = block_on(queue(address));
    for number in 0..JOBS {
        // The first job takes longer than every lease.
        let note = (number == 0).then(|| LONG.to_owned());
        let job = new_job(number);
        let job = NewJob { order: Order { note, ..job.order.clone() }, ..job };
        block_on(queue.submit(&job, PLENTY)).unwrap().unwrap();
    }
    let victim = start(folder.path());
    let mut other = start(folder.path());
    wait_until(|| {
        let running = block_on(queue.jobs(Some(JobState::Running), 100)).unwrap();
        let done = block_on(queue.counts()).unwrap().done;
        done >= 20 && running.len() >= 4
    });
    drop(victim);
    assert!(other.0.wait().unwrap().success());
    let counts = block_on(queue.counts()).unwrap();
    assert_eq!((counts.done, counts.failed, counts.queued + counts.running), (JOBS as i64, 0, 0));
    assert_eq!(block_on(queue.index().totals()).unwrap().shown, JOBS as i64);
    let jobs: Vec<String> = (0..JOBS).map(|number| new_job(number).id).collect();
    light::verify(&Folder::at(&folder.path().join("data")), &jobs);
    let taken_again =
        block_on(queue.jobs(Some(JobState::Done), 200)).unwrap().iter().filter(|job| job.attempt > 1).count();
    assert!(taken_again > 0, "the killed worker had jobs, and somebody went on with them");
}

fn wait_until(mut there: impl FnMut() -> bool) {
    for _ in 0..6000 {
        if there() {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("it did not come to that");
}
