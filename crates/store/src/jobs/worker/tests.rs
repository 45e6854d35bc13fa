//! What becomes of a worker's words when the database refuses to hear them.

use super::*;
use crate::index::{Durability, Index};
use crate::jobs::{NewJob, Priority, SubmitLimits};
use benchwright_domain::{Order, ReviewOrder};
use std::path::Path;

/// Hands over what an execution speaks through, so that a test can say what it says, and when.
struct HandsOver(mpsc::UnboundedSender<JobDesk>);

impl Executor for HandsOver {
    fn execute(&self, _: &Taken, desk: &JobDesk) -> Executed {
        self.0.send(desk.clone()).unwrap();
        Executed::Stopped
    }
}

/// A worker that has one job, and what the execution of it speaks through.
async fn at_work(folder: &Path, order: Order) -> (Worker, JobDesk) {
    let index = Index::sqlite(&folder.join("index.sqlite"), Durability::Process).await.unwrap();
    let queue = Queue::of(Arc::new(index));
    let (priority, submitter) = (Priority::Normal, "ada".to_owned());
    let job = NewJob { id: "j1".to_owned(), order, priority, submitter, once: None };
    queue.submit(&job, SubmitLimits { waiting: 9, per_hour: 9 }).await.unwrap().unwrap();
    let (sender, mut desks) = mpsc::unbounded_channel();
    let settings = WorkerSettings { reviews: 1, ..WorkerSettings::default() };
    let mut worker = Worker::new(queue, settings, Arc::new(HandsOver(sender))).unwrap();
    worker.fill().await.unwrap();
    (worker, desks.recv().await.unwrap())
}

/// Gives a sign of life while the database refuses to change a column of jobs.
async fn beat_in_vain(worker: &mut Worker, column: &str) {
    let trigger =
        format!("CREATE TRIGGER refuse BEFORE UPDATE OF {column} ON jobs BEGIN SELECT RAISE(ABORT, 'not now'); END");
    script(worker, &trigger).await;
    assert!(worker.beat().await.is_err());
    script(worker, "DROP TRIGGER refuse").await;
}

async fn script(worker: &Worker, sql: &str) {
    let mut session = worker.queue.index.database.begin().await.unwrap();
    session.script(sql).await.unwrap();
    session.commit().await.unwrap();
}

#[tokio::test]
async fn events_and_cost_that_the_database_refused_are_told_at_the_next_beat() {
    let folder = tempfile::tempdir().unwrap();
    let (mut worker, desk) = at_work(folder.path(), Order::of("https://app.example/".to_owned())).await;
    desk.tell("page", "one");
    desk.spent(0.5);
    beat_in_vain(&mut worker, "beat").await;
    desk.tell("page", "two");
    desk.spent(0.25);
    for _ in 0..2 {
        worker.beat().await.unwrap();
        let events = worker.queue.events("j1", -1).await.unwrap();
        let told: Vec<&str> = events.iter().filter(|event| event.lane == "page").map(|event| &*event.text).collect();
        assert_eq!(told, ["one", "two"], "in order, and once");
        assert_eq!(worker.queue.job("j1").await.unwrap().unwrap().cost_micros, 750_000);
    }
}

#[tokio::test]
async fn a_place_that_the_database_refused_is_told_at_the_next_beat() {
    let folder = tempfile::tempdir().unwrap();
    let (mut worker, desk) = at_work(folder.path(), Order::to_review(ReviewOrder::default())).await;
    desk.show_at("http://{copy}-key.localhost:1");
    beat_in_vain(&mut worker, "place").await;
    worker.beat().await.unwrap();
    let open = worker.queue.open_reviews("ada").await.unwrap();
    assert_eq!(open[0].place.as_deref(), Some("http://{copy}-key.localhost:1"));
    assert!(worker.attempts.values().all(|attempt| attempt.new_place().is_none()), "it is told once");
}
