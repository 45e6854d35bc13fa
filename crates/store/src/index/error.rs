//! What can go wrong with the index, and what the user can do about it.

use crate::error::StoreError;
use std::path::PathBuf;

/// Why the index could not do what was asked. Every message completes "failed to …".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    #[error("open the index {}: {reason}", path.display())]
    Open { path: PathBuf, reason: String },
    #[error(
        "open the index: it was written by a newer Benchwright (schema {found}, this one knows up to {known}); update Benchwright"
    )]
    NewerSchema { found: i64, known: i64 },
    #[error("{doing}: the disk is full; free some space, then do it again")]
    DiskFull { doing: &'static str },
    #[error("{doing}: the folder or its index may not be written to; mend their permissions")]
    Denied { doing: &'static str },
    #[error("{doing}: another process has been writing to the index for too long; wait for it to end, or stop it")]
    Busy { doing: &'static str },
    #[error("{doing}: {reason}")]
    Failed { doing: &'static str, reason: String },
    #[error("take run {run} into the index: {reason}")]
    BadRecord { run: String, reason: String },
    #[error(transparent)]
    Store(#[from] StoreError),
}
