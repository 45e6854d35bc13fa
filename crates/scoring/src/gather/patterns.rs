//! Looks for security anti-patterns in the source.

use super::StepError;
use super::tree::Tree;
use crate::evidence::Patterns;

/// Looks for security anti-patterns in the source.
pub async fn scan(_tree: &Tree) -> Result<Patterns, StepError> {
    Err(StepError::Page("this version does not gather it yet".to_owned()))
}
