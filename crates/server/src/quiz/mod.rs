//! The quiz: small models tested in the visitor's own browser. The page that runs them, what was shared, and the board of it.

mod api;
mod board;
mod bundle;
mod cases;
mod compare;
mod methodology;
mod page;
mod pool;
mod range;
mod run;
mod runs;
mod view;
mod weights;

pub(crate) use api::OPERATIONS;
pub(crate) use board::{Top, top};
pub use bundle::Bundle;
pub use weights::Weights;

use crate::site::Site;
use axum::Router;
use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;
use axum::routing::get;
use benchwright_quiz::{Catalogue, Library};
use std::fmt;
use std::sync::Arc;

/// What the quiz needs to know of the machine it is served from.
#[derive(Default)]
pub struct Quiz {
    /// The questions.
    pub library: Arc<Library>,
    /// The models.
    pub catalogue: Arc<Catalogue>,
    /// The page's script, if it was made.
    pub bundle: Option<Bundle>,
    /// Weights that this site serves itself.
    pub weights: Option<Weights>,
}

impl fmt::Debug for Quiz {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Quiz").field("bundle", &self.bundle.is_some()).finish_non_exhaustive()
    }
}

pub fn routes() -> Router<Arc<Site>> {
    Router::new()
        .route("/quiz", get(page::page))
        .route("/quiz/board", get(board::page))
        .route("/quiz/board/{pool}", get(pool::page))
        .route("/quiz/runs", get(runs::page))
        .route("/quiz/runs/{id}", get(run::page))
        .route("/quiz/runs/{id}/cases/{name}", get(cases::case))
        .route("/quiz/compare", get(compare::page))
        .route("/quiz/methodology", get(methodology::page))
        .route("/quiz/assets/{hash}/{name}", get(bundle::file))
        .route("/quiz/weights/{name}", get(weights::file))
        .merge(api::routes())
}

const EMBEDDER: HeaderName = HeaderName::from_static("cross-origin-embedder-policy");
const RESOURCE: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// What a page that is isolated from others, and everything it loads, must say: without it a browser gives no threads to WebAssembly.
fn isolated(response: &mut Response) {
    response.headers_mut().insert(EMBEDDER, HeaderValue::from_static("require-corp"));
    response.headers_mut().insert(RESOURCE, HeaderValue::from_static("same-origin"));
}
