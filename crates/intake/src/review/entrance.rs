//! Who reviews: a token once, and from then on a pass that every form carries.

use super::Reviews;
use crate::access::{self, check_form};
use crate::refusal::Refused;
use crate::signed::{mac, same};
use crate::state::Intake;
use axum::http::HeaderMap;
use benchwright_domain::vibe::review::Calibration;
use benchwright_store::index::{Scope, Token};
use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// How long a pass is good.
const SECONDS: i64 = 12 * 3600;
const PURPOSE: &str = "review";
const AGAIN: &str =
    "Enter your token again: it was half a day ago, this site was started anew, or the token has ended.";
const NOBODY: &str = "Nobody reviews apps on this site.";

/// What a form of a reviewer holds.
pub type Fields = BTreeMap<String, String>;

/// Somebody who reviews.
#[derive(Debug, Clone)]
pub struct Reviewer {
    /// Id of the token.
    pub id: String,
    /// As the operator calls them.
    pub name: String,
    /// What they said of the item everybody begins with.
    pub calibration: Option<Calibration>,
    /// What their forms carry.
    pub pass: String,
    /// Everybody who reviews.
    pub pool: BTreeSet<String>,
}

/// What is known of reviewing, where somebody does.
pub fn reviews(intake: &Intake) -> Result<&Reviews, Refused> {
    intake.reviews.as_ref().ok_or_else(|| Refused::Unreadable(NOBODY.to_owned()))
}

/// Who sent a form.
pub async fn enter(intake: &Intake, headers: &HeaderMap, fields: &Fields) -> Result<Reviewer, Refused> {
    reviews(intake)?;
    let text = |name: &str| fields.get(name).map_or("", String::as_str);
    check_form(intake, headers, text("form"))?;
    let index = intake.queue.index();
    let now = Timestamp::now();
    let (id, pass) = if text("token").is_empty() {
        let id = holder(intake, text("pass"), now.as_second()).ok_or(Refused::NotAllowed(AGAIN))?;
        (id, text("pass").to_owned())
    } else {
        let token = access::token(index, text("token"), Scope::Review).await?;
        let pass = signed(intake, &token.id, now.as_second() + SECONDS);
        (token.id, pass)
    };
    let moment = now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let mut tokens = index.reviewers().await?;
    tokens.retain(|token| token.allows(Scope::Review, &moment));
    let token = tokens.iter().find(|token| token.id == id).ok_or(Refused::NotAllowed(AGAIN))?;
    let calibration =
        tokens.iter().filter(|other| other.name == token.name).find_map(|other| other.calibration.clone());
    let Token { id, name, .. } = token.clone();
    Ok(Reviewer { id, name, calibration, pass, pool: tokens.into_iter().map(|token| token.name).collect() })
}

fn signed(intake: &Intake, id: &str, until: i64) -> String {
    let said = format!("{id}.{until}");
    let proof = mac(&intake.secret, PURPOSE, &said);
    format!("{said}.{proof}")
}

/// Whose pass it is, if it is one of ours and still good.
fn holder(intake: &Intake, pass: &str, now: i64) -> Option<String> {
    let (said, proof) = pass.rsplit_once('.')?;
    let (id, until) = said.split_once('.')?;
    let is_good = same(&mac(&intake.secret, PURPOSE, said), proof) && until.parse::<i64>().ok()? > now;
    is_good.then(|| id.to_owned())
}
