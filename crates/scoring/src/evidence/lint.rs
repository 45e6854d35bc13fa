//! What ESLint and the complexity rule say of the source.

use super::survey::Skipped;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Format version of [`Lint`].
pub const VERSION: u32 = 1;

/// What ESLint and the complexity rule say of the source.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Lint {
    /// Versions of the tools, by name.
    #[serde(default)]
    pub tools: BTreeMap<String, String>,
    /// Files linted.
    pub files: usize,
    /// Their lines that are not blank.
    pub loc: usize,
    /// Files linted, by extension.
    pub extensions: BTreeMap<String, usize>,
    /// Errors; a file that cannot be parsed is one.
    pub errors: usize,
    /// Warnings.
    pub warnings: usize,
    /// Comments that would have switched rules off or set them, and were ignored.
    pub directives: usize,
    /// Findings by rule, the worst first.
    pub rules: Vec<Rule>,
    /// Files with the most findings, the worst first.
    pub worst: Vec<FileTally>,
    /// What the complexity rule says.
    pub complexity: Complexity,
    /// What was not linted, and why.
    #[serde(default)]
    pub skipped: Skipped,
}

/// The findings of one rule, or of one kind of compiler error.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Rule {
    /// Its id, such as `no-debugger` or `TS2322`.
    pub rule: String,
    /// How many errors.
    pub errors: usize,
    /// How many warnings.
    pub warnings: usize,
    /// The first places.
    pub places: Vec<Finding>,
}

/// One finding.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Path relative to the source root.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: u32,
    /// What the tool says, cut, without long literals.
    pub message: String,
}

/// How many findings a file has.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FileTally {
    /// Path relative to the source root.
    pub file: String,
    /// Errors.
    pub errors: usize,
    /// Warnings.
    pub warnings: usize,
}

/// Functions over the limit of cognitive complexity.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Complexity {
    /// The highest complexity that is fine.
    pub limit: u32,
    /// How many functions are over it.
    pub violations: usize,
    /// The most complex ones, first the worst.
    pub hotspots: Vec<Hotspot>,
}

/// One function that is too complex.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Hotspot {
    /// Path relative to the source root.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: u32,
    /// Its cognitive complexity.
    pub complexity: u32,
}
