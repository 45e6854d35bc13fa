//! Where runs are kept: one trait, so that everything above it works on a folder and on a bucket alike.

use crate::error::StoreError;
use crate::event::{Event, EventBody, RunHeader};
use crate::run_dir::ReadRun;
use benchwright_domain::BlobId;
use serde_json::Value;
use std::path::PathBuf;
use std::time::SystemTime;

/// The longest id of a run.
const MAX_ID_LENGTH: usize = 100;

/// A place that keeps runs. Calls block like file operations do, whatever is behind them.
///
/// What is written is durable when a call returns. Nothing that was written is ever changed: logs grow, blobs and results are
/// put if absent. Only garbage collection and take-downs remove something.
pub trait Storage: Send + Sync {
    /// The ids of all runs, in ascending order. Names that are no ids are left out.
    fn runs(&self) -> Result<Vec<String>, StoreError>;

    /// Starts a run. Refuses an id that is taken.
    fn create(&self, header: &RunHeader) -> Result<Box<dyn RunWriter>, StoreError>;

    /// Opens a run to go on with it, and returns the events so far.
    fn open(&self, run: &str) -> Result<(Box<dyn RunWriter>, Vec<Event>), StoreError>;

    /// Reads a run without changing anything.
    fn read(&self, run: &str) -> Result<ReadRun, StoreError>;

    /// The valid prefix of a run's log, byte for byte.
    fn log(&self, run: &str) -> Result<Vec<u8>, StoreError>;

    /// Makes the log of a run hold exactly `log`. What is there must be a beginning of it; what is there already stays.
    fn extend_log(&self, run: &str, log: &[u8]) -> Result<(), StoreError>;

    /// The bytes of `run.json`, if the run was finished.
    fn result(&self, run: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// Puts `run.json` if it is absent; a different one is refused.
    fn put_result(&self, run: &str, bytes: &[u8]) -> Result<(), StoreError>;

    /// Removes `run.json`; it does not matter whether there is one.
    fn remove_result(&self, run: &str) -> Result<(), StoreError>;

    /// The bytes of a blob, proven to be the ones its name promises.
    fn blob(&self, run: &str, blob: &BlobId) -> Result<Vec<u8>, StoreError>;

    /// Keeps bytes in a run under their SHA-256.
    fn put_blob(&self, run: &str, bytes: &[u8]) -> Result<BlobId, StoreError>;

    /// The blobs a run keeps, whether something names them or not, in ascending order.
    fn blobs(&self, run: &str) -> Result<Vec<KeptBlob>, StoreError>;

    /// Removes a blob; it does not matter whether it is there.
    fn remove_blob(&self, run: &str, blob: &BlobId) -> Result<(), StoreError>;

    /// Removes everything of a run but its log. Doing it again changes nothing.
    fn withdraw(&self, run: &str) -> Result<(), StoreError> {
        self.remove_result(run)?;
        self.blobs(run)?.iter().try_for_each(|blob| self.remove_blob(run, &blob.id))
    }

    /// Removes what writers of blobs left half done that were killed before a moment. Says whether anything is left of the run.
    fn sweep(&self, _run: &str, _before: SystemTime) -> Result<bool, StoreError> {
        // Where something is there whole or not at all, nothing is half done.
        Ok(true)
    }

    /// Puts documents that belong to no run, each if it is absent. All that were put are durable when this returns.
    fn put_documents(&self, documents: &[(DocumentName, Vec<u8>)]) -> Result<Vec<Put>, StoreError>;

    /// The bytes of a document of at most [`MAX_DOCUMENT_BYTES`]; nothing if there is none.
    fn document(&self, name: &DocumentName) -> Result<Option<Vec<u8>>, StoreError>;

    /// The names of the shelves of a room that hold documents, in ascending order.
    fn shelves(&self, room: &str) -> Result<Vec<String>, StoreError>;

    /// The documents on a shelf, in ascending order.
    fn documents(&self, room: &str, shelf: &str) -> Result<Vec<DocumentName>, StoreError>;

    /// Removes a document; it does not matter whether there is one.
    fn remove_document(&self, name: &DocumentName) -> Result<(), StoreError>;

    /// Removes what writers of the documents on a shelf left half done that were killed before a moment. Says how many files there were.
    fn sweep_documents(&self, _room: &str, _shelf: &str, _before: SystemTime) -> Result<usize, StoreError> {
        // See `sweep`.
        Ok(0)
    }
}

/// What became of something that was to be put if absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Put {
    /// It is there now, and was not before.
    Done,
    /// There was something of that name, and it is still there.
    Taken,
}

/// The largest document.
pub const MAX_DOCUMENT_BYTES: u64 = 4 * 1024 * 1024;

/// What a document is called: `<room>/<shelf>/<name>`. None of the three leads out of its folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct DocumentName {
    room: String,
    shelf: String,
    name: String,
}

impl DocumentName {
    /// A name of three plain parts.
    pub fn new(room: &str, shelf: &str, name: &str) -> Result<Self, StoreError> {
        let part = |text: &str| check_id(text).map(str::to_owned);
        Ok(Self { room: part(room)?, shelf: part(shelf)?, name: part(name)? })
    }

    /// The last part.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// With slashes, as a bucket or a folder has it.
    pub(crate) fn key(&self) -> String {
        format!("{}/{}/{}", self.room, self.shelf, self.name)
    }
}

/// Refuses documents that could not be read back.
pub(crate) fn check_documents(documents: &[(DocumentName, Vec<u8>)]) -> Result<(), StoreError> {
    let is_large = |(_, bytes): &(DocumentName, Vec<u8>)| bytes.len() as u64 > MAX_DOCUMENT_BYTES;
    if documents.iter().any(is_large) {
        return Err(StoreError::TooMuch { what: "a document", limit: MAX_DOCUMENT_BYTES });
    }
    Ok(())
}

/// A run open for writing.
pub trait RunWriter: Send {
    /// Appends an event. Evidence, absences, acts of moderation, interruptions and the end are durable when this returns.
    ///
    /// When it fails, the log is as it was before, and appending may be tried again.
    fn append(&mut self, body: EventBody, at_ms: u64) -> Result<(), StoreError>;

    /// Keeps bytes in the run under their SHA-256, durably, so that an event may name them.
    fn put_blob(&mut self, bytes: &[u8]) -> Result<BlobId, StoreError>;

    /// The bytes of a blob of this run.
    fn blob(&self, blob: &BlobId) -> Result<Vec<u8>, StoreError>;

    /// Writes `run.json`. Append [`EventBody::Finished`] before. A second time is refused unless the value is the same.
    fn finish(&mut self, run_json: &Value) -> Result<(), StoreError>;
}

/// A blob that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptBlob {
    /// Its name.
    pub id: BlobId,
    /// How many bytes it takes.
    pub bytes: u64,
    /// When it was written, as the place that keeps it says.
    pub written: SystemTime,
}

/// Refuses what cannot be the id of a run, before it becomes part of a path.
pub(crate) fn check_id(run: &str) -> Result<&str, StoreError> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let is_id = run.len() <= MAX_ID_LENGTH
        && run.as_bytes().first().is_some_and(u8::is_ascii_alphanumeric)
        && run.bytes().all(plain);
    if is_id {
        return Ok(run);
    }
    // Whoever wrote a wrong id may have written a long or a hostile one.
    Err(StoreError::BadRunId { id: run.chars().take(80).flat_map(char::escape_default).collect() })
}

/// The bytes of `run.json` for a value, within the limit and readable again.
pub(crate) fn result_bytes(run_json: &Value, path: impl FnOnce() -> PathBuf) -> Result<Vec<u8>, StoreError> {
    let written = serde_json::to_vec_pretty(run_json).map_err(|error| error.to_string());
    let checked = written.and_then(|bytes| parse_result(&bytes).map(|_| bytes));
    let mut bytes = checked.map_err(|reason| StoreError::Unwritable { path: path(), reason })?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// `run.json` as a value. Deep nesting that our reader would refuse is refused here.
pub(crate) fn parse_result(bytes: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(bytes).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_never_leads_out_of_its_folder() {
        let long = "x".repeat(MAX_ID_LENGTH + 1);
        for id in ["", ".", "..", "../x", "a/b", "a\\b", "-x", "_x", "a\0b", "é", "a b", &long] {
            assert!(matches!(check_id(id), Err(StoreError::BadRunId { .. })), "{id:?}");
        }
        for id in ["20261116T101500Z-3f9a", "01JCSAMPLE0000000000000000", "a.b_c-1", &long[1..]] {
            assert_eq!(check_id(id).unwrap(), id);
        }
    }
}
