//! Runs as plain files: `<root>/runs/<id>/`.

use crate::blob;
use crate::disk;
use crate::error::StoreError;
use crate::event::{Event, EventBody, RunHeader};
use crate::run_dir::{self, ReadRun, RunDir};
use crate::storage::{DocumentName, KeptBlob, MAX_DOCUMENT_BYTES, Put, RunWriter, Storage, check_documents, check_id};
use benchwright_domain::BlobId;
use serde_json::Value;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

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

    fn document_path(&self, name: &DocumentName) -> PathBuf {
        self.root.join(name.key())
    }
}

impl Storage for Folder {
    fn runs(&self) -> Result<Vec<String>, StoreError> {
        names(&self.runs_path(), fs::FileType::is_dir)
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
        blob::remove(&self.run_path(run)?, blob)
    }

    fn withdraw(&self, run: &str) -> Result<(), StoreError> {
        run_dir::withdraw(&self.run_path(run)?)
    }

    fn sweep(&self, run: &str, before: SystemTime) -> Result<bool, StoreError> {
        let path = self.run_path(run)?;
        blob::sweep_old(&path, before);
        Ok(path.is_dir())
    }

    fn put_documents(&self, documents: &[(DocumentName, Vec<u8>)]) -> Result<Vec<Put>, StoreError> {
        check_documents(documents)?;
        let paths: Vec<PathBuf> = documents.iter().map(|(name, _)| self.document_path(name)).collect();
        let pairs: Vec<(&Path, &[u8])> =
            paths.iter().map(PathBuf::as_path).zip(documents.iter().map(|(_, bytes)| bytes.as_slice())).collect();
        disk::put_all(&pairs)
    }

    fn document(&self, name: &DocumentName) -> Result<Option<Vec<u8>>, StoreError> {
        disk::read(&self.document_path(name), MAX_DOCUMENT_BYTES)
    }

    fn shelves(&self, room: &str) -> Result<Vec<String>, StoreError> {
        names(&self.root.join(check_id(room)?), fs::FileType::is_dir)
    }

    fn documents(&self, room: &str, shelf: &str) -> Result<Vec<DocumentName>, StoreError> {
        let found = names(&self.root.join(check_id(room)?).join(check_id(shelf)?), fs::FileType::is_file)?;
        found.iter().map(|name| DocumentName::new(room, shelf, name)).collect()
    }

    fn remove_document(&self, name: &DocumentName) -> Result<(), StoreError> {
        disk::remove(&self.document_path(name))
    }

    fn sweep_documents(&self, room: &str, shelf: &str, before: SystemTime) -> Result<usize, StoreError> {
        disk::sweep_parts(&self.root.join(check_id(room)?).join(check_id(shelf)?), before)
    }
}

/// The plain names in a folder of one kind, in ascending order; none if there is no such folder.
fn names(folder: &Path, is_wanted: fn(&fs::FileType) -> bool) -> Result<Vec<String>, StoreError> {
    let failed = |error| StoreError::io("read", folder, error);
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(failed)?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(failed)?;
        let is_wanted = entry.file_type().is_ok_and(|kind| is_wanted(&kind));
        names.extend(entry.file_name().into_string().ok().filter(|name| is_wanted && check_id(name).is_ok()));
    }
    names.sort_unstable();
    Ok(names)
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
