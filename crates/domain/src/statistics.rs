//! Numbers with their uncertainty.
//!
//! Every function says no instead of returning a number that is none: too little data, data without variation where variation
//! is needed, and values that are not finite are errors. Nothing here is random; what resamples takes its seed as a value.

mod agreement;
mod binomial;
mod bootstrap;
mod correlation;
mod distribution;
mod mean;
mod proportion;

pub use agreement::{Metric, cohen_kappa, krippendorff_alpha, raw_agreement};
pub use binomial::{binomial_at_least, mcnemar_exact};
pub use bootstrap::{MAX_RESAMPLES, SplitMix64, bootstrap_interval};
pub use correlation::{Correlation, partial_correlation, pearson};
pub use distribution::{Z_95, normal_quantile, student_t_quantile};
pub use mean::{Estimate, clustered_mean, clustered_paired_difference, mean, paired_difference};
pub use proportion::{wilson, wilson_95, wilson_of_share};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An interval with both ends included. Both are finite, and `low` is at most `high`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Whether a value lies in the interval.
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// From the lower to the upper end.
    pub fn width(&self) -> f64 {
        self.high - self.low
    }
}

/// Why there is no number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum StatisticsError {
    /// There is not enough data for this statistic.
    #[error("compute a statistic of {got} {what}: at least {needed} are needed")]
    TooFew {
        /// What was counted: "values", "clusters", …
        what: &'static str,
        /// How many there must be.
        needed: usize,
        /// How many there are.
        got: usize,
    },
    /// Two lists that belong together differ in length.
    #[error("compute a statistic of lists of different length ({0} and {1})")]
    UnequalLengths(usize, usize),
    /// All values are the same where the statistic measures how they vary.
    #[error("compute a statistic of values that do not vary")]
    NoVariation,
    /// A value, or a result, is infinite or not a number.
    #[error("compute a statistic of values that are not finite")]
    NotFinite,
    /// A parameter lies outside its range.
    #[error("compute a statistic: {0}")]
    BadParameter(&'static str),
}

fn finite(value: f64) -> Result<f64, StatisticsError> {
    if value.is_finite() { Ok(value) } else { Err(StatisticsError::NotFinite) }
}

fn all_finite(values: &[f64]) -> Result<(), StatisticsError> {
    values.iter().try_for_each(|value| finite(*value).map(|_| ()))
}

fn at_least(needed: usize, got: usize, what: &'static str) -> Result<(), StatisticsError> {
    if got >= needed { Ok(()) } else { Err(StatisticsError::TooFew { what, needed, got }) }
}

fn same_length<A, B>(a: &[A], b: &[B]) -> Result<(), StatisticsError> {
    if a.len() == b.len() { Ok(()) } else { Err(StatisticsError::UnequalLengths(a.len(), b.len())) }
}

fn confidence_in_range(confidence: f64) -> Result<(), StatisticsError> {
    if confidence > 0.0 && confidence < 1.0 {
        Ok(())
    } else {
        Err(StatisticsError::BadParameter("the confidence must lie between 0 and 1"))
    }
}

#[cfg(test)]
mod simulation;
