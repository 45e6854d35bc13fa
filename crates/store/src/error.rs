//! What can go wrong with a run directory, and what the user can do about it.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Why the store could not do what was asked. Every message completes "failed to …" and says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    #[error("{doing} {}: the disk is full; free some space, then resume the run", path.display())]
    DiskFull { doing: &'static str, path: PathBuf },
    #[error("{doing} {}: permission denied; choose a folder you may write to, or mend its permissions", path.display())]
    Denied { doing: &'static str, path: PathBuf },
    #[error("open {}: this is not a run folder; give the folder that holds the run's `log`", path.display())]
    NotARun { path: PathBuf },
    #[error("open {}: the run was killed before it wrote anything; remove the folder and start the run again", path.display())]
    NeverStarted { path: PathBuf },
    #[error("create {}: the folder already holds a run; resume that one, or choose another folder", path.display())]
    HoldsRun { path: PathBuf },
    #[error("open {}: another process is working on this run; wait for it to end, or stop it", path.display())]
    AlreadyRunning { path: PathBuf },
    #[error(
        "read {}: the run was written by a newer Benchwright (format {found}, this one knows up to {known}); update Benchwright",
        path.display()
    )]
    NewerFormat { path: PathBuf, found: u32, known: u32 },
    #[error("read {}: it is larger than {limit} {unit}, which no run of ours reaches; do not trust it", path.display())]
    TooLarge { path: PathBuf, limit: u64, unit: &'static str },
    #[error("keep {what}: it is larger than {limit} bytes; gather less of it")]
    TooMuch { what: &'static str, limit: u64 },
    #[error(
        "find run `{id}`: an id is at most 100 letters, digits, `-`, `_` and `.`, and begins with a letter or a digit"
    )]
    BadRunId { id: String },
    #[error("read {}: the log is damaged; restore the run from a backup", path.display())]
    DamagedLog { path: PathBuf },
    #[error("decide about run {run}: {reason}")]
    Refused { run: String, reason: String },
    #[error("{doing} {key} in the bucket: {reason}")]
    Bucket { doing: &'static str, key: String, reason: String },
    #[error("write an event to {}: {reason}", path.display())]
    Unwritable { path: PathBuf, reason: String },
    #[error("read a blob: `{id}` is not the lower-case SHA-256 of anything")]
    BadBlobId { id: String },
    #[error("read blob {id}: it is missing from the run; gather its evidence again")]
    MissingBlob { id: String },
    #[error("read blob {id}: its content does not match its name; gather its evidence again")]
    DamagedBlob { id: String },
    #[error("finish {}: it already has a different `run.json`; a finished run is never rewritten", path.display())]
    AlreadyFinished { path: PathBuf },
    #[error("read {}: {reason}; remove the file, the log and the blobs hold everything it says", path.display())]
    DamagedResult { path: PathBuf, reason: String },
    #[error("read the shared run {id}: {reason}")]
    DamagedShare { id: String, reason: String },
    #[error("{doing} {}", path.display())]
    Io {
        doing: &'static str,
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl StoreError {
    /// Sorts an error of the operating system into what the user can do about it.
    pub(crate) fn io(doing: &'static str, path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Self::DiskFull { doing, path },
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Self::Denied { doing, path },
            _ => Self::Io { doing, path, source },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_system_become_advice() {
        let error = |kind: ErrorKind| StoreError::io("write", Path::new("run/log"), kind.into()).to_string();
        assert_eq!(
            error(ErrorKind::StorageFull),
            "write run/log: the disk is full; free some space, then resume the run"
        );
        assert!(error(ErrorKind::QuotaExceeded).contains("free some space"));
        assert!(error(ErrorKind::ReadOnlyFilesystem).contains("choose a folder you may write to"));
        assert_eq!(error(ErrorKind::TimedOut), "write run/log");
    }
}
