//! Everything that can be said of a task without running it.

mod browser;
mod mentions;
mod shape;
mod sign_in;
mod variables;

use super::folder::{SPEC, TASK, WORKFLOWS};
use super::sentence::{self, Part};
use super::written::{WrittenSubstep, WrittenTask, WrittenWorkflow, WrittenWorkflows};
use super::{Files, Frozen, freeze, phrase, read};
use benchwright_domain::yaml::{self, Problem, Refusal, Severity, Text, place, place_in};
use std::collections::BTreeMap;

/// The most problems told of one task.
const MAX_PROBLEMS: usize = 200;

/// One of the three files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum File {
    Task,
    Spec,
    Workflows,
}

/// All problems of a task, file by file in the order of lines.
pub fn check(files: &Files) -> Vec<Problem> {
    let mut told = Complaints { files, found: Vec::new() };
    match (read::task(files), read::workflows(files)) {
        (Ok(task), Ok(workflows)) => rules(&mut told, &task, &workflows),
        (task, workflows) => {
            for (file, refusal) in [(File::Task, task.err()), (File::Workflows, workflows.err())] {
                told.found.extend(refusal.map(|refusal| (file, problem_of(files, file, refusal))));
            }
        }
    }
    told.found.sort_by_key(|(file, problem)| (*file, problem.line, problem.column));
    told.found.into_iter().map(|(_, problem)| problem).take(MAX_PROBLEMS).collect()
}

/// All problems that tasks have with each other, and with what was frozen.
pub fn check_together(tasks: &[Files], frozen: &Frozen) -> Vec<Problem> {
    let mut problems = Vec::new();
    let (mut ids, mut canaries) = (BTreeMap::new(), BTreeMap::new());
    for files in tasks {
        let Ok(task) = read::task(files) else { continue };
        let mut told = Complaints { files, found: Vec::new() };
        for (what, text, seen) in [("id", &task.id, &mut ids), ("canary", &task.canary, &mut canaries)] {
            if let Some(other) = seen.insert(text.value.clone(), &files.folder) {
                told.error(File::Task, place(text), format!("{other} has the same {what}; give each task its own"));
            }
        }
        if let Some(objection) = frozen.objection(&task.id.value, task.version.value, &freeze::hash(files)) {
            told.error(File::Task, place(&task.version), objection);
        }
        problems.extend(told.found.into_iter().map(|(_, problem)| problem));
    }
    problems
}

/// Imported tasks are worded as others do; only their shape is checked.
fn rules(told: &mut Complaints<'_>, task: &WrittenTask, workflows: &WrittenWorkflows) {
    shape::check(told, task, workflows);
    if task.origin.is_some() {
        return;
    }
    let spec = Spec::of(told.files);
    mentions::check_spec(told, &spec);
    sign_in::check_spec(told, task, &spec);
    variables::check_sharing(told, &workflows.workflows);
    for workflow in &workflows.workflows {
        let Some(steps) = Step::all(told, workflow) else { continue };
        variables::check(told, workflow, &steps);
        mentions::check(told, &spec, workflow, &steps);
        browser::check(told, task, &workflows.workflows, &steps);
        sign_in::check(told, task, workflow, &steps);
    }
}

/// A refusal as a problem of a file.
pub(super) fn problem_of(files: &Files, file: File, refusal: Refusal) -> Problem {
    let Refusal { line, column, problem } = refusal;
    Problem { file: name_of(files, file), line, column, severity: Severity::Error, problem }
}

fn name_of(files: &Files, file: File) -> String {
    let name = match file {
        File::Task => TASK,
        File::Spec => SPEC,
        File::Workflows => WORKFLOWS,
    };
    format!("{}/{name}", files.folder)
}

/// What was found so far.
struct Complaints<'a> {
    files: &'a Files,
    found: Vec<(File, Problem)>,
}

impl Complaints<'_> {
    fn error(&mut self, file: File, place: (u64, u64), problem: impl AsRef<str>) {
        self.tell(Severity::Error, file, place, problem.as_ref());
    }

    fn warning(&mut self, file: File, place: (u64, u64), problem: impl AsRef<str>) {
        self.tell(Severity::Warning, file, place, problem.as_ref());
    }

    /// An error inside of a text of `workflows.yaml`, after so many characters.
    fn error_in(&mut self, text: &Text, at: usize, problem: impl AsRef<str>) {
        let place = place_in(&self.files.workflows, text, at);
        self.error(File::Workflows, place, problem);
    }

    fn tell(&mut self, severity: Severity, file: File, (line, column): (u64, u64), problem: &str) {
        let name = name_of(self.files, file);
        let problem = Problem { file: name, line, column, severity, problem: yaml::readable(problem) };
        self.found.push((file, problem));
    }
}

/// The specification, ready to be searched.
struct Spec {
    /// Without formatting.
    plain: String,
    lower: String,
}

impl Spec {
    fn of(files: &Files) -> Self {
        let plain = phrase::plain(&files.spec);
        Self { lower: plain.to_lowercase(), plain }
    }
}

/// A substep whose sentence can be taken apart.
struct Step<'a> {
    written: &'a WrittenSubstep,
    sentence: Text,
}

impl<'a> Step<'a> {
    /// All substeps of a workflow, or none if there is one that cannot be read.
    fn all(told: &mut Complaints<'_>, workflow: &'a WrittenWorkflow) -> Option<Vec<Self>> {
        let mut steps = Vec::new();
        for substep in &workflow.substeps {
            let sentence = WrittenSubstep::sentence(substep);
            match sentence::parts(&sentence.value) {
                Ok(_) => steps.push(Self { written: &substep.value, sentence }),
                Err(fault) => told.error_in(&sentence, fault.at, fault.problem),
            }
        }
        (steps.len() == workflow.substeps.len()).then_some(steps)
    }

    fn parts(&self) -> Vec<Part<'_>> {
        sentence::parts(&self.sentence.value).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
