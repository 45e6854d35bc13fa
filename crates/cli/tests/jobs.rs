//! Workers and tokens, with the real binary, a real browser and a real queue.
#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

mod support;

use benchwright_domain::Order;
use benchwright_fixtures::{Server, Site};
use benchwright_store::index::{Durability, Index};
use benchwright_store::jobs::{Job, JobState, NewJob, Priority, Queue, SubmitLimits};
use benchwright_store::{EventBody, Folder, RUN_FORMAT, RunHeader, Storage as _};
use std::path::PathBuf;
use std::sync::Arc;
use support::{Corner, signal, wait_until};

const SOURCE: &[u8] = include_bytes!("fixtures/app.zip");
const PLENTY: SubmitLimits = SubmitLimits { waiting: 1000, per_hour: 1000 };

/// A data folder with its queue, asked as the site asks it.
struct Jobs {
    runtime: tokio::runtime::Runtime,
    folder: PathBuf,
    queue: Queue,
}

impl Jobs {
    fn new(corner: &Corner) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let folder = corner.path("work/data");
        std::fs::create_dir_all(&folder).unwrap();
        let index = runtime.block_on(Index::sqlite(&folder.join("index.sqlite"), Durability::Process)).unwrap();
        Self { runtime, folder, queue: Queue::of(Arc::new(index)) }
    }

    fn storage(&self) -> Folder {
        Folder::at(&self.folder)
    }

    fn submit(&self, id: &str, order: Order) {
        let new =
            NewJob { id: id.to_owned(), order, priority: Priority::Normal, submitter: "ada".to_owned(), once: None };
        self.runtime.block_on(self.queue.submit(&new, PLENTY)).unwrap().unwrap();
    }

    fn job(&self, id: &str) -> Job {
        self.runtime.block_on(self.queue.job(id)).unwrap().unwrap()
    }

    /// Kinds of evidence in the log of a run.
    fn gathered(&self, id: &str) -> Vec<String> {
        let events = self.storage().read(id).map(|run| run.events).unwrap_or_default();
        let kind = |body: EventBody| match body {
            EventBody::Evidence { kind, .. } => Some(kind),
            _ => None,
        };
        events.into_iter().filter_map(|event| kind(event.body)).collect()
    }
}

fn only(url: String, scorers: &[&str]) -> Order {
    Order { only: Some(scorers.iter().map(|id| (*id).to_owned()).collect()), ..Order::of(url) }
}

#[test]
fn a_job_becomes_a_verified_run_and_its_source_is_forgotten() {
    let corner = Corner::new();
    let jobs = Jobs::new(&corner);
    let server = Server::start(Site::app("harbor-coffee")).unwrap();
    let source = jobs.storage().put_blob("j1", SOURCE).unwrap();
    let order =
        Order { source: Some(source.clone()), tool: Some("kiln".to_owned()), ..only(server.url(), &["f1", "s1"]) };
    jobs.submit("j1", order);
    jobs.submit("j2", Order { prompt: Some("../../etc/passwd".to_owned()), ..Order::of(server.url()) });
    corner.run(&["index", "rebuild", "--data", "data", "--quiet"]).expect_code(0);
    corner.run(&["work", "--data", "data", "--until-empty", "--allow-local", "--no-judges"]).expect_code(0);
    let done = jobs.job("j1");
    assert_eq!(done.state, JobState::Done, "{done:?}");
    let run = jobs.runtime.block_on(jobs.queue.index().run("j1")).unwrap().unwrap();
    assert_eq!((run.record.verified, run.record.tool.as_str()), (true, "kiln"));
    assert_eq!(run.record.scores["f1"].score, 1.0);
    assert!(jobs.storage().blob("j1", &source).is_err(), "what was submitted is theirs");
    let events = jobs.runtime.block_on(jobs.queue.events("j1", -1)).unwrap();
    assert!(events.iter().any(|event| event.lane == "page"), "{events:?}");
    assert_eq!(events.last().unwrap().text, "done");
    let failed = jobs.job("j2");
    assert_eq!(failed.state, JobState::Failed);
    assert!(failed.reason.unwrap().contains("there is no prompt"));
    corner.assert_left_clean();
}

#[test]
fn a_killed_workers_job_is_continued_from_its_evidence() {
    let corner = Corner::new();
    let jobs = Jobs::new(&corner);
    let server = Server::start(Site::app("harbor-coffee")).unwrap();
    jobs.submit("j1", only(server.url(), &["f1", "c3", "v2", "v4"]));
    let arguments =
        ["work", "--data", "data", "--until-empty", "--allow-local", "--lease", "10", "--no-judges", "--quiet"];
    let mut victim = corner.start(&arguments);
    wait_until("the first piece of evidence is there", || !jobs.gathered("j1").is_empty());
    victim.kill().unwrap();
    victim.wait().unwrap();
    corner.run(&arguments).expect_code(0);
    let job = jobs.job("j1");
    assert_eq!((job.state, job.attempt, job.failures), (JobState::Done, 2, 1), "{job:?}");
    let mut kinds = jobs.gathered("j1");
    let all = kinds.len();
    kinds.sort();
    kinds.dedup();
    assert_eq!(kinds.len(), all, "nothing was gathered twice: {kinds:?}");
}

#[test]
fn a_worker_that_is_told_to_end_hands_its_job_back() {
    let corner = Corner::new();
    let jobs = Jobs::new(&corner);
    let server = Server::start(Site::app("harbor-coffee")).unwrap();
    jobs.submit("j1", only(server.url(), &["f1", "c3", "v2", "v4"]));
    let mut worker = corner.start(&["work", "--data", "data", "--allow-local", "--no-judges"]);
    wait_until("it has the job", || jobs.job("j1").state == JobState::Running);
    signal(worker.id(), "TERM");
    assert!(worker.wait().unwrap().success());
    let job = jobs.job("j1");
    assert!(matches!(job.state, JobState::Queued | JobState::Done), "{job:?}");
    assert_eq!(job.failures, 0);
    assert!(jobs.runtime.block_on(jobs.queue.workers()).unwrap().is_empty());
    corner.assert_left_clean();
}

fn take_down(corner: &Corner, run: &str, reason: &str) -> support::Said {
    corner.run(&["data", "take-down", run, "--data", "data", "--reason", reason, "--by", "ada"])
}

#[test]
fn a_run_that_was_taken_down_was_scored_again_by_its_job() {
    let corner = Corner::new();
    let jobs = Jobs::new(&corner);
    let server = Server::start(Site::app("harbor-coffee")).unwrap();
    let known = || jobs.runtime.block_on(jobs.queue.job("j1")).unwrap();
    // Its worker died, and another one is to go on.
    let (id, started_at) = ("j1".to_owned(), "2026-11-16T08:00:00Z".to_owned());
    let benchwright = env!("CARGO_PKG_VERSION").to_owned();
    let header = RunHeader { format: RUN_FORMAT, id, started_at, benchwright, request: serde_json::Value::Null };
    drop(jobs.storage().create(&header).unwrap());
    jobs.submit("j1", only(server.url(), &["f1"]));
    take_down(&corner, "j1", " ").expect_code(2).expect_error(&["needs a reason"]);
    assert_eq!(known().unwrap().state, JobState::Queued, "nothing was decided");
    take_down(&corner, "j1", "asked for by its owner").expect_code(0);
    assert_eq!(known(), None);
    // Whoever took the job a moment before does not score it either.
    jobs.submit("j1", only(server.url(), &["f1"]));
    let work = ["work", "--data", "data", "--until-empty", "--allow-local", "--no-judges", "--quiet"];
    corner.run(&work).expect_code(0);
    let job = known().unwrap();
    assert_eq!((job.state, job.reason.as_deref()), (JobState::Failed, Some("run j1 was taken down")));
    assert!(jobs.gathered("j1").is_empty() && jobs.storage().result("j1").unwrap().is_none());
}

#[test]
fn a_run_that_a_worker_has_is_let_go_of_when_it_is_taken_down() {
    let corner = Corner::new();
    let jobs = Jobs::new(&corner);
    let server = Server::start(Site::app("harbor-coffee")).unwrap();
    jobs.submit("j1", only(server.url(), &["f1", "c3", "v2", "v4"]));
    let mut worker =
        corner.start(&["work", "--data", "data", "--until-empty", "--allow-local", "--lease", "10", "--no-judges"]);
    wait_until("the run has begun", || jobs.storage().read("j1").is_ok());
    take_down(&corner, "j1", "asked for by its owner").expect_code(0);
    assert_eq!(jobs.runtime.block_on(jobs.queue.job("j1")).unwrap(), None);
    assert!(worker.wait().unwrap().success());
    assert!(jobs.storage().result("j1").unwrap().is_none());
    let taken_down = jobs.storage().read("j1").unwrap().events.pop().unwrap().body;
    assert!(matches!(taken_down, EventBody::Moderated { .. }), "{taken_down:?}");
    corner.assert_left_clean();
}

#[test]
fn tokens_are_made_listed_and_revoked() {
    let corner = Corner::new();
    let made = corner
        .run(&["token", "create", "--data", "data", "--name", "ada", "--scope", "submit,read", "--days", "30"])
        .expect_code(0);
    let text = made.stdout.trim().to_owned();
    let id = text.split('_').nth(1).unwrap().to_owned();
    let listed = corner.run(&["token", "list", "--data", "data"]).expect_code(0).stdout;
    assert!(
        listed.contains(&id) && listed.contains("ada") && listed.contains("read,submit") && listed.contains("until")
    );
    assert!(!listed.contains(&text), "a token is shown once");
    let jobs = Jobs::new(&corner);
    assert!(jobs.runtime.block_on(jobs.queue.index().token(&text)).unwrap().is_some());
    corner.run(&["token", "revoke", &id, "--data", "data"]).expect_code(0);
    assert!(jobs.runtime.block_on(jobs.queue.index().token(&text)).unwrap().is_none());
    corner.run(&["token", "revoke", &id, "--data", "data"]).expect_code(2).expect_error(&["no token"]);
    corner.run(&["token", "create", "--data", "data", "--name", " ", "--scope", "submit"]).expect_code(2);
    corner.run(&["work", "--data", "data", "--parallel", "99"]).expect_code(2).expect_error(&["--parallel"]);
}
