//! Writing a run into a bucket.

use super::Keys;
use super::connection::Connection;
use crate::blob::{self, MAX_BLOB_BYTES};
use crate::error::StoreError;
use crate::event::{Event, EventBody, RunHeader};
use crate::frame;
use crate::log::{MAX_LOG_BYTES, MAX_LOG_EVENTS};
use crate::run_dir::MAX_RUN_JSON_BYTES;
use crate::storage::{Put, RunWriter, parse_result, result_bytes};
use benchwright_domain::BlobId;
use serde_json::Value;
use std::sync::Arc;

/// A run in a bucket, open for writing. Events that need not be durable wait for the next one that must be.
#[derive(Debug)]
pub(super) struct BucketWriter {
    connection: Arc<Connection>,
    keys: Keys,
    /// Number of the first event that is not in the bucket yet.
    written: u64,
    waiting: Vec<Vec<u8>>,
}

impl BucketWriter {
    pub(super) fn begin(connection: Arc<Connection>, keys: Keys, header: &RunHeader) -> Result<Self, StoreError> {
        let mut writer = Self::at(connection, keys, 0);
        match writer.append(EventBody::Started { header: header.clone() }, 0) {
            Err(StoreError::AlreadyRunning { path }) => Err(StoreError::HoldsRun { path }),
            begun => begun.map(|()| writer),
        }
    }

    pub(super) fn at(connection: Arc<Connection>, keys: Keys, next: u64) -> Self {
        Self { connection, keys, written: next, waiting: Vec::new() }
    }

    fn put_segment(&self) -> Result<(), StoreError> {
        match self.connection.put(&self.keys.segment(self.written), self.waiting.concat())? {
            Put::Done => Ok(()),
            Put::Taken => Err(StoreError::AlreadyRunning { path: self.keys.path() }),
        }
    }
}

impl RunWriter for BucketWriter {
    fn append(&mut self, body: EventBody, at_ms: u64) -> Result<(), StoreError> {
        let is_durable = body.is_durable();
        let sequence = self.written + self.waiting.len() as u64;
        let frame = frame::encode(&Event { sequence, at_ms, body })
            .map_err(|reason| StoreError::Unwritable { path: self.keys.path(), reason })?;
        if sequence >= MAX_LOG_EVENTS {
            return Err(StoreError::TooMuch { what: "the log", limit: MAX_LOG_BYTES });
        }
        self.waiting.push(frame);
        if is_durable {
            self.put_segment().inspect_err(|_| {
                self.waiting.pop();
            })?;
            self.written += self.waiting.len() as u64;
            self.waiting.clear();
        }
        Ok(())
    }

    fn put_blob(&mut self, bytes: &[u8]) -> Result<BlobId, StoreError> {
        put_blob(&self.connection, &self.keys, bytes)
    }

    fn blob(&self, id: &BlobId) -> Result<Vec<u8>, StoreError> {
        blob(&self.connection, &self.keys, id)
    }

    fn finish(&mut self, run_json: &Value) -> Result<(), StoreError> {
        let bytes = result_bytes(run_json, || self.keys.result().into())?;
        put_result(&self.connection, &self.keys, &bytes)
    }
}

impl Drop for BucketWriter {
    fn drop(&mut self) {
        // What waits was never promised; it is written if that is possible.
        if !self.waiting.is_empty() {
            let _ = self.put_segment();
        }
    }
}

pub(super) fn blob(connection: &Connection, keys: &Keys, id: &BlobId) -> Result<Vec<u8>, StoreError> {
    let bytes = connection.get(&keys.blob(id)?, MAX_BLOB_BYTES)?;
    blob::proven(bytes.ok_or_else(|| StoreError::MissingBlob { id: id.0.clone() })?, id)
}

pub(super) fn put_blob(connection: &Connection, keys: &Keys, bytes: &[u8]) -> Result<BlobId, StoreError> {
    let id = blob::name(bytes)?;
    // Taken means that these very bytes are there: objects appear whole, and their name is their content.
    connection.put(&keys.blob(&id)?, bytes.to_vec())?;
    Ok(id)
}

pub(super) fn put_result(connection: &Connection, keys: &Keys, bytes: &[u8]) -> Result<(), StoreError> {
    if bytes.len() as u64 > MAX_RUN_JSON_BYTES {
        return Err(StoreError::TooMuch { what: "`run.json`", limit: MAX_RUN_JSON_BYTES });
    }
    if connection.put(&keys.result(), bytes.to_vec())? == Put::Done {
        return Ok(());
    }
    let kept = connection.get(&keys.result(), MAX_RUN_JSON_BYTES)?.unwrap_or_default();
    let is_same = parse_result(&kept).ok().zip(parse_result(bytes).ok()).is_some_and(|(kept, new)| kept == new);
    if is_same { Ok(()) } else { Err(StoreError::AlreadyFinished { path: keys.path() }) }
}
