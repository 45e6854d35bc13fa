//! The part of the site that changes something: submitting jobs, watching them, calling them off, and who may do so.
//!
//! It is apart from the pages that only read, so that those have no way to change anything. Jobs need a token; a browser's cookies never
//! stand for one where something is changed. Runs of the quiz need a ticket, which everybody can have. People who review apps do so here.

mod accept;
mod access;
mod api;
mod forms;
mod live;
mod openapi;
mod order;
mod page;
pub mod quiz;
mod refusal;
mod review;
mod signed;
mod state;

pub use access::private;
pub use openapi::paths;
pub use page::{Framed, plain_frame};
pub use refusal::Refused;
pub use review::{Reviews, SheetOf};
pub use state::{Intake, PromptChoice, Terms};

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use axum::routing::{get, post};
use std::sync::Arc;

/// All addresses of this part.
pub fn router(intake: Intake) -> Router {
    let largest = intake.largest_body();
    let intake = Arc::new(intake);
    let programs = Router::new()
        .route("/api/v1/jobs", post(api::submit))
        .route("/api/v1/jobs/{id}", get(api::job))
        .route("/api/v1/jobs/{id}/cancel", post(api::cancel))
        .route("/api/v1/jobs/{id}/events", get(live::events))
        .route("/api/v1/queue", get(api::queue));
    let people = Router::new()
        .route("/queue", get(forms::queue_page))
        .route("/submit", get(forms::submit_page).post(forms::submit))
        .route("/jobs/{id}", get(forms::job_page))
        .route("/jobs/{id}/cancel", post(forms::cancel))
        .route("/sign-in", get(forms::sign_in_page).post(forms::sign_in))
        .route(&page::script_path(), get(page::script))
        .layer(middleware::from_fn_with_state(Arc::clone(&intake), page::refused));
    programs.merge(people).layer(DefaultBodyLimit::max(largest)).merge(review::router()).with_state(intake)
}
