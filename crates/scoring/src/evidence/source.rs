//! The source tree, as far as this version looks at it: its hash and its sizes.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Format version of [`Source`].
pub const VERSION: u32 = 1;

/// Facts about the source folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Name of the folder.
    pub name: String,
    /// SHA-256 over all paths and contents that were read.
    pub hash: String,
    /// Files read.
    pub files: usize,
    /// Bytes read.
    pub bytes: u64,
    /// Bytes by lower-case extension.
    pub bytes_by_extension: BTreeMap<String, u64>,
    /// Whether a limit on files or bytes was reached.
    pub truncated: bool,
    /// Links and locked files of an archive that were not unpacked, and what of a folder may not be opened, by name; at most ten are named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}
