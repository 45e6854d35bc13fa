//! The files of a task as machines write them.

use super::{Access, Difficulty, Domain, Expectation, Files, Kind, Service, Split};
use crate::hex::hex;
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// Bytes of a canary.
const CANARY_BYTES: usize = 16;

/// `task.yaml`.
#[derive(Serialize)]
pub(super) struct TaskFile {
    pub(super) format: u32,
    pub(super) id: String,
    pub(super) version: u32,
    pub(super) title: String,
    pub(super) domain: Domain,
    pub(super) difficulty: Difficulty,
    pub(super) services: Vec<Service>,
    pub(super) split: Split,
    pub(super) access: Access,
    pub(super) canary: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) origin: Option<&'static str>,
}

/// `workflows.yaml`.
#[derive(Serialize)]
pub(super) struct WorkflowsFile {
    pub(super) format: u32,
    pub(super) task: String,
    pub(super) canary: String,
    pub(super) workflows: Vec<WorkflowEntry>,
}

#[derive(Serialize)]
pub(super) struct WorkflowEntry {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) purpose: String,
    pub(super) kind: Kind,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) variables: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) explained: BTreeMap<String, String>,
    pub(super) substeps: Vec<SubstepEntry>,
}

#[derive(Serialize)]
pub(super) struct SubstepEntry {
    r#do: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    expect: Vec<Value>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    critical: bool,
}

impl SubstepEntry {
    /// A sentence and nothing else.
    pub(super) fn plain(sentence: &str) -> Self {
        Self::new(sentence, &[], false)
    }

    /// A sentence with what belongs to it.
    pub(super) fn new(sentence: &str, expect: &[Expectation], critical: bool) -> Self {
        // Expectations are texts and numbers, which always have a JSON form; YAML has tags of its own for such a choice.
        let expect = expect.iter().filter_map(|expected| serde_json::to_value(expected).ok()).collect();
        Self { r#do: sentence.to_owned(), expect, critical }
    }
}

/// The three files. The specification gets its canary.
pub(super) fn files(head: &TaskFile, spec: &str, body: &WorkflowsFile) -> Result<Files, String> {
    let written = |text: Result<String, serde_saphyr::ser::Error>| text.map_err(|error| error.to_string());
    Ok(Files {
        folder: head.id.clone(),
        task: written(serde_saphyr::to_string(head))?,
        spec: format!("{}\n\n<!-- {} -->\n", spec.trim(), head.canary),
        workflows: written(serde_saphyr::to_string(body))?,
    })
}

/// A canary that follows from a text.
pub(super) fn canary(seed: &str) -> String {
    format!("benchwright-canary-{}", hex(&Sha256::digest(seed)[..CANARY_BYTES]))
}

/// Words in lower case, joined by dashes.
pub(super) fn kebab(name: &str) -> String {
    let words = name.split(|character: char| !character.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").to_ascii_lowercase()
}
