//! What happens to a job, for whoever watches it.

use super::Queue;
use crate::index::IndexError;
use crate::index::database::{Row, Session};
use serde::Serialize;

/// No job has more; what a job of ours does takes a few dozen.
const MOST_EVENTS: i64 = 2000;
const LONGEST_TEXT: usize = 500;
/// The lane of what happens to the job itself.
pub(super) const JOB: &str = "job";

/// One thing that happened to a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct JobEvent {
    /// From 0, without gaps.
    pub sequence: i64,
    /// RFC 3339, UTC, by the clock of whoever wrote it.
    pub at: String,
    /// `job`, or the lane of the run.
    pub lane: String,
    /// In words.
    pub text: String,
}

impl Queue {
    /// The events of a job that follow the one with this sequence number; -1 for all.
    pub async fn events(&self, job: &str, after: i64) -> Result<Vec<JobEvent>, IndexError> {
        let sql = "SELECT sequence, at, lane, text FROM job_events WHERE job = $1 AND sequence > $2 ORDER BY sequence";
        let read = |mut row: Row| {
            Ok(JobEvent { sequence: row.integer()?, at: row.text()?, lane: row.text()?, text: row.text()? })
        };
        let rows = self.index.database.query(sql, vec![job.into(), after.into()]).await?;
        rows.into_iter().map(read).collect()
    }
}

/// Writes events after those that are there. What is too much is left out; the log of the run has it.
pub(super) async fn write(
    session: &mut dyn Session,
    job: &str,
    at: &str,
    events: &[(String, String)],
) -> Result<(), IndexError> {
    if events.is_empty() {
        return Ok(());
    }
    let sql = "SELECT COALESCE(MAX(sequence), -1) FROM job_events WHERE job = $1";
    let last = session.query(sql, vec![job.into()]).await?.first_mut().map_or(Ok(-1), Row::integer)?;
    for (sequence, (lane, text)) in (last + 1..MOST_EVENTS).zip(events) {
        let sql = "INSERT INTO job_events (job, sequence, at, lane, text) VALUES ($1, $2, $3, $4, $5)";
        let text: String = text.chars().take(LONGEST_TEXT).collect();
        let cells = vec![job.into(), sequence.into(), at.into(), lane.into(), text.into()];
        session.execute(sql, cells).await?;
    }
    Ok(())
}

/// Writes what happened to the job itself.
pub(super) async fn note(session: &mut dyn Session, job: &str, at: &str, text: &str) -> Result<(), IndexError> {
    write(session, job, at, &[(JOB.to_owned(), text.to_owned())]).await
}
