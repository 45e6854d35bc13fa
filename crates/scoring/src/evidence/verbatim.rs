//! Where the prompt's verbatim constraints stand in the source and in the page.

use serde::{Deserialize, Serialize};

/// Format version of [`Verbatim`].
pub const VERSION: u32 = 1;

/// Where the prompt's verbatim constraints stand in the source and in the page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Verbatim {}
