//! Tasks in the published layout of VCB-1-100.
//!
//! There a task is an app and a series of change requests, each with workflows of its own. Here every change request becomes a task:
//! its specification is the original one followed by all changes so far, its workflows are those of that iteration. The steps keep
//! their words and their values. The app to start from is not imported.

use super::file::{self, SubstepEntry, TaskFile, WorkflowEntry, WorkflowsFile};
use super::folder::{self, FolderError};
use super::{Access, Difficulty, Domain, FORMAT, Files, Kind, Service, Split};
use benchwright_domain::yaml::{self, Refusal};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

const TASK: &str = "task.yaml";
const TESTS: &str = "tests.yaml";
const BASE: &str = "base_prompt.md";
const ORIGIN: &str = "vcb-1-100";
const MAX_NODES: usize = 100_000;
const MAX_ITERATIONS: usize = 100;

/// What the published layout does not say of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Judgement {
    /// For whom somebody would build it.
    pub domain: Domain,
    /// How hard it is.
    pub difficulty: Difficulty,
}

/// Why a task cannot be imported. The message completes "failed to …".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error("import {file}:{line}:{column}: {problem}")]
    Unreadable { file: String, line: u64, column: u64, problem: String },
    #[error("import {folder}: {problem}")]
    Inconsistent { folder: String, problem: String },
}

/// The texts of a published task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    folder: String,
    task: String,
    tests: String,
    base: String,
    /// By the ids of the iterations.
    requests: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct TheirTask {
    id: String,
    title: String,
    #[serde(default)]
    generation_parameters: TheirParameters,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct TheirParameters {
    email_service: bool,
    stripe_service: bool,
    anonymous_authentication: bool,
}

#[derive(Deserialize)]
struct TheirTests {
    task_id: String,
    iterations: Vec<TheirIteration>,
}

#[derive(Deserialize)]
struct TheirIteration {
    id: String,
    title: String,
    workflows: BTreeMap<String, TheirWorkflow>,
}

#[derive(Deserialize)]
struct TheirWorkflow {
    id: String,
    title: String,
    purpose: String,
    #[serde(default)]
    is_regression: bool,
    steps: Vec<String>,
}

impl Published {
    /// Reads the folder of a published task.
    pub fn read(from: &Path) -> Result<Self, ImportError> {
        let text = |name: &str| folder::read_text(&from.join(name));
        let mut published = Self {
            folder: from.display().to_string(),
            task: text(TASK)?,
            tests: text(TESTS)?,
            base: text(BASE)?,
            requests: BTreeMap::new(),
        };
        for TheirIteration { id, .. } in published.parsed::<TheirTests>(TESTS, &published.tests)?.iterations {
            published.check_iteration_id(&id)?;
            let request = text(&format!("prompts/{id}.md"))?;
            published.requests.insert(id, request);
        }
        Ok(published)
    }

    /// The same in our format: one task for every iteration.
    pub fn tasks(&self, judgement: Judgement) -> Result<Vec<Files>, ImportError> {
        let task: TheirTask = self.parsed(TASK, &self.task)?;
        let tests: TheirTests = self.parsed(TESTS, &self.tests)?;
        if tests.task_id != task.id {
            let problem = format!("{TESTS} is about `{}`, {TASK} about `{}`", tests.task_id, task.id);
            return Err(self.inconsistent(&problem));
        }
        let mut spec = self.base.trim().to_owned();
        let mut made = Vec::new();
        for iteration in &tests.iterations {
            let request = self.requests.get(&iteration.id);
            let request =
                request.ok_or_else(|| self.inconsistent(&format!("prompts/{}.md is missing", iteration.id)))?;
            let _ = write!(spec, "\n\n## {}\n\n{}", iteration.title.trim(), request.trim());
            made.push(self.files(&task, iteration, &spec, judgement)?);
        }
        Ok(made)
    }

    fn files(
        &self,
        task: &TheirTask,
        iteration: &TheirIteration,
        spec: &str,
        judgement: Judgement,
    ) -> Result<Files, ImportError> {
        let id = file::kebab(&format!("{}-{}", task.id, iteration.id));
        // The same for every import of the same task.
        let canary = file::canary(&format!("{ORIGIN} {id}"));
        let parameters = &task.generation_parameters;
        let services = [(parameters.email_service, Service::Email), (parameters.stripe_service, Service::Payment)];
        let head = TaskFile {
            format: FORMAT,
            id: id.clone(),
            version: 1,
            title: shortened(&format!("{}: {}", task.title, iteration.title)),
            domain: judgement.domain,
            difficulty: judgement.difficulty,
            services: services.into_iter().filter_map(|(needed, service)| needed.then_some(service)).collect(),
            split: Split::Validation,
            access: if parameters.anonymous_authentication { Access::Mixed } else { Access::Accounts },
            canary: canary.clone(),
            origin: Some(ORIGIN),
        };
        let workflows = iteration.workflows.values().map(entry).collect();
        let body = WorkflowsFile { format: FORMAT, task: id, canary, workflows };
        file::files(&head, spec, &body).map_err(|error| self.inconsistent(&error))
    }

    fn parsed<'a, T: Deserialize<'a>>(&self, name: &str, text: &'a str) -> Result<T, ImportError> {
        yaml::read(text, MAX_NODES).map_err(|Refusal { line, column, problem }| ImportError::Unreadable {
            file: format!("{}/{name}", self.folder),
            line,
            column,
            problem,
        })
    }

    /// The id becomes a path, and the file was written by somebody else.
    fn check_iteration_id(&self, id: &str) -> Result<(), ImportError> {
        let is_name =
            !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
        if !is_name {
            return Err(self.inconsistent("an iteration's id may have letters, digits, `_` and `-` only"));
        }
        if self.requests.len() >= MAX_ITERATIONS {
            return Err(self.inconsistent(&format!("it has more than {MAX_ITERATIONS} iterations")));
        }
        Ok(())
    }

    fn inconsistent(&self, problem: &str) -> ImportError {
        ImportError::Inconsistent { folder: self.folder.clone(), problem: yaml::readable(problem) }
    }
}

fn entry(workflow: &TheirWorkflow) -> WorkflowEntry {
    WorkflowEntry {
        id: file::kebab(&workflow.id),
        title: shortened(&workflow.title),
        purpose: workflow.purpose.trim().to_owned(),
        kind: if workflow.is_regression { Kind::Regression } else { Kind::Core },
        variables: BTreeMap::new(),
        explained: BTreeMap::new(),
        substeps: workflow.steps.iter().map(|step| SubstepEntry::plain(without_number(step))).collect(),
    }
}

/// Steps are numbered in the published files: `3. Open …`.
fn without_number(step: &str) -> &str {
    let step = step.trim();
    let digits = step.bytes().take_while(u8::is_ascii_digit).count();
    match step[digits..].strip_prefix(". ") {
        Some(rest) if digits > 0 => rest.trim_start(),
        _ => step,
    }
}

fn shortened(title: &str) -> String {
    title.trim().chars().take(80).collect()
}

#[cfg(test)]
mod tests;
