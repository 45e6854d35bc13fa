//! Brings up the login form, as far as a criterion is concerned.

use super::trouble::Trouble;
use crate::gather::StepError;
use crate::gather::backend::survey::{Field, Survey};
use crate::gather::backend::{Revealed, Visitor, reveal};
use std::time::Duration;

/// How long the whole search may take.
pub(super) const LIMIT: Duration = Duration::from_mins(1);

/// Brings up a login form, or leaves the page as it was. Which addresses we asked for on our own is added to `probed`. Not finding a form
/// is no failure of this step: the criterion says what must be there.
pub(super) async fn login_form(visitor: &Visitor, probed: &mut Vec<String>) -> Result<(), Trouble> {
    let start = visitor.page.url();
    let search = async {
        if let Revealed::Nothing(_) = reveal(visitor, shows_login, probed).await? {
            visitor.open(&start).await?;
        }
        Ok(())
    };
    search.await.map_err(|error| match error {
        StepError::Browser(error) => error.into(),
        other => Trouble::Page(other.to_string()),
    })
}

/// A criterion may be about any login; behind a sign-in link, one that begins with the address alone is a login, too.
fn shows_login(seen: &Survey, followed: bool) -> bool {
    seen.password().is_some() || (followed && seen.fields.iter().any(Field::is_identity))
}
