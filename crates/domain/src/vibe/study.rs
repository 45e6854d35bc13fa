//! Everything the analysis is made from, in one document.

use super::app::AppResult;
use super::model::Model;
use super::task::{Split, TaskFacts};
use super::verdict::WorkflowVerdict;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Format version of [`Study`].
pub const STUDY_FORMAT: u32 = 1;

/// Models, tasks, and what became of the apps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Study {
    /// Format version.
    pub format: u32,
    /// Who gave the verdicts of `apps`.
    pub evaluator: String,
    /// The tasks.
    pub tasks: Vec<TaskFacts>,
    /// The models.
    pub models: Vec<Model>,
    /// The evaluations of apps.
    pub apps: Vec<AppResult>,
    /// What other judges and people said of the same substeps.
    #[serde(default)]
    pub ratings: Vec<Rating>,
}

/// What one rater said of one workflow of one app.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rating {
    /// Who.
    pub rater: String,
    /// Whether that is a person.
    pub human: bool,
    /// The model that built the app.
    pub model: String,
    /// The task.
    pub task: String,
    /// Which of the model's apps for the task.
    #[serde(default)]
    pub run: u32,
    /// The workflow.
    pub workflow: String,
    /// Whether each substep passes, in order; absent where the rater said nothing.
    pub marks: Vec<Option<bool>>,
}

/// How much there is to a split.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SplitSize {
    /// Tasks.
    pub tasks: u64,
    /// Their workflows.
    pub workflows: u64,
    /// Their substeps.
    pub substeps: u64,
}

impl Study {
    /// The sizes of the splits.
    pub fn sizes(&self) -> BTreeMap<Split, SplitSize> {
        let mut sizes: BTreeMap<Split, SplitSize> = BTreeMap::new();
        for task in &self.tasks {
            let size = sizes.entry(task.split).or_default();
            size.tasks += 1;
            size.workflows += task.workflow_substeps.len() as u64;
            size.substeps += task.workflow_substeps.iter().map(|count| u64::from(*count)).sum::<u64>();
        }
        sizes
    }

    /// Whether it hangs together: every name is known and there once, every number is one, and every app that started has a
    /// verdict on every workflow of its task.
    pub fn check(&self) -> Result<(), StudyError> {
        if self.format != STUDY_FORMAT {
            return Err(StudyError::Format(self.format));
        }
        let workflows: BTreeMap<&str, usize> =
            self.tasks.iter().map(|task| (task.id.as_str(), task.workflow_substeps.len())).collect();
        let models: BTreeSet<&str> = self.models.iter().map(|model| model.id.as_str()).collect();
        if workflows.len() < self.tasks.len() || models.len() < self.models.len() {
            return Err(StudyError::Twice("a task or a model".to_owned()));
        }
        let mut apps = BTreeSet::new();
        for app in &self.apps {
            let name = || format!("{} by {}, run {}, evaluation {}", app.task, app.model, app.run, app.evaluation);
            let expected = workflows.get(app.task.as_str()).filter(|_| models.contains(app.model.as_str()));
            let expected = expected.ok_or_else(|| StudyError::Unknown(name()))?;
            if !apps.insert((&app.model, &app.task, app.run, app.evaluation, &app.variant)) {
                return Err(StudyError::Twice(name()));
            }
            check_app(app, *expected).map_err(|what| StudyError::App { app: name(), what })?;
        }
        let mut ratings = BTreeSet::new();
        let twice =
            self.ratings.iter().find(|it| !ratings.insert((&it.rater, &it.model, &it.task, it.run, &it.workflow)));
        match twice {
            Some(it) => Err(StudyError::Twice(format!("the rating of {} by {}", it.workflow, it.rater))),
            None => Ok(()),
        }
    }
}

fn check_app(app: &AppResult, workflows: usize) -> Result<(), &'static str> {
    if app.started && app.workflows.len() != workflows {
        return Err("it started, and has not one verdict for each workflow of its task");
    }
    let names: BTreeSet<&str> = app.workflows.iter().map(|workflow| workflow.workflow.as_str()).collect();
    if names.len() < app.workflows.len() {
        return Err("a workflow is there twice");
    }
    let in_order = |it: &WorkflowVerdict| it.substeps.is_empty() || it.check(it.substeps.len()).is_ok();
    if !app.workflows.iter().all(in_order) {
        return Err("verdicts on substeps are out of order");
    }
    let generation = app.generation.as_ref();
    let amounts = [generation.and_then(|it| it.cost_usd), generation.and_then(|it| it.seconds), app.composite];
    let amounts = amounts.into_iter().chain(app.workflows.iter().map(|workflow| workflow.evaluation_usd));
    if amounts.flatten().all(|amount| amount.is_finite() && amount >= 0.0) {
        Ok(())
    } else {
        Err("a cost, a time or a score is no number from 0 on")
    }
}

/// Why a study cannot be analysed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StudyError {
    /// Written by another version.
    #[error("read a study of format {0}: this version reads format {STUDY_FORMAT}")]
    Format(u32),
    /// Something is there twice.
    #[error("accept the study: {0} is there twice")]
    Twice(String),
    /// An app of a model or for a task that nobody named.
    #[error("accept the study: the model or the task of {0} is not known")]
    Unknown(String),
    /// An app makes no sense.
    #[error("accept the study: {app}: {what}")]
    App {
        /// Which one.
        app: String,
        /// What is wrong.
        what: &'static str,
    },
}
