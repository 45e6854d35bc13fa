//! The resolver, and a model where the resolver is unsure.

use super::course::Walker;
use super::error::WalkError;
use super::stage::Stage;
use super::{agent, resolver};
use crate::task::Substep;
use benchwright_domain::vibe::trace::{self, Attempt, Ending, SubstepTrace, Usage, WalkerKind};

/// Raised when another of the two would walk a substep, and whenever one of the two is another one.
pub const VERSION: u32 = 1 + resolver::VERSION + agent::VERSION;

/// Two walkers, the second of which is asked only where the first does not know.
pub struct Hybrid<First, Second> {
    first: First,
    second: Second,
}

impl<First: Walker, Second: Walker> Hybrid<First, Second> {
    /// The second walks what the first is unsure of.
    pub fn new(first: First, second: Second) -> Self {
        Self { first, second }
    }
}

impl<First: Walker, Second: Walker> Walker for Hybrid<First, Second> {
    fn identity(&self) -> trace::Walker {
        let model = self.second.identity().model;
        trace::Walker { kind: WalkerKind::Hybrid, version: VERSION, model }
    }

    async fn substep(&mut self, stage: &mut Stage, number: u32, substep: &Substep) -> Result<SubstepTrace, WalkError> {
        let trace = self.first.substep(stage, number, substep).await?;
        match trace.attempt {
            Attempt::Unsure { .. } => self.second.take_over(stage, substep, trace).await,
            _ => Ok(trace),
        }
    }

    fn usage(&self) -> Option<Usage> {
        self.second.usage()
    }

    fn ending(&self) -> Option<Ending> {
        self.first.ending().or_else(|| self.second.ending())
    }
}
