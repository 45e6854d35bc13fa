//! The queue as those see it who put jobs in and look at them.

use super::events;
use super::row::{self, Counts, Job, JobState, Priority, SeenWorker};
use crate::index::database::{Row, Session};
use crate::index::{Index, IndexError};
use benchwright_domain::{JobKind, Order};
use jiff::Timestamp;
use std::fmt::Write as _;
use std::sync::Arc;

/// The queue of an index. Clones are the same queue.
#[derive(Debug, Clone)]
pub struct Queue {
    pub(super) index: Arc<Index>,
}

/// A job to be put in.
#[derive(Debug, Clone)]
pub struct NewJob {
    /// A fresh id, see [`fresh_id`].
    pub id: String,
    /// What it is to do.
    pub order: Order,
    /// Which jobs go first.
    pub priority: Priority,
    /// Id of the token it came with.
    pub submitter: String,
    /// The same submitter asking again with the same key means the same job.
    pub once: Option<String>,
}

impl NewJob {
    /// What stands for the job in the whole queue.
    fn once_key(&self) -> Option<String> {
        self.once.as_ref().map(|key| format!("{} {key}", self.submitter))
    }
}

/// How much may be asked.
#[derive(Debug, Clone, Copy)]
pub struct SubmitLimits {
    /// Jobs that may wait in all.
    pub waiting: i64,
    /// Jobs a submitter may ask for in an hour.
    pub per_hour: i64,
}

/// Why a job was not taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// Too many jobs wait already.
    QueueIsFull,
    /// This submitter has asked for as many as an hour allows.
    TooOften,
}

impl Queue {
    /// The queue in the database of an index.
    pub fn of(index: Arc<Index>) -> Self {
        Self { index }
    }

    /// The index whose database this is.
    pub fn index(&self) -> &Arc<Index> {
        &self.index
    }

    /// Puts a job in and returns it; a job that the same submitter asked for with the same key is returned as it stands.
    pub async fn submit(&self, new: &NewJob, limits: SubmitLimits) -> Result<Result<Job, Refusal>, IndexError> {
        let now = Timestamp::now();
        let mut session = self.index.database.begin().await?;
        if let Some(answer) = foreseen(&mut *session, new, limits, now).await? {
            return Ok(answer);
        }
        let sql = "INSERT INTO jobs (job, once, state, priority, submitter, submitted_at, wanted, attempt, failures, beat, \
                   cancel_asked, cost_micros, kind) VALUES ($1, $2, 'queued', $3, $4, $5, $6, 0, 0, 0, 0, 0, $7)";
        let order = serde_json::to_string(&new.order)
            .map_err(|error| IndexError::Failed { doing: "write a job", reason: error.to_string() })?;
        let at = moment(now);
        let cells = vec![
            (&new.id).into(),
            new.once_key().into(),
            new.priority.number().into(),
            (&new.submitter).into(),
            (&at).into(),
            order.into(),
            row::kind_key(new.order.kind()).into(),
        ];
        session.execute(sql, cells).await?;
        events::note(&mut *session, &new.id, &at, "waiting for a worker").await?;
        let job = find(&mut *session, "job", &new.id).await?;
        session.commit().await?;
        let lost = || IndexError::Failed { doing: "write a job", reason: "it is not there".to_owned() };
        job.map(Ok).ok_or_else(lost)
    }

    /// What [`Queue::submit`] would answer as things stand without putting the job in: one that was asked for with the same key, or a
    /// refusal. For whoever has something large to keep for a job first.
    pub async fn foresee(
        &self,
        new: &NewJob,
        limits: SubmitLimits,
    ) -> Result<Option<Result<Job, Refusal>>, IndexError> {
        let mut session = self.index.database.begin().await?;
        foreseen(&mut *session, new, limits, Timestamp::now()).await
    }

    /// Calls a job off: one that waits at once, one that runs as soon as its worker hears of it. Says how it stands then.
    pub async fn cancel(&self, id: &str) -> Result<Option<Job>, IndexError> {
        let at = moment(Timestamp::now());
        let mut session = self.index.database.begin().await?;
        let sql = "UPDATE jobs SET state = 'cancelled', ended_at = $1 WHERE job = $2 AND state = 'queued'";
        if session.execute(sql, vec![(&at).into(), id.into()]).await? > 0 {
            events::note(&mut *session, id, &at, "cancelled").await?;
        }
        let sql = "UPDATE jobs SET cancel_asked = 1 WHERE job = $1 AND state = 'running' AND cancel_asked = 0";
        if session.execute(sql, vec![id.into()]).await? > 0 {
            events::note(&mut *session, id, &at, "somebody asked to cancel it").await?;
        }
        let job = find(&mut *session, "job", id).await?;
        session.commit().await?;
        Ok(job)
    }

    /// Forgets a job that is over, with everything it says: its run was taken down.
    pub async fn forget(&self, id: &str) -> Result<(), IndexError> {
        let mut session = self.index.database.begin().await?;
        let sql = "DELETE FROM jobs WHERE job = $1 AND state IN ('done', 'failed', 'cancelled')";
        if session.execute(sql, vec![id.into()]).await? > 0 {
            session.execute("DELETE FROM job_events WHERE job = $1", vec![id.into()]).await?;
        }
        session.commit().await
    }

    /// A job that scores; those that show an app are their reviewers' alone.
    pub async fn job(&self, id: &str) -> Result<Option<Job>, IndexError> {
        let sql = format!("{} WHERE job = $1 AND kind = 'score'", row::SELECT);
        self.index.database.query(&sql, vec![id.into()]).await?.into_iter().next().map(row::read).transpose()
    }

    /// The newest jobs that score, or those of one state.
    pub async fn jobs(&self, state: Option<JobState>, most: u32) -> Result<Vec<Job>, IndexError> {
        let narrowed = if state.is_some() { "AND state = $1" } else { "" };
        let sql = format!(
            "{} WHERE kind = 'score' {narrowed} ORDER BY submitted_at DESC, job DESC LIMIT {most}",
            row::SELECT
        );
        let cells = state.iter().map(|state| state.key().into()).collect();
        self.index.database.query(&sql, cells).await?.into_iter().map(row::read).collect()
    }

    /// How many jobs that score stand where.
    pub async fn counts(&self) -> Result<Counts, IndexError> {
        self.counts_of(JobKind::Score).await
    }

    /// How many jobs of a kind stand where.
    pub async fn counts_of(&self, kind: JobKind) -> Result<Counts, IndexError> {
        let mut counts = Counts::default();
        let sql = "SELECT state, COUNT(*) FROM jobs WHERE kind = $1 GROUP BY state";
        for mut row in self.index.database.query(sql, vec![row::kind_key(kind).into()]).await? {
            let (state, count) = (JobState::from_key(&row.text()?)?, row.integer()?);
            *match state {
                JobState::Queued => &mut counts.queued,
                JobState::Running => &mut counts.running,
                JobState::Done => &mut counts.done,
                JobState::Failed => &mut counts.failed,
                JobState::Cancelled => &mut counts.cancelled,
            } = count;
        }
        Ok(counts)
    }

    /// The apps that are being shown, or will be, to whoever has a token; the newest first.
    pub async fn open_reviews(&self, submitter: &str) -> Result<Vec<Job>, IndexError> {
        let sql = format!(
            "{} WHERE kind = 'review' AND submitter = $1 AND state IN ('queued', 'running') AND cancel_asked = 0 \
             ORDER BY submitted_at DESC, job DESC",
            row::SELECT
        );
        self.index.database.query(&sql, vec![submitter.into()]).await?.into_iter().map(row::read).collect()
    }

    /// The last app that was shown to whoever has a token, or will be.
    pub async fn last_review(&self, submitter: &str) -> Result<Option<Job>, IndexError> {
        let sql = format!(
            "{} WHERE kind = 'review' AND submitter = $1 ORDER BY submitted_at DESC, job DESC LIMIT 1",
            row::SELECT
        );
        self.index.database.query(&sql, vec![submitter.into()]).await?.into_iter().next().map(row::read).transpose()
    }

    /// The workers that were seen and not yet given up.
    pub async fn workers(&self) -> Result<Vec<SeenWorker>, IndexError> {
        let sql = "SELECT worker, version, parallel, started_at, seen_at FROM workers ORDER BY worker LIMIT 1000";
        let read = |mut row: Row| {
            Ok(SeenWorker {
                id: row.text()?,
                version: row.text()?,
                parallel: row.integer()?,
                started_at: row.text()?,
                seen_at: row.text()?,
            })
        };
        self.index.database.query(sql, Vec::new()).await?.into_iter().map(read).collect()
    }
}

async fn find(session: &mut dyn Session, column: &str, value: &str) -> Result<Option<Job>, IndexError> {
    let sql = format!("{} WHERE {column} = $1", row::SELECT);
    session.query(&sql, vec![value.into()]).await?.into_iter().next().map(row::read).transpose()
}

async fn foreseen(
    session: &mut dyn Session,
    new: &NewJob,
    limits: SubmitLimits,
    now: Timestamp,
) -> Result<Option<Result<Job, Refusal>>, IndexError> {
    if let Some(once) = new.once_key()
        && let Some(job) = find(session, "once", &once).await?
    {
        return Ok(Some(Ok(job)));
    }
    Ok(refusal(session, new, limits, now).await?.map(Err))
}

async fn refusal(
    session: &mut dyn Session,
    new: &NewJob,
    limits: SubmitLimits,
    now: Timestamp,
) -> Result<Option<Refusal>, IndexError> {
    let sql = "SELECT COUNT(*) FROM jobs WHERE state = 'queued' AND kind = $1";
    let mut waiting = session.query(sql, vec![row::kind_key(new.order.kind()).into()]).await?;
    if waiting.first_mut().map_or(Ok(0), Row::integer)? >= limits.waiting {
        return Ok(Some(Refusal::QueueIsFull));
    }
    let hour_ago = moment(now.saturating_sub(jiff::SignedDuration::from_hours(1)).unwrap_or(now));
    let sql = "SELECT COUNT(*) FROM jobs WHERE submitter = $1 AND submitted_at > $2";
    let mut asked = session.query(sql, vec![(&new.submitter).into(), hour_ago.into()]).await?;
    Ok((asked.first_mut().map_or(Ok(0), Row::integer)? >= limits.per_hour).then_some(Refusal::TooOften))
}

/// A moment in a form that sorts.
pub(super) fn moment(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}

/// A fresh id for a job and its run, or for a worker. It sorts by time, and nobody can guess it.
pub fn fresh_id(now: Timestamp) -> Result<String, IndexError> {
    let mut random = [0; 6];
    getrandom::fill(&mut random)
        .map_err(|error| IndexError::Failed { doing: "make an id", reason: error.to_string() })?;
    let mut id = format!("{}-", now.strftime("%Y%m%dT%H%M%SZ"));
    for byte in random {
        // Writing to a string cannot fail.
        let _ = write!(id, "{byte:02x}");
    }
    Ok(id)
}
