//! One evaluation of one app: the document of a run of the vibe track, from which boards, pages and studies are made.

use super::app::{AppResult, Generation};
use super::model::Model;
use super::task::TaskFacts;
use super::verdict::WorkflowVerdict;
use crate::details::BlobId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Format version of [`Evaluation`].
pub const EVALUATION_FORMAT: u32 = 1;

/// What was found about one app.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evaluation {
    /// Format version.
    pub format: u32,
    /// RFC 3339, UTC.
    pub started_at: String,
    /// Version of Benchwright.
    pub benchwright: String,
    /// The task.
    pub task: TaskFacts,
    /// Its title.
    pub task_title: String,
    /// Hash of its files.
    pub task_hash: String,
    /// What was tried.
    pub app: AppUnderTest,
    /// Who walked and who judged, with every setting that can change a verdict.
    pub evaluator: Evaluator,
    /// Whether the app could be reached.
    pub started: bool,
    /// Why not, or what else should be known about its start.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub start_note: String,
    /// What held the app to each of its limits, by the limit's name; empty where no program of the app's runs, or somebody else runs it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub held: BTreeMap<String, String>,
    /// The end of what it wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<BlobId>,
    /// The verdicts, in the order of the task, each with its trace.
    pub workflows: Vec<JudgedWorkflow>,
    /// What building the app took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<Generation>,
    /// The trajectory of the model that built it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trajectory: Option<BlobId>,
    /// The run in which the scorers of the other track looked at the same app.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scored: Option<ScoredRun>,
    /// How long it all took.
    pub seconds: f64,
}

impl Evaluation {
    /// As the analysis takes it.
    pub fn result(&self) -> AppResult {
        AppResult {
            model: self.app.model.clone(),
            task: self.task.id.clone(),
            run: self.app.run,
            evaluation: self.app.evaluation,
            variant: self.app.variant.clone(),
            started: self.started,
            workflows: self.workflows.iter().map(|workflow| workflow.verdict.clone()).collect(),
            generation: self.generation.clone(),
            composite: self.scored.as_ref().map(|scored| scored.composite),
        }
    }

    /// Puts what another judge said beside the verdict that counts. The last word of each judge is kept, and of judges the last `most`.
    pub fn add_opinion(&mut self, opinion: SecondOpinion, most: usize) {
        let judged = self.workflows.iter_mut().find(|it| it.verdict.workflow == opinion.verdict.workflow);
        let Some(judged) = judged else { return };
        judged.others.retain(|other| other.judge != opinion.judge);
        judged.others.push(opinion);
        let too_many = judged.others.len().saturating_sub(most);
        judged.others.drain(..too_many);
    }

    /// Whether every workflow of the task was tried, and not only some that somebody chose.
    pub fn is_whole(&self) -> bool {
        self.workflows.len() == self.task.workflow_substeps.len()
    }

    /// How many workflows pass.
    pub fn passed(&self) -> usize {
        self.workflows.iter().filter(|workflow| self.started && workflow.verdict.passes()).count()
    }

    /// The share of workflows that pass, in percent; none of none.
    pub fn accuracy(&self) -> Option<f64> {
        self.result().accuracy()
    }

    /// How many workflows failed because of the evaluator and not because of the app.
    pub fn evaluator_failures(&self) -> usize {
        self.workflows.iter().filter(|workflow| workflow.verdict.state.is_evaluator_failure()).count()
    }
}

/// What was tried, and who made it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AppUnderTest {
    /// Id of the model that built it, or what the caller calls its maker.
    pub model: String,
    /// What `models.yaml` said of that model, so that the run alone tells its name and its price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub described: Option<Model>,
    /// Which of the maker's apps for the task, from 0 on.
    #[serde(default)]
    pub run: u32,
    /// Which evaluation of the same app, from 0 on.
    #[serde(default)]
    pub evaluation: u32,
    /// What was set differently from the model's entry.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub variant: BTreeMap<String, String>,
    /// Hash of the bundle; absent for an address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bundle: Option<String>,
    /// The address that was named instead of a bundle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// What deployed it: `native`, `compose`, `none`.
    pub backend: String,
}

/// Who walked and judged, and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evaluator {
    /// `resolver`, `agent`, `replay` or `hybrid`.
    pub walker: String,
    /// `rules`, or the id of a model.
    pub judge: String,
    /// Versions and settings by name: `walker.version`, `judge.version`, `model`, `agent_steps`, `call_seconds`, `viewport`, `shared_state` …
    pub settings: BTreeMap<String, String>,
}

impl Evaluator {
    /// One word for tables: evaluations are compared only when it is equal. `resolver/rules`; with a model that walks,
    /// `agent:MODEL/rules`.
    pub fn name(&self) -> String {
        self.name_with(&self.judge)
    }

    /// The name that it would have with another judge of the same walk.
    pub fn name_with(&self, judge: &str) -> String {
        match self.settings.get("model").filter(|_| self.walker != "resolver") {
            Some(model) => format!("{}:{model}/{judge}", self.walker),
            None => format!("{}/{judge}", self.walker),
        }
    }

    /// The name without the model that walks.
    pub fn plain_name(&self) -> String {
        format!("{}/{}", self.walker, self.judge)
    }

    /// Versions of walker and judge; 0 where nobody wrote them down.
    pub fn versions(&self) -> (u32, u32) {
        let version = |name: &str| self.settings.get(name).and_then(|text| text.parse().ok()).unwrap_or_default();
        (version("walker.version"), version("judge.version"))
    }
}

/// The verdict on a workflow and where its trace is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JudgedWorkflow {
    /// A few words.
    pub title: String,
    /// The verdict.
    pub verdict: WorkflowVerdict,
    /// The [`Trace`](super::trace::Trace), as JSON; absent when the app never started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<BlobId>,
    /// What other judges said of the same trace.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<SecondOpinion>,
    /// How long it took.
    pub seconds: f64,
}

/// What another judge said of a trace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SecondOpinion {
    /// Who.
    pub judge: String,
    /// The verdict.
    pub verdict: WorkflowVerdict,
}

/// What the scorers of the other track say of the same app.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScoredRun {
    /// Id of the run.
    pub run: String,
    /// 0 to 100.
    pub composite: f64,
}
