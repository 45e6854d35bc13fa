//! What a request can run into, as a page that says what to do next.

use crate::shell::{Section, Shell};
use crate::site::Site;
use askama::Template as _;
use axum::extract::{Request, State};
use axum::http::header::{ALLOW, CACHE_CONTROL, CONTENT_RANGE, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use benchwright_store::StoreError;
use benchwright_store::index::IndexError;
use std::sync::Arc;

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// There is nothing under this address.
    #[error("{0}")]
    NotFound(String),
    /// The address makes no sense.
    #[error("{0}")]
    BadRequest(String),
    /// The run was taken down or is in quarantine; the text is the public reason.
    #[error("{0}")]
    Gone(String),
    /// There is too much to do just now.
    #[error("{0}")]
    Busy(String),
    /// Our fault, or the disk's.
    #[error("{0}")]
    Failed(String),
}

impl Problem {
    /// Its status.
    pub fn status(&self) -> StatusCode {
        match self {
            Self::NotFound(_) => StatusCode::NOT_FOUND,
            Self::BadRequest(_) => StatusCode::BAD_REQUEST,
            Self::Gone(_) => StatusCode::GONE,
            Self::Busy(_) => StatusCode::SERVICE_UNAVAILABLE,
            Self::Failed(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

impl From<IndexError> for Problem {
    fn from(error: IndexError) -> Self {
        match error {
            IndexError::Store(error) => error.into(),
            IndexError::Busy { .. } => Self::Busy(generic(StatusCode::SERVICE_UNAVAILABLE).to_owned()),
            error => Self::Failed(format!("failed to {error}")),
        }
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::BadRunId { .. } | StoreError::NotARun { .. } | StoreError::NeverStarted { .. } => {
                Self::NotFound("There is no such run.".to_owned())
            }
            StoreError::BadBlobId { .. } | StoreError::MissingBlob { .. } => {
                Self::NotFound("The run keeps no such file.".to_owned())
            }
            error => Self::Failed(format!("failed to {error}")),
        }
    }
}

impl From<askama::Error> for Problem {
    fn from(error: askama::Error) -> Self {
        Self::Failed(format!("failed to render the page: {error}"))
    }
}

/// The page comes later: the middleware knows how the site looks, and whether JSON was asked for.
impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.status().into_response();
        response.extensions_mut().insert(Arc::new(self));
        response
    }
}

#[derive(askama::Template)]
#[template(path = "problem.html")]
struct Page {
    shell: Shell,
    status: u16,
    title: &'static str,
    text: String,
}

/// Puts a page, or JSON under `/api/`, where a handler left a problem or a framework its own words.
pub async fn show(State(site): State<Arc<Site>>, request: Request, next: Next) -> Response {
    let wants_json = request.uri().path().starts_with("/api/");
    let response = next.run(request).await;
    let status = response.status();
    let kind = response.headers().get(CONTENT_TYPE).map_or(&b""[..], HeaderValue::as_bytes);
    let has_own_words = kind.starts_with(b"application/json") || kind.starts_with(b"text/html");
    if !(status.is_client_error() || status.is_server_error()) || has_own_words {
        return response;
    }
    let problem = response.extensions().get::<Arc<Problem>>();
    let text = problem.map_or_else(|| generic(status).to_owned(), |problem| told(problem));
    let body = if wants_json {
        axum::Json(serde_json::json!({ "error": text })).into_response()
    } else {
        let page = Page { shell: site.shell(Section::Home), status: status.as_u16(), title: title(status), text };
        axum::response::Html(page.render().unwrap_or_default()).into_response()
    };
    let mut shown = (status, body).into_response();
    // For the operator.
    if let Some(problem) = problem {
        shown.extensions_mut().insert(Arc::clone(problem));
    }
    shown.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // What a client needs to ask better.
    for name in [ALLOW, CONTENT_RANGE] {
        if let Some(value) = response.headers().get(&name) {
            shown.headers_mut().insert(name, value.clone());
        }
    }
    shown
}

/// What went wrong on our side with an answer. It is for the operator; what a visitor reads does not say it.
pub fn fault(response: &Response) -> Option<&str> {
    match &**response.extensions().get::<Arc<Problem>>()? {
        Problem::Failed(why) => Some(why.as_str()),
        _ => None,
    }
}

/// What a visitor may read. The details of a fault of ours name files and databases; they are for the operator.
fn told(problem: &Problem) -> String {
    match problem {
        Problem::Failed(_) => generic(StatusCode::INTERNAL_SERVER_ERROR).to_owned(),
        problem => problem.to_string(),
    }
}

fn title(status: StatusCode) -> &'static str {
    match status {
        StatusCode::NOT_FOUND => "Not found",
        StatusCode::GONE => "Not shown",
        StatusCode::METHOD_NOT_ALLOWED => "Not possible here",
        StatusCode::SERVICE_UNAVAILABLE => "Too busy",
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => "Not allowed",
        StatusCode::TOO_MANY_REQUESTS => "Too many requests",
        status if status.is_server_error() => "Something went wrong",
        _ => "That did not make sense",
    }
}

fn generic(status: StatusCode) -> &'static str {
    match status {
        StatusCode::METHOD_NOT_ALLOWED => "This address cannot be used this way.",
        StatusCode::SERVICE_UNAVAILABLE => "There is too much to do just now. Try again in a moment.",
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => "This needs a token that allows it.",
        StatusCode::TOO_MANY_REQUESTS => "Too many requests in a short time. Try again in a moment.",
        StatusCode::RANGE_NOT_SATISFIABLE => "The file ends before the part that was asked for.",
        StatusCode::PAYLOAD_TOO_LARGE => "That is more than this address takes.",
        status if status.is_server_error() => {
            "This is our fault. Try again; if it stays, tell the operator of this site."
        }
        _ => "A part of the address is missing or is not what it should be.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_that_somebody_writes_to_for_long_is_busy_and_not_broken() {
        let problem = Problem::from(IndexError::Busy { doing: "read the index" });
        assert_eq!(problem.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert!(told(&problem).contains("Try again in a moment"), "{problem}");
        let broken = Problem::from(IndexError::Failed { doing: "read the index", reason: "no".to_owned() });
        assert_eq!(broken.status(), StatusCode::INTERNAL_SERVER_ERROR);
    }
}
