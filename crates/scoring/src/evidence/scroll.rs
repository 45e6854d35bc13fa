//! The page scrolled half-way down, for the judges.

use serde::{Deserialize, Serialize};

/// Format version of [`Scroll`].
pub const VERSION: u32 = 1;

/// The page scrolled half-way down, for the judges.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Scroll {}
