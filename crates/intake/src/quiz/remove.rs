//! `DELETE /api/v1/quiz/runs/{id}`: whoever shared a run removes it. What stays is a line in the moderation log.

use super::desk::{Asker, QuizDesk};
use super::refusal::Refused;
use crate::access::own_page;
use crate::refusal::json;
use crate::signed::{hex, same};
use axum::extract::{Path, Request, State};
use axum::http::header::AUTHORIZATION;
use axum::response::Response;
use benchwright_store::index::quiz::{QuizEntry, quiz_entry_of};
use benchwright_store::quiz::{moderate_shared, read_shared};
use benchwright_store::{Act, Decision};
use jiff::Timestamp;
use serde_json::json as value;
use sha2::{Digest as _, Sha256};
use std::sync::Arc;

/// Nothing longer is hashed: a text of ours is shorter.
const LONGEST: usize = 200;
const REASON: &str = "Removed by whoever shared it.";
const BY: &str = "the sharer";

/// Removes a run.
pub async fn remove(
    State(desk): State<Arc<QuizDesk>>,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, Refused> {
    own_page(request.headers())?;
    let text = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let token = text.and_then(|value| value.strip_prefix("Bearer ")).filter(|token| token.len() <= LONGEST);
    let token = token.ok_or(Refused::NotYours)?.trim().to_owned();
    desk.may_share(&Asker::of(request.extensions(), request.headers()))?;
    let work = {
        let desk = Arc::clone(&desk);
        let id = id.clone();
        move || take_down(&desk, &id, &token)
    };
    let (entry, was_gone) =
        tokio::task::spawn_blocking(work).await.map_err(|error| Refused::Failed(error.to_string()))??;
    // Whoever removed it before may have died before the index knew.
    desk.index.take_in_shared(&[entry]).await?;
    if was_gone {
        return Err(Refused::Gone);
    }
    Ok(json(&value!({ "format": benchwright_quiz::FORMAT, "id": id, "state": "removed" })))
}

/// Removes the run, and says whether it was gone before.
fn take_down(desk: &QuizDesk, id: &str, token: &str) -> Result<(QuizEntry, bool), Refused> {
    let kept = read_shared(&*desk.storage, id)?.ok_or(Refused::NotFound)?;
    let entry = || quiz_entry_of(&*desk.storage, id, &desk.library)?.ok_or(Refused::NotFound);
    let Some(run) = kept.run else { return Ok((entry()?, true)) };
    if !same(&hex(&Sha256::digest(token)), &run.delete_sha256) {
        return Err(Refused::NotYours);
    }
    let at = Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let act = Act { decision: Decision::TakeDown, reason: REASON.to_owned(), by: BY.to_owned(), at };
    moderate_shared(&*desk.storage, id, act)?;
    Ok((entry()?, false))
}
