//! How much a score moves when the same model builds the same app again, and when the same app is evaluated again.

use super::scores::{AppScore, average};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The two sources of variance of one model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VarianceRow {
    /// The model.
    pub model: String,
    /// Between apps that it built for the same task.
    pub generation: Option<Source>,
    /// Between evaluations of the same app.
    pub evaluation: Option<Source>,
    /// The part of both squared standard errors that is generation's, in percent.
    pub generation_percent: Option<f64>,
    /// Standard deviation between runs after taking away what evaluating adds to it; 0 when evaluating explains all of it.
    pub generation_alone: Option<f64>,
}

/// How far repeated results lie apart.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Source {
    /// Tasks, or apps, with at least two results.
    pub panels: usize,
    /// Results in all.
    pub results: usize,
    /// Their mean, panels weighing the same.
    pub mean: f64,
    /// Standard deviation of results within a panel, in percentage points.
    pub deviation: f64,
    /// Standard error of the mean from this source alone: √(Σ s² / k) / panels.
    pub standard_error: f64,
}

impl Source {
    /// Of panels of repeated results; those with a single result say nothing.
    pub fn of(panels: &[Vec<f64>]) -> Option<Self> {
        let repeated: Vec<&Vec<f64>> = panels.iter().filter(|panel| panel.len() >= 2).collect();
        let count = repeated.len() as f64;
        let spread: Vec<(f64, f64)> = repeated.iter().map(|panel| (variance(panel), panel.len() as f64)).collect();
        let means: Vec<f64> = repeated.iter().filter_map(|panel| average(panel)).collect();
        Some(Self {
            panels: repeated.len(),
            results: repeated.iter().map(|panel| panel.len()).sum(),
            mean: average(&means)?,
            deviation: (spread.iter().map(|(variance, _)| variance).sum::<f64>() / count).sqrt(),
            standard_error: spread.iter().map(|(variance, results)| variance / results).sum::<f64>().sqrt() / count,
        })
    }
}

fn variance(values: &[f64]) -> f64 {
    let mean = average(values).unwrap_or_default();
    values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (values.len() as f64 - 1.0)
}

/// The part of both squared standard errors that is generation's, in percent; absent when nothing varies.
pub fn generation_percent(generation: f64, evaluation: f64) -> Option<f64> {
    let (generation, evaluation) = (generation.powi(2), evaluation.powi(2));
    let share = 100.0 * generation / (generation + evaluation);
    share.is_finite().then_some(share)
}

/// The models with repeated results.
pub fn variances(models: &[&str], scores: &[AppScore]) -> Vec<VarianceRow> {
    models
        .iter()
        .map(|model| row(model, &scores.iter().filter(|score| score.model == *model).collect::<Vec<_>>()))
        .filter(|row| row.generation.is_some() || row.evaluation.is_some())
        .collect()
}

fn row(model: &str, scores: &[&AppScore]) -> VarianceRow {
    let mut runs: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for score in scores {
        runs.entry(&score.task).or_default().push(score.accuracy);
    }
    let generation = Source::of(&runs.into_values().collect::<Vec<_>>());
    let evaluation = Source::of(&scores.iter().map(|score| score.evaluations.clone()).collect::<Vec<_>>());
    let both = generation.zip(evaluation);
    // Each run's accuracy is the mean over so many evaluations.
    let evaluations: Vec<f64> = scores.iter().map(|score| score.evaluations.len() as f64).collect();
    let per_run = average(&evaluations).unwrap_or(1.0).max(1.0);
    let alone = |(generation, evaluation): (Source, Source)| {
        (generation.deviation.powi(2) - evaluation.deviation.powi(2) / per_run).max(0.0).sqrt()
    };
    VarianceRow {
        model: model.to_owned(),
        generation,
        evaluation,
        generation_percent: both.and_then(|(one, other)| generation_percent(one.standard_error, other.standard_error)),
        generation_alone: both.map(alone),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // Variances 50 and 200 of two results each: √(25 + 100) / 2, and √125 within a panel.
        let source = Source::of(&[vec![45.0, 55.0], vec![60.0, 80.0], vec![10.0]]).unwrap();
        assert_eq!((source.panels, source.results, source.mean), (2, 4, 60.0));
        assert!((source.standard_error - 125.0_f64.sqrt() / 2.0).abs() < 1e-12);
        assert!((source.deviation - 125.0_f64.sqrt()).abs() < 1e-12);
        assert_eq!(Source::of(&[vec![1.0]]), None);
        assert_eq!(generation_percent(0.0, 0.0), None);
    }

    #[test]
    fn what_evaluating_adds_is_taken_away() {
        let mut scores =
            vec![AppScore::new("m", "t", 0, 40.0), AppScore::new("m", "t", 1, 60.0), AppScore::new("m", "u", 0, 50.0)];
        scores[0].evaluations = vec![30.0, 50.0];
        scores[1].evaluations = vec![60.0, 60.0];
        let rows = variances(&["m", "other"], &scores);
        let [row] = &rows[..] else { panic!("{rows:?}") };
        // Variance between runs 200; within evaluations (200 + 0) / 2, halved and more by five evaluations of three apps.
        assert!((row.generation_alone.unwrap() - (200.0_f64 - 100.0 / (5.0 / 3.0)).sqrt()).abs() < 1e-9);
        assert!(row.generation_percent.unwrap() > 50.0);
    }
}
