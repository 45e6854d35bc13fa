//! The part of the site that changes something: submitting jobs, watching them, calling them off, and who may do so.
//!
//! It is apart from the pages that only read, so that those have no way to change anything. Everything here needs a token; a browser's
//! cookies never stand for one where something is changed.

mod accept;
mod access;
mod api;
mod forms;
mod live;
mod order;
mod page;
mod refusal;
mod state;

pub use access::private;
pub use page::{Framed, plain_frame};
pub use refusal::Refused;
pub use state::{Intake, PromptChoice, Terms};

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::{get, post};
use std::sync::Arc;

/// Room for the fields around a ZIP.
const BESIDE_THE_SOURCE: usize = 64 * 1024;

/// All addresses of this part.
pub fn router(intake: Intake) -> Router {
    let largest = intake.terms.largest_source + BESIDE_THE_SOURCE;
    Router::new()
        .route("/api/jobs", post(api::submit))
        .route("/api/jobs/{id}", get(api::job))
        .route("/api/jobs/{id}/cancel", post(api::cancel))
        .route("/api/jobs/{id}/events", get(live::events))
        .route("/api/queue", get(api::queue))
        .route("/queue", get(forms::queue_page))
        .route("/submit", get(forms::submit_page).post(forms::submit))
        .route("/jobs/{id}", get(forms::job_page))
        .route("/jobs/{id}/cancel", post(forms::cancel))
        .route("/sign-in", get(forms::sign_in_page).post(forms::sign_in))
        .route("/submit/{script}", get(page::script))
        .layer(DefaultBodyLimit::max(largest))
        .with_state(Arc::new(intake))
}
