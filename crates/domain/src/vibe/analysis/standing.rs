//! Where each model stands: accuracy with its uncertainty, rank range, and what an app of it takes.

use super::comparison::{ModelComparison, rank_ranges};
use super::scores::{AppScore, Score, average, first_evaluations, median};
use crate::board::RankRange;
use crate::statistics::clustered_mean;
use crate::vibe::app::{AppResult, Generation};
use crate::vibe::model::Model;
use crate::vibe::task::TaskFacts;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Two models are told apart at this level, after Holm's correction.
const SIGNIFICANCE: f64 = 0.05;

/// One model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Standing {
    /// Its id.
    pub model: String,
    /// What readers see.
    pub name: String,
    /// Whether its weights can be had.
    pub open_weights: bool,
    /// Whether it saw pictures.
    pub vision: bool,
    /// The ranks that comparisons with the others leave open; absent when it lacks a task.
    pub rank: Option<RankRange>,
    /// Tasks without an app of it.
    pub missing_tasks: Vec<String>,
    /// The mean over apps.
    pub accuracy: Score,
    /// The standard error when several apps for one task are not taken for independent; absent for a single task.
    pub clustered_standard_error: Option<f64>,
    /// The mean over apps in the stricter reading, where critical substeps must pass.
    pub strict_accuracy: Score,
    /// Dollars per app.
    pub cost_usd: Measured,
    /// Seconds per app.
    pub seconds: Measured,
    /// Tokens per app.
    pub tokens: Measured,
    /// Answers of the model per app.
    pub turns: Measured,
}

/// Something that is known of some apps and perhaps not of others.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Measured {
    /// The mean over the apps of which it is known; absent when of none.
    pub mean: Option<f64>,
    /// The median over the same.
    pub median: Option<f64>,
    /// Of how many it is known.
    pub known: usize,
    /// Of how many.
    pub of: usize,
}

impl Measured {
    fn new(values: &[Option<f64>]) -> Self {
        let known: Vec<f64> = values.iter().flatten().copied().collect();
        Self { mean: average(&known), median: median(&known), known: known.len(), of: values.len() }
    }

    /// The mean, if it is known of every app.
    pub fn complete(&self) -> Option<f64> {
        self.mean.filter(|_| self.known == self.of)
    }
}

/// The models that have apps, best first.
pub fn standings(
    models: &[Model],
    tasks: &[&TaskFacts],
    scores: &[AppScore],
    apps: &[&AppResult],
    comparisons: &[ModelComparison],
) -> Vec<Standing> {
    let apps = first_evaluations(apps);
    let mut rows: Vec<Standing> = models.iter().filter_map(|model| standing(model, tasks, scores, &apps)).collect();
    rows.sort_by(|a, b| b.accuracy.mean.total_cmp(&a.accuracy.mean).then_with(|| a.model.cmp(&b.model)));
    let complete: Vec<String> =
        rows.iter().filter(|row| row.missing_tasks.is_empty()).map(|row| row.model.clone()).collect();
    let complete: Vec<&str> = complete.iter().map(String::as_str).collect();
    let ranks = rank_ranges(&complete, comparisons, SIGNIFICANCE);
    for row in &mut rows {
        row.rank = ranks.get(row.model.as_str()).copied();
    }
    rows
}

fn standing(model: &Model, tasks: &[&TaskFacts], scores: &[AppScore], apps: &[&AppResult]) -> Option<Standing> {
    let own: Vec<&AppScore> = scores.iter().filter(|score| score.model == model.id).collect();
    let values: Vec<f64> = own.iter().map(|score| score.accuracy).collect();
    let strict: Vec<f64> = own.iter().map(|score| score.strict).collect();
    let clusters: Vec<&str> = own.iter().map(|score| score.task.as_str()).collect();
    let missing = tasks.iter().filter(|task| !clusters.contains(&task.id.as_str())).map(|task| task.id.clone());
    let takes = |pick: fn(&Generation) -> Option<f64>| {
        let of_app = |app: &&&AppResult| app.generation.as_ref().and_then(pick);
        let own: Vec<&&AppResult> = apps.iter().filter(|app| app.model == model.id).collect();
        Measured::new(&own.iter().map(of_app).collect::<Vec<_>>())
    };
    Some(Standing {
        model: model.id.clone(),
        name: model.name().to_owned(),
        open_weights: model.open_weights,
        vision: model.vision,
        rank: None,
        missing_tasks: missing.collect(),
        accuracy: Score::of(&values)?,
        clustered_standard_error: clustered_mean(&values, &clusters).ok().map(|estimate| estimate.standard_error),
        strict_accuracy: Score::of(&strict)?,
        cost_usd: takes(|generation| generation.cost_usd),
        seconds: takes(|generation| generation.seconds),
        tokens: takes(|generation| Some(generation.tokens?.total() as f64)),
        turns: takes(|generation| Some(generation.turns? as f64)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_of_some_apps_only_is_no_mean_of_all() {
        let partly = Measured::new(&[Some(2.0), None, Some(4.0)]);
        assert_eq!((partly.mean, partly.known, partly.of), (Some(3.0), 2, 3));
        assert_eq!(partly.complete(), None);
        assert_eq!(Measured::new(&[Some(0.0), Some(1.0)]).complete(), Some(0.5));
        assert_eq!(Measured::new(&[None, None]).mean, None, "what nobody knows is not 0");
    }
}
