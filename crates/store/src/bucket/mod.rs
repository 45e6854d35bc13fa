//! Runs in a bucket: every object is written once.
//!
//! ```text
//! <prefix>/runs/<id>/log/<10 digits>      a segment: the frames from that event on
//! <prefix>/runs/<id>/blobs/<sha256>       evidence and pictures, named by their content
//! <prefix>/runs/<id>/run.json             put last
//! <prefix>/<room>/<shelf>/<name>          documents that belong to no run
//! ```
//!
//! A bucket has no append, no rename and no lock. All three come from one operation, *put if absent*: two writers of one run meet
//! at the next segment's name, and the second learns that it is not alone.

mod connection;
mod segments;
mod writer;

pub use connection::BucketSettings;

use crate::blob::{self, MAX_BLOB_BYTES};
use crate::error::StoreError;
use crate::event::{Event, RUN_FORMAT, RunHeader};
use crate::log;
use crate::run_dir::{MAX_RUN_JSON_BYTES, ReadRun};
use crate::storage::{
    DocumentName, KeptBlob, MAX_DOCUMENT_BYTES, Put, RunWriter, Storage, check_documents, check_id, parse_result,
};
use benchwright_domain::BlobId;
use connection::Connection;
use std::path::PathBuf;
use std::sync::Arc;
use writer::BucketWriter;

/// Runs in a bucket.
#[derive(Debug, Clone)]
pub struct Bucket {
    connection: Arc<Connection>,
}

impl Bucket {
    /// A bucket that speaks S3.
    pub fn connect(settings: &BucketSettings) -> Result<Self, StoreError> {
        Ok(Self { connection: Arc::new(Connection::s3(settings)?) })
    }

    /// A bucket that lives as long as this process. It keeps the same promises.
    pub fn in_memory() -> Result<Self, StoreError> {
        Ok(Self { connection: Arc::new(Connection::in_memory()?) })
    }

    /// The source of a job is kept before somebody begins it: such a run has blobs and no log.
    fn begun<T>(&self, run: &str, read: Result<T, StoreError>) -> Result<T, StoreError> {
        match read {
            Err(StoreError::NotARun { path }) if !self.blobs(run)?.is_empty() => Err(StoreError::NeverStarted { path }),
            read => read,
        }
    }
}

/// The names of a run's objects.
#[derive(Debug, Clone)]
pub(crate) struct Keys {
    run: String,
}

impl Keys {
    fn of(run: &str) -> Result<Self, StoreError> {
        Ok(Self { run: format!("runs/{}", check_id(run)?) })
    }

    fn log(&self) -> String {
        format!("{}/log", self.run)
    }

    fn segment(&self, first: u64) -> String {
        format!("{}/log/{first:010}", self.run)
    }

    fn blobs(&self) -> String {
        format!("{}/blobs", self.run)
    }

    fn blob(&self, id: &BlobId) -> Result<String, StoreError> {
        blob::check_id(id)?;
        Ok(format!("{}/blobs/{}", self.run, id.0))
    }

    fn result(&self) -> String {
        format!("{}/run.json", self.run)
    }

    fn path(&self) -> PathBuf {
        PathBuf::from(&self.run)
    }
}

impl Storage for Bucket {
    fn runs(&self) -> Result<Vec<String>, StoreError> {
        let mut runs = self.connection.folders("runs")?;
        runs.retain(|name| check_id(name).is_ok());
        runs.sort_unstable();
        Ok(runs)
    }

    fn create(&self, header: &RunHeader) -> Result<Box<dyn RunWriter>, StoreError> {
        let keys = Keys::of(&header.id)?;
        if header.format != RUN_FORMAT {
            let reason = format!("its header says format {}, this build writes {RUN_FORMAT}", header.format);
            return Err(StoreError::Unwritable { path: keys.path(), reason });
        }
        Ok(Box::new(BucketWriter::begin(Arc::clone(&self.connection), keys, header)?))
    }

    fn open(&self, run: &str) -> Result<(Box<dyn RunWriter>, Vec<Event>), StoreError> {
        let keys = Keys::of(run)?;
        let replay = segments::replay(&self.connection, &keys)?;
        if replay.torn || replay.damage.is_some() {
            return Err(StoreError::DamagedLog { path: keys.path() });
        }
        let writer = BucketWriter::at(Arc::clone(&self.connection), keys, replay.events.len() as u64);
        Ok((Box::new(writer), replay.events))
    }

    fn read(&self, run: &str) -> Result<ReadRun, StoreError> {
        let keys = Keys::of(run)?;
        let replay = self.begun(run, segments::replay(&self.connection, &keys))?;
        let header = replay.header().cloned().ok_or_else(|| StoreError::NotARun { path: keys.path() })?;
        let damaged = |reason| StoreError::DamagedResult { path: keys.result().into(), reason };
        let run_json = self.result(run)?.map(|bytes| parse_result(&bytes).map_err(damaged)).transpose()?;
        Ok(ReadRun { header, events: replay.events, torn: replay.torn, damage: replay.damage, run_json })
    }

    fn log(&self, run: &str) -> Result<Vec<u8>, StoreError> {
        let keys = Keys::of(run)?;
        let mut bytes = segments::read(&self.connection, &keys)?;
        let end = self.begun(run, segments::replay_bytes(&bytes, &keys))?.end;
        bytes.truncate(end as usize);
        Ok(bytes)
    }

    fn extend_log(&self, run: &str, log: &[u8]) -> Result<(), StoreError> {
        let keys = Keys::of(run)?;
        log::check_whole(log, &keys.path())?;
        let kept = segments::read(&self.connection, &keys)?;
        let Some(rest) = log.strip_prefix(&kept[..]) else {
            return Err(StoreError::HoldsRun { path: keys.path() });
        };
        if rest.is_empty() {
            return Ok(());
        }
        let next = log::replay(&kept[..], &keys.path())?.events.len() as u64;
        match self.connection.put(&keys.segment(next), rest.to_vec())? {
            Put::Done => Ok(()),
            Put::Taken => Err(StoreError::AlreadyRunning { path: keys.path() }),
        }
    }

    fn result(&self, run: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.connection.get(&Keys::of(run)?.result(), MAX_RUN_JSON_BYTES)
    }

    fn put_result(&self, run: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let keys = Keys::of(run)?;
        writer::put_result(&self.connection, &keys, bytes)
    }

    fn remove_result(&self, run: &str) -> Result<(), StoreError> {
        self.connection.remove(&Keys::of(run)?.result())
    }

    fn blob(&self, run: &str, blob: &BlobId) -> Result<Vec<u8>, StoreError> {
        writer::blob(&self.connection, &Keys::of(run)?, blob)
    }

    fn put_blob(&self, run: &str, bytes: &[u8]) -> Result<BlobId, StoreError> {
        writer::put_blob(&self.connection, &Keys::of(run)?, bytes)
    }

    fn blobs(&self, run: &str) -> Result<Vec<KeptBlob>, StoreError> {
        let keys = Keys::of(run)?;
        let mut kept: Vec<KeptBlob> = self.connection.objects(&keys.blobs())?;
        kept.retain(|object| blob::check_id(&object.id).is_ok() && object.bytes <= MAX_BLOB_BYTES);
        kept.sort_by(|a, b| a.id.0.cmp(&b.id.0));
        Ok(kept)
    }

    fn remove_blob(&self, run: &str, blob: &BlobId) -> Result<(), StoreError> {
        self.connection.remove(&Keys::of(run)?.blob(blob)?)
    }

    fn put_documents(&self, documents: &[(DocumentName, Vec<u8>)]) -> Result<Vec<Put>, StoreError> {
        check_documents(documents)?;
        self.connection.put_all(documents.iter().map(|(name, bytes)| (name.key(), bytes.clone())).collect())
    }

    fn document(&self, name: &DocumentName) -> Result<Option<Vec<u8>>, StoreError> {
        self.connection.get(&name.key(), MAX_DOCUMENT_BYTES)
    }

    fn shelves(&self, room: &str) -> Result<Vec<String>, StoreError> {
        let mut shelves = self.connection.folders(check_id(room)?)?;
        shelves.retain(|name| check_id(name).is_ok());
        shelves.sort_unstable();
        Ok(shelves)
    }

    fn documents(&self, room: &str, shelf: &str) -> Result<Vec<DocumentName>, StoreError> {
        let listed = self.connection.objects(&format!("{}/{}", check_id(room)?, check_id(shelf)?))?;
        let mut found: Vec<DocumentName> =
            listed.iter().filter_map(|object| DocumentName::new(room, shelf, &object.id.0).ok()).collect();
        found.sort_unstable();
        Ok(found)
    }

    fn remove_document(&self, name: &DocumentName) -> Result<(), StoreError> {
        self.connection.remove(&name.key())
    }
}
