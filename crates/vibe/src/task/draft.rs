//! A first draft of a task by a language model: the specification and the workflows. What it writes is checked like what people write,
//! and what the check finds goes back to it.

use super::file::{self, SubstepEntry, TaskFile, WorkflowEntry, WorkflowsFile};
use super::{Access, Difficulty, Domain, Expectation, FORMAT, Files, Kind, Service, Split, WORKFLOWS};
use crate::answer;
use benchwright_domain::yaml::Problem;
use benchwright_llm::{Answer, Part, Question, Schema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// The guide that people follow as well.
const GUIDE: &str = include_str!("../../../../corpus/tasks/README.md");
/// Room for 23 workflows and for thinking about them.
const MAX_TOKENS: u32 = 60_000;
/// Problems that are passed on: the rest is often the same mistake again.
const MAX_PROBLEMS: usize = 40;

/// What is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wish {
    /// The app in a few words or sentences.
    pub idea: String,
    /// For whom somebody would build it; the model's choice when absent.
    pub domain: Option<Domain>,
    /// How hard it should be; the model's choice when absent.
    pub difficulty: Option<Difficulty>,
    /// Which results it will count for.
    pub split: Split,
}

/// A draft as a model answers with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Draft {
    /// Kebab-case name of the task.
    id: String,
    title: String,
    domain: Domain,
    difficulty: Difficulty,
    /// Outside services; empty for most.
    services: Vec<Service>,
    /// Who must sign in.
    access: Access,
    /// Markdown, 100 to 800 words, as the person who wants the app would write it.
    spec: String,
    /// 6 to 23 of them.
    workflows: Vec<DraftedWorkflow>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DraftedWorkflow {
    /// Kebab-case name.
    id: String,
    title: String,
    purpose: String,
    kind: Kind,
    /// Values that the tester brings along.
    variables: Vec<Named>,
    /// Texts that are neither in the spec nor typed, each with the reason why they must be so.
    explained: Vec<Named>,
    substeps: Vec<DraftedSubstep>,
}

/// A name with its template, or a text with its reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Named {
    name: String,
    value: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DraftedSubstep {
    /// The sentence.
    r#do: String,
    /// What must hold afterwards, for machines.
    expect: Vec<Expectation>,
    critical: bool,
}

/// What became of an earlier draft.
#[derive(Debug, Clone)]
pub struct Earlier<'a> {
    /// What the model answered.
    pub answer: &'a str,
    /// What is wrong with it.
    pub complaints: &'a [String],
}

/// The question to a model. `round` is which attempt this is, from 0 on.
pub fn question(wish: &Wish, earlier: Option<&Earlier<'_>>, round: u32) -> Question {
    let mut parts = vec![Part::Text(wanted(wish))];
    if let Some(Earlier { answer, complaints }) = earlier {
        let mut text = format!("Your last draft was:\n\n{answer}\n\nThe check found:\n");
        for complaint in complaints.iter().take(MAX_PROBLEMS) {
            let _ = writeln!(text, "- {complaint}");
        }
        text.push_str("\nAnswer with the whole draft again, mended.");
        parts.push(Part::Text(text));
    }
    Question {
        system: system(),
        parts,
        schema: Schema { name: "draft".to_owned(), schema: schemars::schema_for!(Draft).to_value() },
        max_tokens: MAX_TOKENS,
        seed: 0,
        repeat: round,
    }
}

fn system() -> String {
    format!(
        "You write tasks for a benchmark of models that build web apps: a specification as a non-technical person would write it, \
         and the workflows by which a tester tries the app that somebody built from it. Follow the guide to the letter; a program checks \
         your draft against it. Answer with one JSON object that fits the schema and nothing else: no format, version or canary, those are \
         added. Write {} to {} workflows that together cover the specification, core, edge and regression ones.\n\nThe guide:\n\n{GUIDE}",
        WORKFLOWS.start(),
        WORKFLOWS.end(),
    )
}

fn wanted(wish: &Wish) -> String {
    let mut text = format!("Draft a task from this idea:\n\n{}\n", wish.idea.trim());
    if let Some(domain) = wish.domain {
        let _ = write!(text, "\nDomain: {}.", domain.name());
    }
    if let Some(difficulty) = wish.difficulty {
        let _ = write!(text, "\nDifficulty: {}.", difficulty.name());
    }
    text
}

/// Reads an answer, or says why it is none.
pub fn read(answer: &Answer) -> Result<Draft, String> {
    answer::object(answer)
}

impl Draft {
    /// The id, in a form that can be the name of a folder.
    pub fn id(&self) -> String {
        file::kebab(&self.id).chars().take(60).collect()
    }

    /// The files. `seed` is anything that nobody can guess: the canary follows from it.
    pub fn files(&self, wish: &Wish, seed: &str) -> Result<Files, String> {
        let (id, canary) = (self.id(), file::canary(seed));
        let head = TaskFile {
            format: FORMAT,
            id: id.clone(),
            version: 1,
            title: self.title.trim().to_owned(),
            domain: wish.domain.unwrap_or(self.domain),
            difficulty: wish.difficulty.unwrap_or(self.difficulty),
            services: self.services.clone(),
            split: wish.split,
            access: self.access,
            canary: canary.clone(),
            origin: None,
        };
        let workflows = self.workflows.iter().map(entry).collect();
        file::files(&head, &self.spec, &WorkflowsFile { format: FORMAT, task: id, canary, workflows })
    }
}

fn entry(drafted: &DraftedWorkflow) -> WorkflowEntry {
    let named = |list: &[Named]| list.iter().map(|it| (it.name.clone(), it.value.clone())).collect();
    WorkflowEntry {
        id: drafted.id.clone(),
        title: drafted.title.trim().to_owned(),
        purpose: drafted.purpose.trim().to_owned(),
        kind: drafted.kind,
        variables: named(&drafted.variables),
        explained: named(&drafted.explained),
        substeps: drafted
            .substeps
            .iter()
            .map(|it| SubstepEntry::new(it.r#do.trim(), &it.expect, it.critical))
            .collect(),
    }
}

/// Problems as they are told to the model: with the text they are about, because it never saw the files.
pub fn complaints(files: &Files, problems: &[Problem]) -> Vec<String> {
    problems
        .iter()
        .map(|problem| {
            let text = [("workflows.yaml", &files.workflows), ("task.yaml", &files.task), ("spec.md", &files.spec)]
                .into_iter()
                .find(|(name, _)| problem.file.ends_with(name))
                .and_then(|(_, text)| text.lines().nth((problem.line as usize).saturating_sub(1)));
            format!("{} (at `{}`)", problem.problem, text.unwrap_or_default().trim())
        })
        .collect()
}

#[cfg(test)]
mod tests;
