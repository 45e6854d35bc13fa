//! Whether a run is like others of the same model: not better than they make likely, not entirely different, not the same again.

use super::{Expected, Reason, ReasonCode};
use crate::derived::Derived;
use crate::extraction::EXTRACTOR_VERSION;
use crate::question::sha256_hex;
use crate::submission::{SelfTest, Submission};
use benchwright_domain::statistics::{binomial_at_least, wilson_95};
use std::collections::BTreeMap;

/// A run so good happens to one honest run in a thousand.
const OUTLIER: f64 = 0.001;
/// Other runs can be compared with from so many of their questions on.
const MIN_POOLED: u64 = 100;
/// So many earlier runs make a cluster.
const MIN_EARLIER: usize = 3;
/// So many shared questions can be compared.
const MIN_SHARED: usize = 3;
/// A run whose outputs share less than this with their nearest earlier ones, on average, is unlike them. At temperature 0.1 honest runs
/// of one model on one engine share most of their words.
const MIN_LIKENESS: f64 = 0.15;

/// What is unlike other runs, or what the run itself says against it.
pub(super) fn problems(submission: &Submission, derived: &Derived, expected: &Expected) -> Vec<Reason> {
    let mut found = Vec::new();
    if submission.extractor == EXTRACTOR_VERSION && !derived.mismatches.is_empty() {
        let text = format!("the client read other letters out of {} of the outputs", derived.mismatches.len());
        found.push(Reason::new(ReasonCode::ReadingMismatch, text));
    }
    if submission.self_test == SelfTest::Failed {
        found.push(Reason::new(ReasonCode::SelfTestFailed, "the device failed its self-test before the run"));
    }
    if let Some(likeness) = likeness(submission, expected.earlier).filter(|likeness| *likeness < MIN_LIKENESS) {
        let text = format!("its outputs share {:.0} % with those of other runs of this model", 100.0 * likeness);
        found.push(Reason::new(ReasonCode::UnlikeOtherRuns, text));
    }
    if expected.pooled.is_some_and(|pooled| is_outlier(derived, pooled)) {
        let text = "it is better than other runs of this model make likely; it counts once others agree";
        found.push(Reason::new(ReasonCode::Outlier, text));
    }
    if expected.known_outputs.contains(&outputs_sha256(submission).as_str()) {
        found.push(Reason::new(ReasonCode::Duplicate, "exactly these outputs were shared before; they count once"));
    }
    found
}

/// Whether so many right answers would be rare even at the upper end of what other runs make likely.
fn is_outlier(derived: &Derived, (correct, n): (u64, u64)) -> bool {
    let accuracy = derived.accuracy;
    let best = wilson_95(correct, n).map_or(1.0, |interval| interval.high);
    n >= MIN_POOLED && binomial_at_least(accuracy.correct, accuracy.n, best).is_ok_and(|p| p < OUTLIER)
}

/// The hash of the outputs in their order, each with its length before it.
pub(super) fn outputs_sha256(submission: &Submission) -> String {
    let mut text = String::new();
    for answer in &submission.answers {
        text += &answer.output.len().to_string();
        text.push(':');
        text += &answer.output;
    }
    sha256_hex(text.as_bytes())
}

/// How much the outputs share with the nearest of the earlier ones, on average over the questions that were asked before; nothing where
/// there is too little to compare.
fn likeness(submission: &Submission, earlier: &[Vec<(&str, &str)>]) -> Option<f64> {
    if earlier.len() < MIN_EARLIER {
        return None;
    }
    let mut before: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (id, output) in earlier.iter().flatten() {
        before.entry(id).or_default().push(output);
    }
    let nearest =
        |output: &str, others: &Vec<&str>| others.iter().map(|other| shared(output, other)).fold(0.0, f64::max);
    let likenesses: Vec<f64> = submission
        .answers
        .iter()
        .filter_map(|answer| Some(nearest(&answer.output, before.get(answer.question_id.as_str())?)))
        .collect();
    (likenesses.len() >= MIN_SHARED).then(|| likenesses.iter().sum::<f64>() / likenesses.len() as f64)
}

/// The share of words that two texts have in common, repeats counted (Dice's measure).
fn shared(one: &str, other: &str) -> f64 {
    let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
    let (mut of_one, mut of_other, mut common) = (0_u32, 0_u32, 0_u32);
    for word in one.split_whitespace() {
        *counts.entry(word).or_default() += 1;
        of_one += 1;
    }
    for word in other.split_whitespace() {
        of_other += 1;
        if let Some(left) = counts.get_mut(word).filter(|left| **left > 0) {
            *left -= 1;
            common += 1;
        }
    }
    if of_one + of_other == 0 { 1.0 } else { f64::from(2 * common) / f64::from(of_one + of_other) }
}
