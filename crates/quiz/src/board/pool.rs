//! One row from its runs. Every distinct question counts once, however often it was asked; every day weighs the same.

use super::{BoardRow, MIN_DAYS, MIN_QUESTIONS, PooledAccuracy, QuestionResult, RowKey, RunSummary, speed};
use crate::derived::{LetterCounts, TierCount};
use benchwright_domain::repeats::Spread;
use benchwright_domain::statistics::{Z_95, wilson_of_share};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn row(key: &RowKey, runs: &[&RunSummary]) -> BoardRow {
    let (counted, others): (Vec<&RunSummary>, Vec<&RunSummary>) = runs.iter().partition(|run| run.state.counts());
    let results = || counted.iter().flat_map(|run| &run.questions);
    let accuracy = pooled(&counted, |question| question.correct);
    let days: BTreeSet<&str> = counted.iter().map(|run| run.day.as_str()).collect();
    let questions = accuracy.map_or(0, |accuracy| accuracy.questions as usize);
    BoardRow {
        key: key.clone(),
        rank: None,
        not_ranked_because: not_ranked_because(questions, days.len()),
        accuracy,
        strict: pooled(&counted, |question| question.correct && question.tier == 1),
        between_runs: Spread::of(counted.iter().filter_map(|run| share(run)), 100.0),
        tiers: tiers(results),
        chosen: LetterCounts::of(results().map(|question| question.chosen)),
        gold: LetterCounts::of(results().map(|question| Some(question.gold))),
        speeds: speed::by_device(counted.iter().filter_map(|run| run.speed.as_ref())),
        runs: counted.iter().map(|run| run.run.clone()).collect(),
        other_runs: others.iter().map(|run| run.run.clone()).collect(),
    }
}

/// Why a row of so many distinct questions and different days is not ranked; nothing when it is.
pub fn not_ranked_because(questions: usize, days: usize) -> Vec<String> {
    let mut reasons = Vec::new();
    if questions < MIN_QUESTIONS {
        reasons.push(format!("{questions} distinct questions; a rank needs {MIN_QUESTIONS}"));
    }
    if days < MIN_DAYS {
        reasons.push(format!("runs on {days} different days; a rank needs {MIN_DAYS}"));
    }
    reasons
}

/// The mean over questions of the mean over days of the share of a day's runs that were right. The interval is that of so many distinct
/// questions: asking them again makes the mean of each steadier, but adds no question.
fn pooled(runs: &[&RunSummary], right: impl Fn(&QuestionResult) -> bool) -> Option<PooledAccuracy> {
    let mut questions: BTreeMap<&str, BTreeMap<&str, (u32, u32)>> = BTreeMap::new();
    for run in runs {
        for question in &run.questions {
            let day = questions.entry(&question.question_id).or_default().entry(&run.day).or_default();
            day.0 += u32::from(right(question));
            day.1 += 1;
        }
    }
    let of_days = |days: &BTreeMap<&str, (u32, u32)>| {
        days.values().map(|(right, asked)| f64::from(*right) / f64::from(*asked)).sum::<f64>() / days.len() as f64
    };
    let count = questions.len() as u64;
    let share = (questions.values().map(of_days).sum::<f64>() / count as f64).clamp(0.0, 1.0);
    PooledAccuracy::of(share, count)
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
