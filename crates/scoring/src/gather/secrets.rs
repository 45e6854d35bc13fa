//! Looks for secrets in the source: our own patterns always, the user's scanners where they are installed.

use super::StepError;
use super::tree::Tree;
use crate::conduct::Workbench;
use crate::evidence::Secrets;
use benchwright_sandbox::Scratch;

/// Looks for secrets in the source: our own patterns always, the user's scanners where they are installed.
pub async fn scan(_tree: &Tree, _bench: &Workbench, _scratch: &Scratch) -> Result<Secrets, StepError> {
    Err(StepError::Page("this version does not gather it yet".to_owned()))
}
