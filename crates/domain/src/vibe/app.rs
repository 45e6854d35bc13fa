//! One app that a model built for a task, with what its evaluation said and what building it took.

use super::model::Tokens;
use super::trajectory::{CategoryCounts, PHASES};
use super::verdict::WorkflowVerdict;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One evaluation of one app.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AppResult {
    /// Id of the model that built it.
    pub model: String,
    /// Id of the task.
    pub task: String,
    /// Which of the model's apps for this task it is, from 0 on.
    #[serde(default)]
    pub run: u32,
    /// Which evaluation of the same app this is, from 0 on.
    #[serde(default)]
    pub evaluation: u32,
    /// What was set differently from the model's entry, such as `effort: low`. Results with such settings are no part of the
    /// model's score.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub variant: BTreeMap<String, String>,
    /// Whether it could be reached after its start. If not, it fails all workflows.
    pub started: bool,
    /// The verdicts on its workflows.
    pub workflows: Vec<WorkflowVerdict>,
    /// What building it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<Generation>,
    /// What the scorers of the other track say of the same app, 0 to 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub composite: Option<f64>,
}

impl AppResult {
    /// The share of its workflows that pass, in percent. An app that did not start has 0; one without workflows has none.
    pub fn accuracy(&self) -> Option<f64> {
        self.share_of_workflows(WorkflowVerdict::passes)
    }

    /// The same in the stricter reading, where critical substeps must pass.
    pub fn strict_accuracy(&self) -> Option<f64> {
        self.share_of_workflows(WorkflowVerdict::passes_strictly)
    }

    /// The workflows it passed. One that did not start passed none, whatever its verdicts say.
    pub fn passed_workflows(&self) -> impl Iterator<Item = &WorkflowVerdict> {
        self.workflows.iter().filter(|workflow| self.started && workflow.passes())
    }

    fn share_of_workflows(&self, passes: fn(&WorkflowVerdict) -> bool) -> Option<f64> {
        if !self.started {
            return Some(0.0);
        }
        let passed = self.workflows.iter().filter(|workflow| passes(workflow)).count();
        (!self.workflows.is_empty()).then(|| 100.0 * passed as f64 / self.workflows.len() as f64)
    }
}

/// What building an app took. What nobody knows is absent, never 0.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Generation {
    /// Dollars, at list prices, caching counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// From the first turn to the submission, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// How many times the model answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<u64>,
    /// The tokens it read and wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Tokens>,
    /// How often it called each tool; absent without a trajectory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls: Option<BTreeMap<String, u64>>,
    /// Its calls by category in ten equal slices of time; absent without a trajectory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phases: Option<[CategoryCounts; PHASES]>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vibe::verdict::{Mark, SubstepVerdict, WorkflowKind, WorkflowState};

    fn app(started: bool, passing: &[bool]) -> AppResult {
        let workflow = |passes: &bool| WorkflowVerdict {
            workflow: "w".to_owned(),
            kind: WorkflowKind::Core,
            state: WorkflowState::Judged,
            substeps: vec![SubstepVerdict::new(1, if *passes { Mark::Pass } else { Mark::Fail })],
            evaluation_usd: None,
        };
        AppResult {
            model: "m".to_owned(),
            task: "t".to_owned(),
            run: 0,
            evaluation: 0,
            variant: BTreeMap::new(),
            started,
            workflows: passing.iter().map(workflow).collect(),
            generation: None,
            composite: None,
        }
    }

    #[test]
    fn accuracy_is_the_share_of_workflows_that_pass() {
        assert_eq!(app(true, &[true, false, true, true]).accuracy(), Some(75.0));
        assert_eq!(app(true, &[]).accuracy(), None);
    }

    #[test]
    fn an_app_that_did_not_start_fails_everything() {
        let app = app(false, &[true]);
        assert_eq!((app.accuracy(), app.strict_accuracy()), (Some(0.0), Some(0.0)));
        assert_eq!(app.passed_workflows().count(), 0);
    }

    #[test]
    fn what_is_not_known_is_not_written_down() {
        assert_eq!(serde_json::to_string(&Generation::default()).unwrap(), "{}");
    }
}
