//! Security anti-patterns in the source.

use benchwright_source::PatternFinding;
use serde::{Deserialize, Serialize};

/// Format version of [`Patterns`].
pub const VERSION: u32 = 1;

/// Security anti-patterns in the source.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Patterns {
    /// Format version.
    pub version: u32,
    /// Text files that were read.
    pub files: usize,
    /// Scripts that were parsed.
    pub scripts: usize,
    /// Scripts the parser could make nothing of, or that are too large for it.
    pub unparsed: usize,
    /// Files that an entry of the browser leads to.
    pub client_files: usize,
    /// Files that only an entry of the server leads to.
    pub server_files: usize,
    /// Whether a limit on files, bytes or findings was reached.
    pub truncated: bool,
    /// What was found, by file and line.
    pub findings: Vec<PatternFinding>,
    /// What was found in files that say a tool wrote them, as far as that is believed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_generated: Vec<PatternFinding>,
    /// Code files that say a tool wrote them.
    #[serde(default)]
    pub generated_files: usize,
    /// Whether too much of the code says so for anybody to believe it; those files count like all others then.
    #[serde(default)]
    pub banners_ignored: bool,
}
