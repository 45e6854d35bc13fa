//! Asks the registry which advisories the production dependencies have.

use super::StepError;
use super::tree::Tree;
use crate::conduct::Workbench;
use crate::evidence::Audit;
use benchwright_sandbox::Scratch;

/// Asks the registry which advisories the production dependencies have.
pub async fn run(_tree: &Tree, _bench: &Workbench, _scratch: &Scratch) -> Result<Audit, StepError> {
    Err(StepError::Page("this version does not gather it yet".to_owned()))
}
