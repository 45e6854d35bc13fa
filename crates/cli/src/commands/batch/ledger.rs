//! batch.json: what became of every entry, so that a batch called again does only what is left.

use crate::exit::Failure;
use crate::outputs;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

const FORMAT: u32 = 1;
const FILE: &str = "batch.json";

/// What became of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It is being scored, or was when the batch was interrupted.
    Running,
    /// It has a report without errors.
    Scored,
    /// It has a report in which a scorer could not be measured.
    Incomplete,
    /// It could not be scored.
    Failed,
}

/// One entry in the ledger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// What became of it.
    pub status: Status,
    /// Hash of what was asked; when it differs, the entry is scored anew.
    pub fingerprint: String,
    /// When the file with the entries had been written, in nanoseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<u64>,
    /// Its run, seen from the batch's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<PathBuf>,
    /// The composite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub composite: Option<f64>,
    /// Why it failed or is incomplete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The content of batch.json.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Book {
    format: u32,
    /// By `tool/prompt/index`.
    pub entries: BTreeMap<String, Record>,
}

/// The ledger of a batch's folder, which nobody else writes meanwhile.
pub struct Ledger {
    path: PathBuf,
    book: Mutex<Book>,
    _lock: File,
}

impl Ledger {
    /// Opens or begins the ledger of a folder.
    pub fn open(folder: &Path) -> Result<Self, Failure> {
        let refused =
            |error: std::io::Error| Failure::Environment(format!("cannot write to {}: {error}", folder.display()));
        fs::create_dir_all(folder).map_err(refused)?;
        let lock = File::create(folder.join("batch.lock")).map_err(refused)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Failure::BadInput(format!("another batch is writing to {}", folder.display())));
            }
            Err(TryLockError::Error(error)) => return Err(refused(error)),
        }
        let path = folder.join(FILE);
        let book = match fs::read(&path) {
            Ok(bytes) => serde_json::from_slice::<Book>(&bytes)
                .map_err(|error| error.to_string())
                .and_then(|book| if book.format == FORMAT { Ok(book) } else { Err("another format".to_owned()) })
                .map_err(|error| Failure::BadInput(format!("{} is not a ledger of ours: {error}", path.display())))?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Book { format: FORMAT, entries: BTreeMap::new() }
            }
            Err(error) => return Err(Failure::Environment(format!("cannot read {}: {error}", path.display()))),
        };
        Ok(Self { path, book: Mutex::new(book), _lock: lock })
    }

    /// What is known of an entry.
    pub fn record(&self, key: &str) -> Option<Record> {
        self.book.lock().ok()?.entries.get(key).cloned()
    }

    /// Writes down what became of an entry; it is on the disk when this returns.
    pub fn write(&self, key: &str, record: Record) -> Result<(), Failure> {
        let mut book = self.book.lock().map_err(|_| Failure::Bug("the ledger was lost to a panic".to_owned()))?;
        book.entries.insert(key.to_owned(), record);
        outputs::replace(&self.path, &rendered(&book)?)
    }

    /// The whole ledger as JSON.
    pub fn json(&self) -> Result<String, Failure> {
        let book = self.book.lock().map_err(|_| Failure::Bug("the ledger was lost to a panic".to_owned()))?;
        Ok(String::from_utf8_lossy(&rendered(&book)?).into_owned())
    }
}

fn rendered(book: &Book) -> Result<Vec<u8>, Failure> {
    let mut bytes = serde_json::to_vec_pretty(book).map_err(|error| Failure::Bug(error.to_string()))?;
    bytes.push(b'\n');
    Ok(bytes)
}
