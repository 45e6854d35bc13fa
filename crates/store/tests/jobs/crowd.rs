//! Many jobs, a few workers, some of them killed: nothing is lost, nothing is recorded twice. The soak does the same for longer.

use crate::light::{self, LONG, Light};
use crate::suite::{PLENTY, new_job};
use crate::{block_on, queue};
use benchwright_domain::Order;
use benchwright_store::Folder;
use benchwright_store::jobs::{JobState, NewJob, Worker, WorkerSettings};
use std::collections::VecDeque;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

/// A worker that finds a file of this name in its working folder works on the queue it names.
const ORDERS: &str = "queue-to-work-on";
const AT_ONCE: usize = 3;
/// Long enough for a machine that is busy with other tests.
const LEASE: Duration = Duration::from_secs(4);

#[test]
fn worker_works_until_nothing_is_left() {
    let Ok(address) = std::fs::read_to_string(ORDERS) else { return };
    let executor = Light { storage: Folder::at(Path::new("data")), long: LEASE * 2 };
    let settings = WorkerSettings {
        parallel: AT_ONCE,
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

/// How hard it is made.
struct Crowd {
    jobs: usize,
    workers: usize,
    /// A worker is killed each time another this many jobs are done.
    kill_every: i64,
    kills: usize,
    /// Whether a fresh one takes the place of a killed one.
    restarts: bool,
}

const SMALL: Crowd = Crowd { jobs: 100, workers: 2, kill_every: 20, kills: 1, restarts: false };
const SOAK: Crowd = Crowd { jobs: 1000, workers: 3, kill_every: 60, kills: 12, restarts: true };
/// Set by `cargo xtask soak`.
const SOAKING: &str = "BENCHWRIGHT_SOAK";

#[test]
fn on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    nothing_is_lost_or_recorded_twice(folder.path().join("index.sqlite").to_str().unwrap());
}

pub fn nothing_is_lost_or_recorded_twice(address: &str) {
    let crowd = if std::env::var_os(SOAKING).is_some() { SOAK } else { SMALL };
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(ORDERS), address).unwrap();
    let queue = block_on(queue(address));
    for number in 0..crowd.jobs {
        // The first job takes longer than every lease, so that it runs through kills; the suite has it where nobody is killed.
        let note = (number == 0).then(|| LONG.to_owned());
        let job = new_job(number);
        let job = NewJob { order: Order { note, ..job.order.clone() }, ..job };
        block_on(queue.submit(&job, PLENTY)).unwrap().unwrap();
    }
    let mut workers: VecDeque<Process> = (0..crowd.workers).map(|_| start(folder.path())).collect();
    for kill in 1..=crowd.kills {
        let enough = crowd.kill_every * kill as i64;
        wait_until(|| {
            let running = block_on(queue.jobs(Some(JobState::Running), 100)).unwrap();
            block_on(queue.counts()).unwrap().done >= enough && running.len() > AT_ONCE
        });
        drop(workers.pop_front());
        if crowd.restarts {
            workers.push_back(start(folder.path()));
        }
    }
    for mut worker in workers {
        assert!(worker.0.wait().unwrap().success());
    }
    let counts = block_on(queue.counts()).unwrap();
    assert_eq!((counts.done, counts.failed, counts.queued + counts.running), (crowd.jobs as i64, 0, 0));
    assert_eq!(block_on(queue.index().totals()).unwrap().shown, crowd.jobs as i64);
    let jobs: Vec<String> = (0..crowd.jobs).map(|number| new_job(number).id).collect();
    light::verify(&Folder::at(&folder.path().join("data")), &jobs);
    let done = block_on(queue.jobs(Some(JobState::Done), crowd.jobs as u32)).unwrap();
    assert!(done.iter().any(|job| job.attempt > 1), "a killed worker had jobs, and somebody went on with them");
}

fn wait_until(mut there: impl FnMut() -> bool) {
    for _ in 0..30_000 {
        if there() {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("it did not come to that");
}
