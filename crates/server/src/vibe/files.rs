//! The files of an evaluated app, each under the type it really has.

use super::view::{self, app_address};
use crate::encoding::{Effort, Encoded};
use crate::pages::run::{A_DAY, OFFLINE_POLICY, attachment};
use crate::pages::{blocking, kept};
use crate::problem::Problem;
use crate::site::Site;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
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
    let bytes = blocking(move || Ok(site.storage.blob(&run, &BlobId(name))?)).await?;
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

/// `report.html`: the one file that works offline.
pub async fn offline(State(site): State<Arc<Site>>, Path(run): Path<String>) -> Result<Response, Problem> {
    let (app, evaluation) = view::opened(&site, &run).await?;
    let name = attachment(&format!("{}.html", app.run))?;
    let page = blocking(move || {
        let blobs = |id: &BlobId| site.storage.blob(&app.run, id).ok();
        Ok(benchwright_report::vibe::evaluation_html(&evaluation, &blobs))
    })
    .await?;
    let mut response = Response::new(Body::from(page));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(OFFLINE_POLICY));
    headers.insert(CONTENT_DISPOSITION, name);
    Ok(response)
}
