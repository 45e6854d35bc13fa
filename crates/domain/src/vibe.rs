//! What the vibe track counts: whether a model can build a working app from a specification.
//!
//! A task is a specification with workflows, and a workflow is a list of substeps. A model builds one app for a task; the app is
//! walked through the workflows and every substep gets a verdict. From verdicts come accuracies, and from those everything else.

pub mod analysis;
pub mod app;
pub mod collection;
pub mod evaluation;
pub mod expectation;
pub mod model;
pub mod review;
pub mod study;
pub mod task;
pub mod trace;
pub mod trajectory;
pub mod verdict;

pub use app::{AppResult, Generation};
pub use evaluation::Evaluation;
pub use model::{ListPrice, Model, Models, Tokens};
pub use study::Study;
pub use task::{AppDomain, Difficulty, Integration, Split, TaskFacts, Written};
pub use trace::{Sight, Trace};
pub use verdict::{FailureCategory, Mark, SubstepVerdict, WorkflowState, WorkflowVerdict};
