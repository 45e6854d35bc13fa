//! Why something was refused, in words that say what to do.

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use benchwright_store::StoreError;
use benchwright_store::index::IndexError;
use serde::Serialize;
use serde_json::Value;

/// What is wrong with one field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Wrong {
    /// The field.
    pub field: &'static str,
    /// What is wrong, and what it should be.
    pub text: String,
}

/// Why something was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// There is no token, or it is no good, or it does not allow this.
    NotAllowed(&'static str),
    /// The request came from another site's page.
    Foreign,
    /// What was asked for makes no sense.
    Wrong(Vec<Wrong>),
    /// It cannot be read at all.
    Unreadable(String),
    /// More bytes than are taken.
    TooLarge(usize),
    /// It took too long to arrive.
    TooSlow,
    /// This token has asked for enough.
    TooOften,
    /// This token sends as many ZIPs at once as it may.
    TooManyAtOnce,
    /// The queue is full.
    Full,
    /// There is too much to do just now.
    Busy,
    /// There is nothing of this name.
    NotFound,
    /// What it became may not be shown; the text is the public reason.
    Gone(String),
    /// Our fault; the details are for the operator.
    Failed(String),
}

impl Refused {
    /// One field is wrong.
    pub fn field(field: &'static str, text: impl Into<String>) -> Self {
        Self::Wrong(vec![Wrong { field, text: text.into() }])
    }

    /// Its status.
    pub fn status(&self) -> StatusCode {
        match self {
            Self::NotAllowed(_) => StatusCode::UNAUTHORIZED,
            Self::Foreign => StatusCode::FORBIDDEN,
            Self::Wrong(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Unreadable(_) => StatusCode::BAD_REQUEST,
            Self::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::TooOften | Self::TooManyAtOnce => StatusCode::TOO_MANY_REQUESTS,
            Self::Full | Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Gone(_) => StatusCode::GONE,
            Self::Failed(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// What a visitor reads.
    pub fn text(&self) -> String {
        match self {
            Self::NotAllowed(why) => (*why).to_owned(),
            Self::Foreign => {
                "This has to be sent from a page of this site. Open the form again and send it from there.".to_owned()
            }
            Self::Wrong(list) => list.iter().map(|wrong| wrong.text.as_str()).collect::<Vec<_>>().join(" "),
            Self::Unreadable(why) => why.clone(),
            Self::TooLarge(most) => format!("This is too large: at most {} are taken.", bytes(*most)),
            Self::TooSlow => "It took too long to arrive. Try again on a faster line, or send less.".to_owned(),
            Self::TooOften => {
                "This token has asked for as many jobs as it may within an hour. Try again later.".to_owned()
            }
            Self::TooManyAtOnce => {
                "This token is sending as many ZIPs at once as it may. Try again when they have arrived.".to_owned()
            }
            Self::Full => "Too many jobs are waiting. Try again later.".to_owned(),
            Self::Busy => "There is too much to do just now. Try again in a moment.".to_owned(),
            Self::NotFound => "There is no such job.".to_owned(),
            Self::Gone(reason) => format!("What came of this job is not shown: {reason}"),
            Self::Failed(_) => "This is our fault. Try again; if it stays, tell the operator of this site.".to_owned(),
        }
    }

    /// The fields that are wrong.
    pub fn wrong(&self) -> &[Wrong] {
        if let Self::Wrong(list) = self { list } else { &[] }
    }
}

/// What went wrong on our side with an answer, as part of it. It is for the operator; what a visitor reads does not say it.
#[derive(Debug, Clone)]
pub struct Fault(pub String);

impl Fault {
    /// An answer together with why somebody was refused, where that is our fault. A form that is shown again is no refusal by itself.
    pub fn tell(mut response: Response, refused: Option<&Refused>) -> Response {
        if let Some(Refused::Failed(why)) = refused {
            response.extensions_mut().insert(Self(why.clone()));
        }
        response
    }
}

/// What went wrong on our side with an answer.
pub fn fault(response: &Response) -> Option<&str> {
    response.extensions().get::<Fault>().map(|Fault(why)| why.as_str())
}

impl From<IndexError> for Refused {
    fn from(error: IndexError) -> Self {
        match error {
            IndexError::Busy { .. } => Self::Busy,
            error => Self::Failed(error.to_string()),
        }
    }
}

impl From<StoreError> for Refused {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.to_string())
    }
}

impl From<askama::Error> for Refused {
    fn from(error: askama::Error) -> Self {
        Self::Failed(error.to_string())
    }
}

/// As JSON, and as itself for [`crate::page::refused`], which makes a page of it.
impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let body = serde_json::json!({ "error": self.text(), "problems": self.wrong() });
        let mut response = Fault::tell((self.status(), json(&body)).into_response(), Some(&self));
        response.extensions_mut().insert(self.clone());
        let headers = response.headers_mut();
        match self {
            Self::NotAllowed(_) => {
                headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            Self::TooOften | Self::Full => {
                headers.insert(RETRY_AFTER, HeaderValue::from_static("600"));
            }
            Self::TooManyAtOnce | Self::Busy => {
                headers.insert(RETRY_AFTER, HeaderValue::from_static("5"));
            }
            _ => {}
        }
        response
    }
}

/// JSON that nobody keeps.
pub fn json(body: &Value) -> Response {
    let headers = [(CONTENT_TYPE, "application/json"), (CACHE_CONTROL, "no-store")];
    (headers, body.to_string()).into_response()
}

fn bytes(count: usize) -> String {
    const KB: usize = 1024;
    if count >= KB * KB { format!("{} MB", count / (KB * KB)) } else { format!("{} KB", count / KB) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_that_somebody_writes_to_for_long_is_busy_and_not_broken() {
        let response = Refused::from(IndexError::Busy { doing: "write a job" }).into_response();
        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(response.headers()[RETRY_AFTER], "5");
    }
}
