//! What can go wrong between us and the browser.

use std::time::Duration;

/// A call that could not be answered. What the *site* does wrong is never an error: it is a
/// [`NavigationOutcome`](crate::NavigationOutcome) or a record in the [`PageLog`](crate::PageLog).
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BrowserError {
    /// The browser is gone, or its pipe is closed.
    #[error("talk to the browser: the connection is lost")]
    Disconnected,
    /// The browser did not answer in time; the usual reason is a page in an endless loop.
    #[error("finish {what} within {seconds} s")]
    TimedOut {
        /// The call or the wait.
        what: String,
        /// The limit that was set.
        seconds: f64,
    },
    /// The tab's process died.
    #[error("use the page: its tab crashed")]
    Crashed,
    /// The page, frame or context is closed.
    #[error("use the page: it is closed")]
    Closed,
    /// The document went away while the script ran.
    #[error("finish the script: the page navigated away meanwhile")]
    Navigated,
    /// The browser refused a call.
    #[error("call {method}: {message}")]
    Refused {
        /// The method of the protocol.
        method: String,
        /// What the browser said.
        message: String,
    },
    /// Our script threw in the page.
    #[error("run a script in the page: {message}")]
    Script {
        /// The exception's text.
        message: String,
    },
    /// An answer did not have the shape we need.
    #[error("read the answer to {what}: {message}")]
    BadAnswer {
        /// The call.
        what: String,
        /// What is wrong with it.
        message: String,
    },
    /// A selector matched several elements where one is needed, or is malformed.
    #[error("resolve a selector: {message}")]
    Selector {
        /// What the selector engine said.
        message: String,
    },
    /// The element never became ready for the action.
    #[error("act on {selector} within {seconds} s: {reason}")]
    NotActionable {
        /// The selector.
        selector: String,
        /// The last obstacle seen.
        reason: String,
        /// The limit that was set.
        seconds: f64,
    },
    /// Locators were used, but no engine was given to [`Browser::connect`](crate::Browser::connect).
    #[error("load the selector engine: none was given; `cargo xtask setup` provides it")]
    NoEngine,
    /// A key name that no keyboard has.
    #[error("press the key {key:?}: no such key")]
    UnknownKey {
        /// What was asked for.
        key: String,
    },
}

impl BrowserError {
    pub(crate) fn timed_out(what: impl Into<String>, limit: Duration) -> Self {
        Self::TimedOut { what: what.into(), seconds: limit.as_secs_f64() }
    }

    pub(crate) fn bad_answer(what: impl Into<String>, message: impl Into<String>) -> Self {
        Self::BadAnswer { what: what.into(), message: message.into() }
    }

    /// Whether the page was given something to do that it did not confirm in time: trying again could do it twice.
    pub fn may_have_acted(&self) -> bool {
        matches!(self, Self::TimedOut { what, .. } if ACTS.iter().any(|act| what.starts_with(act)))
    }

    /// Tells the time-out of a script that acts from those of scripts that only look.
    pub(crate) fn while_acting(self) -> Self {
        match self {
            Self::TimedOut { seconds, .. } => Self::TimedOut { what: ACTING.to_owned(), seconds },
            other => other,
        }
    }

    /// Whether the document under the call was replaced, so that asking again in the new one makes sense.
    pub(crate) fn is_lost_context(&self) -> bool {
        match self {
            Self::Navigated => true,
            Self::Refused { message, .. } => LOST_CONTEXT.iter().any(|phrase| message.contains(phrase)),
            _ => false,
        }
    }

    /// Whether the script certainly did not start, so that repeating it cannot run it twice.
    pub(crate) fn never_started(&self) -> bool {
        match self {
            Self::Refused { message, .. } => NEVER_STARTED.iter().any(|phrase| message.contains(phrase)),
            _ => false,
        }
    }
}

/// What a script is called that does what a person would do.
const ACTING: &str = "acting on an element";

/// How the calls begin that do something to a page. They are sent whatever time is left, and cannot be taken back.
const ACTS: [&str; 3] = ["Input.", "DOM.setFileInputFiles", ACTING];

const NEVER_STARTED: [&str; 4] = [
    "Cannot find context with specified id",
    "uniqueContextId not found",
    "Could not find object with given id",
    "Cannot find default execution context",
];

const LOST_CONTEXT: [&str; 9] = [
    "Cannot find context with specified id",
    "uniqueContextId not found",
    "Could not find object with given id",
    "Cannot find default execution context",
    "Execution context was destroyed",
    "Inspected target navigated or closed",
    "No frame for given id found",
    "Frame with the given id was not found",
    "Argument should belong to the same JavaScript world",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(message: &str) -> BrowserError {
        BrowserError::Refused { method: "Runtime.evaluate".into(), message: message.into() }
    }

    #[test]
    fn a_destroyed_context_is_lost_but_may_have_started() {
        let error = refused("Execution context was destroyed.");
        assert!(error.is_lost_context());
        assert!(!error.never_started());
        assert!(refused("Cannot find context with specified id").never_started());
        assert!(!refused("Invalid parameters").is_lost_context());
    }

    #[test]
    fn what_acts_and_gives_no_answer_may_have_acted() {
        let late = |what: &str| BrowserError::timed_out(what, Duration::from_secs(1));
        assert!(late("Input.dispatchMouseEvent").may_have_acted());
        assert!(late("DOM.setFileInputFiles").may_have_acted());
        assert!(!late("Runtime.callFunctionOn").may_have_acted());
        assert!(late("Runtime.callFunctionOn").while_acting().may_have_acted());
        assert!(!BrowserError::Navigated.while_acting().may_have_acted());
    }

    #[test]
    fn messages_complete_failed_to() {
        let text = BrowserError::timed_out("Page.navigate", Duration::from_millis(1500)).to_string();
        assert_eq!(text, "finish Page.navigate within 1.5 s");
    }
}
