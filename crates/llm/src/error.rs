use std::time::Duration;

const KEY: &str = "give a key that is accepted";
const CREDIT: &str = "add credit there";

/// Why a question was not answered. The message completes "failed to …" and never holds a key.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LlmError {
    /// The address of the endpoint cannot be used.
    #[error("use the address {base_url}: {why}")]
    Address { base_url: String, why: String },
    /// The provider refused, and would refuse again.
    #[error("ask {model}: the provider answered {status}: {message}")]
    Refused { model: String, status: u16, message: String },
    /// Every attempt failed. `reached` says whether one of them came to anybody.
    #[error("ask {model}: gave up after {attempts} attempts; the last one: {last}")]
    GaveUp { model: String, attempts: u32, last: String, reached: bool },
    /// The provider asked for a longer wait than a run can give.
    #[error(
        "ask {model}: the provider asks to wait {} s, longer than a run waits; try again later",
        wait.as_secs()
    )]
    AskedToWait { model: String, wait: Duration },
    /// The answer is larger than anybody has use for.
    #[error("read the answer of {model}: it is longer than {limit} bytes")]
    TooLarge { model: String, limit: usize },
    /// Asking could cost more than is left.
    #[error(
        "ask {model}: the call may cost up to ${worst:.4} and ${left:.4} of the budget of ${limit:.2} is left; raise the budget to go on"
    )]
    OverBudget { model: String, worst: f64, left: f64, limit: f64 },
    /// There is a budget, and nobody knows what the call may cost.
    #[error(
        "ask {model}: its price is unknown, so the budget of ${limit:.2} cannot be kept; give its price per million tokens, or no budget"
    )]
    PriceUnknown { model: String, limit: f64 },
    /// Our side: TLS, the request, the cache folder.
    #[error("prepare a request to {model}: {why}")]
    Unprepared { model: String, why: String },
}

impl LlmError {
    /// What to mend before any call can be made. None where an error is of one question, or a provider has a bad time; none of budgets either,
    /// whose messages say it themselves.
    pub fn remedy(&self) -> Option<&'static str> {
        match self {
            Self::Refused { status, message, .. } => remedy_of_refusal(*status, message),
            Self::Address { .. } => Some("correct the address"),
            Self::GaveUp { reached: false, .. } => Some("see that somebody answers at its address"),
            Self::AskedToWait { .. } => Some("until then it answers nothing else"),
            Self::Unprepared { .. } => Some("mend that on this machine"),
            Self::GaveUp { .. } | Self::TooLarge { .. } | Self::OverBudget { .. } | Self::PriceUnknown { .. } => None,
        }
    }
}

/// The status tells, and where providers misuse one, the words that they are known for.
fn remedy_of_refusal(status: u16, message: &str) -> Option<&'static str> {
    let message = message.to_lowercase();
    let says = |any: &[&str]| any.iter().any(|words| message.contains(words));
    match status {
        // What somebody will not read is one question.
        403 if says(&["flagged", "moderation"]) => None,
        400 if says(&["incorrect api key", "invalid api key", "api key not valid"]) => Some(KEY),
        400 if says(&["credit balance"]) => Some(CREDIT),
        401 | 407 => Some(KEY),
        // Haste passes and is no refusal: this one says that the quota is used up.
        402 | 429 => Some(CREDIT),
        403 => Some("give a key that may ask this model"),
        300..=399 | 404 | 405 | 410 => Some("correct the model's name or its address"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(status: u16, message: &str) -> Option<&'static str> {
        LlmError::Refused { model: "m".to_owned(), status, message: message.to_owned() }.remedy()
    }

    #[test]
    fn what_bars_every_call_is_told_from_what_one_question_met() {
        for (status, message, remedy) in [
            (401, "no such key", KEY),
            (402, "insufficient credits", CREDIT),
            (429, "You exceeded your current quota, please check your plan and billing details.", CREDIT),
            (400, "Your credit balance is too low to access the Anthropic API.", CREDIT),
            (400, "API key not valid. Please pass a valid API key.", KEY),
            (403, "this key has no access to the model", "give a key that may ask this model"),
            (404, "no such model", "correct the model's name or its address"),
            (307, "no reason given", "correct the model's name or its address"),
        ] {
            assert_eq!(refused(status, message), Some(remedy), "{status} {message}");
        }
        for (status, message) in [
            (400, "the context is too long"),
            (403, "Your input was flagged for violence"),
            (413, "too large"),
            (422, "no"),
        ] {
            assert_eq!(refused(status, message), None, "{status} {message}");
        }
    }

    #[test]
    fn whoever_is_never_reached_is_not_merely_slow() {
        let gave_up = |reached| LlmError::GaveUp { model: "m".to_owned(), attempts: 3, last: "-".to_owned(), reached };
        assert_eq!((gave_up(true).remedy(), gave_up(false).remedy().is_some()), (None, true));
    }
}
