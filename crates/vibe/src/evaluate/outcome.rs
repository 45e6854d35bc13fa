//! From what was recorded to the document of the run.

use super::plan::Plan;
use super::record::Start;
use crate::task::Task;
use benchwright_domain::BlobId;
use benchwright_domain::vibe::Generation;
use benchwright_domain::vibe::evaluation::{EVALUATION_FORMAT, Evaluation, JudgedWorkflow, ScoredRun};
use std::collections::BTreeMap;

/// Everything that was recorded of an evaluation.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// RFC 3339, UTC.
    pub started_at: String,
    /// Version of Benchwright.
    pub benchwright: String,
    /// What was planned.
    pub plan: Plan,
    /// What became of the app's start; absent when it was never tried.
    pub start: Option<Start>,
    /// The workflows that are done, by id.
    pub workflows: BTreeMap<String, JudgedWorkflow>,
    /// What building the app took.
    pub generation: Option<Generation>,
    /// The trajectory of the model that built it.
    pub trajectory: Option<BlobId>,
    /// What the scorers of the other track say.
    pub scored: Option<ScoredRun>,
    /// How long it all took.
    pub seconds: f64,
}

impl Outcome {
    /// Ids of planned workflows that are not done, in the order in which they are to be walked.
    pub fn left(&self) -> Vec<String> {
        self.plan.workflows.iter().filter(|id| !self.workflows.contains_key(*id)).cloned().collect()
    }

    /// The document. Workflows stand in the order of the task, whatever order they were walked in.
    pub fn evaluation(&self, task: &Task, task_hash: &str) -> Evaluation {
        let start = self.start.clone().unwrap_or_default();
        let mut app = self.plan.app.clone();
        app.backend.clone_from(&start.backend);
        Evaluation {
            format: EVALUATION_FORMAT,
            started_at: self.started_at.clone(),
            benchwright: self.benchwright.clone(),
            task: task.facts(),
            task_title: task.title.clone(),
            task_hash: task_hash.to_owned(),
            app,
            evaluator: self.plan.evaluator.clone(),
            started: start.started,
            start_note: start.note,
            held: start.held,
            log: start.log,
            workflows: task.workflows.iter().filter_map(|it| self.workflows.get(&it.id).cloned()).collect(),
            generation: self.generation.clone(),
            trajectory: self.trajectory.clone(),
            scored: self.scored.clone(),
            seconds: self.seconds,
        }
    }
}
