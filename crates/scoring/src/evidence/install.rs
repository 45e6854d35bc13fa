//! Clean, frozen installs from every committed lockfile.

use serde::{Deserialize, Serialize};

/// Format version of [`Install`].
pub const VERSION: u32 = 1;

/// Clean, frozen installs from every committed lockfile.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Install {}
