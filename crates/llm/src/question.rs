use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a model is asked: one turn, no tools.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// Who it is and what it is to do.
    pub system: String,
    /// What it is shown, in order.
    pub parts: Vec<Part>,
    /// The shape its answer must have.
    pub schema: Schema,
    /// The most it may say, thinking included.
    pub max_tokens: u32,
    /// For providers that can be made to repeat themselves.
    pub seed: u64,
    /// Which repetition of the same question this is: another number is another answer in the cache.
    pub repeat: u32,
}

/// A piece of what a model is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Words.
    Text(String),
    /// A picture.
    Image {
        /// `image/jpeg` or `image/png`.
        media_type: &'static str,
        /// Its bytes.
        bytes: Vec<u8>,
    },
}

/// The shape of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Schema {
    /// Letters, digits and underscores.
    pub name: String,
    /// JSON schema.
    pub schema: Value,
}

/// What a model answered.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own about the call")]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Its words.
    pub text: String,
    /// The model that says it answered; empty when the provider does not say.
    pub model: String,
    /// Why it stopped.
    pub finish: Finish,
    /// Tokens it was shown, if the provider says.
    pub tokens_in: Option<u64>,
    /// Tokens it produced, if the provider says.
    pub tokens_out: Option<u64>,
    /// Dollars the call cost when it was made; absent when nobody knows, which is not the same as 0.
    pub cost_usd: Option<f64>,
    /// Whether it answered at a temperature of its own, because it takes no other.
    #[serde(default)]
    pub own_temperature: bool,
    /// Whether it was asked without a seed, because its provider takes none.
    #[serde(default)]
    pub without_seed: bool,
    /// Whether the schema stood in its instructions, because its provider takes none.
    #[serde(default)]
    pub schema_in_words: bool,
    /// Whether it comes from the cache and cost nothing now.
    #[serde(skip)]
    pub cached: bool,
    /// The name of its question in the cache.
    #[serde(skip)]
    pub name: String,
    /// Attempts that failed before this one.
    #[serde(skip)]
    pub failed_attempts: Vec<Attempt>,
}

impl Answer {
    /// Dollars spent now.
    pub fn cost_now(&self) -> Option<f64> {
        if self.cached { Some(0.0) } else { self.cost_usd }
    }
}

/// Why a model stopped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// It was done.
    #[default]
    Stop,
    /// It had used up its tokens.
    Length,
    /// Something else: a filter, a tool it was not given.
    Other,
}

/// An attempt that failed and was made again.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    /// What happened, in words.
    pub what: String,
    /// Milliseconds waited before the next one.
    pub waited_ms: u64,
}
