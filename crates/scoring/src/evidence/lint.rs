//! What ESLint and the complexity rule say of the source.

use serde::{Deserialize, Serialize};

/// Format version of [`Lint`].
pub const VERSION: u32 = 1;

/// What ESLint and the complexity rule say of the source.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Lint {}
