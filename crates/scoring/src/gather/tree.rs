//! The source as a folder, however it was given.

use super::StepError;
use benchwright_sandbox::Scratch;
use std::path::{Path, PathBuf};

/// A source tree on disk. It is read, never written to and never executed.
#[derive(Debug, Clone)]
pub struct Tree {
    /// Where it is.
    pub root: PathBuf,
    /// What it is called: the name of the folder or archive it was given as.
    pub name: String,
}

impl Tree {
    /// Opens what the user gave.
    pub async fn open(given: &Path, _scratch: &Scratch) -> Result<Self, StepError> {
        let root = given.canonicalize().unwrap_or_else(|_| given.to_owned());
        let name = root.file_name().map_or_else(|| "source".to_owned(), |name| name.to_string_lossy().into_owned());
        Ok(Self { root, name })
    }
}
