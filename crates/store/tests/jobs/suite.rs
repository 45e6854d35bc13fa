//! What every queue promises.

use crate::sample::{entry, record};
use crate::workers::a_job_longer_than_every_lease_stays_with_its_worker;
use benchwright_domain::vibe::review::{Calibration, Key};
use benchwright_domain::{JobKind, Order, ReviewOrder};
use benchwright_store::index::{Scope, TokenTerms};
use benchwright_store::jobs::{
    Ending, Held, Job, JobState, NewJob, News, Priority, Queue, Refusal, SubmitLimits, Watch, Word, fresh_id,
};
use std::collections::BTreeSet;
use std::pin::Pin;
use std::time::Duration;

type Case = fn(Queue) -> Pin<Box<dyn Future<Output = ()>>>;

/// Every case with a name that can be a database's.
pub const CASES: [(&str, Case); 14] = [
    ("turns", |queue| Box::pin(jobs_come_in_turn_and_urgent_ones_first(queue))),
    ("crowded", |queue| Box::pin(no_two_are_given_the_same_job(queue))),
    ("once", |queue| Box::pin(asking_twice_with_one_key_is_one_job(queue))),
    ("limits", |queue| Box::pin(what_is_too_much_is_refused(queue))),
    ("cancelled", |queue| Box::pin(a_job_can_be_called_off_before_and_while_it_runs(queue))),
    ("fenced", |queue| Box::pin(who_lost_a_job_can_no_longer_speak_for_it(queue))),
    ("held_up", |queue| Box::pin(a_watcher_that_was_held_up_gives_nobody_up(queue))),
    ("long", |queue| Box::pin(a_job_longer_than_every_lease_stays_with_its_worker(queue))),
    ("tried", |queue| Box::pin(a_job_that_keeps_going_wrong_has_failed_and_one_given_back_has_not(queue))),
    ("forgotten", |queue| Box::pin(a_job_that_is_over_can_be_forgotten_and_no_other(queue))),
    ("told", |queue| Box::pin(events_are_counted_without_gaps(queue))),
    ("shown", |queue| Box::pin(apps_that_are_shown_are_jobs_of_their_own_kind(queue))),
    ("practised", |queue| Box::pin(what_a_reviewer_said_first_is_kept_with_the_token(queue))),
    ("terms", |queue| Box::pin(a_token_ends_when_its_terms_say(queue))),
];

pub const PLENTY: SubmitLimits = SubmitLimits { waiting: 10_000, per_hour: 10_000 };
const TRIES: i64 = 3;

pub fn new_job(number: usize) -> NewJob {
    NewJob {
        id: format!("j{number:05}"),
        order: Order::of(format!("https://app-{number}.example/")),
        priority: Priority::Normal,
        submitter: "ada".to_owned(),
        once: None,
    }
}

async fn submit(queue: &Queue, job: NewJob) -> Job {
    queue.submit(&job, PLENTY).await.unwrap().unwrap()
}

fn news(held: &Held) -> News {
    News { held: held.clone(), events: Vec::new(), cost_micros: 0 }
}

fn done(held: &Held) -> Ending {
    Ending::Done(Box::new(entry(&record(&held.job, "kiln", "todo", 80.0), &[])))
}

async fn a_job_that_is_over_can_be_forgotten_and_no_other(queue: Queue) {
    submit(&queue, new_job(1)).await;
    submit(&queue, new_job(2)).await;
    let held = queue.take("w").await.unwrap().unwrap().held;
    for open in ["j00001", "j00002"] {
        queue.forget(open).await.unwrap();
        assert!(queue.job(open).await.unwrap().is_some());
    }
    assert!(queue.end(&news(&held), &done(&held), TRIES).await.unwrap());
    queue.forget(&held.job).await.unwrap();
    assert_eq!(queue.job(&held.job).await.unwrap(), None);
    assert!(queue.events(&held.job, -1).await.unwrap().is_empty());
    assert_eq!(queue.jobs(None, 10).await.unwrap().len(), 1);
}

async fn apps_that_are_shown_are_jobs_of_their_own_kind(queue: Queue) {
    let shown = |number| NewJob {
        order: Order::to_review(ReviewOrder { run: Some(format!("run-{number}")) }),
        submitter: "ann".to_owned(),
        ..new_job(number)
    };
    submit(&queue, shown(1)).await;
    assert_eq!(queue.take("scorer").await.unwrap(), None);
    assert_eq!((queue.counts().await.unwrap().queued, queue.job("j00001").await.unwrap()), (0, None));
    assert!(queue.jobs(None, 10).await.unwrap().is_empty());
    submit(&queue, new_job(2)).await;
    let taken = queue.take_of("w", JobKind::Review).await.unwrap().unwrap();
    assert_eq!(taken.order.review, Some(ReviewOrder { run: Some("run-1".to_owned()) }));
    assert_eq!(queue.take_of("w", JobKind::Review).await.unwrap(), None, "the other one is to be scored");
    queue.show_at(&taken.held, "http://{copy}-key.localhost:1").await.unwrap();
    let open = queue.open_reviews("ann").await.unwrap();
    assert_eq!(open[0].place.as_deref(), Some("http://{copy}-key.localhost:1"));
    assert!(queue.open_reviews("ada").await.unwrap().is_empty());
    queue.cancel("j00001").await.unwrap();
    assert!(queue.open_reviews("ann").await.unwrap().is_empty(), "what is being closed is not open");
    assert_eq!(queue.beat("w", &[news(&taken.held)]).await.unwrap(), [Word::Cancel]);
    assert!(queue.end(&news(&taken.held), &Ending::Closed, TRIES).await.unwrap());
    let last = queue.last_review("ann").await.unwrap().unwrap();
    assert_eq!((last.state, last.place), (JobState::Done, None));
    // Whoever lost a job says no more where its app is.
    submit(&queue, shown(3)).await;
    let lost = queue.take_of("w", JobKind::Review).await.unwrap().unwrap().held;
    assert!(queue.end(&news(&lost), &Ending::GivenBack("ends".to_owned()), TRIES).await.unwrap());
    let held = queue.take_of("v", JobKind::Review).await.unwrap().unwrap().held;
    queue.show_at(&lost, "http://old").await.unwrap();
    assert_eq!(queue.open_reviews("ann").await.unwrap()[0].place, None);
    assert!(queue.end(&news(&held), &Ending::Closed, TRIES).await.unwrap());
}

async fn what_a_reviewer_said_first_is_kept_with_the_token(queue: Queue) {
    let index = queue.index();
    let now = "2026-11-16T08:00:00Z";
    let (ann, _) = index.create_token("ann", &[Scope::Review], now).await.unwrap();
    index.create_token("ada", &[Scope::Submit, Scope::Read], now).await.unwrap();
    let (gone, _) = index.create_token("gone", &[Scope::Review], now).await.unwrap();
    index.revoke_token(&gone.id, now).await.unwrap();
    let key = Key { item: "practice/1".to_owned(), marks: [("a".to_owned(), vec![true])].into() };
    let mut said = Calibration::begun(&key, now);
    said.marks.insert("a".to_owned(), vec![Some(true)]);
    index.calibrate(&ann.id, &said).await.unwrap();
    let reviewers = index.reviewers().await.unwrap();
    assert_eq!(reviewers.len(), 1);
    assert_eq!(reviewers[0].calibration.as_ref(), Some(&said));
    let kept = index.kept_tokens().await.unwrap();
    let text = serde_json::to_string(&kept).unwrap();
    let again: Vec<benchwright_store::index::KeptToken> = serde_json::from_str(&text).unwrap();
    assert_eq!(again, kept, "a backup has it, too");
    assert!(again.iter().any(|kept| kept.token.calibration.as_ref() == Some(&said)));
}

async fn state(queue: &Queue, job: &str) -> JobState {
    queue.job(job).await.unwrap().unwrap().state
}

async fn jobs_come_in_turn_and_urgent_ones_first(queue: Queue) {
    assert_eq!(queue.take("w").await.unwrap(), None);
    for (number, priority) in
        [Priority::Low, Priority::Normal, Priority::High, Priority::Normal].into_iter().enumerate()
    {
        submit(&queue, NewJob { priority, ..new_job(number) }).await;
    }
    let mut order = Vec::new();
    while let Some(taken) = queue.take("w").await.unwrap() {
        assert_eq!(taken.held.attempt, 1);
        order.push(taken.held.job);
    }
    assert_eq!(order, ["j00002", "j00001", "j00003", "j00000"]);
    assert_eq!(queue.counts().await.unwrap().running, 4);
}

async fn no_two_are_given_the_same_job(queue: Queue) {
    for number in 0..40 {
        submit(&queue, new_job(number)).await;
    }
    let takers = (0..8).map(|number| {
        let queue = queue.clone();
        tokio::spawn(async move {
            let mut taken = Vec::new();
            while let Some(job) = queue.take(&format!("w{number}")).await.unwrap() {
                taken.push(job.held.job);
            }
            taken
        })
    });
    let mut all = Vec::new();
    for taker in takers.collect::<Vec<_>>() {
        all.extend(taker.await.unwrap());
    }
    assert_eq!(all.len(), 40);
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 40);
}

async fn asking_twice_with_one_key_is_one_job(queue: Queue) {
    let asked = |number, submitter: &str, once: &str| NewJob {
        submitter: submitter.to_owned(),
        once: Some(once.to_owned()),
        ..new_job(number)
    };
    let first = submit(&queue, asked(1, "ada", "k")).await;
    assert_eq!(submit(&queue, asked(2, "ada", "k")).await, first);
    assert_eq!(queue.foresee(&asked(2, "ada", "k"), PLENTY).await.unwrap(), Some(Ok(first.clone())));
    assert_ne!(submit(&queue, asked(3, "bob", "k")).await.id, first.id);
    assert_ne!(submit(&queue, asked(4, "ada", "other")).await.id, first.id);
    assert_eq!(queue.counts().await.unwrap().queued, 3);
    assert!(queue.submit(&new_job(1), PLENTY).await.is_err(), "an id is one job's");
}

async fn what_is_too_much_is_refused(queue: Queue) {
    let limits = SubmitLimits { waiting: 3, per_hour: 2 };
    let by = |number, who: &str| NewJob { submitter: who.to_owned(), ..new_job(number) };
    for number in 0..2 {
        assert_eq!(queue.foresee(&by(number, "ada"), limits).await.unwrap(), None, "asking takes no place");
        assert!(queue.submit(&by(number, "ada"), limits).await.unwrap().is_ok());
    }
    assert_eq!(queue.foresee(&by(2, "ada"), limits).await.unwrap(), Some(Err(Refusal::TooOften)));
    assert_eq!(queue.submit(&by(2, "ada"), limits).await.unwrap().unwrap_err(), Refusal::TooOften);
    assert!(queue.submit(&by(3, "bob"), limits).await.unwrap().is_ok());
    assert_eq!(queue.submit(&by(4, "eve"), limits).await.unwrap().unwrap_err(), Refusal::QueueIsFull);
    queue.take("w").await.unwrap().unwrap();
    assert!(queue.submit(&by(5, "eve"), limits).await.unwrap().is_ok(), "what runs does not wait");
}

async fn a_job_can_be_called_off_before_and_while_it_runs(queue: Queue) {
    submit(&queue, new_job(1)).await;
    assert_eq!(queue.cancel("j00001").await.unwrap().unwrap().state, JobState::Cancelled);
    assert_eq!(queue.take("w").await.unwrap(), None);
    assert_eq!(queue.cancel("nobody").await.unwrap(), None);
    submit(&queue, new_job(2)).await;
    let held = queue.take("w").await.unwrap().unwrap().held;
    assert_eq!(queue.beat("w", &[news(&held)]).await.unwrap(), [Word::GoOn]);
    assert_eq!(queue.cancel(&held.job).await.unwrap().unwrap().state, JobState::Running);
    assert_eq!(queue.beat("w", &[news(&held)]).await.unwrap(), [Word::Cancel]);
    // Whatever the worker says now but that it is done, nobody takes the job up again.
    assert!(queue.end(&news(&held), &Ending::GivenBack("stopped".to_owned()), TRIES).await.unwrap());
    assert_eq!(state(&queue, &held.job).await, JobState::Cancelled);
    assert_eq!(queue.cancel(&held.job).await.unwrap().unwrap().state, JobState::Cancelled);
}

async fn who_lost_a_job_can_no_longer_speak_for_it(queue: Queue) {
    submit(&queue, new_job(1)).await;
    queue.greet("silent", "0.1.0", 1).await.unwrap();
    assert_eq!(queue.workers().await.unwrap()[0].id, "silent");
    let first = queue.take("silent").await.unwrap().unwrap().held;
    let mut watch = Watch::new(Duration::from_millis(300));
    // Who gives signs of life keeps the job.
    for _ in 0..5 {
        assert_eq!(queue.beat("silent", &[news(&first)]).await.unwrap(), [Word::GoOn]);
        assert!(queue.put_back_orphans(&mut watch, TRIES).await.unwrap().is_empty());
    }
    while queue.put_back_orphans(&mut watch, TRIES).await.unwrap().is_empty() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let second = queue.take("other").await.unwrap().unwrap().held;
    assert_eq!((second.job.as_str(), second.attempt), (first.job.as_str(), 2));
    assert_eq!(queue.beat("silent", &[news(&first)]).await.unwrap(), [Word::Lost]);
    assert!(!queue.end(&news(&first), &done(&first), TRIES).await.unwrap());
    assert_eq!(queue.index().run(&first.job).await.unwrap(), None);
    assert!(queue.end(&news(&second), &done(&second), TRIES).await.unwrap());
    assert!(!queue.end(&news(&second), &done(&second), TRIES).await.unwrap(), "a job ends once");
    assert_eq!(queue.index().totals().await.unwrap().shown, 1);
    assert_eq!(state(&queue, &first.job).await, JobState::Done);
    queue.leave("silent").await.unwrap();
    assert!(queue.workers().await.unwrap().is_empty());
}

async fn a_watcher_that_was_held_up_gives_nobody_up(queue: Queue) {
    submit(&queue, new_job(1)).await;
    let held = queue.take("w").await.unwrap().unwrap().held;
    let lease = Duration::from_millis(300);
    let mut watch = Watch::new(lease);
    assert!(queue.put_back_orphans(&mut watch, TRIES).await.unwrap().is_empty());
    // As if somebody made the index again meanwhile: nobody can look, and nobody can give a sign of life.
    tokio::time::sleep(lease * 2).await;
    assert!(queue.put_back_orphans(&mut watch, TRIES).await.unwrap().is_empty());
    assert_eq!(queue.beat("w", &[news(&held)]).await.unwrap(), [Word::GoOn]);
}

async fn a_job_that_keeps_going_wrong_has_failed_and_one_given_back_has_not(queue: Queue) {
    submit(&queue, new_job(1)).await;
    for _ in 0..5 {
        let held = queue.take("w").await.unwrap().unwrap().held;
        assert!(queue.end(&news(&held), &Ending::GivenBack("stopped".to_owned()), TRIES).await.unwrap());
    }
    for number in 1..=TRIES {
        let held = queue.take("w").await.unwrap().unwrap().held;
        assert!(queue.end(&news(&held), &Ending::Again("no luck".to_owned()), TRIES).await.unwrap());
        let expected = if number < TRIES { JobState::Queued } else { JobState::Failed };
        assert_eq!(state(&queue, &held.job).await, expected);
    }
    let job = queue.job("j00001").await.unwrap().unwrap();
    assert_eq!((job.failures, job.attempt, job.reason.as_deref()), (3, 8, Some("no luck")));
    assert!(job.ended_at.is_some());
}

async fn events_are_counted_without_gaps(queue: Queue) {
    submit(&queue, new_job(1)).await;
    let held = queue.take("w").await.unwrap().unwrap().held;
    let hostile = "x\0<script>".to_owned() + &"y".repeat(10_000);
    let told = |text: &str| News {
        held: held.clone(),
        events: vec![("page".to_owned(), text.to_owned()); 2],
        cost_micros: 1500,
    };
    queue.beat("w", &[told("loading"), told(&hostile)]).await.unwrap();
    assert!(queue.end(&told("last"), &done(&held), TRIES).await.unwrap());
    let events = queue.events(&held.job, -1).await.unwrap();
    assert!(events.iter().map(|event| event.sequence).eq(0..events.len() as i64));
    assert_eq!(events.iter().filter(|event| event.lane == "page").count(), 6);
    assert_eq!(events.last().unwrap().text, "done");
    assert!(events.iter().all(|event| event.text.chars().count() <= 500));
    assert_eq!(queue.events(&held.job, 2).await.unwrap(), events[3..]);
    assert_eq!(queue.job(&held.job).await.unwrap().unwrap().cost_micros, 4500);
    assert_ne!(fresh_id(jiff::Timestamp::now()).unwrap(), fresh_id(jiff::Timestamp::now()).unwrap());
}

async fn a_token_ends_when_its_terms_say(queue: Queue) {
    let terms = TokenTerms {
        name: "ada".to_owned(),
        scopes: vec![Scope::Submit],
        expires_at: Some("2026-11-17T00:00:00Z".to_owned()),
        jobs_per_hour: Some(7),
    };
    let (_, text) = queue.index().issue_token(&terms, "2026-11-16T00:00:00Z").await.unwrap();
    let token = queue.index().token(&text).await.unwrap().unwrap();
    assert_eq!(token.jobs_per_hour, Some(7));
    assert!(token.allows(Scope::Submit, "2026-11-16T23:59:59Z"));
    assert!(!token.allows(Scope::Submit, "2026-11-17T00:00:00Z"));
    assert!(!token.allows(Scope::Moderate, "2026-11-16T23:59:59Z"));
    let kept = queue.index().kept_tokens().await.unwrap();
    assert_eq!(kept[0].token, token);
}
