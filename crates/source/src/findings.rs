//! What is found. Nothing here holds a secret's value.

use serde::{Deserialize, Serialize};

/// How bad an anti-pattern is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Everybody can read or change everything.
    Critical,
    /// An attacker needs one more step.
    High,
    /// Bad practice that helps an attacker.
    Medium,
}

/// Whether a secret is taken for a live one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// A secret that somebody could use.
    Live,
    /// A value of seed, test or demo data: worth knowing, no leak of its own.
    Fixture,
}

/// A secret, masked.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SecretFinding {
    /// Path relative to the root, with `/`.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    /// Id of the rule.
    pub rule: String,
    /// First four characters, length and fingerprint.
    pub masked: String,
    /// The line, cut, with every secret in it masked.
    pub text: String,
    /// Live or fixture.
    pub class: Class,
}

/// Who gets to run a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// The browser: an entry page or bundle leads to it.
    Client,
    /// The server.
    Server,
    /// Neither an entry of the browser nor of the server leads to it: scripts, rules, migrations.
    Neither,
}

/// A security anti-pattern.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PatternFinding {
    /// Path relative to the root, with `/`.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    /// Id of the rule.
    pub rule: String,
    /// How bad it is.
    pub severity: Severity,
    /// Who runs the file.
    pub side: Side,
    /// The line, cut, with every secret in it masked.
    pub text: String,
}
