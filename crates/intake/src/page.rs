//! Pages: what they have in common, and the script that makes them livelier.

use crate::refusal::{Fault, Refused};
use crate::state::Intake;
use askama::Template;
use axum::extract::{Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{Html, IntoResponse as _, Response};
use sha2::{Digest as _, Sha256};
use std::sync::{Arc, LazyLock};

/// A file that pages need, beside those of the site. Its name changes with its content.
pub struct Asset {
    stem: &'static str,
    kind: &'static str,
    text: &'static str,
}

const JOBS: Asset = Asset { stem: "jobs", kind: "js", text: include_str!("../../../site/assets/jobs.js") };
/// What makes the pages of reviewers livelier.
pub const ANNOTATE_SCRIPT: Asset =
    Asset { stem: "annotate", kind: "js", text: include_str!("../../../site/assets/annotate.js") };
/// How the pages of reviewers look.
pub const ANNOTATE_STYLE: Asset =
    Asset { stem: "annotate", kind: "css", text: include_str!("../../../site/assets/annotate.css") };
static SCRIPT_PATH: LazyLock<String> = LazyLock::new(|| JOBS.path());

impl Asset {
    /// Where it is.
    pub fn path(&self) -> String {
        let hash = Sha256::digest(self.text);
        format!("/assets/{}.{:02x}{:02x}{:02x}{:02x}.{}", self.stem, hash[0], hash[1], hash[2], hash[3], self.kind)
    }

    fn answer(&self) -> Response {
        let kind = if self.kind == "css" { "text/css; charset=utf-8" } else { "text/javascript; charset=utf-8" };
        let headers = [(CONTENT_TYPE, kind), (CACHE_CONTROL, "public, max-age=31536000, immutable")];
        (headers, self.text).into_response()
    }
}

/// Makes a page of a title and a body that is HTML already.
pub type Framed = dyn Fn(&str, &str) -> String + Send + Sync;

#[derive(Template)]
#[template(path = "frame.html")]
struct Plain<'a> {
    title: &'a str,
    body: &'a str,
}

/// A page without the site around it.
pub fn plain_frame(title: &str, body: &str) -> String {
    Plain { title, body }.render().unwrap_or_default()
}

#[derive(Template)]
#[template(path = "refused.html")]
struct Refusal {
    text: String,
}

/// People read a page where programs read JSON.
pub async fn refused(State(intake): State<Arc<Intake>>, request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    let Some(refused) = response.extensions().get::<Refused>() else { return response };
    let body = Refusal { text: refused.text() }.render().unwrap_or_default();
    let page = Html((intake.frame)("Not possible", &body));
    Fault::tell((refused.status(), [(CACHE_CONTROL, "no-store")], page).into_response(), Some(refused))
}

/// Where the script of jobs is.
pub fn script_path() -> String {
    SCRIPT_PATH.clone()
}

/// Serves the script of jobs.
pub async fn script() -> Response {
    JOBS.answer()
}

/// Serves the script of reviewers.
pub async fn annotate_script() -> Response {
    ANNOTATE_SCRIPT.answer()
}

/// Serves the style of reviewers.
pub async fn annotate_style() -> Response {
    ANNOTATE_STYLE.answer()
}

/// A page that nobody else may keep.
pub fn answer(
    framed: &Framed,
    status: StatusCode,
    title: &str,
    body: &impl Template,
    cookie: Option<&str>,
) -> Result<Response, Refused> {
    let mut headers = HeaderMap::new();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some(cookie) = cookie {
        let value = HeaderValue::from_str(cookie).map_err(|error| Refused::Failed(error.to_string()))?;
        headers.insert(SET_COOKIE, value);
    }
    Ok((status, headers, Html(framed(title, &body.render()?))).into_response())
}
