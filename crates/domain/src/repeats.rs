//! Several runs of the same thing: their mean, how sure it is, and which run stands for all.

use crate::report::Report;
use crate::scorer::Dimension;
use crate::statistics::{Interval, mean};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Format version of [`Repeats`], which is `runs.json`.
pub const REPEATS_FORMAT: u32 = 1;
const CONFIDENCE: f64 = 0.95;

/// A number over runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Spread {
    /// The values of the runs that have one, in the order of the runs.
    pub values: Vec<f64>,
    /// Their mean; absent when there is none.
    pub mean: Option<f64>,
    /// Its standard error; absent for fewer than two values.
    pub standard_error: Option<f64>,
    /// Where the mean lies with 95 % confidence (Student's t), within the scale; absent for fewer than two values.
    pub interval: Option<Interval>,
}

impl Spread {
    /// Over values on a scale from 0 to `most`; those that are not finite are left out.
    pub fn of(values: impl IntoIterator<Item = f64>, most: f64) -> Self {
        let values: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).collect();
        let estimate = mean(&values).ok();
        let within =
            |interval: Interval| Interval { low: interval.low.clamp(0.0, most), high: interval.high.clamp(0.0, most) };
        Self {
            mean: estimate.map(|estimate| estimate.value).or_else(|| values.first().copied()),
            standard_error: estimate.map(|estimate| estimate.standard_error),
            interval: estimate.and_then(|estimate| estimate.interval(CONFIDENCE).ok()).map(within),
            values,
        }
    }
}

/// One run of a series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RepeatedRun {
    /// Its id.
    pub run: String,
    /// Its composite.
    pub composite: Option<f64>,
    /// Whether it may be ranked.
    pub rankable: bool,
    /// What its report says in one sentence.
    pub headline: String,
}

/// Several runs of the same thing. Its JSON form is `runs.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Repeats {
    /// Format version.
    pub format: u32,
    /// The runs in order.
    pub runs: Vec<RepeatedRun>,
    /// Id of the run whose composite is nearest the median; its report stands for all.
    pub representative: Option<String>,
    /// The composite over runs, 0 to 100.
    pub composite: Spread,
    /// The dimensions over runs, 0 to 1.
    pub dimensions: BTreeMap<Dimension, Spread>,
    /// The scorers over runs, 0 to 1, by their key in the report.
    pub scorers: BTreeMap<String, Spread>,
}

impl Repeats {
    /// Sums up the reports of repeated runs.
    pub fn of(reports: &[Report]) -> Self {
        let keys: std::collections::BTreeSet<_> = reports.iter().flat_map(|report| report.scorers.keys()).collect();
        let of_scorer = |key: &str| {
            Spread::of(reports.iter().filter_map(|report| report.scorers.get(key).and_then(|scorer| scorer.score)), 1.0)
        };
        let of_dimension = |dimension: Dimension| {
            let scores = reports.iter().filter_map(|report| report.dimensions.get(&dimension)?.score);
            Spread::of(scores, 1.0)
        };
        Self {
            format: REPEATS_FORMAT,
            runs: reports.iter().map(RepeatedRun::of).collect(),
            representative: representative(reports).map(|index| reports[index].provenance.run.clone()),
            composite: Spread::of(reports.iter().filter_map(|report| report.composite), 100.0),
            dimensions: Dimension::ALL.into_iter().map(|dimension| (dimension, of_dimension(dimension))).collect(),
            scorers: keys.into_iter().map(|key| (key.clone(), of_scorer(key))).collect(),
        }
    }
}

impl RepeatedRun {
    fn of(report: &Report) -> Self {
        Self {
            run: report.provenance.run.clone(),
            composite: report.composite,
            rankable: report.rankable,
            headline: report.headline.clone(),
        }
    }
}

/// The report that stands for all: rankable if any is, with the composite nearest the median; the earliest of equals.
pub fn representative(reports: &[Report]) -> Option<usize> {
    let any_rankable = reports.iter().any(|report| report.rankable);
    let candidates: Vec<(usize, f64)> = reports
        .iter()
        .enumerate()
        .filter(|(_, report)| report.rankable == any_rankable)
        .filter_map(|(index, report)| Some((index, report.composite.filter(|value| value.is_finite())?)))
        .collect();
    let mut sorted: Vec<f64> = candidates.iter().map(|(_, composite)| *composite).collect();
    sorted.sort_by(f64::total_cmp);
    let median = match sorted.len() {
        0 => return (!reports.is_empty()).then_some(0),
        n if n % 2 == 1 => sorted[n / 2],
        n => f64::midpoint(sorted[n / 2 - 1], sorted[n / 2]),
    };
    let distance = |(_, composite): &&(usize, f64)| (composite - median).abs();
    candidates.iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).map(|(index, _)| *index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    fn with_composite(composite: Option<f64>, rankable: bool) -> Report {
        let mut report = sample::report(&[]);
        report.composite = composite;
        report.rankable = rankable;
        report
    }

    #[test]
    fn one_value_has_a_mean_and_no_interval() {
        let spread = Spread::of([0.5], 1.0);
        assert_eq!((spread.mean, spread.standard_error, spread.interval), (Some(0.5), None, None));
        assert_eq!(Spread::of([], 1.0).mean, None);
    }

    #[test]
    fn the_interval_stays_on_the_scale() {
        let spread = Spread::of([0.9, 1.0], 1.0);
        let interval = spread.interval.unwrap();
        assert!((spread.mean.unwrap() - 0.95).abs() < 1e-12);
        assert!(interval.high <= 1.0 && interval.low < 0.9, "{interval:?}");
    }

    #[test]
    fn the_run_nearest_the_median_stands_for_all_and_unranked_ones_do_not() {
        let composites =
            |values: &[f64]| values.iter().map(|value| with_composite(Some(*value), true)).collect::<Vec<_>>();
        assert_eq!(representative(&composites(&[70.0, 90.0, 80.0])), Some(2));
        assert_eq!(representative(&composites(&[70.0, 90.0])), Some(0), "the earliest of equals");
        let mixed = [with_composite(Some(80.0), false), with_composite(Some(20.0), true), with_composite(None, false)];
        assert_eq!(representative(&mixed), Some(1));
        assert_eq!(representative(&[with_composite(None, false)]), Some(0));
        assert_eq!(representative(&[]), None);
    }

    #[test]
    fn a_run_without_a_score_leaves_the_others_alone() {
        let reports = [
            sample::report(&[("c3", Some(0.5))]),
            sample::report(&[("c3", None)]),
            sample::report(&[("c3", Some(0.7))]),
        ];
        let repeats = Repeats::of(&reports);
        assert_eq!(repeats.scorers["c3"].values, [0.5, 0.7]);
        assert!((repeats.scorers["c3"].mean.unwrap() - 0.6).abs() < 1e-12);
        assert_eq!(repeats.runs.len(), 3);
    }
}
