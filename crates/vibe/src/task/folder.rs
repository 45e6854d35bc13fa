//! Tasks on disk: one folder each, read within limits.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The file that makes a folder a task.
pub const TASK: &str = "task.yaml";
/// The file that a model sees.
pub const SPEC: &str = "spec.md";
/// The file that a tester sees.
pub const WORKFLOWS: &str = "workflows.yaml";
/// The file beside the folders of tasks that says which of them may not change any more.
pub const FROZEN: &str = "frozen.yaml";

/// The largest file that is read.
pub const MAX_BYTES: u64 = 512 * 1024;
/// Most tasks looked at in one folder.
const MAX_TASKS: usize = 1_000;

/// The three files of a task as texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files {
    /// The folder as it is named in messages; its last part must be the task's id.
    pub folder: String,
    /// `task.yaml`.
    pub task: String,
    /// `spec.md`.
    pub spec: String,
    /// `workflows.yaml`.
    pub workflows: String,
}

/// Why a folder could not be read. The message completes "failed to …".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    #[error("read {path}: {source}")]
    Io { path: String, source: io::Error },
    #[error("read {path}: it has more than {MAX_BYTES} bytes; shorten it")]
    TooLarge { path: String },
    #[error("find tasks in {path}: neither it nor a folder in it has a {TASK}")]
    NoTask { path: String },
}

impl Files {
    /// Reads the folder of a task.
    pub fn read(folder: &Path) -> Result<Self, FolderError> {
        let read = |name: &str| read_text(&folder.join(name));
        Ok(Self {
            folder: folder.display().to_string(),
            task: read(TASK)?,
            spec: read(SPEC)?,
            workflows: read(WORKFLOWS)?,
        })
    }
}

/// The folders of tasks that a path stands for: itself, or those in it, in the order of their names.
pub fn tasks_in(path: &Path) -> Result<Vec<PathBuf>, FolderError> {
    if path.join(TASK).is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let wrong = |source| FolderError::Io { path: path.display().to_string(), source };
    let mut found = Vec::new();
    for entry in fs::read_dir(path).map_err(wrong)?.take(MAX_TASKS) {
        let folder = entry.map_err(wrong)?.path();
        found.extend(folder.join(TASK).is_file().then_some(folder));
    }
    found.sort();
    if found.is_empty() { Err(FolderError::NoTask { path: path.display().to_string() }) } else { Ok(found) }
}

/// Reads a text file of at most [`MAX_BYTES`].
pub fn read_text(path: &Path) -> Result<String, FolderError> {
    let named = || path.display().to_string();
    let wrong = |source| FolderError::Io { path: named(), source };
    let mut text = String::new();
    fs::File::open(path).map_err(wrong)?.take(MAX_BYTES + 1).read_to_string(&mut text).map_err(wrong)?;
    if text.len() as u64 > MAX_BYTES { Err(FolderError::TooLarge { path: named() }) } else { Ok(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_a_folder_with_three_files_of_bounded_size() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("one");
        fs::create_dir(&folder).unwrap();
        assert!(tasks_in(place.path()).unwrap_err().to_string().contains("has a task.yaml"));
        fs::write(folder.join(TASK), "t").unwrap();
        fs::write(folder.join(SPEC), "s").unwrap();
        assert_eq!(tasks_in(place.path()).unwrap(), std::slice::from_ref(&folder));
        assert_eq!(tasks_in(&folder).unwrap(), std::slice::from_ref(&folder));
        assert!(Files::read(&folder).unwrap_err().to_string().contains("workflows.yaml"));
        fs::write(folder.join(WORKFLOWS), "w").unwrap();
        let files = Files::read(&folder).unwrap();
        assert_eq!((&*files.task, &*files.spec, &*files.workflows), ("t", "s", "w"));
        fs::write(folder.join(SPEC), "x".repeat(MAX_BYTES as usize + 1)).unwrap();
        assert!(Files::read(&folder).unwrap_err().to_string().contains("more than"));
    }
}
