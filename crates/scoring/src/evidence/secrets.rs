//! Secrets in the source, masked.

use benchwright_source::{Class, SecretFinding};
use serde::{Deserialize, Serialize};

/// Format version of [`Secrets`].
pub const VERSION: u32 = 1;

/// The name of our own scanner.
pub const BUILT_IN: &str = "built-in patterns";

/// Secrets in the source, masked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Secrets {
    /// Format version.
    pub version: u32,
    /// Text files that were read.
    pub files: usize,
    /// Whether a limit on files, bytes or findings was reached.
    pub truncated: bool,
    /// Who looked, ours first.
    pub scanners: Vec<Scanner>,
    /// What was found, by file and line.
    pub findings: Vec<Secret>,
    /// What foreign scanners say about the code that is not a secret.
    pub code: Vec<CodeFinding>,
}

/// A scanner that ran.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scanner {
    /// What it is called.
    pub name: String,
    /// As it says itself.
    pub version: String,
    /// Why it gave no answer, if it gave none.
    pub failure: Option<String>,
}

/// A secret. Never its value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Secret {
    /// Path relative to the root, with `/`.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1, where known.
    pub column: Option<u32>,
    /// Our rule, or the foreign scanner's.
    pub rule: String,
    /// First characters, length and fingerprint, where we saw it ourselves.
    pub masked: Option<String>,
    /// The line, cut and masked; empty where only a foreign scanner saw it.
    pub text: String,
    /// Live, or part of seed, test or demo data.
    pub class: Class,
    /// Who found it.
    pub scanners: Vec<String>,
}

impl Secret {
    /// One that our own patterns found.
    pub fn own(found: SecretFinding) -> Self {
        Self {
            file: found.file,
            line: found.line,
            column: Some(found.column),
            rule: found.rule,
            masked: Some(found.masked),
            text: found.text,
            class: found.class,
            scanners: vec![BUILT_IN.to_owned()],
        }
    }
}

/// What a foreign scanner says about the code.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CodeFinding {
    /// Path relative to the root, with `/`.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// The scanner's rule.
    pub rule: String,
    /// Who found it.
    pub scanner: String,
    /// Live, or part of tests and seed data.
    #[serde(default = "live")]
    pub class: Class,
}

/// What a run from before code findings were classed has.
fn live() -> Class {
    Class::Live
}
