use std::time::Duration;

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
    /// Every attempt failed.
    #[error("ask {model}: gave up after {attempts} attempts; the last one: {last}")]
    GaveUp { model: String, attempts: u32, last: String },
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
