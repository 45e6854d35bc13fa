//! Gatherers: each fills one kind of evidence and computes no score.

#![allow(clippy::unused_async, reason = "gatherers have one shape, whether they wait or not")]

pub mod acceptance;
pub mod audit;
pub mod axe;
pub mod backend;
pub mod commands;
pub mod content;
pub mod desktop;
pub mod install;
pub mod judges;
pub mod lighthouse;
pub mod lint;
mod listen;
pub mod load;
pub mod patterns;
pub mod pixels;
pub mod reading;
pub mod routes;
pub mod scripts;
pub mod scroll;
pub mod secrets;
pub mod source;
pub mod tree;
pub mod types;
pub mod verbatim;
pub mod viewports;
pub mod workspace;

use crate::evidence::{Absence, EvidenceKind, Piece};
use crate::record::{Lane, Listener, Progress, RecordError, Recorder};
use benchwright_browser::BrowserError;
use benchwright_domain::BlobId;
use serde::Serialize;
use std::sync::Mutex;
use std::time::Instant;

/// Why a run could not go on at all. A single gatherer that fails is not such a reason: it leaves an absence.
#[derive(Debug, thiserror::Error)]
pub enum GatherError {
    /// Something this machine lacks.
    #[error(transparent)]
    Environment(#[from] benchwright_sandbox::SandboxError),
    /// The browser started but cannot be talked to.
    #[error("failed to {0}")]
    Browser(#[from] BrowserError),
    /// The proxy that keeps the page away from local addresses cannot listen.
    #[error("failed to listen on the loopback interface: {0}")]
    Egress(std::io::Error),
    /// The run directory cannot be written.
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// Why one gatherer failed. Its text completes "failed: …".
#[derive(Debug, thiserror::Error)]
pub enum StepError {
    /// The browser or its tab.
    #[error("failed to {0}")]
    Browser(#[from] BrowserError),
    /// A foreign program.
    #[error("failed to {0}")]
    Sandbox(#[from] benchwright_sandbox::SandboxError),
    /// The page could not be loaded again.
    #[error("{0}")]
    Page(String),
    /// Not a failure: it cannot be gathered, and this is why.
    #[error("{}", .0.outcome().reason().unwrap_or("it is not there"))]
    Absent(Absence),
    /// The run directory. Carried through: it ends the run.
    #[error("{0}")]
    Record(#[from] RecordError),
}

/// Where gatherers put what they found: the recorder, shared by the lanes, and the listener.
pub struct Desk<'a> {
    recorder: Mutex<&'a mut dyn Recorder>,
    listener: Listener<'a>,
}

impl<'a> Desk<'a> {
    /// A desk over a recorder.
    pub fn new(recorder: &'a mut dyn Recorder, listener: Listener<'a>) -> Self {
        Self { recorder: Mutex::new(recorder), listener }
    }

    /// Tells the listener what a lane is doing.
    pub fn step(&self, lane: Lane, what: &str) {
        (self.listener)(Progress::Step { lane, what: what.to_owned() });
    }

    /// Tells the listener that a lane has nothing left to do.
    pub fn done(&self, lane: Lane) {
        (self.listener)(Progress::Done { lane });
    }

    /// Keeps bytes.
    pub fn blob(&self, bytes: &[u8]) -> Result<BlobId, RecordError> {
        self.lock()?.blob(bytes)
    }

    /// Bytes that were kept.
    pub fn read(&self, id: &BlobId) -> Result<Vec<u8>, RecordError> {
        self.lock()?.read(id)
    }

    /// Records what a gatherer that began at `begun` found, or why it failed, and returns the piece.
    pub fn keep<T: Serialize>(
        &self,
        lane: Lane,
        kind: EvidenceKind,
        begun: Instant,
        result: Result<T, StepError>,
    ) -> Result<Piece<T>, RecordError> {
        let seconds = rounded(begun.elapsed().as_secs_f64());
        match result {
            Ok(value) => {
                let json = serde_json::to_vec(&value).map_err(|error| RecordError(error.to_string()))?;
                self.lock()?.evidence(kind.key(), kind.version(), &json, seconds)?;
                self.tell(lane, kind.key(), seconds, None);
                Ok(Piece::present(value, seconds))
            }
            Err(StepError::Record(error)) => Err(error),
            Err(error) => self.absent(lane, kind, Self::absence_of(&error), seconds),
        }
    }

    /// What a gatherer's error says about its evidence.
    pub fn absence_of(error: &StepError) -> Absence {
        match error {
            StepError::Absent(absence) => absence.clone(),
            other => Absence::Failed { reason: other.to_string() },
        }
    }

    /// Records that a piece of evidence is not there.
    pub fn absent<T>(
        &self,
        lane: Lane,
        kind: EvidenceKind,
        absence: Absence,
        seconds: f64,
    ) -> Result<Piece<T>, RecordError> {
        self.lock()?.absent(kind, &absence, seconds)?;
        self.tell(lane, kind.key(), seconds, absence.outcome().reason().map(str::to_owned));
        Ok(Piece { value: Err(absence), seconds })
    }

    /// Records a piece under a name that is not one of our kinds: the answer of a user's scorer.
    pub fn named(&self, lane: Lane, name: &str, version: u32, json: &[u8], seconds: f64) -> Result<(), RecordError> {
        self.lock()?.evidence(name, version, json, seconds)?;
        self.tell(lane, name, seconds, None);
        Ok(())
    }

    fn tell(&self, lane: Lane, kind: &str, seconds: f64, absence: Option<String>) {
        (self.listener)(Progress::Gathered { lane, kind: kind.to_owned(), seconds, absence });
    }

    fn lock(&self) -> Result<std::sync::MutexGuard<'_, &'a mut dyn Recorder>, RecordError> {
        self.recorder.lock().map_err(|_| RecordError("the recorder was lost to a panic".to_owned()))
    }
}

/// Milliseconds are as much as anybody reads.
pub(crate) fn rounded(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}
