//! The prompt's criteria, walked in the browser: how each came out, and what the pages said meanwhile.

use super::load::{ConsoleLine, Exception, Request};
use benchwright_domain::Rect;
use benchwright_domain::report::Screenshot;
use serde::{Deserialize, Serialize};

/// Format version of [`Acceptance`].
pub const VERSION: u32 = 1;

/// The prompt's criteria, walked in the browser: how each came out, and what the pages said meanwhile.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Acceptance {
    /// Format version.
    pub version: u32,
    /// Every criterion: those that must hold, then those that should, each in the order of the file.
    pub criteria: Vec<Walked>,
    /// One for each context, in the order of its first criterion.
    pub visits: Vec<Visit>,
}

/// How much a criterion counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Weight {
    /// It must hold.
    #[default]
    Must,
    /// It should hold; counts half.
    Should,
}

/// One criterion, walked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Walked {
    /// Its name in the prompt.
    pub id: String,
    /// How much it counts.
    pub weight: Weight,
    /// Why it does not hold; absent when it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
}

/// Why a criterion does not hold.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// Where it ended.
    pub step: Step,
    /// In words: "no element matched".
    pub reason: String,
    /// The locator that was looked for at that step.
    pub locator: Option<String>,
    /// How many elements it found at the end.
    pub matched: usize,
    /// The first of them.
    pub elements: Vec<Resolved>,
    /// Where the page was at the end.
    pub url: String,
    /// The window at the end, under the name `criterion-<id>`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screenshot: Option<Screenshot>,
}

/// A step of a criterion.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Step {
    /// Opening the page.
    #[default]
    Open,
    /// A setup step.
    Setup {
        /// From 1.
        number: usize,
        /// As the prompt names it: `click`.
        action: String,
    },
    /// The assertion.
    Assertion,
    /// The custom check.
    Custom,
}

/// An element that a locator found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Resolved {
    /// A CSS selector that finds it, at most 400 characters.
    pub selector: String,
    /// Its opening tag and first words, at most 300 characters.
    pub html: String,
    /// Where it is, in CSS pixels of the window.
    pub rect: Rect,
    /// Whether it shows.
    pub visible: bool,
}

/// What the tabs of a context said while its criteria were walked. Capped; of the requests only failed ones, scripts and style sheets.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Visit {
    /// The criteria walked in it.
    pub criteria: Vec<String>,
    /// Console errors in order.
    pub console: Vec<ConsoleLine>,
    /// Uncaught exceptions and unhandled rejections in order.
    pub exceptions: Vec<Exception>,
    /// Requests in order.
    pub requests: Vec<Request>,
    /// Dialogs the tabs opened (all were dismissed).
    pub dialogs: usize,
    /// Windows the tabs opened.
    pub popups: usize,
    /// Records that were over a cap and not kept.
    pub dropped_records: u64,
}
