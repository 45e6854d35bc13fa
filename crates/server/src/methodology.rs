//! What the scorers say of themselves, handed over by the composition root: the site cannot name the crate that scores.

use benchwright_domain::{Dimension, ScorerId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The methodology in chapters.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Methodology {
    /// What stands before the scorers, as Markdown.
    pub preface: String,
    /// The scorers in published order.
    pub scorers: Vec<ScorerDocument>,
}

/// What a scorer needs to be given besides the address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Input {
    /// Nothing but the address.
    Url,
    /// The source.
    Source,
    /// A prompt.
    Prompt,
    /// A judge: a language model and its key.
    Judge,
    /// Two test accounts.
    Accounts,
}

impl Input {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Url, Self::Source, Self::Prompt, Self::Judge, Self::Accounts];

    /// The name used in addresses and JSON.
    pub fn key(self) -> &'static str {
        match self {
            Self::Url => "url",
            Self::Source => "source",
            Self::Prompt => "prompt",
            Self::Judge => "judge",
            Self::Accounts => "accounts",
        }
    }

    /// The name a reader sees.
    pub fn title(self) -> &'static str {
        match self {
            Self::Url => "Address only",
            Self::Source => "Source",
            Self::Prompt => "Prompt",
            Self::Judge => "Judge",
            Self::Accounts => "Accounts",
        }
    }
}

/// A scorer.
#[derive(Debug, Clone, PartialEq)]
pub struct ScorerDocument {
    /// Published id.
    pub id: ScorerId,
    /// Version of its definition.
    pub version: String,
    /// Version of Benchwright it came with.
    pub since: String,
    /// The evidence it is computed from.
    pub evidence: Vec<String>,
    /// What must be given.
    pub inputs: Vec<Input>,
    /// Its weight within the dimension.
    pub weight: f64,
    /// Whether its weight comes on top of the base of 100.
    pub is_additive: bool,
    /// Share of the composite when everything is measured, in percent.
    pub share: f64,
    /// Its own documentation, as Markdown.
    pub text: String,
}

impl ScorerDocument {
    /// The dimension it counts towards.
    pub fn dimension(&self) -> Dimension {
        self.id.dimension()
    }
}
