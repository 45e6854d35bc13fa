//! The language model of an evaluator, walking or judging: where it is, whether it sees, how it thinks, and what it took.

pub mod marks;
pub mod picture;

use crate::task::Limits;
use benchwright_domain::vibe::trace::Usage;
use benchwright_llm::{ApiKey, Client, Dialect, Dialogue, Endpoint, LlmError, Price, Retry, Settings, Utterance};
use std::sync::Arc;
use std::time::Duration;

/// What an answer may take at most, thinking included.
pub const MAX_TOKENS: u32 = 16_000;
/// How much of that may be thought.
pub const THINKING_TOKENS: u32 = 6_000;
/// The default evaluator at its own provider, and through OpenRouter.
pub const DEFAULT_MODEL: &str = "claude-sonnet-4-5";
pub const DEFAULT_MODEL_AT_OPEN_ROUTER: &str = "anthropic/claude-sonnet-4.5";

/// A model that can be asked.
#[derive(Debug, Clone)]
pub struct Llm {
    /// Shared by everything that spends the same budget.
    pub client: Arc<Client>,
    /// Where it is and what it costs.
    pub endpoint: Endpoint,
    /// A model on this machine may need none.
    pub key: Option<ApiKey>,
    /// Whether it is shown pictures.
    pub sees: bool,
    /// How many tokens it may think; it is not told to think when absent.
    pub thinking_tokens: Option<u32>,
}

impl Llm {
    /// The next answer of a dialogue.
    pub async fn converse(&self, dialogue: &Dialogue) -> Result<Utterance, LlmError> {
        self.client.converse(&self.endpoint, self.key.as_ref(), dialogue).await
    }

    /// Its name in results.
    pub fn id(&self) -> &str {
        &self.endpoint.model
    }
}

/// Why no model can be asked any more, whatever the question is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// Going on would cost more than allowed.
    Budget(String),
    /// The provider takes no call, or nobody is there. Also says what to do.
    Refusal(String),
}

impl Stop {
    /// What an error stops, if it is not of one question alone.
    pub fn of(error: &LlmError) -> Option<Self> {
        match error {
            LlmError::OverBudget { .. } | LlmError::PriceUnknown { .. } => Some(Self::Budget(error.to_string())),
            _ => error.remedy().map(|remedy| Self::Refusal(format!("{error}; {remedy}"))),
        }
    }

    /// In words.
    pub fn reason(&self) -> &str {
        match self {
            Self::Budget(reason) | Self::Refusal(reason) => reason,
        }
    }
}

/// The default evaluator, with its list price of 2026-11-17.
pub fn default_endpoint(dialect: Dialect) -> Endpoint {
    let (base_url, model) = match dialect {
        Dialect::Anthropic => ("https://api.anthropic.com/v1", DEFAULT_MODEL),
        Dialect::OpenAi => ("https://openrouter.ai/api/v1", DEFAULT_MODEL_AT_OPEN_ROUTER),
    };
    let price = Price { input: 3.0, output: 15.0, cache_read: Some(0.3), cache_write: Some(3.75) };
    Endpoint { dialect, base_url: base_url.to_owned(), model: model.to_owned(), price: Some(price) }
}

/// How a client asks on behalf of evaluators: patiently, within the limits of a task.
pub fn settings(limits: &Limits, budget_usd: Option<f64>) -> Settings {
    let seconds = |seconds: u32| Duration::from_secs(u64::from(seconds));
    Settings {
        budget_usd,
        retry: Retry::patient(),
        limits: benchwright_llm::Limits::of_walks(seconds(limits.call_seconds), seconds(limits.step_seconds)),
        ..Settings::default()
    }
}

/// Adds what an answer took. A cost that nobody knows makes the sum unknown, and never smaller.
pub fn add(usage: &mut Usage, answer: &Utterance) {
    let is_first = usage.calls == 0;
    usage.calls += 1;
    let tokens = answer.tokens.unwrap_or_default();
    usage.input_tokens += tokens.shown();
    usage.output_tokens += tokens.output;
    usage.usd = match (usage.usd, answer.cost_usd) {
        (None, cost) if is_first => cost,
        (Some(sum), Some(cost)) => Some(sum + cost),
        _ => None,
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchwright_llm::Tokens;

    fn answer(cost_usd: Option<f64>) -> Utterance {
        let tokens = Some(Tokens { input: 10, output: 5, cache_read: 100, cache_write: 1 });
        Utterance { tokens, cost_usd, ..Utterance::default() }
    }

    #[test]
    fn a_cost_nobody_knows_is_not_nothing() {
        let mut usage = Usage::default();
        add(&mut usage, &answer(Some(0.5)));
        add(&mut usage, &answer(Some(0.25)));
        assert_eq!(usage, Usage { calls: 2, input_tokens: 222, output_tokens: 10, usd: Some(0.75) });
        add(&mut usage, &answer(None));
        add(&mut usage, &answer(Some(1.0)));
        assert_eq!((usage.calls, usage.usd), (4, None));
    }

    #[test]
    fn the_default_evaluator_is_the_published_one() {
        assert_eq!(default_endpoint(Dialect::Anthropic).model, "claude-sonnet-4-5");
        assert_eq!(default_endpoint(Dialect::OpenAi).model, "anthropic/claude-sonnet-4.5");
        let settings = settings(&Limits::default(), Some(1.0));
        assert_eq!(
            (settings.retry.attempts, settings.limits.attempt.as_secs(), settings.limits.whole.as_secs()),
            (21, 90, 1_200)
        );
    }
}
