//! What changes something about the quiz: tickets, sharing a run, removing it again. No account, no cookie, no address that is kept.

mod desk;
mod examine;
mod issue;
mod memory;
mod openapi;
mod rate;
mod readers;
mod refusal;
mod remove;
mod share;
mod ticket;

pub use desk::{QuizDesk, QuizTerms};
pub use openapi::paths;
pub use rate::Rate;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::{delete, post};
use std::sync::Arc;

/// Bytes of the largest shared run: 2 MB of outputs, and what JSON makes of them.
const LARGEST_RUN: usize = 3 * 1024 * 1024;
/// Bytes of the largest request for a ticket.
const LARGEST_REQUEST: usize = 8 * 1024;

/// All addresses of this part that change something. The same addresses are read elsewhere.
pub fn router(desk: Arc<QuizDesk>) -> Router {
    Router::new()
        .route("/api/v1/quiz/tickets", post(issue::issue).layer(DefaultBodyLimit::max(LARGEST_REQUEST)))
        .route("/api/v1/quiz/runs", post(share::share).layer(DefaultBodyLimit::max(LARGEST_RUN)))
        .route("/api/v1/quiz/runs/{id}", delete(remove::remove).layer(DefaultBodyLimit::max(LARGEST_REQUEST)))
        .with_state(desk)
}
