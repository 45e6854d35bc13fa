use crate::question::{Attempt, Finish};
use serde::Serialize;

/// A conversation that a model is to continue in its own words.
#[derive(Debug, Clone, PartialEq)]
pub struct Chat {
    /// What was said so far.
    pub turns: Vec<Turn>,
    /// How adventurous it may be.
    pub temperature: f64,
    /// The share of likely tokens it may choose from.
    pub top_p: f64,
    /// The most it may say, thinking included.
    pub max_tokens: u32,
    /// For providers that can be made to repeat themselves.
    pub seed: u64,
    /// Whether the answer is to come as it is made, so that the time to the first token is known. Some servers then count no tokens.
    pub is_streamed: bool,
    /// Where the switch for thinking of the model's template is to stand; absent for servers that refuse a switch they do not know.
    pub thinking: Option<bool>,
}

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Turn {
    /// `system`, `user` or `assistant`.
    pub role: &'static str,
    /// The words.
    pub content: String,
}

/// What a model said.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Said {
    /// Its words, every one of them.
    pub text: String,
    /// What it thought before, where the provider keeps that apart.
    pub thoughts: String,
    /// The model that says it answered; empty when the provider does not say.
    pub model: String,
    /// Why it stopped.
    pub finish: Finish,
    /// Tokens it was shown, if the provider says.
    pub tokens_in: Option<u64>,
    /// Those of them that it still knew from before, if the provider says.
    pub tokens_cached: Option<u64>,
    /// Tokens it produced, if the provider says.
    pub tokens_out: Option<u64>,
    /// Milliseconds to the first word or thought; absent where the answer came as a whole, or its stream in one burst.
    pub first_token_ms: Option<f64>,
    /// Milliseconds of the attempt that succeeded.
    pub total_ms: f64,
    /// Attempts that failed before this one.
    pub failed_attempts: Vec<Attempt>,
}
