//! Tasks by how hard they proved: sorted by their mean pass rate over all models.
//!
//! Such tiers are made from the results they then break down, so their borders are published, and beside them how hard each task
//! was thought to be beforehand.

use super::scores::{AppScore, average, by_task};
use crate::vibe::task::{Difficulty, TaskFacts};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How tasks are split.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TierRule {
    /// By shares of the tasks; what is neither easy nor hard is in between.
    Shares {
        /// The share with the highest pass rates.
        easy: f64,
        /// The share with the lowest.
        hard: f64,
    },
    /// By pass rates, in percent.
    Rates {
        /// From here on a task is easy.
        easy_from: f64,
        /// Below this it is hard.
        hard_below: f64,
    },
}

impl Default for TierRule {
    /// As Vibe Code Bench splits 50 tasks: 23 easy, 19 in between, 8 hard.
    fn default() -> Self {
        Self::Shares { easy: 0.46, hard: 0.16 }
    }
}

/// One tier.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tier {
    /// Which.
    pub difficulty: Difficulty,
    /// Its tasks, easiest first. The first and the last are its borders.
    pub tasks: Vec<TierTask>,
}

/// A task in its tier.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TierTask {
    /// Its id.
    pub task: String,
    /// Its mean pass rate over all models, in percent.
    pub pass_rate: f64,
    /// How hard it was thought to be.
    pub judged_difficulty: Option<Difficulty>,
}

/// The three tiers, easy first.
pub fn tiers(scores: &[AppScore], facts: &[&TaskFacts], rule: TierRule) -> Vec<Tier> {
    let mut rates: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for tasks in by_task(scores).into_values() {
        for (task, accuracy) in tasks {
            rates.entry(task).or_default().push(accuracy);
        }
    }
    let judged = |task: &str| facts.iter().find(|facts| facts.id == task)?.judged_difficulty;
    let mut tasks: Vec<TierTask> = rates
        .into_iter()
        .filter_map(|(task, rates)| {
            Some(TierTask { task: task.to_owned(), pass_rate: average(&rates)?, judged_difficulty: judged(task) })
        })
        .collect();
    tasks.sort_by(|a, b| b.pass_rate.total_cmp(&a.pass_rate).then_with(|| a.task.cmp(&b.task)));
    let (easy, hard) = borders(&tasks, rule);
    let hardest = tasks.split_off(tasks.len() - hard);
    let middle = tasks.split_off(easy.min(tasks.len()));
    let tier = |difficulty, tasks| Tier { difficulty, tasks };
    vec![tier(Difficulty::Easy, tasks), tier(Difficulty::Medium, middle), tier(Difficulty::Hard, hardest)]
}

/// How many of the sorted tasks are easy, and how many are hard.
fn borders(tasks: &[TierTask], rule: TierRule) -> (usize, usize) {
    match rule {
        TierRule::Shares { easy, hard } => {
            let count = |share: f64| (share.clamp(0.0, 1.0) * tasks.len() as f64).round() as usize;
            let easy = count(easy);
            (easy, count(hard).min(tasks.len() - easy))
        }
        TierRule::Rates { easy_from, hard_below } => {
            let easy = tasks.iter().filter(|task| task.pass_rate >= easy_from).count();
            let hard = tasks.iter().filter(|task| task.pass_rate < hard_below).count();
            (easy, hard.min(tasks.len() - easy))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(count: usize) -> Vec<AppScore> {
        let of_model = |model: &'static str, offset: f64| {
            (0..count).map(move |at| AppScore::new(model, &format!("t{at:02}"), 0, at as f64 + offset))
        };
        of_model("a", 0.0).chain(of_model("b", 10.0)).collect()
    }

    fn sizes(tiers: &[Tier]) -> Vec<usize> {
        tiers.iter().map(|tier| tier.tasks.len()).collect()
    }

    #[test]
    fn fifty_tasks_are_split_as_published() {
        let tiers = tiers(&scores(50), &[], TierRule::default());
        assert_eq!(sizes(&tiers), [23, 19, 8]);
        assert_eq!((tiers[0].tasks[0].task.as_str(), tiers[0].tasks[0].pass_rate), ("t49", 54.0));
        assert_eq!(tiers[2].tasks[7].pass_rate, 5.0);
    }

    #[test]
    fn rates_split_where_they_say() {
        let rule = TierRule::Rates { easy_from: 10.0, hard_below: 7.0 };
        // Means are 5 to 14.
        assert_eq!(sizes(&tiers(&scores(10), &[], rule)), [5, 3, 2]);
    }

    #[test]
    fn few_tasks_and_odd_shares_do_no_harm() {
        for count in 0..4 {
            for (easy, hard) in [(0.46, 0.16), (1.0, 1.0), (0.0, 0.0), (f64::NAN, 2.0)] {
                let tiers = tiers(&scores(count), &[], TierRule::Shares { easy, hard });
                assert_eq!(sizes(&tiers).iter().sum::<usize>(), count);
            }
        }
    }
}
