//! A task: what a model under test is asked to build, and the workflows by which a tester tries the result.
//!
//! A task is a folder of three files. `task.yaml` says what kind of task it is, `spec.md` is all that a model ever sees, and
//! `workflows.yaml` is what a tester does, one sentence per substep. Everything that the files alone can tell is checked while they
//! are read: a test of something nobody asked for is a mistake with a line and a column, and never a low score.

pub mod audit;
mod check;
pub mod draft;
mod facts;
mod file;
pub mod folder;
mod freeze;
pub mod import;
mod phrase;
mod read;
pub mod review;
mod sentence;
mod values;
mod words;
mod written;

pub use benchwright_domain::vibe::Written;
pub use benchwright_domain::vibe::expectation::{ChoiceOf, ControlState, Count, Expectation, FieldValue, StateOf};
pub use check::{check, check_together};
pub use folder::Files;
pub use freeze::{Freezing, Frozen, FrozenError, beside, hash};
pub use read::{TaskError, load};
pub use values::{Occasion, Template};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Version of the format of `task.yaml`, `workflows.yaml` and `frozen.yaml`.
pub const FORMAT: u32 = 1;
/// The fewest and the most workflows of a task, as published.
pub const WORKFLOWS: std::ops::RangeInclusive<usize> = 6..=23;

/// What a model under test is asked to build, and how it is tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Kebab-case name; also the name of its folder.
    pub id: String,
    /// Grows with every change after a freeze.
    pub version: u32,
    /// A few words.
    pub title: String,
    /// For whom somebody would build it.
    pub domain: Domain,
    /// How hard it is, as judged before any model tried.
    pub difficulty: Difficulty,
    /// What it needs besides its own server.
    pub services: Vec<Service>,
    /// Which results it counts for.
    pub split: Split,
    /// Whether it was written before the resolver was tuned, or afterwards.
    pub written: Written,
    /// Who must sign in.
    pub access: Access,
    /// What trying it may take.
    pub limits: Limits,
    /// A text by which the task is recognised where it should not be.
    pub canary: String,
    /// The benchmark it was imported from. How such tasks are worded is not ours to check.
    pub origin: Option<String>,
    /// The specification as a model sees it: without the canary.
    pub spec: String,
    /// How it is tried.
    pub workflows: Vec<Workflow>,
}

/// For whom somebody would build it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Domain {
    /// For oneself.
    Individual,
    /// For the customers of a business of one.
    SoloFounder,
    /// For the staff of a company, in several roles.
    Enterprise,
}

impl Domain {
    /// The name in files and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Individual => "individual",
            Self::SoloFounder => "solo-founder",
            Self::Enterprise => "enterprise",
        }
    }
}

/// How hard a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Difficulty {
    /// One kind of record, few rules.
    Easy,
    /// Several kinds of records, or rules that depend on each other.
    Medium,
    /// Roles, states and sums that must agree everywhere.
    Hard,
}

impl Difficulty {
    /// The name in files and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Easy => "easy",
            Self::Medium => "medium",
            Self::Hard => "hard",
        }
    }
}

/// What an app may need besides its own server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Service {
    /// It sends e-mail.
    Email,
    /// It takes payments.
    Payment,
}

/// Which results a task counts for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Split {
    /// Published; shown apart.
    Validation,
    /// Kept outside of the repository; the scores of models come from these alone.
    Test,
}

impl Split {
    /// The name in files and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Validation => "validation",
            Self::Test => "test",
        }
    }
}

/// Who must sign in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Access {
    /// Nobody.
    Anyone,
    /// Some parts are open, others need an account.
    Mixed,
    /// Everybody.
    Accounts,
}

/// What trying a task may take; the defaults are the published ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Steps of an agent in one workflow.
    pub agent_steps: u32,
    /// Seconds for one answer of a model.
    pub call_seconds: u32,
    /// Seconds for one step of an agent.
    pub step_seconds: u32,
    /// Seconds until the app answers.
    pub start_seconds: u32,
    /// Seconds for all workflows of an app together.
    pub app_seconds: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { agent_steps: 100, call_seconds: 90, step_seconds: 1_200, start_seconds: 180, app_seconds: 7_200 }
    }
}

/// One way through the app, from a fresh browser to an end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workflow {
    /// Kebab-case name, unique in its task.
    pub id: String,
    /// A few words.
    pub title: String,
    /// What it is about, and what not.
    pub purpose: String,
    /// Why it is there.
    pub kind: Kind,
    /// Values that the tester brings along.
    pub variables: BTreeMap<String, Template>,
    /// What to do and what to expect, in order.
    pub substeps: Vec<Substep>,
}

/// Why a workflow is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// What the app is for.
    Core,
    /// What a hurried or careless user does.
    Edge,
    /// That one thing still holds after another was done.
    Regression,
}

/// One sentence of a workflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Substep {
    /// The sentence.
    pub text: String,
    /// What must hold afterwards, for machines.
    pub expect: Vec<Expectation>,
    /// Whether the workflow is pointless without it.
    pub critical: bool,
}

impl Task {
    /// Substeps of all workflows.
    pub fn substeps(&self) -> usize {
        self.workflows.iter().map(|workflow| workflow.substeps.len()).sum()
    }
}

impl Workflow {
    /// The values of its variables on one occasion, by name.
    pub fn values(&self, task: &str, occasion: &Occasion) -> BTreeMap<String, String> {
        values::of(task, self, occasion)
    }

    /// The same workflow with values instead of variables, as it is walked on one occasion.
    pub fn on(&self, task: &str, occasion: &Occasion) -> Self {
        let values = self.values(task, occasion);
        let substeps = self.substeps.iter().map(|substep| Substep {
            text: sentence::spoken(&substep.text, &values),
            expect: substep
                .expect
                .iter()
                .map(|expected| expected.map(|text| sentence::filled(text, &values)))
                .collect(),
            critical: substep.critical,
        });
        Self { substeps: substeps.collect(), variables: BTreeMap::new(), ..self.clone() }
    }
}
