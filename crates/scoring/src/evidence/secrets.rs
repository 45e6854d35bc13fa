//! Secrets in the source, masked.

use serde::{Deserialize, Serialize};

/// Format version of [`Secrets`].
pub const VERSION: u32 = 1;

/// Secrets in the source, masked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Secrets {}
