//! A trace: what a walker did in an app and what could be seen, substep by substep. It is all that a judge ever reads, and it can be
//! judged again without a browser.

use super::expectation::Expectation;
use crate::details::{BlobId, Rect};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Format version of [`Trace`] and [`Sight`].
pub const TRACE_FORMAT: u32 = 1;

/// One walk of one workflow through one app.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Trace {
    /// Format version.
    pub format: u32,
    /// Id of the task.
    pub task: String,
    /// Hash of the task's files, as `frozen.yaml` has it.
    pub task_hash: String,
    /// Id of the workflow.
    pub workflow: String,
    /// What the workflow is about, as its file says.
    pub purpose: String,
    /// The address at which the app answered.
    pub origin: String,
    /// Width and height of the window.
    pub viewport: (u32, u32),
    /// The day (YYYY-MM-DD, UTC) on which the walk began, from which the dates in its sentences count; absent in older traces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub day: Option<String>,
    /// Who walked.
    pub walker: Walker,
    /// How the walk ended.
    pub ending: Ending,
    /// One for each substep of the workflow, in order, also for those that were never reached.
    pub substeps: Vec<SubstepTrace>,
    /// What the walker's model took; absent when none was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// How long the walk took.
    pub seconds: f64,
}

/// Who walked, exactly enough to do it again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Walker {
    /// How.
    pub kind: WalkerKind,
    /// Version of that way of walking; raised when it would act differently.
    pub version: u32,
    /// Id of the model, where one was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// The ways to walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WalkerKind {
    /// Sentences are parsed and resolved on the tree of the page; no model.
    Resolver,
    /// A model that calls tools.
    Agent,
    /// A recorded walk, verified step by step.
    Replay,
    /// The resolver, and the agent where the resolver is unsure.
    Hybrid,
}

/// How a walk ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "ended", rename_all = "snake_case")]
pub enum Ending {
    /// At its last substep, whatever became of them.
    Walked,
    /// The app did not answer, or stopped answering.
    AppDown {
        /// What was seen of that.
        reason: String,
    },
    /// The walker could not go on: out of steps, in circles, or without an idea.
    Stuck {
        /// Why.
        reason: String,
    },
    /// The time was up.
    TimedOut {
        /// Which limit.
        reason: String,
    },
    /// The walker's model gave no usable answer.
    NoAnswer {
        /// What it gave.
        reason: String,
    },
    /// Going on would have cost more than allowed.
    BudgetSpent {
        /// Which budget.
        reason: String,
    },
    /// The walker's model could not be asked: its provider refused key, credit or address.
    Refused {
        /// What it said, and what to do.
        reason: String,
    },
}

/// What became of one substep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SubstepTrace {
    /// From 1 on.
    pub number: u32,
    /// The sentence, with values instead of variables.
    pub text: String,
    /// What must hold afterwards, for machines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expect: Vec<Expectation>,
    /// Whether the workflow is pointless without it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub critical: bool,
    /// Who walked it; in a hybrid walk that differs from substep to substep.
    pub by: WalkerKind,
    /// Whether it was done.
    pub attempt: Attempt,
    /// What was done, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<ActionTrace>,
    /// What could be seen before the first action; absent when it was never reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<SightRef>,
    /// What could be seen after the last action, once the page had come to rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<SightRef>,
    /// Requests to the app that failed, errors in the console, dialogs: facts, not narration.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<Fact>,
    /// What the walker says of it. A judge must not take it for evidence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// Whether a substep was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "attempt", rename_all = "snake_case")]
pub enum Attempt {
    /// Everything it asks for was done.
    Done,
    /// Something it asks for could not be done in this app, such as a button that is not there.
    Impossible {
        /// What was missing.
        reason: String,
    },
    /// The walker does not understand what is asked or cannot tell which of several things is meant. Its fault, not the app's.
    Unsure {
        /// Why.
        reason: String,
    },
    /// It was never reached.
    NotAttempted {
        /// Why.
        reason: String,
    },
}

/// Something a walker does.
#[expect(missing_docs, reason = "what an action acts on, and with what, is what its fields are called")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Action {
    /// Opens an address; a path is one of the app's.
    Navigate { url: String },
    /// Clicks once.
    Click { target: Target },
    /// Clicks twice.
    DoubleClick { target: Target },
    /// Puts a text into a field, in place of what is there.
    Fill { target: Target, text: String },
    /// Empties a field.
    Clear { target: Target },
    /// Presses a key or a chord such as `Control+A`, on an element or wherever the focus is.
    Press { target: Option<Target>, keys: String },
    /// Chooses options of a list by what they show.
    Select { target: Target, options: Vec<String> },
    /// Ticks or unticks.
    Check { target: Target, checked: bool },
    /// Moves the pointer there.
    Hover { target: Target },
    /// Puts the focus there.
    Focus { target: Target },
    /// Scrolls an element or, without one, the page, by pixels.
    Scroll { target: Option<Target>, x: i32, y: i32 },
    /// Drags one thing onto another.
    Drag { from: Target, to: Target },
    /// Gives files to a field; contents are made up by the walker.
    Upload { target: Target, files: Vec<String> },
    /// Clicks what starts a download and waits for it.
    Download { target: Target },
    /// Goes back in the history.
    Back,
    /// Goes forward in the history.
    Forward,
    /// Loads the page again.
    Reload,
    /// Waits for some milliseconds, or for a text.
    Wait { milliseconds: u32, text: Option<String> },
    /// Goes to another tab, by its place.
    SwitchTab { tab: u32 },
    /// Closes a tab, by its place.
    CloseTab { tab: u32 },
    /// Answers the dialog that is open.
    Dialog { accept: bool, text: Option<String> },
    /// Looks for a text on the whole page, without acting.
    FindText { text: String },
}

/// An element as a walker means it: enough to find it again and to tell that it is still the same.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Target {
    /// Its reference in the sight in which it was chosen, such as `e12`.
    pub reference: String,
    /// Its role.
    pub role: String,
    /// Its name.
    pub name: String,
    /// Which of those with the same role and name it is, from 0 on, as people read.
    #[serde(default)]
    pub nth: u32,
    /// Words of the row, card or section it stands in, where those single it out.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub within: String,
}

/// An action and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ActionTrace {
    /// Unique in the trace, such as `a7`.
    pub id: String,
    /// What was done.
    pub action: Action,
    /// Where on the page it hit, in CSS pixels of the window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub point: Option<(f64, f64)>,
    /// Why it could not be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// What changed.
    pub effect: Effect,
    /// Milliseconds from the start of the walk.
    pub at_ms: u64,
    /// Milliseconds until the page had come to rest.
    pub took_ms: u64,
    /// The window shortly before, for the film strip.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screenshot: Option<BlobId>,
}

/// What an action changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Effect {
    /// The address, if it is another one now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Whether the tree of the page is another one now.
    pub tree: bool,
    /// Whether a field holds what was put into it, which may be what it held before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub held: bool,
    /// Requests that it caused.
    pub requests: u32,
}

/// Something that is so, whoever looks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fact {
    /// Unique in the trace, such as `f3`.
    pub id: String,
    /// What kind.
    pub kind: FactKind,
    /// In words.
    pub text: String,
}

/// Kinds of facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FactKind {
    /// A request that was answered.
    Request,
    /// A request that failed or was answered with an error.
    FailedRequest,
    /// An error in the console, or an exception.
    ConsoleError,
    /// A dialog of the browser and how it was answered.
    Dialog,
    /// A file that was downloaded.
    Download,
    /// A tab that opened or closed.
    Tab,
}

/// What the walker's model took.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    /// Answers.
    pub calls: u32,
    /// Tokens read.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// Dollars; absent when nobody knows the price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd: Option<f64>,
}

/// A sight that is kept beside the trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SightRef {
    /// Unique in the trace, such as `s4`; equal sights share one.
    pub id: String,
    /// The [`Sight`], as JSON.
    pub blob: BlobId,
    /// The window as a picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screenshot: Option<BlobId>,
}

/// The page at one moment, as a person with good eyes and patience sees it: all of it, not just the window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sight {
    /// Format version.
    pub format: u32,
    /// The address.
    pub url: String,
    /// The title.
    pub title: String,
    /// Tabs that are open, the one that is looked at first.
    pub tabs: Vec<String>,
    /// The text of a dialog of the browser that is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialog: Option<String>,
    /// How far the page is scrolled.
    pub scrolled: (f64, f64),
    /// Width and height of the whole page.
    pub page: (f64, f64),
    /// What is on it.
    pub root: Node,
    /// Whether parts were left out because the page has too many.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

/// An element that means something, or a stretch of text.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Node {
    /// The role of accessibility; `text` for a stretch of text, `entry` for a block without a role that repeats, such as a card.
    pub role: String,
    /// Its name, or the text itself.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// How an action names it. A text has that of the element it stands in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// What is in a field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// What a field says as long as it is empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placeholder: Option<String>,
    /// The type of a field (`date`, `password`, `number` …).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// Checked, selected, pressed: on or off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked: Option<bool>,
    /// Whether it can be seen and not used.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub disabled: bool,
    /// Whether what belongs to it is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expanded: Option<bool>,
    /// Whether it has the focus.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub focused: bool,
    /// Whether something else lies over it, such as a modal dialog.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub covered: bool,
    /// Level of a heading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<u8>,
    /// Where a link leads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub href: Option<String>,
    /// What a list offers, open or closed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<Choice>,
    /// Where it is, in CSS pixels of the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Rect>,
    /// What is in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<Node>,
}

/// One thing that a list offers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Choice {
    /// What it shows.
    pub label: String,
    /// Whether it is the one, or one of those, that count.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub chosen: bool,
    /// Whether it can be seen and not chosen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub disabled: bool,
}
