//! Whether a submission may be believed, as far as arithmetic can tell. Nobody can prove that a browser ran a model; lies can be made
//! consistent, expensive and visible.

mod arithmetic;
mod canary;
mod form;
mod likeness;
mod ticket;

pub use canary::{Canary, ReferenceAnswers, canaries};

use crate::FORMAT;
use crate::bank::Bank;
use crate::derived::Derived;
use crate::prompt::{Protocol, Template};
use crate::set::Selection;
use crate::submission::Submission;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What becomes of a submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Run by whoever keeps the board, by a command that anybody can repeat. Ranked, and what others are held against.
    Reference,
    /// Ranked.
    Confirmed,
    /// Shown, not ranked, until others agree.
    Unconfirmed,
    /// Shown with the reason, not ranked.
    Flagged,
    /// Not taken in.
    Rejected,
}

impl State {
    /// Whether a run of this state counts on the board.
    pub fn counts(self) -> bool {
        matches!(self, Self::Reference | Self::Confirmed)
    }
}

/// Why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReasonCode {
    /// Rejected: a format this program does not read.
    UnknownFormat,
    /// Rejected: a text is longer than it may be, or not of its form.
    BadText,
    /// Rejected: an output is longer than 16 kB, or all of them than 2 MB.
    OutputTooLong,
    /// Rejected: not what the ticket was issued for.
    NotTheTicket,
    /// Rejected: not the questions of the ticket in their order.
    WrongQuestions,
    /// Rejected: a prompt is not the one this protocol makes.
    WrongPrompt,
    /// Rejected: more tokens than the protocol or a prompt allows, or an end that does not fit them.
    WrongTokens,
    /// Rejected: times that cannot be.
    WrongTimes,
    /// Flagged: texts and tokens do not go together.
    UnlikelyTokens,
    /// Flagged: faster than the claimed backend can be, or the same time for every question.
    UnlikelyTimes,
    /// Flagged: the client read other letters out of the same outputs with the same extractor.
    ReadingMismatch,
    /// Flagged: the device failed its self-test.
    SelfTestFailed,
    /// Flagged: unlike other runs of this model.
    UnlikeOtherRuns,
    /// Flagged: other answers than the reference runs of this model, where those agree.
    UnlikeReference,
    /// Unconfirmed: better than other runs of this model make likely.
    Outlier,
    /// Unconfirmed: exactly the outputs of another run, with which it is merged.
    Duplicate,
    /// Unconfirmed: the seed of the draw was chosen by whoever ran it.
    ChosenSeed,
    /// Unconfirmed: a browser's device was not tested before the run.
    NoSelfTest,
}

impl ReasonCode {
    /// What becomes of a submission for this reason.
    pub fn state(self) -> State {
        match self {
            Self::UnknownFormat
            | Self::BadText
            | Self::OutputTooLong
            | Self::NotTheTicket
            | Self::WrongQuestions
            | Self::WrongPrompt
            | Self::WrongTokens
            | Self::WrongTimes => State::Rejected,
            Self::UnlikelyTokens
            | Self::UnlikelyTimes
            | Self::ReadingMismatch
            | Self::SelfTestFailed
            | Self::UnlikeOtherRuns
            | Self::UnlikeReference => State::Flagged,
            Self::Outlier | Self::Duplicate | Self::ChosenSeed | Self::NoSelfTest => State::Unconfirmed,
        }
    }
}

/// One reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reason {
    /// For programs.
    pub code: ReasonCode,
    /// For people.
    pub text: String,
}

impl Reason {
    fn new(code: ReasonCode, text: impl Into<String>) -> Self {
        Self { code, text: text.into() }
    }
}

/// What the checks say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// Format version.
    pub format: u32,
    /// What becomes of the submission.
    pub state: State,
    /// Why; empty for a confirmed one.
    pub reasons: Vec<Reason>,
    /// The hash of the outputs in their order, by which repeats are known.
    pub outputs_sha256: String,
}

/// What is known about a run apart from what it says itself.
#[derive(Debug, Clone, Copy)]
pub struct Expected<'a> {
    /// What the ticket was issued for.
    pub selection: &'a Selection,
    /// The protocol of the ticket.
    pub protocol: Protocol,
    /// The model of the ticket: its id in the catalogue, or the name of a visitor's own.
    pub model: &'a str,
    /// What the catalogue says the model's template needs; absent for a visitor's own, which says so itself.
    pub template: Option<Template>,
    /// The ids of the ticket's questions in their order.
    pub order: &'a [String],
    /// The questions.
    pub bank: &'a Bank,
    /// Milliseconds since the ticket was issued, by the server's clock.
    pub since_ticket_ms: f64,
    /// Right answers and questions of other confirmed runs of this model under this key.
    pub pooled: Option<(u64, u64)>,
    /// The outputs of earlier confirmed runs of the same model, quantisation and engine: question id and output.
    pub earlier: &'a [Vec<(&'a str, &'a str)>],
    /// What reference runs of the same model agree on.
    pub canaries: &'a [Canary],
    /// Hashes of the outputs of earlier runs, [`Verdict::outputs_sha256`].
    pub known_outputs: &'a [&'a str],
}

/// What is wrong with the form of a submission, such as outputs that are too long. Nothing needs to be read out of it for that: of what a stranger
/// sent, this is looked at first.
pub fn problems_of_form(submission: &Submission) -> Vec<Reason> {
    form::problems(submission)
}

/// Checks a submission against what is known, and against what its outputs come to.
pub fn check(submission: &Submission, derived: &Derived, expected: &Expected) -> Verdict {
    let outputs_sha256 = likeness::outputs_sha256(submission);
    let mut reasons = problems_of_form(submission);
    // What is not of the right form is not looked into any further.
    if reasons.is_empty() {
        reasons.extend(ticket::problems(submission, expected));
        reasons.extend(arithmetic::problems(submission, expected.since_ticket_ms));
        reasons.extend(likeness::problems(submission, derived, expected, &outputs_sha256));
        reasons.extend(canary::problem(derived, expected.canaries));
    }
    let state = reasons.iter().map(|reason| reason.code.state()).max().unwrap_or(State::Confirmed);
    Verdict { format: FORMAT, state, reasons, outputs_sha256 }
}

#[cfg(test)]
mod tests;
