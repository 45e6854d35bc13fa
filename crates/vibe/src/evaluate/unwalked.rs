//! Verdicts on workflows that were never walked to an end.

use crate::task::{Limits, Workflow};
use benchwright_domain::vibe::evaluation::JudgedWorkflow;
use benchwright_domain::vibe::verdict::{FailureCategory, Mark, SubstepVerdict, WorkflowState, WorkflowVerdict};

/// All substeps fail, because the app could not be reached.
pub(super) fn app_down(workflow: &Workflow, reason: &str, seconds: f64) -> JudgedWorkflow {
    failed(workflow, WorkflowState::AppDown, reason, Some(FailureCategory::Other), seconds)
}

/// All substeps fail, because the app's time was over before they were walked.
pub(super) fn out_of_time(workflow: &Workflow, limits: &Limits, seconds: f64) -> JudgedWorkflow {
    let reason = format!("the {} s for all workflows of the app were over", limits.app_seconds);
    failed(workflow, WorkflowState::TimedOut, &reason, None, seconds)
}

fn failed(
    workflow: &Workflow,
    state: WorkflowState,
    reason: &str,
    category: Option<FailureCategory>,
    seconds: f64,
) -> JudgedWorkflow {
    let substep = |(number, substep): (u32, &crate::task::Substep)| SubstepVerdict {
        critical: substep.critical,
        not_attempted: true,
        reason: reason.to_owned(),
        category,
        ..SubstepVerdict::new(number, Mark::Fail)
    };
    JudgedWorkflow {
        title: workflow.title.clone(),
        verdict: WorkflowVerdict {
            workflow: workflow.id.clone(),
            kind: workflow.kind.into(),
            state,
            substeps: (1..).zip(&workflow.substeps).map(substep).collect(),
            evaluation_usd: Some(0.0),
        },
        trace: None,
        others: Vec::new(),
        seconds,
    }
}
