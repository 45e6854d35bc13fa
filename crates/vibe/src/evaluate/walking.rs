//! Who walks.

use crate::walk::resolver::Resolver;
use crate::walk::{Course, Stage, Walker, walk};
use benchwright_domain::vibe::trace::{self, Trace, WalkerKind};

/// A way to walk, ready to be used for any number of workflows.
#[derive(Debug, Clone, Default)]
pub enum Walking {
    /// Without a model.
    #[default]
    Resolver,
}

impl Walking {
    /// Who it is.
    pub fn identity(&self) -> trace::Walker {
        match self {
            Self::Resolver => Resolver::default().identity(),
        }
    }

    /// The name in results.
    pub fn name(&self) -> &'static str {
        match self.identity().kind {
            WalkerKind::Resolver => "resolver",
            WalkerKind::Agent => "agent",
            WalkerKind::Replay => "replay",
            WalkerKind::Hybrid => "hybrid",
        }
    }

    /// Walks a workflow.
    pub(super) async fn walk(&self, stage: &mut Stage, course: Course<'_>) -> Trace {
        match self {
            Self::Resolver => walk(stage, course, &mut Resolver::default()).await,
        }
    }
}
