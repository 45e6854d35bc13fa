//! How long somebody is listened to who has shown nothing yet.

use crate::refusal::Refused;
use crate::state::Intake;
use axum::extract::{Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use std::sync::Arc;
use tokio::time::timeout;

/// Gives up a request that takes too long to arrive or to be answered. An answer that has begun may go on.
pub async fn in_time(State(intake): State<Arc<Intake>>, request: Request, next: Next) -> Response {
    // Whoever only reads sends nothing that could be late: it is us.
    let late = if request.method() == Method::GET { Refused::Busy } else { Refused::TooSlow };
    let answered = timeout(intake.terms.patience, next.run(request)).await;
    answered.unwrap_or_else(|_| late.into_response())
}
