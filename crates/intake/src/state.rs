//! What every handler knows.

use crate::page::Framed;
use crate::places::Places;
use crate::refusal::Refused;
use crate::review::Reviews;
use benchwright_store::Storage;
use benchwright_store::index::{IndexError, State as Shown};
use benchwright_store::jobs::{Job, Queue};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// How many may watch jobs through one open answer each; others ask again and again instead.
const MOST_WATCHERS: usize = 200;

/// Room for the fields around a ZIP.
const BESIDE_THE_SOURCE: usize = 64 * 1024;

/// What the key is called that forms are signed with.
const KEY_NAME: &str = "forms";

/// What the operator allows.
#[derive(Debug, Clone)]
pub struct Terms {
    /// The prompts that can be named.
    pub prompts: Vec<PromptChoice>,
    /// Bytes of the largest ZIP.
    pub largest_source: usize,
    /// Jobs that may wait in all.
    pub waiting: i64,
    /// Jobs a token may ask for in an hour, unless it has a number of its own.
    pub jobs_per_hour: i64,
    /// Whether browsers reach the site through TLS.
    pub behind_tls: bool,
    /// How long a request may take to arrive and to be answered that is no submission.
    pub patience: Duration,
    /// How long a ZIP may wait for others that arrive.
    pub turn: Duration,
}

impl Default for Terms {
    fn default() -> Self {
        Self {
            prompts: Vec::new(),
            largest_source: 32 * 1024 * 1024,
            waiting: 1000,
            jobs_per_hour: 60,
            behind_tls: false,
            patience: Duration::from_secs(30),
            turn: Duration::from_secs(10),
        }
    }
}

/// A prompt that can be named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptChoice {
    /// Its id.
    pub id: String,
    /// What a person reads.
    pub title: String,
}

/// Takes jobs in.
pub struct Intake {
    pub(crate) queue: Queue,
    pub(crate) storage: Arc<dyn Storage>,
    pub(crate) terms: Terms,
    pub(crate) frame: Arc<Framed>,
    /// Forms are signed with it. It is the index's, so that a form may be sent to any process that serves the site, and after a restart.
    pub(crate) secret: [u8; 32],
    pub(crate) watchers: Arc<Semaphore>,
    /// ZIPs are read and kept in here.
    pub(crate) places: Places,
    /// What people who review apps need; nothing where nobody does.
    pub(crate) reviews: Option<Reviews>,
}

impl fmt::Debug for Intake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Intake").field("terms", &self.terms).finish_non_exhaustive()
    }
}

impl Intake {
    /// Bytes of the largest body that is read.
    pub(crate) fn largest_body(&self) -> usize {
        self.terms.largest_source + BESIDE_THE_SOURCE
    }

    /// Takes jobs into a queue; what is submitted with them is kept beside their runs. `frame` makes a page of a title and a body.
    pub async fn open(
        queue: Queue,
        storage: Arc<dyn Storage>,
        terms: Terms,
        frame: Arc<Framed>,
    ) -> Result<Self, IndexError> {
        let secret = queue.index().secret(KEY_NAME).await?;
        let watchers = Arc::new(Semaphore::new(MOST_WATCHERS));
        Ok(Self { queue, storage, terms, frame, secret, watchers, places: Places::new(), reviews: None })
    }

    /// A job. One whose run may not be shown is not shown either: it names the same address.
    pub(crate) async fn job(&self, id: &str) -> Result<Job, Refused> {
        let job = self.queue.job(id).await?.ok_or(Refused::NotFound)?;
        match self.queue.index().run(id).await?.filter(|run| run.state != Shown::Shown) {
            Some(run) => Err(Refused::Gone(run.state_reason.unwrap_or_default())),
            None => Ok(job),
        }
    }

    /// The newest jobs that may be shown.
    pub(crate) async fn newest(&self, count: u32) -> Result<Vec<Job>, Refused> {
        let mut newest = Vec::new();
        for job in self.queue.jobs(None, count).await? {
            match self.job(&job.id).await {
                Ok(job) => newest.push(job),
                Err(Refused::Gone(_) | Refused::NotFound) => {}
                Err(refused) => return Err(refused),
            }
        }
        Ok(newest)
    }

    /// The same with apps to review.
    pub fn with_reviews(self, reviews: Reviews) -> Self {
        Self { reviews: Some(reviews), ..self }
    }
}
