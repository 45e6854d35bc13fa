//! Two models on the same tasks: whether they differ, by how much, and how many tasks it would take to tell.

use super::CONFIDENCE;
use super::scores::{AppScore, average, by_task};
use crate::board::RankRange;
use crate::statistics::{Interval, TestPlan, holm, paired_difference, smallest_difference, units_needed};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The mean of paired differences, task by task.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PairedDifference {
    /// On how many tasks.
    pub tasks: usize,
    /// The mean difference, in percentage points.
    pub mean: f64,
    /// Its standard error; absent for one task.
    pub standard_error: Option<f64>,
    /// Where the difference lies with 95 % confidence (Student's t); absent for one task.
    pub interval: Option<Interval>,
    /// How surprising it would be without any true difference, two-sided; absent for one task.
    pub p: Option<f64>,
}

impl PairedDifference {
    /// First minus second on the same tasks; absent without tasks. Runs of one task are averaged first, so a task counts once
    /// however often it was run.
    pub fn of(first: &[f64], second: &[f64]) -> Option<Self> {
        let differences: Vec<f64> = first.iter().zip(second).map(|(first, second)| first - second).collect();
        let estimate = paired_difference(first, second).ok();
        let tasks = differences.len();
        Some(Self {
            tasks,
            mean: average(&differences)?,
            standard_error: estimate.map(|estimate| estimate.standard_error),
            interval: estimate.and_then(|estimate| estimate.interval(CONFIDENCE).ok()),
            p: estimate.map(|estimate| estimate.p_value().unwrap_or_else(|_| p_of_equal(estimate.value, tasks))),
        })
    }

    /// Of the differences of single tasks.
    fn deviation(&self) -> Option<f64> {
        Some(self.standard_error? * (self.tasks as f64).sqrt())
    }
}

/// Differences that are all the same leave a t test nothing to work with. If signs were drawn by chance, all would point the same
/// way in two of 2ⁿ cases.
fn p_of_equal(difference: f64, tasks: usize) -> f64 {
    if difference == 0.0 { 1.0 } else { 0.5_f64.powi(i32::try_from(tasks - 1).unwrap_or(i32::MAX)) }
}

/// Two models on the tasks that both have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelComparison {
    /// The one with the higher mean on these tasks.
    pub first: String,
    /// The other.
    pub second: String,
    /// First minus second.
    pub difference: PairedDifference,
    /// The p after Holm's correction for all pairs of models.
    pub p_adjusted: Option<f64>,
    /// The smallest true difference that a test on so many tasks would see.
    pub smallest_detectable: Option<f64>,
    /// How many tasks it takes to see a difference as large as this one.
    pub tasks_needed: Option<usize>,
}

impl ModelComparison {
    /// Whether the first is better, beyond what chance explains among all pairs.
    pub fn is_sure(&self, significance: f64) -> bool {
        self.difference.mean > 0.0 && self.p_adjusted.is_some_and(|p| p < significance)
    }
}

/// Compares every pair of models that have tasks in common.
pub fn compare(scores: &[AppScore], plan: TestPlan) -> Vec<ModelComparison> {
    let models: Vec<(&str, BTreeMap<&str, f64>)> = by_task(scores).into_iter().collect();
    let mut comparisons = Vec::new();
    for (index, one) in models.iter().enumerate() {
        comparisons.extend(models[index + 1..].iter().filter_map(|other| pair(one, other, plan)));
    }
    let told: Vec<(usize, f64)> =
        comparisons.iter().enumerate().filter_map(|(at, it)| Some((at, it.difference.p?))).collect();
    let adjusted = holm(&told.iter().map(|(_, p)| *p).collect::<Vec<_>>()).unwrap_or_default();
    for ((at, _), p) in told.into_iter().zip(adjusted) {
        comparisons[at].p_adjusted = Some(p);
    }
    comparisons
}

fn pair(
    one: &(&str, BTreeMap<&str, f64>),
    other: &(&str, BTreeMap<&str, f64>),
    plan: TestPlan,
) -> Option<ModelComparison> {
    let common = one.1.iter().filter_map(|(task, first)| Some((*first, *other.1.get(task)?)));
    let (mut a, mut b): (Vec<f64>, Vec<f64>) = common.unzip();
    let (mut first, mut second) = (one.0, other.0);
    if average(&a)? < average(&b)? {
        (a, b, first, second) = (b, a, second, first);
    }
    let difference = PairedDifference::of(&a, &b)?;
    let deviation = difference.deviation();
    Some(ModelComparison {
        first: first.to_owned(),
        second: second.to_owned(),
        p_adjusted: None,
        smallest_detectable: deviation.and_then(|it| smallest_difference(it, difference.tasks, plan).ok()),
        tasks_needed: deviation.and_then(|it| units_needed(difference.mean, it, plan).ok()),
        difference,
    })
}

/// The ranks each of some models may have: all that no comparison excludes.
pub fn rank_ranges<'a>(
    models: &[&'a str],
    comparisons: &[ModelComparison],
    significance: f64,
) -> BTreeMap<&'a str, RankRange> {
    let sure: Vec<(&str, &str)> = comparisons
        .iter()
        .filter(|it| it.is_sure(significance))
        .map(|it| (it.first.as_str(), it.second.as_str()))
        .filter(|(first, second)| models.contains(first) && models.contains(second))
        .collect();
    let range = |model: &str| RankRange {
        best: 1 + sure.iter().filter(|(_, second)| *second == model).count(),
        worst: models.len() - sure.iter().filter(|(first, _)| *first == model).count(),
    };
    models.iter().map(|model| (*model, range(model))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(model: &str, values: &[f64]) -> Vec<AppScore> {
        values.iter().enumerate().map(|(at, value)| AppScore::new(model, &format!("t{at}"), 0, *value)).collect()
    }

    #[test]
    fn the_better_one_comes_first_and_pairs_are_tasks() {
        let all = [scores("a", &[10.0, 20.0, 60.0]), scores("b", &[20.0, 40.0, 60.0, 90.0])].concat();
        let comparisons = compare(&all, TestPlan::default());
        let [only] = &comparisons[..] else { panic!("{comparisons:?}") };
        assert_eq!((only.first.as_str(), only.second.as_str(), only.difference.tasks), ("b", "a", 3));
        assert_eq!(only.difference.mean, 10.0);
        // Differences 10, 20, 0: standard error 10 / √3, t = √3 on 2 degrees of freedom, p = 0.2254.
        assert!((only.difference.p.unwrap() - 0.2254).abs() < 1e-4);
        assert_eq!(only.p_adjusted, only.difference.p);
        // t quantiles fall from 4.30 + 1.06 at three tasks to 2.26 + 0.88 at ten.
        assert_eq!(only.tasks_needed, Some(10));
        assert!(only.smallest_detectable.unwrap() > 10.0);
    }

    #[test]
    fn a_task_counts_once_however_often_it_was_run() {
        let mut all = [scores("a", &[0.0, 100.0]), scores("b", &[50.0, 50.0])].concat();
        all.push(AppScore::new("a", "t1", 1, 0.0));
        let comparisons = compare(&all, TestPlan::default());
        assert_eq!((comparisons[0].first.as_str(), comparisons[0].difference.mean), ("b", 25.0));
    }

    #[test]
    fn differences_that_never_vary_have_the_p_of_a_sign_test() {
        let all = [scores("a", &[100.0; 6]), scores("b", &[0.0; 6])].concat();
        let difference = compare(&all, TestPlan::default())[0].difference;
        assert_eq!((difference.mean, difference.p), (100.0, Some(1.0 / 32.0)));
        let same = PairedDifference::of(&[5.0, 5.0], &[5.0, 5.0]).unwrap();
        assert_eq!((same.mean, same.p), (0.0, Some(1.0)));
        assert_eq!(PairedDifference::of(&[1.0], &[0.0]).unwrap().p, None);
    }

    #[test]
    fn ranks_that_cannot_be_told_apart_are_shared() {
        let noise = [0.0, 6.0, 2.0, 8.0, 4.0, 9.0, 1.0, 7.0, 3.0, 5.0];
        let near: Vec<f64> = noise.iter().map(|x| 80.0 + x).collect();
        let turned: Vec<f64> = noise.iter().rev().map(|x| 80.0 + x).collect();
        let far: Vec<f64> = noise.iter().map(|x| 10.0 + 2.0 * x).collect();
        let all = [scores("a", &near), scores("b", &turned), scores("c", &far)].concat();
        let ranges = rank_ranges(&["a", "b", "c"], &compare(&all, TestPlan::default()), 0.05);
        let [a, b, c] = ["a", "b", "c"].map(|model| (ranges[model].best, ranges[model].worst));
        assert_eq!([a, b, c], [(1, 2), (1, 2), (3, 3)]);
    }
}
