//! What a worker does with jobs that do not behave, and when it is told to end.

use crate::in_sqlite;
use crate::sample::{entry, record};
use crate::suite::{PLENTY, new_job};
use benchwright_store::jobs::{
    Executed, Executor, JobDesk, JobState, Queue, Stop, Taken, Worked, Worker, WorkerSettings,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::Notify;

struct Scripted<F>(F);

impl<F: Fn(&Taken, &JobDesk) -> Executed + Send + Sync> Executor for Scripted<F> {
    fn execute(&self, job: &Taken, desk: &JobDesk) -> Executed {
        (self.0)(job, desk)
    }
}

fn done(job: &Taken) -> Executed {
    Executed::Done(Box::new(entry(&record(&job.held.job, "kiln", "todo", 80.0), &[])))
}

fn until_told(desk: &JobDesk) -> Stop {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(desk.stopped())
}

fn settings() -> WorkerSettings {
    WorkerSettings { beat: Duration::from_millis(20), until_empty: true, ..WorkerSettings::default() }
}

async fn submit(queue: &Queue, number: usize) -> String {
    queue.submit(&new_job(number), PLENTY).await.unwrap().unwrap().id
}

async fn work<F>(queue: &Queue, settings: WorkerSettings, execute: F) -> Worked
where
    F: Fn(&Taken, &JobDesk) -> Executed + Send + Sync + 'static,
{
    let worker = Worker::new(queue.clone(), settings, Arc::new(Scripted(execute))).unwrap();
    worker.work(std::future::pending()).await.unwrap()
}

/// Two workers watch over each other, and one of them has a job that takes two leases.
pub async fn a_job_longer_than_every_lease_stays_with_its_worker(queue: Queue) {
    let id = submit(&queue, 1).await;
    // Long enough for a machine that is busy with other tests.
    let lease = Duration::from_secs(2);
    let watchful = WorkerSettings { lease, ..settings() };
    let long = move |job: &Taken, _: &JobDesk| {
        std::thread::sleep(lease * 2);
        done(job)
    };
    let (one, other) = tokio::join!(work(&queue, watchful.clone(), long), work(&queue, watchful, long));
    assert_eq!((one.done + other.done, one.failed + other.failed), (1, 0));
    let job = queue.job(&id).await.unwrap().unwrap();
    assert_eq!((job.state, job.attempt, job.failures), (JobState::Done, 1, 0));
}

#[test]
fn a_job_that_panics_is_tried_again_and_then_has_failed() {
    in_sqlite(async |queue| {
        let (bad, good) = (submit(&queue, 1).await, submit(&queue, 2).await);
        let name = bad.clone();
        let worked = work(&queue, settings(), move |job, _| {
            assert!(job.held.job != name, "this job panics");
            done(job)
        });
        assert_eq!(worked.await.done, 1);
        let job = queue.job(&bad).await.unwrap().unwrap();
        assert_eq!((job.state, job.failures), (JobState::Failed, 3));
        assert_eq!(queue.job(&good).await.unwrap().unwrap().state, JobState::Done);
    });
}

#[test]
fn a_job_that_takes_too_long_has_failed_and_one_that_is_stuck_is_tried_again() {
    in_sqlite(async |queue| {
        let id = submit(&queue, 1).await;
        let limited = WorkerSettings { job_limit: Duration::from_secs(1), ..settings() };
        work(&queue, limited, |_, desk| {
            assert_eq!(until_told(desk), Stop::TooLong);
            Executed::Stopped
        })
        .await;
        let job = queue.job(&id).await.unwrap().unwrap();
        assert_eq!((job.state, job.reason.as_deref()), (JobState::Failed, Some("it took longer than 1 seconds")));
        let id = submit(&queue, 2).await;
        let watched = WorkerSettings { stall_limit: Duration::from_millis(50), ..settings() };
        let tries = AtomicUsize::new(0);
        work(&queue, watched, move |job, desk| {
            if tries.fetch_add(1, Ordering::SeqCst) > 0 {
                return done(job);
            }
            assert_eq!(until_told(desk), Stop::Stalled);
            Executed::Stopped
        })
        .await;
        let job = queue.job(&id).await.unwrap().unwrap();
        assert_eq!((job.state, job.failures), (JobState::Done, 1));
    });
}

#[test]
fn a_worker_lets_go_of_a_job_that_does_not_hear() {
    in_sqlite(async |queue| {
        let id = submit(&queue, 1).await;
        let impatient =
            WorkerSettings { job_limit: Duration::from_millis(20), grace: Duration::from_millis(50), ..settings() };
        // It never stops; the worker ends nevertheless, and what it says later is not heard.
        work(&queue, impatient, |_, _| {
            loop {
                std::thread::park();
            }
        })
        .await;
        assert_eq!(queue.job(&id).await.unwrap().unwrap().state, JobState::Failed);
    });
}

#[test]
fn a_worker_that_is_told_to_end_hands_its_jobs_back() {
    in_sqlite(async |queue| {
        let id = submit(&queue, 1).await;
        let begun = Arc::new(Notify::new());
        let tell = Arc::clone(&begun);
        let executor = Scripted(move |_: &Taken, desk: &JobDesk| {
            tell.notify_one();
            assert_eq!(until_told(desk), Stop::WorkerEnds);
            Executed::Stopped
        });
        let settings = WorkerSettings { until_empty: false, ..settings() };
        let worker = Worker::new(queue.clone(), settings, Arc::new(executor)).unwrap();
        let worked = worker.work(begun.notified()).await.unwrap();
        assert_eq!(worked, Worked { given_back: 1, ..Worked::default() });
        let job = queue.job(&id).await.unwrap().unwrap();
        assert_eq!((job.state, job.failures, job.worker), (JobState::Queued, 0, None));
        assert!(queue.workers().await.unwrap().is_empty());
    });
}

#[test]
fn a_job_that_is_called_off_stops() {
    in_sqlite(async |queue| {
        let id = submit(&queue, 1).await;
        let (canceller, name) = (queue.clone(), id.clone());
        let handle = tokio::runtime::Handle::current();
        work(&queue, settings(), move |_, desk| {
            handle.block_on(canceller.cancel(&name)).unwrap();
            assert_eq!(until_told(desk), Stop::Cancelled);
            Executed::Stopped
        })
        .await;
        assert_eq!(queue.job(&id).await.unwrap().unwrap().state, JobState::Cancelled);
    });
}

async fn submit_review(queue: &Queue, number: usize) -> String {
    let order = benchwright_domain::Order::to_review(benchwright_domain::ReviewOrder::default());
    let job = benchwright_store::jobs::NewJob { order, submitter: "ann".to_owned(), ..new_job(number) };
    queue.submit(&job, PLENTY).await.unwrap().unwrap().id
}

#[test]
fn an_app_that_is_shown_takes_no_place_of_a_job_that_scores_and_ends_when_it_is_closed() {
    in_sqlite(async |queue| {
        let shown = submit_review(&queue, 1).await;
        submit(&queue, 2).await;
        let both = WorkerSettings { reviews: 1, job_limit: Duration::from_mins(1), ..settings() };
        let closing = queue.clone();
        let worked = work(&queue, both, move |job, desk| {
            if job.order.review.is_none() {
                // The app is open while this one is scored; now it is closed.
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                runtime.block_on(async {
                    while closing.open_reviews("ann").await.unwrap()[0].place.is_none() {
                        tokio::time::sleep(Duration::from_millis(10)).await;
                    }
                    closing.cancel(&shown).await.unwrap();
                });
                return done(job);
            }
            desk.show_at("http://{copy}-key.localhost:1");
            assert_eq!(until_told(desk), Stop::Cancelled);
            Executed::Closed
        })
        .await;
        assert_eq!(worked, Worked { done: 2, failed: 0, given_back: 0 });
    });
}

#[test]
fn a_worker_that_shows_no_apps_leaves_them_to_others() {
    in_sqlite(async |queue| {
        submit_review(&queue, 1).await;
        let worked = work(&queue, settings(), |_, _| unreachable!("nobody takes it")).await;
        assert_eq!(worked, Worked::default());
        assert_eq!(queue.open_reviews("ann").await.unwrap().len(), 1);
    });
}
