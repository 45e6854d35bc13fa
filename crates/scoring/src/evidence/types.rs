//! What the TypeScript compiler says of the source.

use serde::{Deserialize, Serialize};

/// Format version of [`Types`].
pub const VERSION: u32 = 1;

/// What the TypeScript compiler says of the source.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Types {}
