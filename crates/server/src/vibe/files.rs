//! The files of an evaluated app, each under the type it really has.

use super::view::{self, app_address};
use crate::downloads::{Held, Place};
use crate::encoding::{Effort, Encoded};
use crate::pages::run::{A_DAY, file};
use crate::pages::{blocking, kept};
use crate::problem::Problem;
use crate::site::Site;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use benchwright_domain::BlobId;
use std::sync::Arc;

const KINDS: [(&[u8], &str); 2] = [(b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg")];

/// A screenshot.
pub async fn picture(
    State(site): State<Arc<Site>>,
    Path((run, name)): Path<(String, String)>,
) -> Result<Response, Problem> {
    let run = view::shown(&site, &run).await?.run;
    let bytes = blocking(move || site.pictures.get(&run, BlobId(name), |id| Ok(site.storage.blob(&run, id)?))).await?;
    let kind = KINDS.iter().find(|(start, _)| bytes.starts_with(start));
    let (_, kind) = kind.ok_or_else(|| Problem::NotFound("The run keeps no such picture.".to_owned()))?;
    let mut response = Response::new(Body::from(bytes));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static(A_DAY));
    Ok(response)
}

/// `evaluation.json`.
pub async fn document(
    State(site): State<Arc<Site>>,
    Path(run): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let path = format!("{}/evaluation.json", app_address(&run));
    kept(&site, &headers, path, async {
        let (_, evaluation) = view::opened(&site, &run).await?;
        let text = benchwright_report::json::pretty(&evaluation);
        Ok(Encoded::new("application/json", "no-cache", Effort::Page, text))
    })
    .await
}

/// `report.html`: the one file that works offline. It is made anew for everybody who asks, so it takes a place among downloads.
pub async fn offline(
    State(site): State<Arc<Site>>,
    Path(run): Path<String>,
    place: Result<Place, Problem>,
) -> Result<Response, Problem> {
    let (app, evaluation) = view::opened(&site, &run).await?;
    let place = place?;
    let name = format!("{}.html", app.run);
    let page = blocking(move || {
        let blobs = |id: &BlobId| site.storage.blob(&app.run, id).ok();
        Ok(Held::new(benchwright_report::vibe::evaluation_html(&evaluation, &blobs), place))
    })
    .await?;
    file(page, &name)
}
