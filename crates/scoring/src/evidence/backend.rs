//! What two accounts could do, and what they could see of each other.

use serde::{Deserialize, Serialize};

/// Format version of [`Backend`].
pub const VERSION: u32 = 1;

/// What two accounts could do, and what they could see of each other.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Backend {}
