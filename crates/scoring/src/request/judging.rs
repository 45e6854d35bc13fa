use serde::{Deserialize, Serialize};

/// Who judges, and at what price. Keys are not part of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Judging {}
