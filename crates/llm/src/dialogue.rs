//! Conversations in which a model acts: it is given tools, calls them, and is told what came of it.

use crate::question::{Attempt, Finish, Part, Schema};
use serde_json::Value;

/// A conversation that a model is to continue, by words or by calling tools. Nothing is said about sampling: a model that acts is left as its
/// provider sets it.
#[derive(Debug, Clone, PartialEq)]
pub struct Dialogue {
    /// Who it is and what it is to do.
    pub system: String,
    /// What it may call.
    pub tools: Vec<Tool>,
    /// What was said so far.
    pub turns: Vec<Speech>,
    /// How many of the turns will be the same in the next call, so that a provider may remember them.
    pub lasting_turns: usize,
    /// The shape its words must have, when they are the answer.
    pub schema: Option<Schema>,
    /// The most it may say, thinking included.
    pub max_tokens: u32,
    /// How much of that it may think; it is not told to think when absent.
    pub thinking_tokens: Option<u32>,
}

/// Something a model may call.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// Letters, digits and underscores.
    pub name: String,
    /// When to call it.
    pub description: String,
    /// JSON schema of its arguments: an object.
    pub parameters: Value,
}

/// One turn.
#[derive(Debug, Clone, PartialEq)]
pub enum Speech {
    /// By us.
    Ours(Vec<Part>),
    /// By us: what came of the calls of the turn before, one result each, and what else there is to see.
    Results {
        /// In the order of the calls.
        results: Vec<ToolResult>,
        /// Shown after them.
        parts: Vec<Part>,
    },
    /// By the model.
    Model(Utterance),
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    /// The call's id.
    pub call: String,
    /// In words.
    pub text: String,
    /// Whether it did not work.
    pub failed: bool,
}

/// What a model said and called.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Utterance {
    /// Its words.
    pub text: String,
    /// What it thought before, where the provider shows that.
    pub thoughts: String,
    /// What it calls.
    pub calls: Vec<ToolCall>,
    /// What the provider wants to see again as it was: blocks with signed thoughts, for instance.
    pub kept: Value,
    /// The model that says it answered; empty when the provider does not say.
    pub model: String,
    /// Why it stopped.
    pub finish: Finish,
    /// What was counted, if the provider says.
    pub tokens: Option<Tokens>,
    /// Dollars; absent when nobody knows.
    pub cost_usd: Option<f64>,
    /// Attempts that failed before this one.
    pub failed_attempts: Vec<Attempt>,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// The provider's name for it.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its arguments, or why they cannot be read: a model's slip is something to tell the model, not an error.
    pub arguments: Result<Value, String>,
}

/// Tokens of one call. No token is counted twice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Read, and in no cache of the provider.
    pub input: u64,
    /// Written, thinking included.
    pub output: u64,
    /// Read from the provider's cache.
    pub cache_read: u64,
    /// Written to it.
    pub cache_write: u64,
}

impl Tokens {
    /// All that it was shown.
    pub fn shown(&self) -> u64 {
        self.input.saturating_add(self.cache_read).saturating_add(self.cache_write)
    }
}
