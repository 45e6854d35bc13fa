//! Walks the prompt's criteria in the browser, each in a context of its own.

use super::{Desk, StepError};
use crate::evidence::Acceptance;
use crate::prompt::Prompt;
use crate::request::{Access, Request};
use benchwright_browser::Browser;

/// Walks all criteria of a prompt.
pub async fn walk(
    _desk: &Desk<'_>,
    _browser: &Browser,
    _request: &Request,
    _access: &Access,
    _prompt: &Prompt,
) -> Result<Acceptance, StepError> {
    Err(StepError::Page("this version does not gather it yet".to_owned()))
}
