//! `POST /api/v1/quiz/runs`: shares a run.

use super::LARGEST_RUN;
use super::desk::{Asker, QuizDesk};
use super::examine::{Examined, examine};
use super::refusal::Refused;
use crate::access::{announced, own_page};
use crate::refusal::json;
use axum::body::Bytes;
use axum::extract::{FromRequest as _, Request, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, LOCATION};
use axum::response::{IntoResponse as _, Response};
use benchwright_quiz::Reason;
use benchwright_store::index::State as Shown;
use benchwright_store::index::quiz::{IndexedShare, Shared, pool_id, quiz_entry_of};
use benchwright_store::quiz::read_shared;
use jiff::Timestamp;
use serde_json::json as value;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// How long a run may take to arrive, and how long it may wait for its turn.
const PATIENCE: Duration = Duration::from_secs(30);
const TURN: Duration = Duration::from_secs(10);

/// Takes a run in.
pub async fn share(State(desk): State<Arc<QuizDesk>>, request: Request) -> Result<Response, Refused> {
    own_page(request.headers())?;
    announced(request.headers(), LARGEST_RUN).map_err(|_| Refused::TooLarge)?;
    desk.may_share(&Asker::of(request.extensions(), request.headers()))?;
    let place = timeout(TURN, Arc::clone(&desk.places).acquire_owned()).await.map_err(|_| Refused::Busy)?;
    let _place = place.map_err(|_| Refused::Busy)?;
    let bytes = body(request, LARGEST_RUN).await?;
    let pooled = desk.pooled().await?;
    let look = {
        let desk = Arc::clone(&desk);
        move || examine(&desk, &bytes, Timestamp::now(), &pooled)
    };
    let examined = desk.readers.read(look).await.ok_or_else(|| Refused::Failed("a reader ended early".to_owned()))?;
    let Examined { record, document, delete_token, body_sha256, engine, written } = examined?;
    let (id, pool) = (record.summary.run.clone(), pool_id(&record.summary.key));
    match desk.commit.keep(record, document).await? {
        Shared::Kept(kept) => {
            if kept.is_counted() {
                desk.remember(&pool, &engine, &written);
            }
            Ok(answer(StatusCode::CREATED, &kept, &delete_token))
        }
        Shared::Taken => again(&desk, id, &body_sha256, &delete_token).await,
    }
}

/// The ticket was used before. Who sends the same once more did not hear the answer, and hears it now.
async fn again(desk: &Arc<QuizDesk>, id: String, body_sha256: &str, delete_token: &str) -> Result<Response, Refused> {
    let look = {
        let (desk, id) = (Arc::clone(desk), id.clone());
        move || {
            Ok::<_, Refused>((read_shared(&*desk.storage, &id)?, quiz_entry_of(&*desk.storage, &id, &desk.library)?))
        }
    };
    let found = tokio::task::spawn_blocking(look).await.map_err(|error| Refused::Failed(error.to_string()))??;
    let (Some(kept), Some(entry)) = found else { return Err(Refused::TicketUsed) };
    if kept.run.is_none_or(|run| run.body_sha256 != body_sha256) {
        return Err(Refused::TicketUsed);
    }
    // It may have been kept by somebody who died before it was in the index.
    desk.index.take_in_shared(&[entry]).await?;
    let share = desk.index.shared_run(&id).await?.filter(|share| share.state == Shown::Shown);
    share.map(|share| answer(StatusCode::OK, &share, delete_token)).ok_or(Refused::TicketUsed)
}

fn answer(status: StatusCode, share: &IndexedShare, delete_token: &str) -> Response {
    let address = format!("/quiz/runs/{}", share.run);
    let reasons: Vec<_> =
        share.reasons.iter().map(|code| value!(Reason { code: *code, text: code.text().to_owned() })).collect();
    let body = value!({
        "format": benchwright_quiz::FORMAT,
        "id": share.run,
        "address": address,
        "state": share.standing,
        "reasons": reasons,
        "merged_into": share.merged_into,
        "delete_token": delete_token,
    });
    (status, [(LOCATION, address)], json(&body)).into_response()
}

/// The body of a request that says it is JSON.
pub async fn body(request: Request, most: usize) -> Result<Bytes, Refused> {
    let kind = request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if !kind.starts_with("application/json") {
        return Err(Refused::Unreadable("Send application/json.".to_owned()));
    }
    announced(request.headers(), most).map_err(|_| Refused::TooLarge)?;
    let arrives = timeout(PATIENCE, Bytes::from_request(request, &())).await.map_err(|_| Refused::TooSlow)?;
    arrives.map_err(|rejection| match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => Refused::TooLarge,
        _ => Refused::Unreadable("The body did not arrive.".to_owned()),
    })
}
