//! Pages: what they have in common, and the script that makes them livelier.

use crate::refusal::Refused;
use crate::state::Intake;
use askama::Template;
use axum::extract::{Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{Html, IntoResponse as _, Response};
use sha2::{Digest as _, Sha256};
use std::sync::{Arc, LazyLock};

const SCRIPT: &str = include_str!("../../../site/assets/jobs.js");
static SCRIPT_NAME: LazyLock<String> = LazyLock::new(|| {
    let hash = Sha256::digest(SCRIPT);
    format!("jobs.{:02x}{:02x}{:02x}{:02x}.js", hash[0], hash[1], hash[2], hash[3])
});

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
    (refused.status(), [(CACHE_CONTROL, "no-store")], page).into_response()
}

/// Where the script is, beside those of the site. Its name changes with its content.
pub fn script_path() -> String {
    format!("/assets/{}", *SCRIPT_NAME)
}

/// Serves the script.
pub async fn script() -> Response {
    let headers =
        [(CONTENT_TYPE, "text/javascript; charset=utf-8"), (CACHE_CONTROL, "public, max-age=31536000, immutable")];
    (headers, SCRIPT).into_response()
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
