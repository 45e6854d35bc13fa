//! Two reports side by side: what moved, whether that is more than noise, what was fixed and what broke.

mod items;
mod verdict;

pub use items::ItemChange;

use crate::noise::Band;
use crate::report::{OutcomeKind, Report};
use crate::scorer::{Dimension, ScorerId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Format version of [`Comparison`], which is `compare.json`.
pub const COMPARISON_FORMAT: u32 = 1;

/// One side of a comparison: the report that stands for it, and the reports of all its runs when there are several.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// The report.
    pub report: &'a Report,
    /// All runs, the report's among them; empty when there is only one.
    pub repeats: &'a [Report],
}

impl<'a> Side<'a> {
    /// A single run.
    pub fn of(report: &'a Report) -> Self {
        Self { report, repeats: &[] }
    }

    fn runs(&self) -> usize {
        self.repeats.len().max(1)
    }

    /// The scores of one scorer over all runs that have one.
    fn scores(&self, key: &str) -> Vec<f64> {
        let score = |report: &Report| report.scorers.get(key)?.score.filter(|score| score.is_finite());
        if self.repeats.is_empty() {
            score(self.report).into_iter().collect()
        } else {
            self.repeats.iter().filter_map(score).collect()
        }
    }
}

/// A comparison. Its JSON form is `compare.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// Format version.
    pub format: u32,
    /// What was measured first.
    pub before: Summary,
    /// What was measured then.
    pub after: Summary,
    /// After minus before, in points of 100; absent when the two composites do not weigh the same scorers.
    pub composite_delta: Option<f64>,
    /// How far the composite may move by noise alone, in points.
    pub composite_band: f64,
    /// Everything a reader must know before trusting a difference, one sentence each.
    pub cautions: Vec<String>,
    /// The dimensions: before and after, 0 to 1.
    pub dimensions: BTreeMap<Dimension, Pair>,
    /// Every scorer of either side, in published order, the user's own last.
    pub scorers: Vec<ScorerChange>,
}

/// Two numbers, either of which may be missing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pair {
    /// What was measured first.
    pub before: Option<f64>,
    /// What was measured then.
    pub after: Option<f64>,
}

/// One side in short.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// The address.
    pub url: String,
    /// Title of the page.
    pub title: Option<String>,
    /// Id of the prompt.
    pub prompt: Option<String>,
    /// Id of the run.
    pub run: String,
    /// When it began.
    pub started_at: String,
    /// How many runs it stands for.
    pub runs: usize,
    /// The composite; over several runs, their mean.
    pub composite: Option<f64>,
    /// Share of the published weight that was measured.
    pub coverage: f64,
    /// Whether it may be ranked.
    pub rankable: bool,
}

/// What a scorer said on one side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reading {
    /// Which of the four outcomes.
    pub outcome: OutcomeKind,
    /// 0 to 1; over several runs, their mean.
    pub score: Option<f64>,
    /// Why there is no score.
    pub reason: Option<String>,
    /// Version of the scorer's definition.
    pub version: String,
}

/// What became of a scorer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Better by more than noise.
    Better,
    /// Worse by more than noise.
    Worse,
    /// It moved, but no further than noise moves it.
    WithinNoise,
    /// It moved, but so did the instrument or the definition it is measured with; which of them moved it cannot be told.
    OtherInstrument,
    /// The same number.
    Same,
    /// Measured now, not before.
    NowMeasured,
    /// Measured before, not now.
    NoLongerMeasured,
    /// Measured on neither side.
    NotMeasured,
}

/// One scorer on both sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScorerChange {
    /// Its key in the reports.
    pub key: String,
    /// Published id; absent for a scorer the user added.
    pub id: Option<ScorerId>,
    /// The plain phrase that goes with it.
    pub name: String,
    /// What it said first; absent when that report does not have it.
    pub before: Option<Reading>,
    /// What it said then.
    pub after: Option<Reading>,
    /// After minus before, −1 to 1.
    pub delta: Option<f64>,
    /// What that is in composite points; absent when the composites do not weigh the same scorers.
    pub points: Option<f64>,
    /// How far it may move by noise alone.
    pub band: Band,
    /// What became of it.
    pub change: Change,
    /// What else changed that may have moved it, one phrase each.
    pub because: Vec<String>,
    /// Items that failed and do no longer.
    pub fixed: Vec<ItemChange>,
    /// Items that fail and did not before.
    pub broken: Vec<ItemChange>,
    /// Items that fail on both sides, in more or fewer places.
    pub moved: Vec<ItemChange>,
}

impl Comparison {
    /// Compares two sides.
    pub fn of(before: Side, after: Side) -> Self {
        let same_set = verdict::scored_ids(before.report) == verdict::scored_ids(after.report);
        let scorers: Vec<_> =
            keys(before, after).iter().map(|key| verdict::change(key, before, after, same_set)).collect();
        let composites = Pair { before: composite(before), after: composite(after) };
        let noise: f64 =
            scorers.iter().map(|scorer| (share(after.report, &scorer.key) * scorer.band.width).powi(2)).sum();
        Self {
            format: COMPARISON_FORMAT,
            before: Summary::of(before),
            after: Summary::of(after),
            composite_delta: composites.after.zip(composites.before).filter(|_| same_set).map(|(a, b)| a - b),
            composite_band: noise.sqrt(),
            cautions: verdict::cautions(before.report, after.report),
            dimensions: Dimension::ALL
                .into_iter()
                .map(|dimension| (dimension, dimension_pair(dimension, before, after)))
                .collect(),
            scorers,
        }
    }

    /// The scorers that became worse by more than noise.
    pub fn regressions(&self) -> impl Iterator<Item = &ScorerChange> {
        self.scorers.iter().filter(|scorer| scorer.change == Change::Worse)
    }
}

impl Summary {
    fn of(side: Side) -> Self {
        let report = side.report;
        Self {
            url: report.subject.url.clone(),
            title: report.subject.title.clone(),
            prompt: report.subject.prompt.clone(),
            run: report.provenance.run.clone(),
            started_at: report.provenance.started_at.clone(),
            runs: side.runs(),
            composite: composite(side),
            coverage: report.coverage,
            rankable: report.rankable,
        }
    }
}

/// The keys of both sides, in published order, the user's own last.
fn keys(before: Side, after: Side) -> Vec<String> {
    let both = [before.report, after.report];
    let mut keys: Vec<_> = both
        .iter()
        .flat_map(|report| report.scorers.iter().map(|(key, scorer)| (scorer.id.is_none(), scorer.id, key.clone())))
        .collect::<BTreeSet<_>>()
        .into_iter()
        .map(|(_, _, key)| key)
        .collect();
    keys.dedup();
    keys
}

fn composite(side: Side) -> Option<f64> {
    let values: Vec<f64> = side.repeats.iter().filter_map(|report| report.composite).collect();
    average(&values).or(side.report.composite)
}

fn dimension_pair(dimension: Dimension, before: Side, after: Side) -> Pair {
    let of = |side: Side| {
        let score = |report: &Report| report.dimensions.get(&dimension)?.score;
        average(&side.repeats.iter().filter_map(score).collect::<Vec<_>>()).or_else(|| score(side.report))
    };
    Pair { before: of(before), after: of(after) }
}

fn share(report: &Report, key: &str) -> f64 {
    report.scorers.get(key).map_or(0.0, |scorer| scorer.share)
}

fn average(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
mod tests;
