//! What judges said of a submission: every answer, every call, what it cost.

use serde::{Deserialize, Serialize};

/// Format version of [`Judgement`].
pub const VERSION: u32 = 1;

/// What judges said of a submission: every answer, every call, what it cost.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Judgement {}
