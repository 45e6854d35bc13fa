//! Exercises the backend with two accounts: what persists, what crosses sessions, what leaks.

use super::{Desk, StepError};
use crate::evidence::Backend;
use crate::request::{Access, Accounts, Request};
use benchwright_browser::Browser;

/// Logs in, creates, logs out, logs in again; then looks at what others can see.
pub async fn exercise(
    _desk: &Desk<'_>,
    _browser: &Browser,
    _request: &Request,
    _access: &Access,
    _accounts: &Accounts,
) -> Result<Backend, StepError> {
    Err(StepError::Page("this version does not gather it yet".to_owned()))
}
