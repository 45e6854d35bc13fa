//! Why a ticket or a run was refused: a code for programs, words for people.

use super::ticket::BadTicket;
use crate::refusal::{Fault, json};
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use benchwright_quiz::{Reason, ReasonCode};
use benchwright_store::StoreError;
use benchwright_store::index::IndexError;
use serde_json::json as value;

/// Why something was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// It cannot be read at all.
    Unreadable(String),
    /// There are no such questions, or no such model.
    Unknown(String),
    /// More bytes than are taken.
    TooLarge,
    /// It took too long to arrive.
    TooSlow,
    /// The ticket is no good.
    Ticket(BadTicket),
    /// Another run was shared with this ticket.
    TicketUsed,
    /// The checks say no.
    Rejected(Vec<Reason>),
    /// The same address asked too often.
    TooOften,
    /// There is too much to do just now.
    Busy,
    /// It came from another site's page.
    Foreign,
    /// The text is not the one that removes this run.
    NotYours,
    /// There is no such run.
    NotFound,
    /// It was removed before.
    Gone,
    /// Our fault; the details are for the operator.
    Failed(String),
}

impl Refused {
    fn status(&self) -> StatusCode {
        match self {
            Self::Unreadable(_) => StatusCode::BAD_REQUEST,
            Self::Unknown(_) | Self::Rejected(_) | Self::Ticket(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::TicketUsed => StatusCode::CONFLICT,
            Self::TooOften => StatusCode::TOO_MANY_REQUESTS,
            Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
            Self::Foreign => StatusCode::FORBIDDEN,
            Self::NotYours => StatusCode::UNAUTHORIZED,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Gone => StatusCode::GONE,
            Self::Failed(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// For programs.
    pub fn code(&self) -> String {
        match self {
            Self::Unreadable(_) => "unreadable".to_owned(),
            Self::Unknown(_) => "unknown".to_owned(),
            Self::TooLarge => "too_large".to_owned(),
            Self::TooSlow => "too_slow".to_owned(),
            Self::Ticket(BadTicket::Forged) => "ticket_forged".to_owned(),
            Self::Ticket(BadTicket::Expired) => "ticket_expired".to_owned(),
            Self::TicketUsed => "ticket_used".to_owned(),
            Self::Rejected(reasons) => reasons.first().map_or_else(|| "rejected".to_owned(), |reason| key(reason.code)),
            Self::TooOften => "too_often".to_owned(),
            Self::Busy => "busy".to_owned(),
            Self::Foreign => "foreign".to_owned(),
            Self::NotYours => "not_yours".to_owned(),
            Self::NotFound => "not_found".to_owned(),
            Self::Gone => "gone".to_owned(),
            Self::Failed(_) => "failed".to_owned(),
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Unreadable(why) | Self::Unknown(why) => why.clone(),
            Self::TooLarge => "This is too large: a run of at most 2 MB of outputs is taken.".to_owned(),
            Self::TooSlow => "It took too long to arrive. Try again on a faster line.".to_owned(),
            Self::Ticket(BadTicket::Forged) => "This is not a ticket of this site. A run begins with one.".to_owned(),
            Self::Ticket(BadTicket::Expired) => {
                "This ticket has ended: a run can be shared within a day of its beginning.".to_owned()
            }
            Self::TicketUsed => "Another run was shared with this ticket: one ticket is for one run.".to_owned(),
            Self::Rejected(reasons) => reasons.iter().map(|reason| reason.text.as_str()).collect::<Vec<_>>().join(" "),
            Self::TooOften => "Too much came from this address in a short time. Try again later.".to_owned(),
            Self::Busy => "There is too much to do just now. Try again in a moment.".to_owned(),
            Self::Foreign => "This has to be sent from a page of this site or by a program.".to_owned(),
            Self::NotYours => {
                "This needs the text that was shown when the run was shared: `Authorization: Bearer bwq_…`.".to_owned()
            }
            Self::NotFound => "There is no such run.".to_owned(),
            Self::Gone => "This run was removed.".to_owned(),
            Self::Failed(_) => "This is our fault. Try again; if it stays, tell the operator of this site.".to_owned(),
        }
    }
}

/// The name of a reason in JSON.
pub fn key(code: ReasonCode) -> String {
    value!(code).as_str().unwrap_or_default().to_owned()
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

impl From<BadTicket> for Refused {
    fn from(bad: BadTicket) -> Self {
        Self::Ticket(bad)
    }
}

impl From<crate::refusal::Refused> for Refused {
    fn from(_: crate::refusal::Refused) -> Self {
        Self::Foreign
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let reasons = if let Self::Rejected(reasons) = &self { reasons.as_slice() } else { &[] };
        let body = json(&value!({ "error": self.text(), "code": self.code(), "reasons": reasons }));
        let mut response = (self.status(), body).into_response();
        if let Self::Failed(why) = &self {
            response.extensions_mut().insert(Fault(why.clone()));
        }
        let wait = match self {
            Self::TooOften => Some("300"),
            Self::Busy => Some("5"),
            _ => None,
        };
        if let Some(wait) = wait {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static(wait));
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_that_somebody_writes_to_for_long_is_busy_and_not_broken() {
        assert_eq!(Refused::from(IndexError::Busy { doing: "keep a run" }), Refused::Busy);
    }
}
