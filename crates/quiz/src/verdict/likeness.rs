//! Whether a run is like others of the same model: not better than they make likely, not entirely different, not the same again.

use super::{Expected, Reason, ReasonCode};
use crate::derived::Derived;
use crate::extraction::EXTRACTOR_VERSION;
use crate::question::hex;
use crate::submission::{Backend, SelfTest, Submission};
use benchwright_domain::statistics::{binomial_at_least, wilson_95};
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, HashMap};

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
pub(super) fn problems(
    submission: &Submission,
    derived: &Derived,
    expected: &Expected,
    outputs_sha256: &str,
) -> Vec<Reason> {
    let mut found = Vec::new();
    if submission.extractor == EXTRACTOR_VERSION && !derived.mismatches.is_empty() {
        let text = format!("the client read other letters out of {} of the outputs", derived.mismatches.len());
        found.push(Reason::new(ReasonCode::ReadingMismatch, text));
    }
    found.extend(self_test(submission));
    if let Some(likeness) = unlikeness(submission, expected.earlier) {
        let text = format!("its outputs share {:.0} % with those of other runs of this model", 100.0 * likeness);
        found.push(Reason::new(ReasonCode::UnlikeOtherRuns, text));
    }
    if expected.pooled.is_some_and(|pooled| is_outlier(derived, pooled)) {
        let text = "it is better than other runs of this model make likely; it counts once others agree";
        found.push(Reason::new(ReasonCode::Outlier, text));
    }
    if expected.known_outputs.contains(&outputs_sha256) {
        found.push(Reason::new(ReasonCode::Duplicate, "exactly these outputs were shared before; they count once"));
    }
    found
}

/// Some graphics processors compute garbage without an error, so a page tests the device first; programs on a machine do not.
fn self_test(submission: &Submission) -> Option<Reason> {
    let in_browser = matches!(submission.engine.backend, Backend::Wasm | Backend::Webgpu);
    match submission.self_test {
        SelfTest::Failed => {
            Some(Reason::new(ReasonCode::SelfTestFailed, "the device failed its self-test before the run"))
        }
        SelfTest::NotRun if in_browser => {
            Some(Reason::new(ReasonCode::NoSelfTest, "the device was not tested before the run"))
        }
        SelfTest::NotRun | SelfTest::Passed => None,
    }
}

/// Whether so many right answers would be rare even at the upper end of what other runs make likely.
fn is_outlier(derived: &Derived, (correct, n): (u64, u64)) -> bool {
    let accuracy = derived.accuracy;
    let best = wilson_95(correct, n).map_or(1.0, |interval| interval.high);
    n >= MIN_POOLED && binomial_at_least(accuracy.correct, accuracy.n, best).is_ok_and(|p| p < OUTLIER)
}

/// The hash of the outputs in their order, each with its length before it.
pub(super) fn outputs_sha256(submission: &Submission) -> String {
    let mut hash = Sha256::new();
    for answer in &submission.answers {
        hash.update(format!("{}:", answer.output.len()));
        hash.update(&answer.output);
    }
    hex(&hash.finalize())
}

/// How much the outputs share with the nearest of the earlier ones, on average over the questions that were asked before, where that is
/// less than a run of the same model has; nothing where it is more, or there is too little to compare.
fn unlikeness(submission: &Submission, earlier: &[Vec<(&str, &str)>]) -> Option<f64> {
    if earlier.len() < MIN_EARLIER {
        return None;
    }
    let mut before: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (id, output) in earlier.iter().flatten() {
        before.entry(id).or_default().push(output);
    }
    let shared: Vec<(&str, &Vec<&str>)> = submission
        .answers
        .iter()
        .filter_map(|answer| Some((answer.output.as_str(), before.get(answer.question_id.as_str())?)))
        .collect();
    if shared.len() < MIN_SHARED {
        return None;
    }
    let enough = MIN_LIKENESS * shared.len() as f64;
    let mut sum = 0.0;
    for (output, others) in &shared {
        let words = Words::of(output);
        sum += others.iter().map(|other| words.shared_with(&Words::of(other))).fold(0.0, f64::max);
        // What is alike in its first answers need not be read to its last: nothing takes away from the sum.
        if sum >= enough {
            return None;
        }
    }
    Some(sum / shared.len() as f64)
}

/// How often each word of a text occurs.
struct Words<'a> {
    counts: HashMap<&'a str, u32>,
    all: u32,
}

impl<'a> Words<'a> {
    fn of(text: &'a str) -> Self {
        let mut words = Self { counts: HashMap::new(), all: 0 };
        for word in text.split_whitespace() {
            *words.counts.entry(word).or_default() += 1;
            words.all += 1;
        }
        words
    }

    /// The share of words that two texts have in common, repeats counted (Dice's measure).
    fn shared_with(&self, other: &Words) -> f64 {
        let in_both = |(word, count): (&&str, &u32)| self.counts.get(word).map_or(0, |own| *own.min(count));
        let common: u32 = other.counts.iter().map(in_both).sum();
        if self.all + other.all == 0 { 1.0 } else { f64::from(2 * common) / f64::from(self.all + other.all) }
    }
}
