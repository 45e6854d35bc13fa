//! Where evidence goes as soon as it is gathered, and who is told.

use crate::evidence::{Absence, EvidenceKind};
use benchwright_domain::BlobId;

/// Something that keeps evidence. The run directory is one; tests use memory.
pub trait Recorder: Send {
    /// Keeps bytes and names them by their hash.
    fn blob(&mut self, bytes: &[u8]) -> Result<BlobId, RecordError>;
    /// Bytes that were kept.
    fn read(&self, id: &BlobId) -> Result<Vec<u8>, RecordError>;
    /// Keeps a piece of evidence.
    fn evidence(&mut self, kind: &str, version: u32, json: &[u8], seconds: f64) -> Result<(), RecordError>;
    /// Keeps why a piece of evidence is not there.
    fn absent(&mut self, kind: EvidenceKind, absence: &Absence, seconds: f64) -> Result<(), RecordError>;
}

/// Evidence that could not be kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("failed to record evidence: {0}")]
pub struct RecordError(pub String);

/// The lanes of a run. Only waiting may overlap the quiet one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lane {
    /// Making a folder reachable, before the others begin.
    App,
    /// Work on the source folder.
    Source,
    /// Work in the browser.
    Page,
    /// Waiting for language models.
    Judge,
    /// Lighthouse, alone on the machine.
    Quiet,
}

impl Lane {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::App => "app",
            Self::Source => "source",
            Self::Page => "page",
            Self::Judge => "judge",
            Self::Quiet => "quiet",
        }
    }
}

/// What happens during a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Progress {
    /// A lane began something.
    Step {
        /// Which lane.
        lane: Lane,
        /// What, in words: "loading the page".
        what: String,
    },
    /// A piece of evidence was gathered.
    Gathered {
        /// Which lane.
        lane: Lane,
        /// Which evidence.
        kind: String,
        /// How long it took.
        seconds: f64,
        /// Absent for evidence; why, for evidence that is not there.
        absence: Option<String>,
    },
    /// A lane has nothing left to do.
    Done {
        /// Which lane.
        lane: Lane,
    },
}

/// Told about progress as it happens.
pub type Listener<'a> = &'a (dyn Fn(Progress) + Send + Sync);
