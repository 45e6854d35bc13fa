//! Checks the source with the TypeScript compiler.

use super::StepError;
use super::install::Installed;
use super::tree::Tree;
use crate::conduct::Workbench;
use crate::evidence::Types;
use benchwright_sandbox::Scratch;

/// Checks the source against what was installed, if anything was.
pub async fn check(
    _tree: &Tree,
    _installed: Option<&Installed>,
    _bench: &Workbench,
    _scratch: &Scratch,
) -> Result<Types, StepError> {
    Err(StepError::Page("this version does not gather it yet".to_owned()))
}
