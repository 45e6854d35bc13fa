//! What the analysis knows of a task.

use super::{Difficulty, Domain, Kind, Service, Split, Task};
use benchwright_domain::vibe::verdict::WorkflowKind;
use benchwright_domain::vibe::{self, AppDomain, Integration, TaskFacts};

impl Task {
    /// In the words of the analysis.
    pub fn facts(&self) -> TaskFacts {
        TaskFacts {
            id: self.id.clone(),
            domain: match self.domain {
                Domain::Individual => AppDomain::Individual,
                Domain::SoloFounder => AppDomain::SoloFounder,
                Domain::Enterprise => AppDomain::Enterprise,
            },
            integration: Integration::of(
                self.services.contains(&Service::Email),
                self.services.contains(&Service::Payment),
            ),
            judged_difficulty: Some(match self.difficulty {
                Difficulty::Easy => vibe::Difficulty::Easy,
                Difficulty::Medium => vibe::Difficulty::Medium,
                Difficulty::Hard => vibe::Difficulty::Hard,
            }),
            split: match self.split {
                Split::Validation => vibe::Split::Validation,
                Split::Test => vibe::Split::Test,
            },
            written: self.written,
            workflow_substeps: self.workflows.iter().map(|workflow| workflow.substeps.len() as u32).collect(),
        }
    }
}

impl From<Kind> for WorkflowKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Core => Self::Core,
            Kind::Edge => Self::Edge,
            Kind::Regression => Self::Regression,
        }
    }
}
