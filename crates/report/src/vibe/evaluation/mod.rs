//! One evaluation of one app: what share of its workflows passes, and for every substep what was done, seen and said.

mod csv;
mod html;
mod markdown;
mod terminal;

pub use csv::render as csv;
pub use html::{body, render as html};
pub use markdown::render as markdown;
pub use terminal::render as terminal;

use super::words;
use crate::{number, text};
use benchwright_domain::vibe::Evaluation;
use benchwright_domain::vibe::verdict::WorkflowVerdict;

/// What the workflows come to.
struct Tally {
    all: usize,
    passed: usize,
    strict: usize,
    evaluator_failures: usize,
    suspected: usize,
    undecided: usize,
    has_critical: bool,
}

impl Tally {
    fn of(evaluation: &Evaluation) -> Self {
        let verdicts = || evaluation.workflows.iter().map(|workflow| &workflow.verdict);
        // An app that was never reached passed nothing, whatever its verdicts say.
        let passing = |passes: fn(&WorkflowVerdict) -> bool| {
            if evaluation.started { verdicts().filter(|verdict| passes(verdict)).count() } else { 0 }
        };
        let substeps = || verdicts().flat_map(|verdict| &verdict.substeps);
        let failed = || verdicts().filter(|verdict| !verdict.passes());
        Self {
            all: evaluation.workflows.len(),
            passed: passing(WorkflowVerdict::passes),
            strict: passing(WorkflowVerdict::passes_strictly),
            evaluator_failures: verdicts().filter(|verdict| verdict.state.is_evaluator_failure()).count(),
            suspected: failed().filter(|verdict| verdict.substeps.iter().any(|it| it.walker_suspected)).count(),
            undecided: substeps().filter(|it| it.mark == benchwright_domain::vibe::Mark::Undecided).count(),
            has_critical: substeps().any(|substep| substep.critical),
        }
    }

    fn share(&self, passed: usize) -> String {
        if self.all == 0 { "–".to_owned() } else { number::percent(passed as f64 / self.all as f64) }
    }
}

fn headline(evaluation: &Evaluation, tally: &Tally) -> String {
    if !evaluation.started {
        return "The app could not be reached, so every workflow fails.".to_owned();
    }
    match (tally.passed, tally.all) {
        (_, 0) => "The task has no workflows, so there is nothing to say.".to_owned(),
        (passed, all) if passed == all => format!("All {all} workflows pass."),
        (0, all) => format!("None of {all} workflows passes."),
        (passed, all) => format!("{passed} of {all} workflows pass: at least nine of ten substeps of each."),
    }
}

/// What a reader should know before trusting the number.
fn cautions(evaluation: &Evaluation, tally: &Tally) -> Vec<String> {
    let plural = |count: usize, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
    let mut cautions = Vec::new();
    if !evaluation.start_note.is_empty() {
        cautions.push(text::line(&evaluation.start_note));
    }
    if tally.evaluator_failures > 0 {
        let workflows = plural(tally.evaluator_failures, "workflow", "workflows");
        cautions
            .push(format!("{workflows} failed because the evaluator gave no answer in time; they count as failed."));
    }
    if tally.suspected > 0 {
        let workflows = plural(tally.suspected, "failed workflow", "failed workflows");
        cautions.push(format!("In {workflows} the walker and not the app may be at fault."));
    }
    if tally.undecided > 0 {
        let substeps = plural(tally.undecided, "substep", "substeps");
        cautions.push(format!("{substeps} could not be decided by this judge; undecided counts as failed."));
    }
    cautions
}

/// What was tried, on what, by whom.
fn facts(evaluation: &Evaluation) -> Vec<(&'static str, String)> {
    let app = &evaluation.app;
    let variant = app.variant.iter().map(|(name, value)| format!("{name}: {value}")).collect::<Vec<_>>().join(", ");
    [
        ("Built by", Some(app.model.clone())),
        ("Settings", Some(variant).filter(|variant| !variant.is_empty())),
        ("App", (app.run > 0).then(|| format!("number {}", app.run + 1))),
        ("Evaluation", (app.evaluation > 0).then(|| format!("number {}", app.evaluation + 1))),
        ("Address", app.url.clone()),
        ("Evaluator", Some(evaluation.evaluator.name())),
        ("Split", Some(split(evaluation).to_owned())),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name, text::line_within(&value?, 160))))
    .collect()
}

fn split(evaluation: &Evaluation) -> &'static str {
    match evaluation.task.split {
        benchwright_domain::vibe::Split::Test => "test",
        benchwright_domain::vibe::Split::Validation => "validation",
    }
}

pub(super) fn title(evaluation: &Evaluation) -> String {
    let names = [&evaluation.task_title, &evaluation.task.id].map(|name| text::line_within(name, 120));
    names.into_iter().find(|name| !name.is_empty()).unwrap_or_else(|| "A task without a name".to_owned())
}

/// What building the app took; what nobody knows is absent.
fn generation(evaluation: &Evaluation) -> Vec<(&'static str, String)> {
    let Some(generation) = &evaluation.generation else { return Vec::new() };
    [
        ("Cost", Some(generation.cost_usd.map_or_else(|| "not known".to_owned(), number::dollars))),
        ("Time", generation.seconds.map(number::seconds)),
        ("Turns", generation.turns.map(|turns| turns.to_string())),
        ("Tokens", generation.tokens.map(|tokens| tokens.total().to_string())),
        ("Tool calls", generation.calls.as_ref().map(|calls| calls.values().sum::<u64>().to_string())),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name, value?)))
    .collect()
}

fn provenance(evaluation: &Evaluation) -> Vec<(String, String)> {
    let line = |words: &str| text::line_within(words, 160);
    let mut rows = vec![
        ("Begun".to_owned(), line(&evaluation.started_at)),
        ("Took".to_owned(), number::seconds(evaluation.seconds)),
        ("Benchwright".to_owned(), line(&evaluation.benchwright)),
        ("Task".to_owned(), line(&evaluation.task.id)),
        ("Hash of the task".to_owned(), line(&evaluation.task_hash)),
        ("Deployed by".to_owned(), line(&evaluation.app.backend)),
    ];
    rows.extend(evaluation.held.iter().map(|(name, held)| (format!("Limit of {}", line(name)), line(held))));
    rows.extend(evaluation.app.bundle.as_deref().map(|hash| ("Hash of the bundle".to_owned(), line(hash))));
    rows.push(("Walker".to_owned(), line(&evaluation.evaluator.walker)));
    rows.push(("Judge".to_owned(), line(&evaluation.evaluator.judge)));
    let settings = evaluation.evaluator.settings.iter();
    rows.extend(settings.map(|(name, value)| (number::fact(name, &serde_json::Value::Null).0, line(value))));
    rows
}

/// Words for the failure of a workflow; nothing for one that passed.
fn failure(verdict: &WorkflowVerdict) -> &'static str {
    verdict.failure().map_or("", words::category)
}
