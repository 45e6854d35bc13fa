//! Where the prompt's verbatim constraints stand in the source.

use crate::prompt::VerbatimType;
use benchwright_source::Hit;
use serde::{Deserialize, Serialize};

/// Format version of [`Verbatim`].
pub const VERSION: u32 = 1;

/// Where the prompt's verbatim constraints stand in the source.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Verbatim {
    /// Format version.
    pub version: u32,
    /// Text files that were read.
    pub files: usize,
    /// Whether a limit on files or bytes was reached.
    pub truncated: bool,
    /// One for each constraint, in the prompt's order.
    pub constraints: Vec<Looked>,
}

/// Where one constraint stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Looked {
    /// How it was looked for.
    pub kind: VerbatimType,
    /// What must appear.
    pub value: String,
    /// Where the prompt expects it; for readers only.
    pub place: String,
    /// Files that satisfy it.
    pub files: usize,
    /// The first of them, at most 5.
    pub hits: Vec<Hit>,
    /// Places where the words stand but do not count, at most 5.
    pub elsewhere: Vec<Hit>,
}
