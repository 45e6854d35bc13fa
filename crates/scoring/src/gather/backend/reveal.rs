//! How a login form is brought up, wherever it hides: the one place that knows.

use super::hands::Visitor;
use super::survey::Survey;
use crate::gather::StepError;
use crate::gather::load::origin;
use std::time::Duration;

/// Addresses at which apps keep a login that the first page does not lead to.
const LOGIN_PATHS: [&str; 5] = ["/login", "/signin", "/sign-in", "/auth/login", "/auth"];
/// How long a page may take to show its form.
pub(super) const FORM_LIMIT: Duration = Duration::from_secs(8);
/// How long a page that asks the network for nothing more is watched: a form may come with a timer.
const FORM_SILENCE: Duration = Duration::from_millis(2_500);
/// A sign-in link may lead to a page with another one, which leads to the form.
const MAX_LINKS: usize = 2;

/// What came up.
pub enum Revealed {
    /// A form, on this page.
    Form(Survey),
    /// None; this is what the last page before guessing showed.
    Nothing(Survey),
}

/// Looks on the page, then behind what is named "sign in", then at the usual addresses, which are added to `probed`. `is_form` tells a
/// form, and is told whether a sign-in link was followed.
pub async fn reveal(
    visitor: &Visitor,
    is_form: impl Fn(&Survey, bool) -> bool,
    probed: &mut Vec<String>,
) -> Result<Revealed, StepError> {
    let starts = |seen: &Survey| is_form(seen, false) || seen.sign_in().is_some();
    let (mut survey, _) = visitor.look_while_busy(FORM_LIMIT, FORM_SILENCE, starts).await?;
    if is_form(&survey, false) {
        return Ok(Revealed::Form(survey));
    }
    for _ in 0..MAX_LINKS {
        let Some(way) = survey.sign_in().cloned() else { break };
        visitor.click(&way).await?;
        let (seen, found) = visitor.look_until(FORM_LIMIT / 2, |seen| is_form(seen, true)).await?;
        if found {
            return Ok(Revealed::Form(seen));
        }
        survey = seen;
    }
    let Some(origin) = origin(visitor.start()) else { return Ok(Revealed::Nothing(survey)) };
    for path in LOGIN_PATHS {
        let address = format!("{origin}{path}");
        probed.push(address.clone());
        if visitor.open(&address).await? {
            visitor.settle(FORM_LIMIT / 2).await;
            let seen = visitor.look().await?;
            if is_form(&seen, false) {
                return Ok(Revealed::Form(seen));
            }
        }
    }
    Ok(Revealed::Nothing(survey))
}
