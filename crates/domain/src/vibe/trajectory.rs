//! What a model did while it built an app: its calls of tools, in time, and what they cost.
//!
//! Two forms are read: our own, JSON lines that are only ever appended to ([`lines`]), and the JSON array that OpenHands writes.
//! Both come from outside and are read within limits. Texts (commands, outputs, thoughts) are passed over; what is kept is small.

mod category;
mod facts;
pub mod lines;
mod openhands;
mod phases;
mod tape;

pub use category::{Category, CategoryCounts, CategoryShares};
pub use facts::{Facts, METHOD, ResponseTokens};
pub use phases::{PHASES, Segment};

use super::app::Generation;
use super::model::Tokens;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The largest file that is read, unpacked.
pub const MAX_BYTES: usize = 128 << 20;
/// The most events of one file.
pub const MAX_EVENTS: usize = 200_000;
/// The most different names of tools, actions or observations.
const MAX_NAMES: usize = 1_000;
/// The longest name, and the longest time.
const MAX_NAME_BYTES: usize = 200;
/// How much of a parser's complaint is passed on: it may quote what it read.
const MAX_COMPLAINT: usize = 300;

/// A trajectory without its texts.
#[derive(Debug, Clone, PartialEq)]
pub struct Trajectory {
    /// How many events the file has.
    pub events: usize,
    /// When the first event happened, as written.
    pub first_timestamp: String,
    /// When the last event happened, as written.
    pub last_timestamp: String,
    /// From the first event to the last.
    pub seconds: f64,
    /// The calls that became actions, in order.
    pub calls: Vec<Call>,
    /// How many actions of each kind there are, of whomever.
    pub actions: BTreeMap<String, u64>,
    /// How many observations of each kind there are.
    pub observations: BTreeMap<String, u64>,
    /// Edits that only looked.
    pub edit_views: u64,
    /// Edits that changed something.
    pub edit_writes: u64,
    /// Calls that were refused before they became actions.
    pub invalid_calls: u64,
    /// Observations of errors, those of refused calls among them.
    pub error_observations: u64,
    /// Shell commands that ended with another code than 0.
    pub failed_commands: u64,
    /// Browser calls that ended with an error.
    pub browser_errors: u64,
    /// The model's answers that led to calls, each once.
    pub responses: Vec<Response>,
    /// The harness' own counter at its last reading.
    pub counter: Option<Counter>,
    /// Whether the model said that it is done.
    pub finished: bool,
}

/// One call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The tool's name.
    pub tool: String,
    /// What it is for.
    pub category: Category,
    /// When, as a share of the time from the agent's first action to its last.
    pub at: f64,
}

/// One answer of the model. What is absent nobody knows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Response {
    /// Dollars.
    pub cost_usd: Option<f64>,
    /// How long it took.
    pub seconds: Option<f64>,
    /// Tokens by kind.
    pub tokens: ResponseTokens,
}

/// The harness' own running total, with OpenHands' names.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Counter {
    /// Dollars.
    #[serde(skip)]
    pub cost_usd: Option<f64>,
    /// What the harness calls the model.
    pub model: String,
    /// Tokens read that no cache held.
    pub prompt_tokens: u64,
    /// Tokens written.
    pub completion_tokens: u64,
    /// Tokens read from the cache.
    pub cache_read_tokens: u64,
    /// Tokens written to the cache.
    pub cache_write_tokens: u64,
    /// The model's context window; 0 when it was not told.
    pub context_window: u64,
    /// Tokens of the last turn.
    pub per_turn_token: u64,
    /// Id of the last answer.
    pub response_id: String,
}

impl Counter {
    /// All tokens it counted.
    fn tokens(&self) -> u64 {
        let cached = self.cache_read_tokens.saturating_add(self.cache_write_tokens);
        self.prompt_tokens.saturating_add(self.completion_tokens).saturating_add(cached)
    }
}

impl Trajectory {
    /// Reads a file of either form.
    pub fn read(bytes: &[u8]) -> Result<Self, TrajectoryError> {
        if bytes.len() > MAX_BYTES {
            return Err(TrajectoryError::TooLarge);
        }
        match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
            Some(b'[') => openhands::read(bytes),
            Some(b'{') => lines::read(bytes),
            _ => Err(TrajectoryError::NoTrajectory),
        }
    }

    /// What the model cost. The harness' counter is the truth, because answers that led to no call are in no list; without a
    /// counter, the sum of the answers if every one of them says what it cost.
    pub fn cost_usd(&self) -> Option<f64> {
        self.counter.as_ref().and_then(|counter| counter.cost_usd).or_else(|| {
            let costs: Option<Vec<f64>> = self.responses.iter().map(|response| response.cost_usd).collect();
            costs.filter(|costs| !costs.is_empty()).map(|costs| costs.iter().sum())
        })
    }

    /// What the analysis keeps of it.
    pub fn generation(&self) -> Generation {
        let facts = self.facts();
        let tokens = facts.sum_response_tokens;
        Generation {
            cost_usd: self.cost_usd(),
            seconds: Some(self.seconds),
            turns: Some(self.responses.len() as u64),
            tokens: (!self.responses.is_empty()).then_some(Tokens {
                input: tokens.in_tokens,
                output: tokens.total_output_tokens,
                cache_read: tokens.cache_read_tokens,
                cache_write: tokens.cache_write_tokens,
            }),
            calls: Some(facts.tool_call_counts),
            phases: Some(facts.phase_time_deciles),
        }
    }

    /// The calls as a strip over time: neighbours of one category are one segment.
    pub fn strip(&self) -> Vec<Segment> {
        phases::strip(&self.calls)
    }
}

/// Why a file is no trajectory that can be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TrajectoryError {
    /// It is neither form.
    #[error(
        "read the trajectory: it begins neither with a JSON array, as OpenHands writes it, nor with a line of ours"
    )]
    NoTrajectory,
    /// It is too large.
    #[error("read the trajectory: it has more than {} MB", MAX_BYTES >> 20)]
    TooLarge,
    /// It is no valid JSON, or an event is not what it should be.
    #[error("read the trajectory: {0}")]
    Invalid(String),
    /// It has no events.
    #[error("read the trajectory: it has no events")]
    Empty,
}

impl TrajectoryError {
    fn invalid(complaint: &impl std::fmt::Display) -> Self {
        Self::Invalid(complaint.to_string().chars().take(MAX_COMPLAINT).collect())
    }
}
