//! The score of each app, and means of scores.

use super::CONFIDENCE;
use crate::statistics::{Interval, mean};
use crate::vibe::app::AppResult;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The score of one app. An app that was evaluated several times has the mean.
#[derive(Debug, Clone, PartialEq)]
pub struct AppScore {
    /// The model that built it.
    pub model: String,
    /// The task.
    pub task: String,
    /// Which of the model's apps for the task.
    pub run: u32,
    /// What was set differently.
    pub variant: BTreeMap<String, String>,
    /// Percent of workflows that pass.
    pub accuracy: f64,
    /// The same in the stricter reading.
    pub strict: f64,
    /// Whether it could be reached.
    pub started: bool,
    /// The accuracy of each evaluation.
    pub evaluations: Vec<f64>,
}

impl AppScore {
    /// A score of an app that was evaluated once.
    pub fn new(model: &str, task: &str, run: u32, accuracy: f64) -> Self {
        Self {
            model: model.to_owned(),
            task: task.to_owned(),
            run,
            variant: BTreeMap::new(),
            accuracy,
            strict: accuracy,
            started: true,
            evaluations: vec![accuracy],
        }
    }
}

/// The scores of apps; those without any workflow have none.
pub fn of_apps(apps: &[&AppResult]) -> Vec<AppScore> {
    let mut evaluations: BTreeMap<_, Vec<&AppResult>> = BTreeMap::new();
    for app in apps.iter().filter(|app| app.accuracy().is_some()) {
        evaluations.entry((&app.model, &app.task, app.run, &app.variant)).or_default().push(app);
    }
    let score = |((model, task, run, variant), apps): ((&String, &String, u32, &BTreeMap<_, _>), Vec<&AppResult>)| {
        let accuracies: Vec<f64> = apps.iter().filter_map(|app| app.accuracy()).collect();
        let strict: Vec<f64> = apps.iter().filter_map(|app| app.strict_accuracy()).collect();
        AppScore {
            model: model.clone(),
            task: task.clone(),
            run,
            variant: variant.clone(),
            accuracy: average(&accuracies).unwrap_or_default(),
            strict: average(&strict).unwrap_or_default(),
            started: apps.iter().any(|app| app.started),
            evaluations: accuracies,
        }
    };
    evaluations.into_iter().map(score).collect()
}

/// The first evaluation of every app: what is counted once per app is counted there.
pub fn first_evaluations<'a>(apps: &[&'a AppResult]) -> Vec<&'a AppResult> {
    let mut first: BTreeMap<_, &AppResult> = BTreeMap::new();
    for app in apps {
        let kept = first.entry((&app.model, &app.task, app.run, &app.variant)).or_insert(app);
        if app.evaluation < kept.evaluation {
            *kept = app;
        }
    }
    first.into_values().collect()
}

/// The mean of scores with its uncertainty.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Score {
    /// The mean over apps, in percent.
    pub mean: f64,
    /// s / √n with n − 1 in s; absent for one app.
    pub standard_error: Option<f64>,
    /// Where the mean lies with 95 % confidence (Student's t), within 0 to 100; absent for one app.
    pub interval: Option<Interval>,
    /// How many apps.
    pub apps: usize,
}

impl Score {
    /// Of no apps there is none.
    pub fn of(values: &[f64]) -> Option<Self> {
        let estimate = mean(values).ok();
        let interval = estimate.and_then(|estimate| estimate.interval(CONFIDENCE).ok());
        Some(Self {
            mean: average(values)?,
            standard_error: estimate.map(|estimate| estimate.standard_error),
            interval: interval.map(|it| Interval { low: it.low.clamp(0.0, 100.0), high: it.high.clamp(0.0, 100.0) }),
            apps: values.len(),
        })
    }
}

/// The mean accuracy of each model on each task, over its runs.
pub fn by_task(scores: &[AppScore]) -> BTreeMap<&str, BTreeMap<&str, f64>> {
    let mut values: BTreeMap<&str, BTreeMap<&str, Vec<f64>>> = BTreeMap::new();
    for score in scores {
        values.entry(&score.model).or_default().entry(&score.task).or_default().push(score.accuracy);
    }
    values.into_iter().map(|(model, tasks)| (model, averages(tasks))).collect()
}

fn averages(tasks: BTreeMap<&str, Vec<f64>>) -> BTreeMap<&str, f64> {
    tasks.into_iter().filter_map(|(task, values)| Some((task, average(&values)?))).collect()
}

/// The mean; none of nothing.
pub fn average(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The middle; between the two middle ones when their number is even.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        length if length % 2 == 1 => Some(sorted[half]),
        _ => Some(f64::midpoint(sorted[half - 1], sorted[half])),
    }
}
