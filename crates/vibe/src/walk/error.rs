//! What ends a walk early. What an app does wrong is no error but something to be seen.

use super::keeper::KeepError;
use benchwright_browser::BrowserError;

/// Why a walk cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum WalkError {
    /// The browser is lost.
    #[error("walk in the browser: {0}")]
    Browser(#[from] BrowserError),
    /// What was seen cannot be kept.
    #[error(transparent)]
    Keep(#[from] KeepError),
    /// A sight cannot be written down.
    #[error("write down what was seen: {0}")]
    Sight(#[from] serde_json::Error),
    /// A file for an upload cannot be made.
    #[error("make a file to upload: {0}")]
    Upload(#[source] std::io::Error),
    /// A limit was reached.
    #[error("walk on: {0}")]
    LimitReached(Limit),
    /// The app does not answer.
    #[error("reach the app: {reason}")]
    AppDown {
        /// What was seen of that.
        reason: String,
    },
    /// A walker goes in circles.
    #[error("find a way: {reason}")]
    Stuck {
        /// What it kept doing.
        reason: String,
    },
    /// A model gave no usable answer.
    #[error("get an answer of the model: {reason}")]
    NoAnswer {
        /// What it gave.
        reason: String,
    },
    /// Going on would cost too much.
    #[error("stay within the budget: {reason}")]
    BudgetSpent {
        /// Which budget.
        reason: String,
    },
    /// A model cannot be asked.
    #[error("{reason}")]
    Refused {
        /// What its provider said, and what to do.
        reason: String,
    },
}

/// The limits of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Limit {
    /// Steps of the walker.
    #[error("{0} steps were not enough")]
    Steps(u32),
    /// Seconds of one step.
    #[error("a step took longer than {0} s")]
    StepSeconds(u64),
    /// Seconds of all workflows of the app.
    #[error("the app's time of {0} s is used up")]
    AppSeconds(u64),
}
