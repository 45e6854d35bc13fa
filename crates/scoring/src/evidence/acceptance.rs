//! The prompt's criteria, walked in the browser: how each came out, and what the pages said meanwhile.

use serde::{Deserialize, Serialize};

/// Format version of [`Acceptance`].
pub const VERSION: u32 = 1;

/// The prompt's criteria, walked in the browser: how each came out, and what the pages said meanwhile.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Acceptance {}
