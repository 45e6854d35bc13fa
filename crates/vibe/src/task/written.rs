//! The files as they are written: every text with its place.

use super::{Access, Difficulty, Domain, Expectation, Kind, Limits, Service, Split, Written};
use benchwright_domain::yaml::{Text, place};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_saphyr::Spanned;
use std::collections::BTreeMap;
use std::fmt;

/// `task.yaml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenTask {
    pub(super) format: Spanned<u32>,
    pub(super) id: Text,
    pub(super) version: Spanned<u32>,
    pub(super) title: Text,
    pub(super) domain: Domain,
    pub(super) difficulty: Difficulty,
    #[serde(default)]
    pub(super) services: Vec<Spanned<Service>>,
    pub(super) split: Split,
    #[serde(default)]
    pub(super) written: Written,
    pub(super) access: Access,
    #[serde(default)]
    pub(super) limits: Option<Spanned<Limits>>,
    pub(super) canary: Text,
    #[serde(default)]
    pub(super) origin: Option<Text>,
}

/// `workflows.yaml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenWorkflows {
    pub(super) format: Spanned<u32>,
    pub(super) task: Text,
    pub(super) canary: Text,
    pub(super) workflows: Vec<WrittenWorkflow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenWorkflow {
    pub(super) id: Text,
    pub(super) title: Text,
    pub(super) purpose: Text,
    pub(super) kind: Kind,
    /// Templates by the names of the variables.
    #[serde(default)]
    pub(super) variables: BTreeMap<String, Text>,
    /// Texts that are neither in the spec nor a variable, each with the reason why a tester may rely on it.
    #[serde(default)]
    pub(super) explained: BTreeMap<String, Text>,
    pub(super) substeps: Vec<Spanned<WrittenSubstep>>,
}

/// A sentence alone, or a sentence with what belongs to it.
pub(super) enum WrittenSubstep {
    Sentence(String),
    Full { sentence: Text, expect: Vec<Expectation<Text>>, critical: bool },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FullSubstep {
    #[serde(rename = "do")]
    sentence: Text,
    #[serde(default)]
    expect: Vec<Expectation<Text>>,
    #[serde(default)]
    critical: bool,
}

impl WrittenSubstep {
    /// The sentence with its place, which for a sentence alone is that of the list's entry.
    pub(super) fn sentence(this: &Spanned<Self>) -> Text {
        match &this.value {
            Self::Sentence(text) => Spanned::new(text.clone(), this.referenced, this.defined),
            Self::Full { sentence, .. } => sentence.clone(),
        }
    }

    pub(super) fn expect(&self) -> &[Expectation<Text>] {
        match self {
            Self::Sentence(_) => &[],
            Self::Full { expect, .. } => expect,
        }
    }

    pub(super) fn is_critical(&self) -> bool {
        matches!(self, Self::Full { critical: true, .. })
    }
}

impl WrittenWorkflow {
    /// Where it begins.
    pub(super) fn place(&self) -> (u64, u64) {
        place(&self.id)
    }
}

impl<'de> Deserialize<'de> for WrittenSubstep {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SubstepVisitor)
    }
}

/// Not serde's untagged enum, which forgets where things stand.
struct SubstepVisitor;

impl<'de> Visitor<'de> for SubstepVisitor {
    type Value = WrittenSubstep;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sentence, or `do`, `expect` and `critical`")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(WrittenSubstep::Sentence(text.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        let FullSubstep { sentence, expect, critical } = FullSubstep::deserialize(MapAccessDeserializer::new(map))?;
        Ok(WrittenSubstep::Full { sentence, expect, critical })
    }
}
