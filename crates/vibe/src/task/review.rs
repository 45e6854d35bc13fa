//! What people decided about the workflows of a task, in two passes by different reviewers. It is kept in `review.yaml` in the task's
//! folder, which is no part of what a freeze hashes.
//!
//! A decision is about a text: when the workflow or the specification changes afterwards, it no longer holds.

use super::folder::{self, FolderError};
use super::{FORMAT, Files, read};
use crate::hex::hex;
use benchwright_domain::yaml::{self, Refusal};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::Path;

/// The file in the folder of a task.
pub const REVIEW: &str = "review.yaml";
/// How many times a workflow is looked at.
pub const PASSES: usize = 2;
const MAX_NODES: usize = 40_000;
const MAX_NOTE: usize = 2_000;
const MAX_NAME: usize = 100;

/// What a reviewer asks of a workflow. Only one that is all of it can be accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Item {
    InSpec,
    InBrowser,
    Isolated,
    SignIn,
    Unambiguous,
    Worthwhile,
}

impl Item {
    /// All of them, in the order in which they are asked.
    pub const ALL: [Self; 6] =
        [Self::InSpec, Self::InBrowser, Self::Isolated, Self::SignIn, Self::Unambiguous, Self::Worthwhile];

    /// The question.
    pub fn question(self) -> &'static str {
        match self {
            Self::InSpec => "Is everything it tests in the specification, or chosen by the tester?",
            Self::InBrowser => "Can every substep be done and seen in one browser?",
            Self::Isolated => "Does it work without any other workflow, and in any order?",
            Self::SignIn => "Does it sign in exactly where the specification wants that?",
            Self::Unambiguous => "Would a tester who knows only the specification know what to do and what to expect?",
            Self::Worthwhile => "Does it test something that users of the app care about?",
        }
    }
}

/// What a reviewer decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// It stays as it is.
    Accept,
    /// It must be changed, as the note says.
    Modify,
    /// It must go.
    Reject,
}

impl Decision {
    /// The name in files and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Modify => "modify",
            Self::Reject => "reject",
        }
    }
}

/// What one reviewer says of one workflow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Opinion {
    /// The decision.
    pub decision: Decision,
    /// What it was asked; an item that is not there was not looked at.
    #[serde(default)]
    pub checklist: BTreeMap<Item, bool>,
    /// What to change, or why it must go.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// An opinion with who, when, and about which text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decided {
    /// Who.
    pub reviewer: String,
    /// The day.
    pub day: String,
    /// Hash of the specification and of the workflow at that time.
    pub about: String,
    /// What was said.
    pub opinion: Opinion,
}

/// `review.yaml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Review {
    format: u32,
    /// By the id of the workflow: one entry for each pass, in order.
    workflows: BTreeMap<String, Vec<Decided>>,
}

/// Opinions as a file gives them, for reviewing without a terminal.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Opinions {
    /// By the id of the workflow.
    pub workflows: BTreeMap<String, Opinion>,
}

/// How far the review of a workflow is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// So many passes are missing.
    Open(usize),
    /// Two reviewers accept it as it is.
    Accepted,
    /// The last word on the text as it is.
    Refused(Decision),
}

/// Why a review cannot be read or written. The message completes "failed to …".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReviewError {
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error("read {file}:{line}:{column}: {problem}")]
    Unreadable { file: String, line: u64, column: u64, problem: String },
    #[error("review `{workflow}`: {problem}")]
    Refused { workflow: String, problem: String },
    #[error("write the review: {0}")]
    Unwritable(String),
}

impl Default for Review {
    fn default() -> Self {
        Self { format: FORMAT, workflows: BTreeMap::new() }
    }
}

impl Review {
    /// The review in the folder of a task; an empty one if there is none yet.
    pub fn of(task: &Path) -> Result<Self, ReviewError> {
        let file = task.join(REVIEW);
        if !file.exists() {
            return Ok(Self::default());
        }
        let review: Self = parsed(&file)?;
        if review.format != FORMAT {
            let problem = format!("this is format {}; format {FORMAT} is understood", review.format);
            return Err(ReviewError::Unreadable { file: file.display().to_string(), line: 1, column: 1, problem });
        }
        Ok(review)
    }

    /// The text of the file.
    pub fn written(&self) -> Result<String, ReviewError> {
        serde_saphyr::to_string(self).map_err(|error| ReviewError::Unwritable(error.to_string()))
    }

    /// How far the review of a workflow is, whose text has this hash now.
    pub fn standing(&self, workflow: &str, about: &str) -> Standing {
        let held: Vec<&Decided> = self.held(workflow, about).collect();
        match held.last() {
            Some(last) if last.opinion.decision != Decision::Accept => Standing::Refused(last.opinion.decision),
            _ if held.len() >= PASSES => Standing::Accepted,
            _ => Standing::Open(PASSES - held.len()),
        }
    }

    /// Whether a reviewer may decide on a workflow: it is open, and the same eyes do not look twice.
    pub fn is_open_to(&self, reviewer: &str, workflow: &str, about: &str) -> bool {
        matches!(self.standing(workflow, about), Standing::Open(_))
            && !self.held(workflow, about).any(|decided| decided.reviewer.trim() == reviewer.trim())
    }

    /// Decisions that hold: those about the text as it is.
    fn held(&self, workflow: &str, about: &str) -> impl Iterator<Item = &Decided> {
        let all = self.workflows.get(workflow).map(Vec::as_slice).unwrap_or_default();
        all.iter().filter(move |decided| decided.about == about)
    }

    /// Adds what a reviewer decided.
    pub fn decide(&mut self, workflow: &str, decided: Decided) -> Result<(), ReviewError> {
        let refused =
            |problem: &str| ReviewError::Refused { workflow: workflow.to_owned(), problem: problem.to_owned() };
        let reviewer = decided.reviewer.trim().to_owned();
        let decided = Decided { reviewer, ..decided };
        if decided.reviewer.is_empty() || decided.reviewer.len() > MAX_NAME {
            return Err(refused("say who reviews, with a name of at most 100 letters"));
        }
        decided.opinion.check().map_err(|problem| refused(&problem))?;
        if !self.is_open_to(&decided.reviewer, workflow, &decided.about) {
            return Err(refused(
                "this reviewer has decided on it, or it needs no further decision; the second pass is for somebody else",
            ));
        }
        self.workflows.entry(workflow.to_owned()).or_default().push(decided);
        Ok(())
    }
}

impl Opinion {
    fn check(&self) -> Result<(), String> {
        let is_yes = |item: &Item| self.checklist.get(item) == Some(&true);
        if self.decision == Decision::Accept
            && let Some(missing) = Item::ALL.iter().find(|item| !is_yes(item))
        {
            return Err(format!(
                "it can be accepted only when the whole checklist is answered with yes; open: {}",
                missing.question()
            ));
        }
        if self.decision != Decision::Accept && self.note.trim().is_empty() {
            return Err("say what to change, or why it must go, in `note`".to_owned());
        }
        if self.note.len() > MAX_NOTE { Err(format!("a note has at most {MAX_NOTE} characters")) } else { Ok(()) }
    }
}

impl Opinions {
    /// Reads a file of opinions.
    pub fn read(file: &Path) -> Result<Self, ReviewError> {
        parsed(file)
    }
}

fn parsed<T: serde::de::DeserializeOwned>(file: &Path) -> Result<T, ReviewError> {
    let text = folder::read_text(file)?;
    yaml::read(&text, MAX_NODES).map_err(|Refusal { line, column, problem }| {
        let file = file.display().to_string();
        ReviewError::Unreadable { file, line, column, problem }
    })
}

/// The workflows of a task in order: id, text as it stands in the file, and hash of that with the specification.
pub fn workflows(files: &Files) -> Result<Vec<(String, String, String)>, Refusal> {
    let written = read::workflows(files)?;
    let lines: Vec<&str> = files.workflows.lines().collect();
    let starts: Vec<usize> = written.workflows.iter().map(|it| (it.place().0 as usize).saturating_sub(1)).collect();
    let ends = starts.iter().skip(1).copied().chain([lines.len()]);
    let texts = starts.iter().zip(ends).map(|(start, end)| lines.get(*start..end).unwrap_or_default().join("\n"));
    let named = written.workflows.iter().zip(texts).map(|(workflow, text)| {
        let about = hash(&files.spec, text.trim_end());
        (workflow.id.value.clone(), text.trim_end().to_owned(), about)
    });
    Ok(named.collect())
}

fn hash(spec: &str, workflow: &str) -> String {
    let mut hasher = Sha256::new();
    for text in [spec, workflow] {
        hasher.update(format!("{}\n", text.len()));
        hasher.update(text);
    }
    format!("sha256:{}", hex(&hasher.finalize()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn plants() -> Files {
        Files::read(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus/tasks/plant-diary")).unwrap()
    }

    fn decided(reviewer: &str, decision: Decision, about: &str) -> Decided {
        let checklist = Item::ALL.map(|item| (item, true)).into();
        let note = if decision == Decision::Accept { String::new() } else { "too long".to_owned() };
        let (reviewer, day) = (reviewer.to_owned(), "2026-11-17".to_owned());
        Decided { reviewer, day, about: about.to_owned(), opinion: Opinion { decision, checklist, note } }
    }

    #[test]
    fn two_different_reviewers_must_accept() {
        let mut review = Review::default();
        assert_eq!(review.standing("w", "1"), Standing::Open(2));
        review.decide("w", decided("ann", Decision::Accept, "1")).unwrap();
        assert_eq!(review.standing("w", "1"), Standing::Open(1));
        let again = review.decide("w", decided("ann", Decision::Accept, "1")).unwrap_err();
        assert!(again.to_string().contains("somebody else"), "{again}");
        assert!(!review.is_open_to(" ann", "w", "1"));
        assert!(review.decide("w", decided("ann ", Decision::Accept, "1")).is_err(), "a space makes nobody else");
        review.decide("w", decided("ben", Decision::Accept, "1")).unwrap();
        assert_eq!(review.standing("w", "1"), Standing::Accepted);
        assert_eq!(review.standing("w", "2"), Standing::Open(2), "another text");
    }

    #[test]
    fn a_refusal_holds_until_the_text_is_another_one() {
        let mut review = Review::default();
        review.decide("w", decided("ann", Decision::Modify, "1")).unwrap();
        assert_eq!(review.standing("w", "1"), Standing::Refused(Decision::Modify));
        assert!(review.decide("w", decided("ben", Decision::Accept, "1")).is_err());
        review.decide("w", decided("ann", Decision::Accept, "2")).unwrap();
        assert_eq!(review.standing("w", "2"), Standing::Open(1));
    }

    #[test]
    fn an_opinion_must_be_complete() {
        let mut review = Review::default();
        let mut hasty = decided("ann", Decision::Accept, "1");
        hasty.opinion.checklist.insert(Item::Isolated, false);
        assert!(review.decide("w", hasty).unwrap_err().to_string().contains("any order"));
        let mut silent = decided("ann", Decision::Reject, "1");
        silent.opinion.note.clear();
        assert!(review.decide("w", silent).unwrap_err().to_string().contains("why it must go"));
        assert!(review.decide("w", decided(" ", Decision::Accept, "1")).is_err());
        assert_eq!(review, Review::default());
    }

    #[test]
    fn the_file_is_read_back_as_it_was_written() {
        let mut review = Review::default();
        review.decide("w", decided("ann", Decision::Accept, "1")).unwrap();
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Review::of(folder.path()).unwrap(), Review::default());
        std::fs::write(folder.path().join(REVIEW), review.written().unwrap()).unwrap();
        assert_eq!(Review::of(folder.path()).unwrap(), review);
        std::fs::write(folder.path().join(REVIEW), "format: 9\nworkflows: {}\n").unwrap();
        assert!(Review::of(folder.path()).unwrap_err().to_string().contains("format 9"));
        std::fs::write(folder.path().join(REVIEW), "format: 1\nworkflows: {w: [{decision: maybe}]}\n").unwrap();
        assert!(Review::of(folder.path()).unwrap_err().to_string().contains("review.yaml:2:"));
    }

    #[test]
    fn an_edit_changes_the_hash_of_its_workflow_and_one_of_the_spec_those_of_all() {
        let files = plants();
        let before = workflows(&files).unwrap();
        assert!(before[0].1.starts_with("  - id: add-a-plant") && !before[0].1.contains("water-a-thirsty-plant"));
        let edited =
            Files { workflows: files.workflows.replacen("Choose \"Kitchen\"", "Pick \"Kitchen\"", 1), ..files.clone() };
        let after = workflows(&edited).unwrap();
        let changed = before.iter().zip(&after).filter(|(a, b)| a.2 != b.2).count();
        assert_eq!((before.len(), changed), (10, 1));
        let other = Files { spec: files.spec.replacen("thirty", "forty", 1), ..files };
        assert!(before.iter().zip(&workflows(&other).unwrap()).all(|(a, b)| a.2 != b.2));
    }
}
