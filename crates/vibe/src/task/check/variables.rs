//! Values that the tester brings along: declared, used, new in every run, and of one workflow only.

use super::super::phrase::is_words_joined_by;
use super::super::sentence::{self, Piece};
use super::super::values::Template;
use super::super::written::{WrittenSubstep, WrittenWorkflow};
use super::{Complaints, File, Step};
use benchwright_domain::yaml::{Text, place};
use std::collections::{BTreeMap, BTreeSet};

const MOST: usize = 20;
/// Domains at which nobody has a mailbox.
const NOBODYS: [&str; 4] = ["@example.com", "@example.org", "@example.net", ".test"];

pub(super) fn check(told: &mut Complaints<'_>, workflow: &WrittenWorkflow, steps: &[Step<'_>]) {
    if workflow.variables.len() > MOST {
        let problem = format!("a workflow has at most {MOST} variables; this one has {}", workflow.variables.len());
        told.error(File::Workflows, workflow.place(), problem);
    }
    let used = uses(told, workflow, steps);
    for (name, text) in &workflow.variables {
        check_variable(told, name, text);
        if !used.contains(name.as_str()) {
            told.error(File::Workflows, place(text), format!("no substep uses `{{{name}}}`; remove the variable"));
        }
    }
}

fn check_variable(told: &mut Complaints<'_>, name: &str, text: &Text) {
    if !is_words_joined_by(name, '_') {
        let problem = format!("`{name}` must be snake_case: lower-case letters and digits, words joined by `_`");
        told.error(File::Workflows, place(text), problem);
    }
    match Template::parse(&text.value) {
        Err(fault) => told.error_in(text, fault.at, fault.problem),
        Ok(template) if !template.is_unique() && !template.is_date() => {
            let problem = "this value is the same in every run; add {unique} or {digits}";
            told.error(File::Workflows, place(text), problem);
        }
        Ok(_) if text.value.contains('@') && !NOBODYS.iter().any(|domain| text.value.ends_with(domain)) => {
            let problem = "this address may belong to somebody; end it with @example.com";
            told.error(File::Workflows, place(text), problem);
        }
        Ok(_) => {}
    }
}

/// The names of the variables that substeps use.
fn uses(told: &mut Complaints<'_>, workflow: &WrittenWorkflow, steps: &[Step<'_>]) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    let mut use_one = |told: &mut Complaints<'_>, text: &Text, at: usize, name: &str| {
        used.insert(name.to_owned());
        if !workflow.variables.contains_key(name) {
            let problem = format!("`{{{name}}}` is not among the variables of this workflow; declare it");
            told.error_in(text, at, problem);
        }
    };
    for step in steps {
        for part in step.parts() {
            match part.piece {
                Piece::Variable(name) => use_one(told, &step.sentence, part.at, name),
                Piece::Quoted(quoted) => {
                    for (at, name) in sentence::variables(quoted) {
                        use_one(told, &step.sentence, part.at + 1 + at, name);
                    }
                }
                Piece::Words(_) => {}
            }
        }
        for text in step.written.expect().iter().flat_map(|expected| expected.texts()) {
            for (at, name) in sentence::variables(&text.value) {
                use_one(told, text, at, name);
            }
        }
    }
    used
}

/// Tells values that two workflows have in common. Dates and bare numbers belong to nobody.
pub(super) fn check_sharing(told: &mut Complaints<'_>, workflows: &[WrittenWorkflow]) {
    let mut owners: BTreeMap<String, &str> = BTreeMap::new();
    for workflow in workflows {
        let templates = workflow.variables.values().filter(|text| !is_date(text)).map(|text| (&text.value, text));
        let typed = typed(workflow);
        let explained = workflow.explained.iter().filter(|(value, _)| typed.contains(*value));
        for (value, text) in templates.chain(explained) {
            match owners.get(&value.to_lowercase()) {
                Some(owner) if *owner != workflow.id.value => {
                    let problem = format!("the workflow `{owner}` has the same value; give each its own");
                    told.error(File::Workflows, place(text), problem);
                }
                _ => {
                    owners.insert(value.to_lowercase(), &workflow.id.value);
                }
            }
        }
    }
}

/// The texts with letters that the substeps of a workflow type.
fn typed(workflow: &WrittenWorkflow) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for substep in &workflow.substeps {
        let sentence = WrittenSubstep::sentence(substep).value;
        let parts = sentence::parts(&sentence).unwrap_or_default();
        for (position, part) in parts.iter().enumerate() {
            if let Piece::Quoted(text) = part.piece
                && sentence::is_typed(&parts, position)
                && text.chars().any(char::is_alphabetic)
            {
                found.insert(text.to_owned());
            }
        }
    }
    found
}

fn is_date(text: &Text) -> bool {
    Template::parse(&text.value).is_ok_and(|template| template.is_date())
}
