//! Looks for the prompt's verbatim constraints in the source.

use super::StepError;
use super::tree::Tree;
use crate::evidence::Verbatim;
use crate::prompt::VerbatimConstraint;

/// Looks for the prompt's verbatim constraints in the source.
pub async fn look(_tree: &Tree, _constraints: Vec<VerbatimConstraint>) -> Result<Verbatim, StepError> {
    Err(StepError::Page("this version does not gather it yet".to_owned()))
}
