//! Ids, sizes, numbers of things, the canary.

use super::super::phrase::{self, is_words_joined_by};
use super::super::written::{WrittenSubstep, WrittenTask, WrittenWorkflow, WrittenWorkflows};
use super::super::{FORMAT, Kind, Limits, WORKFLOWS};
use super::{Complaints, File};
use benchwright_domain::yaml::{Text, place};
use serde_saphyr::Spanned;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

const CANARY: &str = "benchwright-canary-";
const CANARY_DIGITS: usize = 32;
const TITLE: RangeInclusive<usize> = 3..=80;
const SUBSTEPS: RangeInclusive<usize> = 3..=30;
/// What a limit may be at most, as a multiple of the published one.
const MOST: u32 = 10;

/// What depends on whether we wrote the task.
struct Sizes {
    purpose: RangeInclusive<usize>,
    sentence: RangeInclusive<usize>,
    spec_words: RangeInclusive<usize>,
}

const OURS: Sizes = Sizes { purpose: 20..=400, sentence: 8..=400, spec_words: 100..=800 };
const IMPORTED: Sizes = Sizes { purpose: 1..=2_000, sentence: 1..=2_000, spec_words: 10..=10_000 };

pub(super) fn check(told: &mut Complaints<'_>, task: &WrittenTask, workflows: &WrittenWorkflows) {
    let sizes = if task.origin.is_some() { IMPORTED } else { OURS };
    for (file, format) in [(File::Task, &task.format), (File::Workflows, &workflows.format)] {
        if format.value != FORMAT {
            told.error(file, place(format), format!("this is format {}; write {FORMAT}", format.value));
        }
    }
    check_task(told, task);
    check_spec(told, &sizes);
    check_canary(told, task, workflows);
    if workflows.task.value != task.id.value {
        told.error(File::Workflows, place(&workflows.task), format!("the task is named `{}`", task.id.value));
    }
    if !WORKFLOWS.contains(&workflows.workflows.len()) {
        let (least, most) = (WORKFLOWS.start(), WORKFLOWS.end());
        let problem = format!("a task has {least} to {most} workflows; this one has {}", workflows.workflows.len());
        told.error(File::Workflows, place(&workflows.task), problem);
    }
    repetitions(told, workflows.workflows.iter().map(|workflow| &workflow.id), "id");
    repetitions(told, workflows.workflows.iter().map(|workflow| &workflow.title), "title");
    for workflow in &workflows.workflows {
        check_workflow(told, workflow, &sizes);
    }
    if task.origin.is_none() {
        check_kinds(told, workflows);
    }
}

fn check_task(told: &mut Complaints<'_>, task: &WrittenTask) {
    check_id(told, File::Task, &task.id);
    let folder = told.files.folder.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    if folder != task.id.value && !matches!(folder, "" | "." | "..") {
        let problem = format!("the id is `{}` but the folder is named `{folder}`", task.id.value);
        told.error(File::Task, place(&task.id), problem);
    }
    if task.version.value == 0 {
        told.error(File::Task, place(&task.version), "versions begin with 1");
    }
    check_length(told, File::Task, &task.title, "title", &TITLE);
    let mut services = BTreeSet::new();
    for again in task.services.iter().filter(|service| !services.insert(service.value)) {
        told.error(File::Task, place(again), "this service is named twice");
    }
    if let Some(limits) = task.limits.as_ref().filter(|limits| !are_sensible(limits.value)) {
        let problem = format!("each limit must be at least 1 and at most {MOST} times the published one");
        told.error(File::Task, place(limits), problem);
    }
}

fn are_sensible(limits: Limits) -> bool {
    let numbers = |limits: Limits| {
        [limits.agent_steps, limits.call_seconds, limits.step_seconds, limits.start_seconds, limits.app_seconds]
    };
    let published = numbers(Limits::default());
    numbers(limits).into_iter().zip(published).all(|(limit, published)| (1..=MOST * published).contains(&limit))
}

fn check_spec(told: &mut Complaints<'_>, sizes: &Sizes) {
    let words = phrase::words(&phrase::plain(&told.files.spec)).len();
    if !sizes.spec_words.contains(&words) {
        let (least, most) = (sizes.spec_words.start(), sizes.spec_words.end());
        told.error(File::Spec, (1, 1), format!("a specification has {least} to {most} words; this one has {words}"));
    }
}

fn check_canary(told: &mut Complaints<'_>, task: &WrittenTask, workflows: &WrittenWorkflows) {
    let canary = &task.canary;
    let digits = canary.value.strip_prefix(CANARY).unwrap_or_default();
    let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    if digits.len() != CANARY_DIGITS || !digits.bytes().all(is_hex) {
        let problem = format!("a canary is `{CANARY}` and {CANARY_DIGITS} random hexadecimal digits");
        told.error(File::Task, place(canary), problem);
        return;
    }
    if workflows.canary.value != canary.value {
        told.error(File::Workflows, place(&workflows.canary), "this is not the canary of task.yaml");
    }
    if !told.files.spec.contains(&canary.value) {
        let problem = format!("the canary is missing; add the line `<!-- {} -->`", canary.value);
        told.error(File::Spec, (1, 1), problem);
    } else if phrase::without_comments(&told.files.spec).contains(&canary.value) {
        told.error(File::Spec, (1, 1), "the canary stands outside of a comment, where models would see it");
    }
}

fn check_workflow(told: &mut Complaints<'_>, workflow: &WrittenWorkflow, sizes: &Sizes) {
    check_id(told, File::Workflows, &workflow.id);
    check_length(told, File::Workflows, &workflow.title, "title", &TITLE);
    check_length(told, File::Workflows, &workflow.purpose, "purpose", &sizes.purpose);
    if !SUBSTEPS.contains(&workflow.substeps.len()) {
        let (least, most) = (SUBSTEPS.start(), SUBSTEPS.end());
        let problem = format!("a workflow has {least} to {most} substeps; this one has {}", workflow.substeps.len());
        told.error(File::Workflows, workflow.place(), problem);
    }
    for substep in &workflow.substeps {
        check_length(told, File::Workflows, &WrittenSubstep::sentence(substep), "sentence", &sizes.sentence);
        check_expectations(told, substep);
    }
}

fn check_expectations(told: &mut Complaints<'_>, substep: &Spanned<WrittenSubstep>) {
    for expected in substep.value.expect() {
        let texts = expected.texts();
        let missing = expected.fewest_texts().saturating_sub(texts.len());
        if missing > 0 {
            told.error(File::Workflows, place(substep), "this expectation is about two texts or more; name them");
        }
        // A field may be expected to be empty; nothing else may.
        for text in texts.iter().take(expected.fewest_texts()).filter(|text| text.value.trim().is_empty()) {
            told.error(File::Workflows, place(*text), "this text is empty; fill it in");
        }
    }
}

fn check_kinds(told: &mut Complaints<'_>, workflows: &WrittenWorkflows) {
    for (kind, name) in [(Kind::Core, "core"), (Kind::Edge, "edge"), (Kind::Regression, "regression")] {
        if !workflows.workflows.iter().any(|workflow| workflow.kind == kind) {
            let problem = format!("no workflow is of the kind `{name}`");
            told.warning(File::Workflows, place(&workflows.task), problem);
        }
    }
    for workflow in &workflows.workflows {
        if !workflow.substeps.iter().any(|substep| substep.value.is_critical()) {
            told.warning(File::Workflows, workflow.place(), "no substep is marked `critical: true`");
        }
    }
}

fn check_id(told: &mut Complaints<'_>, file: File, id: &Text) {
    if !is_words_joined_by(&id.value, '-') {
        told.error(file, place(id), "an id must be kebab-case: lower-case letters and digits, words joined by `-`");
    }
}

fn check_length(told: &mut Complaints<'_>, file: File, text: &Text, what: &str, range: &RangeInclusive<usize>) {
    let length = text.value.trim().chars().count();
    if !range.contains(&length) {
        let problem = format!("a {what} has {} to {} characters; this one has {length}", range.start(), range.end());
        told.error(file, place(text), problem);
    }
}

fn repetitions<'a>(told: &mut Complaints<'_>, texts: impl Iterator<Item = &'a Text>, what: &str) {
    let mut seen = BTreeSet::new();
    for again in texts.filter(|text| !seen.insert(text.value.to_lowercase())) {
        let problem = format!("another workflow has the {what} `{}`; give each its own", again.value);
        told.error(File::Workflows, place(again), problem);
    }
}
