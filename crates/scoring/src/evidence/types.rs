//! What the TypeScript compiler says of the source.

use super::lint::{FileTally, Rule};
use super::survey::Skipped;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Format version of [`Types`].
pub const VERSION: u32 = 1;

/// What the TypeScript compiler says of the source.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Types {
    /// Version of the compiler.
    #[serde(default)]
    pub typescript: String,
    /// Whether the app's dependencies were installed for it.
    #[serde(default)]
    pub installed: bool,
    /// The configurations that were checked.
    pub projects: Vec<Project>,
    /// What the compiler says of the configurations themselves.
    pub notes: Vec<String>,
    /// Files whose errors count.
    pub files: usize,
    /// Their lines that are not blank.
    pub loc: usize,
    /// Comments that hide errors from the compiler.
    pub suppressions: usize,
    /// Errors that count.
    pub errors: usize,
    /// Errors by code, the most frequent first.
    pub rules: Vec<Rule>,
    /// Files with the most errors, the worst first.
    pub worst: Vec<FileTally>,
    /// Errors that only say that something is not installed, by code.
    pub left_out: BTreeMap<String, usize>,
    /// How many modules could not be found.
    pub missing_modules: usize,
    /// The first of them.
    pub missing: Vec<MissingModule>,
    /// What was not checked, and why.
    #[serde(default)]
    pub skipped: Skipped,
}

/// One configuration.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Project {
    /// Its path relative to the source root; absent where there was none and ours was used.
    pub config: Option<String>,
    /// Files it names.
    pub files: usize,
    /// Parts of `strict` it switches off, which were switched on again.
    pub strict_off: Vec<String>,
}

/// A module that could not be found, and had `any` for everything.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MissingModule {
    /// As it is written in the import.
    pub module: String,
    /// Whether it is a path inside the app, which no installation mends.
    pub relative: bool,
    /// The first file that imports it.
    pub from: String,
    /// How many files import it.
    pub files: usize,
}
