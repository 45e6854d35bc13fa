//! Which versions of which tasks may not change any more.
//!
//! `frozen.yaml` stands beside the folders of the tasks. A result names the hash of its task, so an edit after a freeze needs a new
//! version, or two results with the same name would be about different tests.

use super::folder::{FROZEN, SPEC, TASK, WORKFLOWS};
use super::{FORMAT, Files};
use crate::hex::hex;
use benchwright_domain::yaml::{self, Problem, Severity};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;

const MAX_NODES: usize = 20_000;
const PREFACE: &str = "\
# Written by `benchwright tasks freeze`. A task whose version stands here may not change; raise its version and freeze it again.
";

/// The versions that are frozen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Frozen {
    format: u32,
    /// By the id of the task: hashes by version.
    tasks: BTreeMap<String, BTreeMap<u32, String>>,
}

/// What freezing a task did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freezing {
    /// It is frozen now.
    Done,
    /// It was frozen before, as it is.
    Already,
}

/// Why something cannot be frozen, or `frozen.yaml` not be read. The message completes "failed to …".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FrozenError {
    #[error("read {}:{}:{}: {}", .0.file, .0.line, .0.column, .0.problem)]
    Unreadable(Problem),
    #[error("freeze {id}: {reason}")]
    Changed { id: String, reason: String },
}

/// SHA-256 over the three files of a task, each with its name and length before it.
pub fn hash(files: &Files) -> String {
    let mut hasher = Sha256::new();
    for (name, text) in [(TASK, &files.task), (SPEC, &files.spec), (WORKFLOWS, &files.workflows)] {
        hasher.update(format!("{name} {}\n", text.len()));
        hasher.update(text);
    }
    format!("sha256:{}", hex(&hasher.finalize()))
}

impl Default for Frozen {
    fn default() -> Self {
        Self { format: FORMAT, tasks: BTreeMap::new() }
    }
}

impl Frozen {
    /// Reads `frozen.yaml`; `file_name` is for messages only.
    pub fn read(text: &str, file_name: &str) -> Result<Self, FrozenError> {
        let told = |line, column, problem| {
            let (file, severity) = (file_name.to_owned(), Severity::Error);
            FrozenError::Unreadable(Problem { file, line, column, severity, problem })
        };
        let frozen: Self =
            yaml::read(text, MAX_NODES).map_err(|refusal| told(refusal.line, refusal.column, refusal.problem))?;
        if frozen.format != FORMAT {
            return Err(told(1, 1, format!("this is format {}; format {FORMAT} is understood", frozen.format)));
        }
        Ok(frozen)
    }

    /// The text of the file.
    pub fn written(&self) -> String {
        let mut text = format!("{PREFACE}format: {}\ntasks:\n", self.format);
        for (id, versions) in &self.tasks {
            let _ = writeln!(text, "  {id}:");
            for (version, hash) in versions {
                let _ = writeln!(text, "    {version}: {hash}");
            }
        }
        text
    }

    /// The hash that a version of a task is frozen with.
    pub fn hash_of(&self, id: &str, version: u32) -> Option<&str> {
        self.tasks.get(id)?.get(&version).map(String::as_str)
    }

    /// Why a task of this id, version and hash must not be: what was frozen is changed, or older than what was frozen later.
    pub fn objection(&self, id: &str, version: u32, hash: &str) -> Option<String> {
        let versions = self.tasks.get(id)?;
        let newest = *versions.keys().next_back()?;
        match versions.get(&version) {
            Some(frozen) if frozen != hash => Some(format!(
                "version {version} was changed after it was frozen; undo that, or raise the version to {} and freeze it again",
                newest + 1
            )),
            None if version < newest => Some(format!(
                "version {version} was never frozen, but version {newest} was; raise the version to {}",
                newest + 1
            )),
            _ => None,
        }
    }

    /// Freezes a task as it is.
    pub fn freeze(&mut self, id: &str, version: u32, hash: String) -> Result<Freezing, FrozenError> {
        if let Some(reason) = self.objection(id, version, &hash) {
            return Err(FrozenError::Changed { id: id.to_owned(), reason });
        }
        let before = self.tasks.entry(id.to_owned()).or_default().insert(version, hash);
        Ok(if before.is_some() { Freezing::Already } else { Freezing::Done })
    }
}

/// Where `frozen.yaml` of a task stands, seen from the folder of the task.
pub fn beside(folder: &std::path::Path) -> std::path::PathBuf {
    let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty());
    parent.map_or_else(|| folder.join("..").join(FROZEN), |parent| parent.join(FROZEN))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(spec: &str) -> Files {
        Files { folder: "a".to_owned(), task: "t".to_owned(), spec: spec.to_owned(), workflows: "w".to_owned() }
    }

    #[test]
    fn the_hash_knows_every_byte_and_which_file_it_is_in() {
        let hash_of =
            |task: &str, spec: &str| hash(&Files { task: task.to_owned(), spec: spec.to_owned(), ..files("") });
        assert_eq!(hash_of("ab", "c"), hash_of("ab", "c"));
        assert_ne!(hash_of("ab", "c"), hash_of("a", "bc"));
        assert_ne!(hash_of("ab", "c"), hash_of("ab", "c\n"));
        assert_eq!(hash_of("a", "b").len(), "sha256:".len() + 64);
    }

    #[test]
    fn an_edit_after_a_freeze_needs_a_new_version() {
        let mut frozen = Frozen::default();
        assert_eq!(frozen.freeze("a", 1, hash(&files("one"))), Ok(Freezing::Done));
        assert_eq!(frozen.freeze("a", 1, hash(&files("one"))), Ok(Freezing::Already));
        let error = frozen.freeze("a", 1, hash(&files("two"))).unwrap_err().to_string();
        assert!(error.starts_with("freeze a: version 1 was changed after it was frozen"), "{error}");
        assert!(error.contains("raise the version to 2"), "{error}");
        assert_eq!(frozen.freeze("a", 3, hash(&files("two"))), Ok(Freezing::Done));
        assert!(frozen.objection("a", 2, "x").unwrap().contains("raise the version to 4"));
        assert_eq!(frozen.objection("b", 1, "x"), None);
        assert_eq!(frozen.hash_of("a", 1), Some(&*hash(&files("one"))));
    }

    #[test]
    fn the_file_is_read_back_as_it_was_written() {
        let mut frozen = Frozen::default();
        frozen.freeze("b", 2, hash(&files("x"))).unwrap();
        frozen.freeze("a", 1, hash(&files("y"))).unwrap();
        assert_eq!(Frozen::read(&frozen.written(), "frozen.yaml").unwrap(), frozen);
        let error = Frozen::read("format: 2\ntasks: {}\n", "frozen.yaml").unwrap_err().to_string();
        assert!(error.contains("frozen.yaml:1:1: this is format 2"), "{error}");
        let error = Frozen::read("format: 1\ntasks:\n  a:\n    one: x\n", "frozen.yaml").unwrap_err().to_string();
        assert!(error.contains("frozen.yaml:4:5"), "{error}");
    }
}
