//! Leading a walker through a workflow.

use super::error::WalkError;
use super::stage::Stage;
use crate::task::{Substep, Workflow};
use benchwright_domain::vibe::trace::{self, Attempt, Ending, SubstepTrace, TRACE_FORMAT, Trace, Usage, WalkerKind};
use std::future::Future;

/// What is walked. The workflow has values instead of variables: see [`Workflow::on`].
#[derive(Debug, Clone, Copy)]
pub struct Course<'a> {
    /// Id of the task.
    pub task: &'a str,
    /// Hash of the task's files.
    pub task_hash: &'a str,
    /// What to do.
    pub workflow: &'a Workflow,
}

/// Somebody who decides what to do for a substep.
pub trait Walker {
    /// Who it is.
    fn identity(&self) -> trace::Walker;

    /// Does what a substep asks for, on the stage as it is, and says what came of it. An error ends the walk.
    fn substep(
        &mut self,
        stage: &mut Stage,
        number: u32,
        substep: &Substep,
    ) -> impl Future<Output = Result<SubstepTrace, WalkError>>;

    /// Goes on with a substep that somebody else began. What was done and seen until then stays in the trace.
    fn take_over(
        &mut self,
        stage: &mut Stage,
        substep: &Substep,
        begun: SubstepTrace,
    ) -> impl Future<Output = Result<SubstepTrace, WalkError>> {
        async move {
            let mut trace = self.substep(stage, begun.number, substep).await?;
            trace.before = begun.before.or(trace.before);
            trace.actions.splice(0..0, begun.actions);
            trace.facts.splice(0..0, begun.facts);
            Ok(trace)
        }
    }

    /// How it ended the walk in its last substep, if it did.
    fn ending(&self) -> Option<Ending> {
        None
    }

    /// What its model took so far.
    fn usage(&self) -> Option<Usage> {
        None
    }
}

/// Walks a workflow from its first substep to its last, or until that is impossible.
pub async fn walk<W: Walker>(stage: &mut Stage, course: Course<'_>, walker: &mut W) -> Trace {
    let identity = walker.identity();
    let mut substeps: Vec<SubstepTrace> = Vec::new();
    let mut ending = Ending::Walked;
    for (number, substep) in (1..).zip(&course.workflow.substeps) {
        match walker.substep(stage, number, substep).await {
            Ok(trace) => {
                substeps.push(trace);
                let Some(ended) = walker.ending() else { continue };
                ending = ended;
                let reason = "the walk ended before it";
                substeps.extend(unreached(course.workflow, substeps.len(), identity.kind, reason));
                break;
            }
            Err(error) => {
                ending = ending_of(&error);
                substeps.extend(unreached(course.workflow, substeps.len(), identity.kind, &error.to_string()));
                break;
            }
        }
    }
    Trace {
        format: TRACE_FORMAT,
        task: course.task.to_owned(),
        task_hash: course.task_hash.to_owned(),
        workflow: course.workflow.id.clone(),
        purpose: course.workflow.purpose.clone(),
        origin: stage.origin().to_owned(),
        viewport: stage.viewport(),
        day: None,
        walker: identity,
        ending,
        substeps,
        usage: walker.usage(),
        seconds: stage.seconds(),
    }
}

/// A substep of which nothing is known yet.
pub fn unwalked(number: u32, substep: &Substep, by: WalkerKind, attempt: Attempt) -> SubstepTrace {
    SubstepTrace {
        number,
        text: substep.text.clone(),
        expect: substep.expect.clone(),
        critical: substep.critical,
        by,
        attempt,
        actions: Vec::new(),
        before: None,
        after: None,
        facts: Vec::new(),
        note: String::new(),
    }
}

fn unreached(workflow: &Workflow, done: usize, by: WalkerKind, reason: &str) -> Vec<SubstepTrace> {
    let attempt = Attempt::NotAttempted { reason: reason.to_owned() };
    let rest = (1..).zip(&workflow.substeps).skip(done);
    rest.map(|(number, substep)| unwalked(number, substep, by, attempt.clone())).collect()
}

/// How an error ends a walk.
pub(super) fn ending_of(error: &WalkError) -> Ending {
    let reason = error.to_string();
    match error {
        WalkError::AppDown { .. } => Ending::AppDown { reason },
        WalkError::LimitReached(super::error::Limit::Steps(_)) | WalkError::Stuck { .. } => Ending::Stuck { reason },
        WalkError::LimitReached(_) => Ending::TimedOut { reason },
        WalkError::NoAnswer { .. } => Ending::NoAnswer { reason },
        WalkError::BudgetSpent { .. } => Ending::BudgetSpent { reason },
        WalkError::Refused { .. } => Ending::Refused { reason },
        WalkError::Browser(_) | WalkError::Keep(_) | WalkError::Sight(_) | WalkError::Upload(_) => {
            Ending::Stuck { reason }
        }
    }
}
