//! A job as the database keeps it.

use crate::index::IndexError;
use crate::index::database::Row;
use benchwright_domain::{JobKind, Order};
use serde::{Deserialize, Serialize};

/// Where a job stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobState {
    /// It waits for a worker.
    Queued,
    /// A worker has it.
    Running,
    /// Its run is finished and in the index.
    Done,
    /// It could not be done; the reason says why.
    Failed,
    /// Somebody called it off.
    Cancelled,
}

impl JobState {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Queued, Self::Running, Self::Done, Self::Failed, Self::Cancelled];

    /// The name used in JSON and in the database.
    pub fn key(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether nothing more will happen to it.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Cancelled)
    }

    pub(super) fn from_key(key: &str) -> Result<Self, IndexError> {
        Self::ALL.into_iter().find(|state| state.key() == key).ok_or_else(|| unexpected(key))
    }
}

/// Which jobs go first. Within a priority it is the order of submission.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    /// When nothing else waits.
    Low,
    /// As most.
    #[default]
    Normal,
    /// Before all others.
    High,
}

impl Priority {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Low, Self::Normal, Self::High];

    pub(super) fn number(self) -> i64 {
        self as i64
    }

    fn from_number(number: i64) -> Self {
        Self::ALL.into_iter().find(|priority| priority.number() == number).unwrap_or_default()
    }
}

/// What is known of a job.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Job {
    /// Its id, which is the id of its run.
    pub id: String,
    /// Where it stands.
    pub state: JobState,
    /// Which jobs go first.
    pub priority: Priority,
    /// Id of the token it came with.
    #[serde(skip)]
    pub submitter: String,
    /// RFC 3339, UTC.
    pub submitted_at: String,
    /// What it is to do.
    pub order: Order,
    /// How often somebody took it.
    pub attempt: i64,
    /// How often a worker died on it or could not do it.
    pub failures: i64,
    /// Who has it.
    pub worker: Option<String>,
    /// Whether somebody called it off while it was running.
    pub cancel_asked: bool,
    /// What its judges have cost so far, in millionths of a dollar.
    pub cost_micros: i64,
    /// Why it failed, or why it is waiting again.
    pub reason: Option<String>,
    /// When nothing more would happen to it; RFC 3339, UTC.
    pub ended_at: Option<String>,
    /// Where the app it shows can be reached. Whoever knows it can use the app.
    #[serde(skip)]
    pub place: Option<String>,
}

/// How many jobs stand where.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Waiting.
    pub queued: i64,
    /// With a worker.
    pub running: i64,
    /// Finished.
    pub done: i64,
    /// Failed for good.
    pub failed: i64,
    /// Called off.
    pub cancelled: i64,
}

/// A worker as the database knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SeenWorker {
    /// Its id, fresh in every process.
    pub id: String,
    /// Version of Benchwright.
    pub version: String,
    /// Jobs it does at once.
    pub parallel: i64,
    /// RFC 3339, UTC, by its own clock.
    pub started_at: String,
    /// When it last gave a sign of life, by its own clock.
    pub seen_at: String,
}

pub(super) const SELECT: &str = "SELECT job, state, priority, submitter, submitted_at, wanted, attempt, failures, worker, \
                                 cancel_asked, cost_micros, reason, ended_at, place FROM jobs";

pub(super) fn kind_key(kind: JobKind) -> &'static str {
    match kind {
        JobKind::Score => "score",
        JobKind::Review => "review",
    }
}

pub(super) fn read(mut row: Row) -> Result<Job, IndexError> {
    Ok(Job {
        id: row.text()?,
        state: JobState::from_key(&row.text()?)?,
        priority: Priority::from_number(row.integer()?),
        submitter: row.text()?,
        submitted_at: row.text()?,
        order: read_order(&row.text()?)?,
        attempt: row.integer()?,
        failures: row.integer()?,
        worker: row.optional_text()?,
        cancel_asked: row.integer()? != 0,
        cost_micros: row.integer()?,
        reason: row.optional_text()?,
        ended_at: row.optional_text()?,
        place: row.optional_text()?,
    })
}

pub(super) fn read_order(text: &str) -> Result<Order, IndexError> {
    serde_json::from_str(text).map_err(|error| unexpected(&error.to_string()))
}

fn unexpected(what: &str) -> IndexError {
    IndexError::Failed { doing: "read a job", reason: format!("unexpected value: {what}") }
}
