//! Runs as plain files: `<root>/runs/<id>/`.

use crate::blob;
use crate::disk;
use crate::error::StoreError;
use crate::event::{Event, EventBody, RunHeader};
use crate::run_dir::{self, ReadRun, RunDir};
use crate::storage::{KeptBlob, RunWriter, Storage, check_id};
use benchwright_domain::BlobId;
use serde_json::Value;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A data folder. What `benchwright score --out` writes to is one.
#[derive(Debug, Clone)]
pub struct Folder {
    root: PathBuf,
}

impl Folder {
    /// The data folder at `root`. It need not exist before something is written.
    pub fn at(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    /// Where a run is.
    pub fn run_path(&self, run: &str) -> Result<PathBuf, StoreError> {
        Ok(self.runs_path().join(check_id(run)?))
    }

    fn runs_path(&self) -> PathBuf {
        self.root.join("runs")
    }
}

impl Storage for Folder {
    fn runs(&self) -> Result<Vec<String>, StoreError> {
        let path = self.runs_path();
        let entries = match fs::read_dir(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(|error| StoreError::io("read", &path, error))?,
        };
        let mut runs = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|error| StoreError::io("read", &path, error))?;
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            runs.extend(entry.file_name().into_string().ok().filter(|name| is_folder && check_id(name).is_ok()));
        }
        runs.sort_unstable();
        Ok(runs)
    }

    fn create(&self, header: &RunHeader) -> Result<Box<dyn RunWriter>, StoreError> {
        Ok(Box::new(RunDir::create(&self.run_path(&header.id)?, header)?))
    }

    fn open(&self, run: &str) -> Result<(Box<dyn RunWriter>, Vec<Event>), StoreError> {
        let (run, events) = RunDir::open(&self.run_path(run)?)?;
        Ok((Box::new(run), events))
    }

    fn read(&self, run: &str) -> Result<ReadRun, StoreError> {
        RunDir::read(&self.run_path(run)?)
    }

    fn log(&self, run: &str) -> Result<Vec<u8>, StoreError> {
        run_dir::valid_log(&self.run_path(run)?)
    }

    fn extend_log(&self, run: &str, log: &[u8]) -> Result<(), StoreError> {
        run_dir::extend_log(&self.run_path(run)?, log)
    }

    fn result(&self, run: &str) -> Result<Option<Vec<u8>>, StoreError> {
        run_dir::result_bytes(&self.run_path(run)?)
    }

    fn put_result(&self, run: &str, bytes: &[u8]) -> Result<(), StoreError> {
        run_dir::put_result(&self.run_path(run)?, bytes)
    }

    fn remove_result(&self, run: &str) -> Result<(), StoreError> {
        disk::remove(&run_dir::run_json_path(&self.run_path(run)?))
    }

    fn blob(&self, run: &str, blob: &BlobId) -> Result<Vec<u8>, StoreError> {
        blob::blob(&self.run_path(run)?, blob)
    }

    fn put_blob(&self, run: &str, bytes: &[u8]) -> Result<BlobId, StoreError> {
        blob::put(&self.run_path(run)?, bytes)
    }

    fn blobs(&self, run: &str) -> Result<Vec<KeptBlob>, StoreError> {
        blob::kept(&self.run_path(run)?)
    }

    fn remove_blob(&self, run: &str, blob: &BlobId) -> Result<(), StoreError> {
        disk::remove(&blob::path_of(&self.run_path(run)?, blob)?)
    }
}

impl RunWriter for RunDir {
    fn append(&mut self, body: EventBody, at_ms: u64) -> Result<(), StoreError> {
        Self::append(self, body, at_ms)
    }

    fn put_blob(&mut self, bytes: &[u8]) -> Result<BlobId, StoreError> {
        Self::put_blob(self, bytes)
    }

    fn blob(&self, blob: &BlobId) -> Result<Vec<u8>, StoreError> {
        blob::blob(self.path(), blob)
    }

    fn finish(&mut self, run_json: &Value) -> Result<(), StoreError> {
        Self::finish(self, run_json)
    }
}
