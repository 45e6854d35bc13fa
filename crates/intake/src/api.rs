//! The API: everything a program can ask for.

use crate::accept::{self, Asking, PATIENCE, Sender, Sent, Source};
use crate::access::{announced, bearer, own_page};
use crate::order::Asked;
use crate::refusal::{self, Refused};
use crate::state::Intake;
use axum::body::Bytes;
use axum::extract::multipart::Multipart;
use axum::extract::{DefaultBodyLimit, FromRequest as _, Path, Request, State};
use axum::http::header::{CONTENT_TYPE, LOCATION};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use benchwright_store::index::Scope;
use benchwright_store::jobs::{Job, JobState};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use tokio::time::timeout;

const LARGEST_JSON: usize = 64 * 1024;
/// How many jobs a list of the newest has.
pub const NEWEST: u32 = 20;

/// `POST /api/v1/jobs`: JSON, or a form with a ZIP.
pub async fn submit(State(intake): State<Arc<Intake>>, request: Request) -> Result<Response, Refused> {
    let headers = request.headers().clone();
    own_page(&headers)?;
    let token = bearer(intake.queue.index(), &headers, Scope::Submit).await?;
    announced(&headers, intake.largest_body())?;
    let once = headers.get("idempotency-key").map(|key| key.to_str().unwrap_or_default().to_owned());
    let asking = Asking { token: &token, once };
    let arrives = timeout(PATIENCE, read(&intake, &asking, request));
    let (asked, source) = arrives.await.map_err(|_| Refused::TooSlow)??;
    let job = accept::put(&intake, asking, asked, source).await?;
    let at = [(LOCATION, format!("/api/v1/jobs/{}", job.id))];
    Ok((StatusCode::CREATED, at, refusal::json(&described(&job))).into_response())
}

async fn read(intake: &Intake, asking: &Asking<'_>, request: Request) -> Result<(Asked, Option<Source>), Refused> {
    let kind = request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default().to_owned();
    if kind.starts_with("multipart/form-data") {
        let unreadable = |_| Refused::Unreadable("The form has no boundary.".to_owned());
        let mut multipart = Multipart::from_request(request, &()).await.map_err(unreadable)?;
        let mut sent = Sent::default();
        sent.read(&mut multipart, intake, Sender::Program(asking)).await?;
        return Ok((sent.asked()?, sent.source));
    }
    if !kind.starts_with("application/json") {
        let text = "Send application/json, or multipart/form-data with a ZIP in the field `source`.";
        return Err(Refused::Unreadable(text.to_owned()));
    }
    Ok((described_in(request).await?, None))
}

/// The job that JSON describes. It is small, so that it needs no place among the ZIPs.
async fn described_in(mut request: Request) -> Result<Asked, Refused> {
    announced(request.headers(), LARGEST_JSON)?;
    DefaultBodyLimit::max(LARGEST_JSON).apply(&mut request);
    let bytes = Bytes::from_request(request, &()).await.map_err(|rejection| match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => Refused::TooLarge(LARGEST_JSON),
        _ => Refused::Unreadable("The body did not arrive.".to_owned()),
    })?;
    // A list would do for a struct, field by field in an order that nobody promised.
    let object = serde_json::from_slice::<Map<String, Value>>(&bytes);
    let asked = object.and_then(|object| serde_json::from_value(Value::Object(object)));
    asked.map_err(|error| Refused::Unreadable(format!("This is not what a job looks like: {error}")))
}

/// `GET /api/v1/jobs/{id}`.
pub async fn job(State(intake): State<Arc<Intake>>, Path(id): Path<String>) -> Result<Response, Refused> {
    let job = intake.job(&id).await?;
    Ok(refusal::json(&described(&job)))
}

/// `POST /api/v1/jobs/{id}/cancel`.
pub async fn cancel(
    State(intake): State<Arc<Intake>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    own_page(&headers)?;
    let token = bearer(intake.queue.index(), &headers, Scope::Submit).await;
    let token = match token {
        Ok(token) => token,
        Err(_) => bearer(intake.queue.index(), &headers, Scope::Moderate).await?,
    };
    Ok(refusal::json(&described(&accept::cancel(&intake, &token, &id).await?)))
}

/// `GET /api/v1/queue`: how many jobs stand where, the newest, and who works.
pub async fn queue(State(intake): State<Arc<Intake>>) -> Result<Response, Refused> {
    let newest = intake.newest(NEWEST).await?;
    Ok(refusal::json(&json!({
        "jobs": intake.queue.counts().await?,
        "workers": intake.queue.workers().await?,
        "newest": newest.iter().map(described).collect::<Vec<_>>(),
    })))
}

/// A job as everybody may see it.
pub fn described(job: &Job) -> Value {
    let run = (job.state == JobState::Done).then(|| format!("/runs/{}", job.id));
    json!({
        "id": job.id,
        "state": job.state,
        "priority": job.priority,
        "submitted_at": job.submitted_at,
        "ended_at": job.ended_at,
        "url": job.order.url,
        "prompt": job.order.prompt,
        "tool": job.order.tool,
        "has_source": job.order.source.is_some(),
        "attempt": job.attempt,
        "cancel_asked": job.cancel_asked,
        "cost_usd": job.cost_micros as f64 / 1e6,
        "reason": job.reason,
        "page": format!("/jobs/{}", job.id),
        "events": format!("/api/v1/jobs/{}/events", job.id),
        "run": run,
    })
}
