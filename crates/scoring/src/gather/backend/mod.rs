//! Exercises the backend with two accounts: what persists, what crosses sessions, what leaks.
//!
//! Two walks run side by side, each with a user of its own, because many apps end the older session of a user who logs in twice:
//! the first user makes the round trip of F7; the second creates in one context and looks from another (F8), and that record is what S4's
//! stranger and other user look for afterwards. No two contexts share anything.

mod belongings;
mod cleanup;
mod discretion;
mod fill;
mod hands;
mod login;
mod logout;
mod marker;
mod probes;
mod record;
mod replay;
mod reveal;
pub mod survey;
mod walk;

pub(crate) use hands::Visitor;
pub use record::RecordShape;
pub(crate) use reveal::{Revealed, reveal};

use super::{Desk, StepError};
use crate::evidence::Backend;
use crate::evidence::backend::{Probe, Probes};
use crate::record::Lane;
use crate::request::{Access, Accounts, Request};
use benchwright_browser::{Browser, Context, Page};
use discretion::Discretion;
use std::fmt::Write as _;
use std::time::Duration;
use walk::{CrossSession, Records, RoundTrip, Walk};

/// The limit of the whole track. An app that answers at all needs a small part of it.
const TOTAL_LIMIT: Duration = Duration::from_mins(4);
/// How long a page may take to show whether somebody is signed in.
const SETTLE_LIMIT: Duration = Duration::from_secs(8);

/// Logs in, creates, logs out, logs in again; then looks at what others can see.
pub async fn exercise(
    desk: &Desk<'_>,
    browser: &Browser,
    request: &Request,
    access: &Access,
    accounts: &Accounts,
) -> Result<Backend, StepError> {
    let discretion = Discretion::new(accounts);
    let declared = request.prompt.as_ref().and_then(|prompt| prompt.record.as_ref());
    let shape = declared.map(RecordShape::from).unwrap_or_default();
    let records = Records::default();
    let walk = Walk { browser, request, access, accounts, discretion, shape, records: &records };
    let work = async {
        let (f7, f8) = (marker::marker("f7", marker::random()), marker::marker("f8", marker::random()));
        let (trip, cross) = tokio::join!(walk::round_trip(&walk, &f7), walk::cross_session(&walk, &f8));
        desk.step(Lane::Page, "looking at what others can read");
        probe(&walk, trip?, cross?).await
    };
    within(TOTAL_LIMIT, &records, Box::pin(work)).await
}

/// Does the work, or says at its limit what it may have left in the app by then.
async fn within<T>(
    limit: Duration,
    records: &Records,
    work: impl Future<Output = Result<T, StepError>>,
) -> Result<T, StepError> {
    if let Ok(done) = tokio::time::timeout(limit, work).await {
        return done;
    }
    let mut reason = format!("the backend track took longer than {} s", limit.as_secs());
    let left = records.markers();
    if !left.is_empty() {
        let _ = write!(reason, "; what it created may still be in the app, marked {}", left.join(" and "));
    }
    Err(StepError::Page(reason))
}

/// What a login led to.
pub enum Door {
    /// A user is signed in.
    Open {
        /// Holds the session.
        context: Context,
        /// The tab of that user, empty.
        page: Page,
    },
    /// Nobody is signed in, for this reason.
    Shut(String),
}

impl Door {
    /// Why nobody is signed in, if so.
    pub fn why_shut(self) -> Option<String> {
        match self {
            Self::Open { .. } => None,
            Self::Shut(why) => Some(why),
        }
    }
}

/// Signs in as the first user, so that the app can be looked at as that user sees it. A session that lives in the page alone is none:
/// every measurement loads the page again.
pub async fn sign_in(browser: &Browser, request: &Request, access: &Access) -> Result<Door, StepError> {
    let Some(Accounts { user_a, .. }) = &access.accounts else {
        return Ok(Door::Shut("the accounts to sign in with were not given (--accounts FILE)".to_owned()));
    };
    let visitor = Visitor::new(browser, request, access).await?;
    let login = login::sign_in(&visitor, user_a, &Discretion::of(&[user_a])).await?;
    if !login.is_in() {
        visitor.leave().await;
        return Ok(Door::Shut(format!("user_a could not sign in: {}", login.note())));
    }
    visitor.open(visitor.start()).await?;
    visitor.settle(SETTLE_LIMIT).await;
    if visitor.look().await?.password().is_some() {
        visitor.leave().await;
        return Ok(Door::Shut("user_a signed in, but was asked for the password again after a reload".to_owned()));
    }
    // The tab stays the same, because a session may live in its session storage.
    visitor.rest().await?;
    Ok(Door::Open { context: visitor.context, page: visitor.page })
}

/// The probes, then the owner takes the record away again.
async fn probe(walk: &Walk<'_>, trip: RoundTrip, cross: CrossSession) -> Result<Backend, StepError> {
    let marker = cross.lifecycle.marker.clone();
    let target = probes::Target { marker: &marker, trail: &cross.trail, found: &cross.found };
    let obstacle = obstacle(&cross);
    let mut made: Vec<Probe> = Vec::new();
    // What the prompt asks for needs no record of ours.
    let asked = !walk.prompt_probes().is_empty() && cross.lifecycle.wall.is_none();
    if obstacle.is_none() || asked {
        let (stranger, other) =
            tokio::join!(probes::as_stranger(walk, &target), probes::as_other_user(walk, &target, trip.signed_in));
        made.extend(stranger?);
        made.extend(other?);
    } else if let Some(visitor) = trip.signed_in {
        visitor.leave().await;
    }
    let mut left_behind = Vec::new();
    if trip.left_behind {
        left_behind.push(trip.lifecycle.marker.clone());
    }
    let probes = Probes {
        marker: marker.clone(),
        endpoints: cross.found.iter().map(|found| found.endpoint.clone()).collect(),
        probes: made,
        obstacle,
    };
    if let Some(owner) = cross.owner {
        if cleanup::delete(&owner, &cross.trail, &marker).await? {
            walk.records.gone(&marker);
        } else {
            left_behind.push(marker);
        }
        owner.leave().await;
    }
    Ok(Backend { round_trip: trip.lifecycle, cross_session: cross.lifecycle, probes, left_behind })
}

/// Why nothing can be probed, if so.
fn obstacle(cross: &CrossSession) -> Option<String> {
    if let Some(wall) = &cross.lifecycle.wall {
        return Some(wall.seen.clone());
    }
    if cross.owner.is_none() {
        return Some(match cross.lifecycle.steps.last() {
            Some(step) if cross.lifecycle.steps.len() == 1 => {
                format!("the second user could not log in: {}", step.note)
            }
            _ => "the second user could not create a record to look for".to_owned(),
        });
    }
    cross.found.is_empty().then(|| {
        "no request brought the record when its owner loaded the page again: it was not kept, stays in the browser, \
         or came through a channel that cannot be asked again, such as a WebSocket"
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_track_that_is_cut_off_names_the_records_it_may_have_left() {
        let cut_off = async |created: &[&str], removed: &[&str]| {
            let records = Records::default();
            let work = async {
                for marker in created {
                    records.added(marker);
                }
                for marker in removed {
                    records.gone(marker);
                }
                std::future::pending::<Result<(), StepError>>().await
            };
            within(Duration::ZERO, &records, work).await.unwrap_err().to_string()
        };
        let said = cut_off(&["Bwf8b", "Bwf7a", "Bwf9c"], &["Bwf9c"]).await;
        assert!(
            said.ends_with("took longer than 0 s; what it created may still be in the app, marked Bwf7a and Bwf8b")
        );
        assert!(cut_off(&["Bwf7a"], &["Bwf7a"]).await.ends_with("took longer than 0 s"));
    }
}
