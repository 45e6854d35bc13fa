//! Security anti-patterns in the source.

use serde::{Deserialize, Serialize};

/// Format version of [`Patterns`].
pub const VERSION: u32 = 1;

/// Security anti-patterns in the source.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Patterns {}
