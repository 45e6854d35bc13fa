//! One workflow to watch. The page works without script; the script adds keys and a slider.

use super::board::framed;
use super::view::{self, Kept, app_address};
use crate::encoding::Encoded;
use crate::pages::{blocking, kept};
use crate::problem::Problem;
use crate::site::Site;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use std::sync::Arc;

pub async fn page(
    State(site): State<Arc<Site>>,
    Path((run, number)): Path<(String, usize)>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let path = format!("{}/workflows/{number}", app_address(&run));
    kept(&site, &headers, path, Box::pin(make(&site, &run, number))).await
}

async fn make(site: &Arc<Site>, run: &str, number: usize) -> Result<Encoded, Problem> {
    let (app, evaluation) = view::opened(site, run).await?;
    let base = app_address(&app.run);
    let storage = Arc::clone(&site.storage);
    let body = blocking(move || {
        let kept = Kept { storage: &*storage, run: &app.run };
        let none = || Problem::NotFound("There is no such workflow, or nothing was kept of its walk.".to_owned());
        benchwright_report::vibe::replay::body(&evaluation, number, &kept, &app_address(&app.run)).ok_or_else(none)
    })
    .await?;
    let tools = vec![("All workflows of this app".to_owned(), base)];
    framed(site, body, "What was done in the app, moment by moment, and what the judge says of it.", tools, true)
}
