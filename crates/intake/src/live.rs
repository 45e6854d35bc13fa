//! What happens to a job, as it happens: one open answer with server-sent events, or as JSON for those who ask again and again.

use crate::api::described;
use crate::refusal::{self, Refused};
use crate::state::Intake;
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::http::header::ACCEPT;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream;
use serde::Deserialize;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;

/// How often the queue is asked for one watcher.
const ASK_EVERY: Duration = Duration::from_secs(1);
/// After this a watcher has to come again, which browsers do by themselves.
const LONGEST: Duration = Duration::from_hours(1);

/// Where to begin.
#[derive(Debug, Deserialize)]
pub struct Since {
    /// The sequence number of the last event that is known.
    #[serde(default = "before_all")]
    after: i64,
}

fn before_all() -> i64 {
    -1
}

/// `GET /api/v1/jobs/{id}/events`.
pub async fn events(
    State(intake): State<Arc<Intake>>,
    Path(id): Path<String>,
    Query(Since { after }): Query<Since>,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    if after < before_all() {
        return Err(Refused::Unreadable("`after` is the number of an event, or -1 for all.".to_owned()));
    }
    let job = intake.job(&id).await?;
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let wants_stream = text(ACCEPT.as_str()).is_some_and(|kinds| kinds.contains("text/event-stream"));
    if !wants_stream {
        let events = intake.queue.events(&id, after).await?;
        let body = serde_json::json!({ "job": described(&job), "events": events });
        return Ok(refusal::json(&body));
    }
    let after = text("last-event-id").and_then(|id| id.parse().ok()).unwrap_or(after);
    let place = Arc::clone(&intake.watchers).try_acquire_owned().map_err(|_| Refused::Full)?;
    let watching = Watching { intake, id, after, until: Instant::now() + LONGEST, waits: false, _place: place };
    let events = stream::unfold(Some(watching), |watching| async move {
        let mut watching = watching?;
        let (event, goes_on) = watching.next().await?;
        Some((Ok::<_, Infallible>(event), goes_on.then_some(watching)))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()).into_response())
}

struct Watching {
    intake: Arc<Intake>,
    id: String,
    after: i64,
    until: Instant,
    waits: bool,
    _place: OwnedSemaphorePermit,
}

impl Watching {
    /// The next event, and whether more may follow; nothing when it is time to come again.
    async fn next(&mut self) -> Option<(Event, bool)> {
        loop {
            if self.waits {
                tokio::time::sleep(ASK_EVERY).await;
            }
            if Instant::now() > self.until {
                return None;
            }
            // The job first: what it says of its end is true of all events read after it.
            let job = self.intake.queue.job(&self.id).await.ok().flatten()?;
            let events = self.intake.queue.events(&self.id, self.after).await.ok()?;
            self.waits = events.is_empty();
            if let Some(last) = events.last() {
                self.after = last.sequence;
            }
            let is_over = job.state.is_final();
            if events.is_empty() && !is_over {
                continue;
            }
            let name = if is_over { "end" } else { "news" };
            let body = serde_json::json!({ "job": described(&job), "events": events });
            let event = Event::default().event(name).id(self.after.to_string()).data(body.to_string());
            return Some((event, !is_over));
        }
    }
}
