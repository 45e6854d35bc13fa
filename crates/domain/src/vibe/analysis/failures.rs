//! Why workflows failed, and how walks ended.

use super::distribution::Share;
use super::scores::first_evaluations;
use crate::vibe::app::AppResult;
use crate::vibe::verdict::{FailureCategory, WorkflowState, WorkflowVerdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Failures of all models, and of each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Failures {
    /// All models together.
    pub overall: FailureTable,
    /// One per model, in the order of the standings.
    pub models: Vec<FailureTable>,
}

/// Failures of some models.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FailureTable {
    /// The model; absent for all.
    pub model: Option<String>,
    /// Failed workflows of apps that started, by category, the evaluator's own failures left out. The six shares make up 100.
    pub categories: BTreeMap<FailureCategory, Share>,
    /// Workflows of apps that started, by how their walk ended.
    pub states: BTreeMap<WorkflowState, Share>,
    /// Workflows that failed because of the evaluator.
    pub evaluator_failures: Share,
    /// Failed workflows with a failed substep of which the walker may be to blame.
    pub walker_suspected: Share,
    /// What evaluating a workflow cost, in dollars, over the workflows of which it is known; absent when of none.
    pub evaluation_usd_per_workflow: Option<f64>,
    /// Of how many workflows that is known.
    pub evaluation_usd_known: Share,
}

impl Failures {
    /// Counts the failures in the first evaluation of each app.
    pub fn of(models: &[&str], apps: &[&AppResult]) -> Self {
        let apps = first_evaluations(apps);
        let of_model = |model: &&str| {
            let own: Vec<&AppResult> = apps.iter().filter(|app| app.model == *model).copied().collect();
            FailureTable::of(Some((*model).to_owned()), &own)
        };
        Self { overall: FailureTable::of(None, &apps), models: models.iter().map(of_model).collect() }
    }
}

impl FailureTable {
    fn of(model: Option<String>, apps: &[&AppResult]) -> Self {
        let workflows: Vec<&WorkflowVerdict> =
            apps.iter().filter(|app| app.started).flat_map(|app| &app.workflows).collect();
        let all = workflows.len() as u64;
        let count = |is: &dyn Fn(&WorkflowVerdict) -> bool| workflows.iter().filter(|it| is(it)).count() as u64;
        let reasons: Vec<FailureCategory> = workflows.iter().filter_map(|workflow| workflow.failure()).collect();
        let category = |category: FailureCategory| {
            let found = reasons.iter().filter(|reason| **reason == category).count() as u64;
            (category, Share::new(found, reasons.len() as u64))
        };
        let suspected = |workflow: &WorkflowVerdict| {
            !workflow.passes() && workflow.substeps.iter().any(|substep| !substep.passed() && substep.walker_suspected)
        };
        let costs: Vec<f64> = workflows.iter().filter_map(|workflow| workflow.evaluation_usd).collect();
        Self {
            model,
            categories: FailureCategory::ALL.into_iter().map(category).collect(),
            states: WorkflowState::ALL
                .into_iter()
                .map(|state| (state, Share::new(count(&|it| it.state == state), all)))
                .collect(),
            evaluator_failures: Share::new(count(&|it| it.state.is_evaluator_failure()), all),
            walker_suspected: Share::new(count(&suspected), count(&|it| !it.passes())),
            evaluation_usd_per_workflow: super::scores::average(&costs),
            evaluation_usd_known: Share::new(costs.len() as u64, all),
        }
    }
}
