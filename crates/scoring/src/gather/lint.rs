//! Lints the source with ESLint and measures its complexity, in one pass.

use super::StepError;
use super::tree::Tree;
use crate::conduct::Workbench;
use crate::evidence::Lint;
use benchwright_sandbox::Scratch;

/// Lints the source with ESLint and measures its complexity, in one pass.
pub async fn run(_tree: &Tree, _bench: &Workbench, _scratch: &Scratch) -> Result<Lint, StepError> {
    Err(StepError::Page("this version does not gather it yet".to_owned()))
}
