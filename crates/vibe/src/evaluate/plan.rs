//! What is evaluated, and how: everything that a run must know to go on after it was killed.

use crate::deploy::Allowance;
use crate::task::{Limits, Occasion, Task};
use benchwright_domain::statistics::SplitMix64;
use benchwright_domain::vibe::evaluation::{AppUnderTest, Evaluator};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

/// Format version of [`Plan`].
pub const PLAN_FORMAT: u32 = 1;

/// What is evaluated, and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Format version.
    pub format: u32,
    /// The app.
    pub app: AppUnderTest,
    /// Ids of the workflows, in the order in which they are walked.
    pub workflows: Vec<String>,
    /// How that order came about.
    pub order: Order,
    /// Seed of the values that workflows type.
    pub seed: String,
    /// The day on which it was made. Walks count from the day on which they begin; those of older versions counted from this one.
    #[serde(with = "day")]
    pub today: Date,
    /// Who walks and who judges, with every setting that can change a verdict.
    pub evaluator: Evaluator,
    /// What evaluating may take.
    pub limits: Limits,
    /// What each copy of the app may use.
    #[serde(default)]
    pub allowance: Allowance,
    /// How many workflows are walked at once.
    pub concurrency: usize,
    /// Whether all workflows share one copy of the app.
    pub shared_state: bool,
}

/// A day as people write it.
mod day {
    use jiff::civil::Date;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
    pub fn serialize<S: Serializer>(day: &Date, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(day)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Date, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// The order in which workflows are walked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// As they stand in the file.
    AsWritten,
    /// Shuffled by a seed.
    Shuffled(u64),
}

impl Order {
    /// Ids in this order.
    pub fn of(self, mut ids: Vec<String>) -> Vec<String> {
        if let Self::Shuffled(seed) = self {
            let mut random = SplitMix64::new(seed);
            for last in (1..ids.len()).rev() {
                let other = random.next_index(last + 1);
                ids.swap(last, other);
            }
        }
        ids
    }

    /// In a word or two.
    pub fn name(self) -> String {
        match self {
            Self::AsWritten => "as written".to_owned(),
            Self::Shuffled(seed) => format!("shuffled by {seed}"),
        }
    }
}

impl Plan {
    /// When a workflow is walked, as far as its values depend on it. The browser's clock goes on, so a plan cannot know the day.
    pub fn occasion(&self, today: Date) -> Occasion {
        Occasion { seed: self.seed.clone(), today }
    }

    /// The planned workflows that the task does not have.
    pub fn unknown<'a>(&'a self, task: &Task) -> Option<&'a str> {
        let is_known = |id: &&String| task.workflows.iter().any(|workflow| workflow.id == **id);
        self.workflows.iter().find(|id| !is_known(id)).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids() -> Vec<String> {
        ["a", "b", "c", "d", "e", "f"].map(str::to_owned).to_vec()
    }

    #[test]
    fn a_seed_gives_one_order_and_loses_nobody() {
        assert_eq!(Order::AsWritten.of(ids()), ids());
        let shuffled = Order::Shuffled(7).of(ids());
        assert_eq!(shuffled, Order::Shuffled(7).of(ids()));
        assert_ne!(shuffled, ids());
        let mut sorted = shuffled;
        sorted.sort();
        assert_eq!(sorted, ids());
        assert!((0..20).map(|seed| Order::Shuffled(seed).of(ids())).any(|other| other != Order::Shuffled(7).of(ids())));
    }
}
