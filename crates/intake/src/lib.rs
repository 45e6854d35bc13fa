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
mod patience;
mod places;
pub mod quiz;
mod refusal;
mod review;
mod signed;
mod state;

pub use access::private;
pub use openapi::paths;
pub use page::{Framed, plain_frame};
pub use refusal::{Refused, fault};
pub use review::{Reviews, SheetOf};
pub use state::{Intake, PromptChoice, Terms};

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use axum::routing::{get, post};
use std::sync::Arc;

/// More than any form has that carries no file.
const LARGEST_FORM: usize = 64 * 1024;

/// All addresses of this part.
pub fn router(intake: Intake) -> Router {
    // A submission has a limit and a time of its own, and looks at its token before it takes much.
    let submission = DefaultBodyLimit::max(intake.largest_body());
    let intake = Arc::new(intake);
    let in_time = middleware::from_fn_with_state(Arc::clone(&intake), patience::in_time);
    let programs = Router::new()
        .route("/api/v1/jobs/{id}", get(api::job))
        .route("/api/v1/jobs/{id}/cancel", post(api::cancel))
        .route("/api/v1/jobs/{id}/events", get(live::events))
        .route("/api/v1/queue", get(api::queue))
        .layer(in_time.clone())
        .route("/api/v1/jobs", post(api::submit).layer(submission));
    let people = Router::new()
        .route("/queue", get(forms::queue_page))
        .route("/submit", get(forms::submit_page))
        .route("/jobs/{id}", get(forms::job_page))
        .route("/jobs/{id}/cancel", get(forms::cancel_page).post(forms::cancel))
        .route("/sign-in", get(forms::sign_in_page).post(forms::sign_in))
        .route(&page::script_path(), get(page::script))
        .merge(review::router())
        .layer(in_time)
        .route("/submit", post(forms::submit).layer(submission))
        .layer(middleware::from_fn_with_state(Arc::clone(&intake), page::refused));
    programs.merge(people).layer(DefaultBodyLimit::max(LARGEST_FORM)).with_state(intake)
}
