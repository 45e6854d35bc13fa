//! Who walks.

use super::plans::Plans;
use crate::llm::Llm;
use crate::task::{Occasion, Workflow};
use crate::walk::resolver::Resolver;
use crate::walk::{Agent, Course, Hybrid, Plan, Replay, Stage, Walker, agent, hybrid, replay, resolver, walk};
use benchwright_domain::vibe::trace::{Ending, Trace};

/// A way to walk, ready to be used for any number of workflows.
#[derive(Debug, Clone)]
pub enum Walking {
    /// Without a model.
    Resolver,
    /// A model that calls tools.
    Agent(Llm),
    /// The resolver, and a model where it is unsure.
    Hybrid(Llm),
    /// Recorded walks; where there is none, or it no longer fits, the resolver and, if there is one, a model.
    Replay(Option<Llm>),
}

/// A walk that is to be made.
pub(super) struct Errand<'a> {
    /// Id of the task.
    pub task: &'a str,
    /// Hash of its files.
    pub task_hash: &'a str,
    /// The workflow, with variables.
    pub workflow: &'a Workflow,
    /// When it is walked.
    pub occasion: &'a Occasion,
    /// Hash of the bundle.
    pub bundle: Option<&'a str>,
    /// Where walks are recorded.
    pub plans: Option<&'a Plans>,
}

impl Walking {
    /// The version of a way to walk, by its name in results.
    pub fn version(name: &str) -> u32 {
        match name {
            "agent" => agent::VERSION,
            "hybrid" => hybrid::VERSION,
            "replay" => replay::VERSION,
            _ => resolver::VERSION,
        }
    }

    /// Walks a workflow, and records it for whoever walks it again.
    pub(super) async fn walk(&self, stage: &mut Stage, errand: &Errand<'_>) -> Trace {
        let filled = errand.workflow.on(errand.task, errand.occasion);
        let course = Course { task: errand.task, task_hash: errand.task_hash, workflow: &filled };
        let walked = match self {
            Self::Resolver => walk(stage, course, &mut Resolver::default()).await,
            Self::Agent(llm) => walk(stage, course, &mut Agent::new(llm.clone(), &filled)).await,
            Self::Hybrid(llm) => walk(stage, course, &mut mixed(llm, &filled)).await,
            Self::Replay(Some(llm)) => errand.replay(stage, course, mixed(llm, &filled)).await,
            Self::Replay(None) => errand.replay(stage, course, Resolver::default()).await,
        };
        let trace = Trace { day: Some(errand.occasion.today.to_string()), ..walked };
        errand.record(&trace);
        trace
    }
}

fn mixed(llm: &Llm, filled: &Workflow) -> Hybrid<Resolver, Agent> {
    Hybrid::new(Resolver::default(), Agent::new(llm.clone(), filled))
}

impl Errand<'_> {
    async fn replay(&self, stage: &mut Stage, course: Course<'_>, mut fallback: impl Walker) -> Trace {
        let plan = self.plans.zip(self.bundle).and_then(|(plans, bundle)| plans.find(bundle, self.workflow));
        match plan {
            Some(plan) => {
                let values = self.workflow.values(self.task, self.occasion);
                walk(stage, course, &mut Replay::new(plan, values, fallback)).await
            }
            None => walk(stage, course, &mut fallback).await,
        }
    }

    /// A walk to the end is worth recording. That it cannot be kept costs the next walk time, not this one.
    fn record(&self, trace: &Trace) {
        let (Some(plans), Some(bundle), Ending::Walked) = (self.plans, self.bundle, &trace.ending) else { return };
        let values = self.workflow.values(self.task, self.occasion);
        let _ = plans.keep(&Plan::of(trace, bundle, self.workflow, &values), self.workflow);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_lets_others_walk_is_another_one_when_they_are() {
        let others = Walking::version("resolver") + Walking::version("agent");
        for mixed in ["hybrid", "replay"] {
            assert!(Walking::version(mixed) > others, "{mixed}");
        }
    }
}
