//! The queue as workers see it: take a job, hold it, end it.

use super::events;
use super::queue::{Queue, moment};
use super::row::{kind_key, read_order};
use crate::index::database::{Row, Session};
use crate::index::{Entry, IndexError, write};
use benchwright_domain::{JobKind, Order};
use jiff::Timestamp;

/// A job somebody has. `attempt` proves it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Held {
    /// The job.
    pub job: String,
    /// Which taking of it this is, from 1.
    pub attempt: i64,
}

/// A job that was just taken.
#[derive(Debug, Clone, PartialEq)]
pub struct Taken {
    /// The proof.
    pub held: Held,
    /// What it is to do.
    pub order: Order,
}

/// What a worker hears when it says that it still works on a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// Go on.
    GoOn,
    /// Somebody called the job off.
    Cancel,
    /// The job is no longer this worker's.
    Lost,
}

/// How an attempt ended.
#[derive(Debug, Clone)]
pub enum Ending {
    /// The run is finished; this is what the index says of it.
    Done(Box<Entry>),
    /// The app that was shown is gone again, and nothing is left of it.
    Closed,
    /// It cannot be done.
    Failed(String),
    /// It was called off.
    Cancelled,
    /// Something went wrong that may go right the next time.
    Again(String),
    /// The worker could not go on for reasons of its own; the job is not to blame.
    GivenBack(String),
}

impl Queue {
    /// Takes the job to score whose turn it is, if one waits. No two callers are ever given the same attempt.
    pub async fn take(&self, worker: &str) -> Result<Option<Taken>, IndexError> {
        self.take_of(worker, JobKind::Score).await
    }

    /// The same for a kind of jobs.
    pub async fn take_of(&self, worker: &str, kind: JobKind) -> Result<Option<Taken>, IndexError> {
        let kind = kind_key(kind);
        // A look that disturbs nobody, because most of the time nothing waits.
        let look = "SELECT job FROM jobs WHERE state = 'queued' AND kind = $1 LIMIT 1";
        if self.index.database.query(look, vec![kind.into()]).await?.is_empty() {
            return Ok(None);
        }
        let mut session = self.index.database.begin().await?;
        let next = "SELECT job, attempt, wanted FROM jobs WHERE state = 'queued' AND kind = $1 \
                    ORDER BY priority DESC, submitted_at, job LIMIT 1";
        let Some(mut row) = session.query(next, vec![kind.into()]).await?.into_iter().next() else { return Ok(None) };
        let held = Held { job: row.text()?, attempt: row.integer()? + 1 };
        let order = read_order(&row.text()?)?;
        let take = "UPDATE jobs SET state = 'running', worker = $1, attempt = $2, beat = beat + 1, reason = NULL, place = NULL WHERE job = $3";
        session.execute(take, vec![worker.into(), held.attempt.into(), (&held.job).into()]).await?;
        let text = if held.attempt > 1 { "taken up again by a worker" } else { "taken by a worker" };
        events::note(&mut *session, &held.job, &moment(Timestamp::now()), text).await?;
        session.commit().await?;
        Ok(Some(Taken { held, order }))
    }

    /// Says where the app that a held job shows can be reached.
    pub async fn show_at(&self, held: &Held, place: &str) -> Result<(), IndexError> {
        let mut session = self.index.database.begin().await?;
        let sql = "UPDATE jobs SET place = $1 WHERE job = $2 AND attempt = $3 AND state = 'running'";
        session.execute(sql, vec![place.into(), (&held.job).into(), held.attempt.into()]).await?;
        session.commit().await
    }

    /// Says that a worker is there.
    pub async fn greet(&self, worker: &str, version: &str, parallel: usize) -> Result<(), IndexError> {
        let now = moment(Timestamp::now());
        let sql = "INSERT INTO workers (worker, beat, version, parallel, started_at, seen_at) VALUES ($1, 0, $2, $3, $4, $4) \
                   ON CONFLICT (worker) DO UPDATE SET seen_at = excluded.seen_at";
        let parallel = i64::try_from(parallel).unwrap_or(i64::MAX);
        let mut session = self.index.database.begin().await?;
        session.execute(sql, vec![worker.into(), version.into(), parallel.into(), now.into()]).await?;
        session.commit().await
    }

    /// Says that a worker has gone, having given back what it had.
    pub async fn leave(&self, worker: &str) -> Result<(), IndexError> {
        let mut session = self.index.database.begin().await?;
        session.execute("DELETE FROM workers WHERE worker = $1", vec![worker.into()]).await?;
        session.commit().await
    }

    /// A sign of life of a worker and of everything it holds, with what happened since the last one. Answers in the same order.
    pub async fn beat(&self, worker: &str, news: &[News]) -> Result<Vec<Word>, IndexError> {
        let now = moment(Timestamp::now());
        let mut session = self.index.database.begin().await?;
        let alive = "UPDATE workers SET beat = beat + 1, seen_at = $1 WHERE worker = $2";
        session.execute(alive, vec![(&now).into(), worker.into()]).await?;
        let mut words = Vec::with_capacity(news.len());
        for News { held, events, cost_micros } in news {
            let sql = "UPDATE jobs SET beat = beat + 1, cost_micros = cost_micros + $1 \
                       WHERE job = $2 AND attempt = $3 AND state = 'running'";
            let cells = vec![(*cost_micros).into(), (&held.job).into(), held.attempt.into()];
            if session.execute(sql, cells).await? == 0 {
                words.push(Word::Lost);
                continue;
            }
            events::write(&mut *session, &held.job, &now, events).await?;
            let asked = session.query("SELECT cancel_asked FROM jobs WHERE job = $1", vec![(&held.job).into()]).await?;
            let asked = asked.into_iter().next().map_or(Ok(0), |mut row| row.integer())?;
            words.push(if asked == 0 { Word::GoOn } else { Word::Cancel });
        }
        session.commit().await?;
        Ok(words)
    }

    /// Ends an attempt; `tries` is how often a job may go wrong before it has failed.
    ///
    /// The run of a job that is done is in the index when this returns, in the same transaction. Says false, and changes nothing, when
    /// the job is no longer the caller's: somebody else goes on with it, or ended it.
    pub async fn end(&self, news: &News, ending: &Ending, tries: i64) -> Result<bool, IndexError> {
        let now = moment(Timestamp::now());
        let mut session = self.index.database.begin().await?;
        let sql = "SELECT failures, cancel_asked FROM jobs WHERE job = $1 AND attempt = $2 AND state = 'running'";
        let held = &news.held;
        let mut rows = session.query(sql, vec![(&held.job).into(), held.attempt.into()]).await?;
        let Some(row) = rows.first_mut() else { return Ok(false) };
        let (failures, cancelled) = (row.integer()?, row.integer()? != 0);
        if let Ending::Done(entry) = ending {
            write::take_in(&mut *session, std::slice::from_ref(&**entry)).await?;
        }
        let ended = Ended::of(ending, failures, cancelled, tries);
        events::write(&mut *session, &held.job, &now, &news.events).await?;
        settle(&mut *session, &held.job, &ended, news.cost_micros, &now).await?;
        session.commit().await?;
        Ok(true)
    }
}

/// What happened to a held job since its worker last spoke.
#[derive(Debug, Clone)]
pub struct News {
    /// The job.
    pub held: Held,
    /// Lane and text of each event.
    pub events: Vec<(String, String)>,
    /// What was spent, in millionths of a dollar.
    pub cost_micros: i64,
}

/// What becomes of a job.
pub(super) struct Ended<'a> {
    state: &'static str,
    failures: i64,
    reason: Option<&'a str>,
    text: String,
}

impl<'a> Ended<'a> {
    pub(super) fn of(ending: &'a Ending, failures: i64, cancelled: bool, tries: i64) -> Self {
        let ended = |state, failures, reason, text: &str| Self { state, failures, reason, text: text.to_owned() };
        match ending {
            Ending::Done(_) => ended("done", failures, None, "done"),
            Ending::Closed => ended("done", failures, None, "closed"),
            Ending::Failed(why) => ended("failed", failures, Some(why.as_str()), &format!("failed: {why}")),
            Ending::Cancelled => ended("cancelled", failures, None, "cancelled"),
            Ending::Again(_) | Ending::GivenBack(_) if cancelled => ended("cancelled", failures, None, "cancelled"),
            Ending::GivenBack(why) => ended("queued", failures, Some(why.as_str()), &format!("waiting again: {why}")),
            Ending::Again(why) if failures + 1 >= tries => {
                ended("failed", failures + 1, Some(why.as_str()), &format!("failed after {tries} tries: {why}"))
            }
            Ending::Again(why) => ended("queued", failures + 1, Some(why.as_str()), &format!("waiting again: {why}")),
        }
    }
}

pub(super) async fn settle(
    session: &mut dyn Session,
    job: &str,
    ended: &Ended<'_>,
    cost_micros: i64,
    now: &str,
) -> Result<(), IndexError> {
    let sql = "UPDATE jobs SET state = $1, failures = $2, reason = $3, ended_at = $4, worker = NULL, place = NULL, \
               cost_micros = cost_micros + $5 WHERE job = $6";
    let ended_at = (ended.state != "queued").then_some(now);
    let cells = vec![
        ended.state.into(),
        ended.failures.into(),
        ended.reason.into(),
        ended_at.into(),
        cost_micros.into(),
        job.into(),
    ];
    session.execute(sql, cells).await?;
    events::note(session, job, now, &ended.text).await
}

/// The jobs that run, with the proof and the beat each has now.
pub(super) async fn running(queue: &Queue) -> Result<Vec<(Held, i64)>, IndexError> {
    let read = |mut row: Row| Ok((Held { job: row.text()?, attempt: row.integer()? }, row.integer()?));
    let sql = "SELECT job, attempt, beat FROM jobs WHERE state = 'running'";
    queue.index.database.query(sql, Vec::new()).await?.into_iter().map(read).collect()
}
