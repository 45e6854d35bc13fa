//! One row from its runs. Every distinct question counts once, however often it was asked; every day weighs the same.

use super::{BoardRow, PooledAccuracy, QuestionResult, RowKey, RunSummary, SingleDays, Sum, Weighed, speed};
use crate::derived::{LetterCounts, TierCount};
use benchwright_domain::repeats::Spread;
use benchwright_domain::statistics::{Z_95, wilson_of_share};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn row(key: &RowKey, runs: &[&RunSummary]) -> BoardRow {
    let (counted, others): (Vec<&RunSummary>, Vec<&RunSummary>) = runs.iter().partition(|run| run.state.counts());
    let results = || counted.iter().flat_map(|run| &run.questions);
    let days: BTreeSet<&str> = counted.iter().map(|run| run.day.as_str()).collect();
    let Weighed { accuracy, strict, not_ranked_because } = weighed(&counted, days.len());
    BoardRow {
        key: key.clone(),
        rank: None,
        not_ranked_because,
        accuracy,
        strict,
        between_runs: Spread::of(counted.iter().filter_map(|run| share(run)), 100.0),
        tiers: tiers(results),
        chosen: LetterCounts::of(results().map(|question| question.chosen)),
        gold: LetterCounts::of(results().map(|question| Some(question.gold))),
        speeds: speed::by_device(counted.iter().filter_map(|run| run.speed.as_ref())),
        runs: counted.iter().map(|run| run.run.clone()).collect(),
        other_runs: others.iter().map(|run| run.run.clone()).collect(),
    }
}

/// A question on one day.
#[derive(Default)]
struct Day {
    asked: f64,
    right: f64,
    strict: f64,
}

/// The mean over questions of the mean over days of the share of a day's runs that were right. The interval is that of so many distinct
/// questions: asking them again makes the mean of each steadier, but adds no question.
fn weighed(runs: &[&RunSummary], days: usize) -> Weighed {
    let mut questions: BTreeMap<&str, BTreeMap<&str, Day>> = BTreeMap::new();
    for run in runs {
        for question in &run.questions {
            let day = questions.entry(&question.question_id).or_default().entry(&run.day).or_default();
            day.asked += 1.0;
            day.right += f64::from(u8::from(question.correct));
            day.strict += f64::from(u8::from(question.correct && question.tier == 1));
        }
    }
    let mut row = Sum::default();
    let mut single: BTreeMap<&str, Sum> = BTreeMap::new();
    for days in questions.values() {
        let mean = |of: fn(&Day) -> f64| days.values().map(|day| of(day) / day.asked).sum::<f64>() / days.len() as f64;
        let one = Sum { questions: 1, share: mean(|day| day.right), strict: mean(|day| day.strict) };
        row.add(one);
        if let (1, Some(day)) = (days.len(), days.keys().next()) {
            single.entry(day).or_default().add(one);
        }
    }
    Weighed::of(row, days, &SingleDays::of(single.into_values()))
}

impl PooledAccuracy {
    /// A share of so many distinct questions; nothing without questions.
    pub fn of(share: f64, questions: u64) -> Option<Self> {
        let interval = wilson_of_share(share, questions, Z_95).ok()?;
        Some(Self { questions, share, interval })
    }
}

/// A run's accuracy in per cent.
fn share(run: &RunSummary) -> Option<f64> {
    let right = run.questions.iter().filter(|question| question.correct).count();
    (!run.questions.is_empty()).then(|| 100.0 * right as f64 / run.questions.len() as f64)
}

fn tiers<'a, I: Iterator<Item = &'a QuestionResult>>(results: impl Fn() -> I) -> Vec<TierCount> {
    let count = |keep: &dyn Fn(&QuestionResult) -> bool| results().filter(|question| keep(question)).count() as u64;
    let of_tier = |tier| TierCount {
        tier,
        answers: count(&|question| question.tier == tier),
        correct: count(&|question| question.tier == tier && question.correct),
    };
    (1..=5).map(of_tier).collect()
}
