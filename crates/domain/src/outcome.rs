//! What a scorer says: one of four outcomes, with the details behind it.

use crate::details::Details;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A score between 0 and 1. Never NaN: the constructor clamps, and a value that is not a number becomes 0.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct UnitScore(f64);

impl UnitScore {
    /// Nothing of what was asked.
    pub const ZERO: Self = Self(0.0);
    /// All of what was asked.
    pub const ONE: Self = Self(1.0);

    /// Clamps to the range; a value that is not a number counts as 0.
    pub fn new(value: f64) -> Self {
        if value.is_nan() { Self::ZERO } else { Self(value.clamp(0.0, 1.0)) }
    }

    /// `part` of `whole`; an empty whole counts as nothing lost.
    pub fn ratio(part: usize, whole: usize) -> Self {
        if whole == 0 { Self::ONE } else { Self::new(part as f64 / whole as f64) }
    }

    /// Falls in a straight line from 1 at `full` to 0 at `empty`.
    pub fn decay(value: f64, full: f64, empty: f64) -> Self {
        Self::new(1.0 - (value - full) / (empty - full))
    }

    /// The number itself.
    pub fn value(self) -> f64 {
        self.0
    }
}

/// The four things that can come of a scorer. Nothing is renormalised away in silence: every null says which kind it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Outcome {
    /// It was measured.
    Scored {
        /// Between 0 and 1.
        score: UnitScore,
        /// Whether the published pass mark was reached. It never enters the composite.
        passed: bool,
    },
    /// The prompt or the track does not ask for it.
    NotApplicable {
        /// Completes "not applicable: …".
        reason: String,
    },
    /// Something the user did not give is missing: source, key, accounts, or a page that renders.
    NoInput {
        /// Completes "no input: …".
        reason: String,
    },
    /// Our fault: a tool crashed or ran out of time. A report with such an outcome is not ranked.
    Errored {
        /// Completes "failed: …".
        reason: String,
    },
}

impl Outcome {
    /// A measured outcome.
    pub fn scored(score: UnitScore, passed: bool) -> Self {
        Self::Scored { score, passed }
    }

    /// The score, if one was measured.
    pub fn score(&self) -> Option<UnitScore> {
        match self {
            Self::Scored { score, .. } => Some(*score),
            _ => None,
        }
    }

    /// Why there is no score.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Scored { .. } => None,
            Self::NotApplicable { reason } | Self::NoInput { reason } | Self::Errored { reason } => Some(reason),
        }
    }
}

/// An outcome with what is behind it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Assessment {
    /// The verdict.
    pub outcome: Outcome,
    /// The numbers and the places behind the verdict.
    pub details: Details,
}

impl Assessment {
    /// A measured outcome with its details.
    pub fn scored(score: UnitScore, passed: bool, details: Details) -> Self {
        Self { outcome: Outcome::scored(score, passed), details }
    }
}

impl From<Outcome> for Assessment {
    fn from(outcome: Outcome) -> Self {
        Self { outcome, details: Details::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_is_clamped_and_never_nan() {
        assert_eq!(UnitScore::new(f64::NAN), UnitScore::ZERO);
        assert_eq!(UnitScore::new(7.0), UnitScore::ONE);
        assert_eq!(UnitScore::new(-0.1), UnitScore::ZERO);
    }

    #[test]
    fn decay_is_linear_between_its_marks() {
        assert_eq!(UnitScore::decay(170.0, 170.0, 1024.0), UnitScore::ONE);
        assert_eq!(UnitScore::decay(1024.0, 170.0, 1024.0), UnitScore::ZERO);
        assert!((UnitScore::decay(597.0, 170.0, 1024.0).value() - 0.5).abs() < 1e-12);
    }
}
