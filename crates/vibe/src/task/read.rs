//! From the texts of the files to a task, or to an error with a line.

use super::written::{WrittenSubstep, WrittenTask, WrittenWorkflow, WrittenWorkflows};
use super::{Files, Limits, Substep, Task, Template, Workflow, check, phrase};
use benchwright_domain::yaml::{self, Problem, Refusal, Severity};
use serde_saphyr::Spanned;

/// Ample for 23 workflows of 40 substeps with expectations.
const MAX_NODES: usize = 40_000;

/// Why a task cannot be used. The message completes "failed to …".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TaskError {
    #[error("read task {}:{}:{}: {}", .0.file, .0.line, .0.column, .0.problem)]
    Invalid(Problem),
}

/// Reads a task whose check finds no error.
pub fn load(files: &Files) -> Result<Task, TaskError> {
    let problems = check::check(files);
    if let Some(problem) = problems.into_iter().find(|problem| problem.severity == Severity::Error) {
        return Err(TaskError::Invalid(problem));
    }
    let unreadable = |refusal: Refusal| TaskError::Invalid(check::problem_of(files, check::File::Task, refusal));
    let written = task(files).map_err(unreadable)?;
    let workflows = workflows(files).map_err(unreadable)?;
    Ok(Task {
        id: written.id.value,
        version: written.version.value,
        title: written.title.value,
        domain: written.domain,
        difficulty: written.difficulty,
        services: written.services.into_iter().map(|service| service.value).collect(),
        split: written.split,
        written: written.written,
        access: written.access,
        limits: written.limits.map_or_else(Limits::default, |limits| limits.value),
        canary: written.canary.value,
        origin: written.origin.map(|origin| origin.value),
        spec: phrase::without_comments(&files.spec).trim().to_owned(),
        workflows: workflows.workflows.into_iter().map(Workflow::from).collect(),
    })
}

pub(super) fn task(files: &Files) -> Result<WrittenTask, Refusal> {
    yaml::read(&files.task, MAX_NODES)
}

pub(super) fn workflows(files: &Files) -> Result<WrittenWorkflows, Refusal> {
    yaml::read(&files.workflows, MAX_NODES).map_err(|mut refusal| {
        // The usual cause is a sentence such as `Expect the line: Total`.
        let causes = ["mapping values are not allowed", "expected one of do, expect, critical"];
        if causes.iter().any(|cause| refusal.problem.contains(cause)) {
            refusal.problem.push_str("; put a sentence that contains `: ` in single quotes");
        }
        refusal
    })
}

impl From<WrittenWorkflow> for Workflow {
    fn from(written: WrittenWorkflow) -> Self {
        let template = |text: &str| Template::parse(text).ok();
        Self {
            id: written.id.value,
            title: written.title.value,
            purpose: written.purpose.value,
            kind: written.kind,
            variables: written
                .variables
                .into_iter()
                .filter_map(|(name, text)| Some((name, template(&text.value)?)))
                .collect(),
            substeps: written.substeps.iter().map(substep).collect(),
        }
    }
}

fn substep(written: &Spanned<WrittenSubstep>) -> Substep {
    Substep {
        text: WrittenSubstep::sentence(written).value,
        expect: written.value.expect().iter().map(|expected| expected.map(|text| text.value.clone())).collect(),
        critical: written.value.is_critical(),
    }
}
