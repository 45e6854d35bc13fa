//! What the registry's advisories say of the production dependencies.

use serde::{Deserialize, Serialize};

/// Format version of [`Audit`].
pub const VERSION: u32 = 1;

/// What the registry's advisories say of the production dependencies.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Audit {}
