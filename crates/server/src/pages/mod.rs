//! The pages. One file each; what they have in common is here.

pub mod board;
mod compare;
mod data;
mod history;
mod home;
mod methodology;
pub mod run;
pub mod runs;
mod status;

use crate::encoding::{Effort, Encoded};
use crate::problem::Problem;
use crate::router::compressed;
use crate::site::Site;
use askama::Template;
use axum::Router;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::get;
use std::sync::Arc;

/// Asked for again each time, and answered with "not modified" as long as it is the same.
const REVALIDATED: &str = "no-cache";
const HTML: &str = "text/html; charset=utf-8";

pub fn routes() -> Router<Arc<Site>> {
    Router::new()
        .route("/", get(home::page))
        .route("/board", get(board::page))
        .route("/runs", get(runs::page))
        .route("/runs/{run}", get(run::page))
        .route("/runs/{run}/evidence", get(run::evidence_list))
        .route("/runs/{run}/evidence/{kind}", get(run::evidence_kind))
        .route("/runs/{run}/report.json", get(run::report_json))
        .route("/runs/{run}/report.html", get(run::offline).layer(compressed()))
        .route("/runs/{run}/run.tar", get(run::download))
        .route("/runs/{run}/badge.svg", get(run::badge))
        .route("/runs/{run}/thumbnail.jpg", get(run::thumbnail))
        .route("/runs/{run}/pictures/{name}", get(run::picture))
        .route("/compare", get(compare::page))
        .route("/apps", get(history::page))
        .route("/methodology", get(methodology::page))
        .route("/methodology/{id}", get(methodology::scorer))
        .route("/data", get(data::page))
        .route("/data/{name}", get(data::dump).layer(compressed()))
        .route("/feed.atom", get(data::feed))
        .route("/robots.txt", get(data::robots))
        .route("/sitemap.xml", get(data::sitemap))
        .route("/status", get(status::page))
        .route("/moderation", get(status::moderation))
}

/// A rendered page.
pub fn html(page: &impl Template) -> Result<Encoded, Problem> {
    Ok(Encoded::new(HTML, REVALIDATED, Effort::Page, page.render()?))
}

/// Answers with something that is kept as long as the index does not change. `path` must name everything it depends on.
pub async fn kept(
    site: &Site,
    headers: &HeaderMap,
    path: String,
    make: impl Future<Output = Result<Encoded, Problem>>,
) -> Result<Response, Problem> {
    let (page, made_from) = site.pages.get(&site.index, path, make).await?;
    let mut response = page.answer(headers);
    response.extensions_mut().insert(made_from);
    Ok(response)
}

/// Does what blocks where it may.
pub async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let ended = |_| Problem::Failed("a reader ended early".to_owned());
    tokio::task::spawn_blocking(work).await.map_err(ended)?
}
