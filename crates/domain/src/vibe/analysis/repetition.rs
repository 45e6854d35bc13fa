//! What several tries would give: pass@k and pass^k, workflow by workflow.

use super::scores::{average, first_evaluations};
use crate::statistics::{all_of_k, any_of_k};
use crate::vibe::app::AppResult;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A model that built each app several times.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Repeated {
    /// The model.
    pub model: String,
    /// Tasks with at least two runs; the others are left out.
    pub tasks: usize,
    /// For k from 1 to the smallest number of runs.
    pub tries: Vec<Tries>,
}

/// What k tries would give: the mean over tasks of the mean over workflows, in percent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tries {
    /// How many tries.
    pub k: usize,
    /// pass@k: workflows that pass in at least one of them.
    pub any: f64,
    /// pass^k: workflows that pass in all of them.
    pub all: f64,
}

/// How often each workflow of a task passed, and in how many runs.
struct Panel<'a> {
    runs: usize,
    passed: BTreeMap<&'a str, usize>,
}

/// The models with several runs.
pub fn repeated(models: &[&str], apps: &[&AppResult]) -> Vec<Repeated> {
    let apps = first_evaluations(apps);
    models.iter().filter_map(|model| of_model(model, &apps)).collect()
}

fn of_model(model: &str, apps: &[&AppResult]) -> Option<Repeated> {
    let mut tasks: BTreeMap<&str, Vec<&AppResult>> = BTreeMap::new();
    for app in apps.iter().filter(|app| app.model == model) {
        tasks.entry(&app.task).or_default().push(app);
    }
    let panels: Vec<Panel> = tasks.values().filter(|runs| runs.len() >= 2).map(|runs| Panel::of(runs)).collect();
    let panels: Vec<Panel> = panels.into_iter().filter(|panel| !panel.passed.is_empty()).collect();
    let most = panels.iter().map(|panel| panel.runs).min()?;
    let tries = (1..=most).filter_map(|k| {
        let over = |chance: Chance| average(&panels.iter().filter_map(|it| it.percent(k, chance)).collect::<Vec<_>>());
        Some(Tries { k, any: over(any_of_k)?, all: over(all_of_k)? })
    });
    Some(Repeated { model: model.to_owned(), tasks: panels.len(), tries: tries.collect() })
}

type Chance = fn(usize, usize, usize) -> Result<f64, crate::statistics::StatisticsError>;

impl<'a> Panel<'a> {
    /// Workflows are known from any run; a run that did not start passed none of them.
    fn of(runs: &[&'a AppResult]) -> Self {
        let mut passed: BTreeMap<&str, usize> = BTreeMap::new();
        for app in runs {
            app.workflows.iter().for_each(|workflow| {
                passed.entry(&workflow.workflow).or_default();
            });
            app.passed_workflows().for_each(|workflow| *passed.entry(&workflow.workflow).or_default() += 1);
        }
        Self { runs: runs.len(), passed }
    }

    fn percent(&self, k: usize, chance: Chance) -> Option<f64> {
        let chances: Option<Vec<f64>> = self.passed.values().map(|passed| chance(self.runs, *passed, k).ok()).collect();
        Some(100.0 * average(&chances?)?)
    }
}
