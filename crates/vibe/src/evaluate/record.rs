//! Where everything goes as soon as it is known, and who is told.

use crate::deploy::Enforced;
use crate::walk::{Archive, KeepError, Keeper};
use benchwright_domain::BlobId;
use benchwright_domain::vibe::evaluation::JudgedWorkflow;
use benchwright_domain::vibe::trace::{Sight, SightRef};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Something that keeps an evaluation. The run directory is one; tests use memory.
pub trait Recorder: Send {
    /// Keeps bytes and names them by their hash.
    fn blob(&mut self, bytes: &[u8]) -> Result<BlobId, RecordError>;
    /// Bytes that were kept.
    fn read(&self, id: &BlobId) -> Result<Vec<u8>, RecordError>;
    /// Keeps what became of the app's start. The last word counts.
    fn start(&mut self, start: &Start) -> Result<(), RecordError>;
    /// Keeps the verdict on a workflow, which is then done.
    fn judged(&mut self, workflow: &JudgedWorkflow) -> Result<(), RecordError>;
}

/// What became of the app's start.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// Whether it could be reached.
    pub started: bool,
    /// Why not, or what else should be known.
    #[serde(default)]
    pub note: String,
    /// The end of what it wrote.
    #[serde(default)]
    pub log: Option<BlobId>,
    /// What deployed it.
    pub backend: String,
    /// What held it to each of its limits, by the limit's name.
    #[serde(default)]
    pub held: Enforced,
}

/// What could not be kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("record the evaluation: {0}")]
pub struct RecordError(pub String);

/// A recorder that several walks write to.
#[derive(Clone)]
pub struct SharedRecorder(Arc<Mutex<dyn Recorder>>);

impl SharedRecorder {
    /// Shares a recorder.
    pub fn new(recorder: Arc<Mutex<dyn Recorder>>) -> Self {
        Self(recorder)
    }

    /// The recorder, for as long as nobody else writes.
    pub fn lock(&self) -> MutexGuard<'_, dyn Recorder + 'static> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Keeper for SharedRecorder {
    fn keep(&mut self, bytes: &[u8]) -> Result<BlobId, KeepError> {
        self.lock().blob(bytes).map_err(|error| KeepError { bytes: bytes.len(), reason: error.to_string() })
    }
}

impl Archive for SharedRecorder {
    fn sight(&self, reference: &SightRef) -> Option<Sight> {
        serde_json::from_slice(&self.lock().read(&reference.blob).ok()?).ok()
    }

    fn picture(&self, id: &BlobId) -> Option<Vec<u8>> {
        self.lock().read(id).ok()
    }
}

/// What happens during an evaluation.
#[derive(Debug, Clone)]
pub enum Progress {
    /// Something was begun that belongs to no workflow.
    Step(String),
    /// A workflow is being walked.
    Began {
        /// Its id.
        workflow: String,
    },
    /// A workflow is done.
    Ended(JudgedWorkflow),
}

/// Told about progress as it happens.
pub type Listener<'a> = &'a (dyn Fn(Progress) + Send + Sync);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_from_before_limits_were_kept_is_read() {
        let start: Start = serde_json::from_str(r#"{"started":true,"backend":"native"}"#).unwrap();
        assert_eq!((start.started, start.held), (true, Enforced::new()));
    }
}
