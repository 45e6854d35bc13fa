//! What tools that read the source were not given, and why. Part of other evidence.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Everything that was left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// How many files or folders, by reason.
    pub counts: BTreeMap<SkipReason, usize>,
    /// The first of them by name.
    pub named: Vec<SkippedPath>,
    /// Whether too much of the code says that a tool wrote it for anybody to believe it; it was not left out then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub banners_ignored: bool,
}

/// Why something is not looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// A folder that holds what somebody else wrote or a tool made.
    Folder,
    /// Minified or bundled.
    Minified,
    /// A banner at its top says that a tool made it.
    Generated,
    /// Too large to be written by hand.
    TooLarge,
    /// Not text, or a name that is none.
    NotText,
    /// It could not be read.
    Unreadable,
    /// There are too many files; this is one of the rest.
    OverLimit,
}

/// One file or folder that was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedPath {
    /// Path relative to the source root.
    pub path: String,
    /// Why.
    pub reason: SkipReason,
}

/// How many are named.
const MAX_NAMED: usize = 50;

impl Skipped {
    /// Writes one down.
    pub fn add(&mut self, path: &str, reason: SkipReason) {
        *self.counts.entry(reason).or_insert(0) += 1;
        if self.named.len() < MAX_NAMED {
            self.named.push(SkippedPath { path: path.chars().take(300).collect(), reason });
        }
    }

    /// How many files there are that would have been looked at, but for what they are.
    pub fn files(&self) -> usize {
        self.counts.iter().filter(|(reason, _)| **reason != SkipReason::Folder).map(|(_, count)| count).sum()
    }
}

impl SkipReason {
    /// In words, after a number of files.
    pub fn words(self) -> &'static str {
        match self {
            Self::Folder => "of built or foreign code (folders)",
            Self::Minified => "minified or bundled",
            Self::Generated => "generated, as their first lines say",
            Self::TooLarge => "too large",
            Self::NotText => "not text",
            Self::Unreadable => "not readable",
            Self::OverLimit => "beyond the limit on files",
        }
    }
}
