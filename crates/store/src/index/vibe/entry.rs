//! An evaluation as the index takes it in, checked: what is in a run folder may have been written by anybody.

use benchwright_domain::vibe::Evaluation;
use benchwright_domain::vibe::evaluation::EVALUATION_FORMAT;
use benchwright_domain::vibe::verdict::WorkflowVerdict;
use serde::Deserialize as _;
use serde_json::Value;

const LONGEST_NAME: usize = 200;
const LONGEST_TEXT: usize = 1000;
const MOST_WORKFLOWS: usize = 200;
const MOST_SUBSTEPS: usize = 200;
pub(super) const MOST_OPINIONS: usize = 20;
const MOST_SETTINGS: usize = 100;

/// The evaluation in a `run.json`; none in that of another track.
pub fn evaluation_in(run_json: &Value) -> Result<Option<Evaluation>, String> {
    let found = run_json.get("evaluation").unwrap_or(run_json);
    if found.get("evaluator").is_none() || found.get("workflows").is_none() {
        return Ok(None);
    }
    let format = found.get("format").and_then(Value::as_u64).unwrap_or_default();
    if format > u64::from(EVALUATION_FORMAT) {
        return Err(format!("its evaluation was written by a newer Benchwright (format {format}); update Benchwright"));
    }
    Evaluation::deserialize(found).map(Some).map_err(|error| format!("its evaluation cannot be read: {error}"))
}

/// Refuses what would spoil a table, and names that are keys.
pub(in crate::index) fn check(evaluation: &Evaluation) -> Result<(), String> {
    let or_refuse = |good: bool, what: &str| if good { Ok(()) } else { Err(format!("its {what} cannot be right")) };
    let is_amount = |value: f64| value.is_finite() && value >= 0.0;
    let (app, evaluator) = (&evaluation.app, &evaluation.evaluator);
    let names = [&app.model, &evaluation.task.id, &evaluator.walker, &evaluator.judge];
    or_refuse(names.iter().all(|name| !name.is_empty() && name.len() <= LONGEST_NAME), "names")?;
    or_refuse(evaluation.workflows.len() <= MOST_WORKFLOWS, "number of workflows")?;
    or_refuse(evaluation.task.workflow_substeps.len() <= MOST_WORKFLOWS, "task")?;
    let opinions = || evaluation.workflows.iter().flat_map(|workflow| &workflow.others);
    or_refuse(evaluation.workflows.iter().all(|workflow| workflow.others.len() <= MOST_OPINIONS), "second opinions")?;
    let own = evaluation.workflows.iter().map(|workflow| &workflow.verdict);
    or_refuse(own.chain(opinions().map(|opinion| &opinion.verdict)).all(is_sound), "verdicts")?;
    let described = app.described.as_ref();
    or_refuse(described.is_none_or(|model| model.id == app.model && model.check().is_ok()), "model")?;
    or_refuse(evaluator.settings.len() + app.variant.len() <= MOST_SETTINGS, "settings")?;
    let generation = evaluation.generation.as_ref();
    let amounts =
        [generation.and_then(|it| it.cost_usd), generation.and_then(|it| it.seconds), Some(evaluation.seconds)];
    or_refuse(amounts.into_iter().flatten().all(is_amount), "cost or duration")?;
    let composite = evaluation.scored.as_ref().map(|scored| scored.composite);
    or_refuse(composite.is_none_or(|it| (0.0..=100.0).contains(&it)), "composite")
}

pub(super) fn is_sound(verdict: &WorkflowVerdict) -> bool {
    let cost = verdict.evaluation_usd.is_none_or(|usd| usd.is_finite() && usd >= 0.0);
    let name = !verdict.workflow.is_empty() && verdict.workflow.len() <= LONGEST_NAME;
    name && cost && verdict.substeps.len() <= MOST_SUBSTEPS && verdict.check(verdict.substeps.len()).is_ok()
}

/// Without what only the page of the run shows: sentences, evidence, and where things are kept.
pub(in crate::index) fn slim(mut evaluation: Evaluation) -> Evaluation {
    for workflow in &mut evaluation.workflows {
        workflow.others.iter_mut().for_each(|opinion| bare(&mut opinion.verdict));
        bare(&mut workflow.verdict);
        shorten(&mut workflow.title);
    }
    evaluation.held.clear();
    let settings = evaluation.evaluator.settings.values_mut().chain(evaluation.app.variant.values_mut());
    let texts = settings.chain([&mut evaluation.task_title, &mut evaluation.start_note]);
    texts.chain(&mut evaluation.app.url).for_each(shorten);
    if let Some(model) = &mut evaluation.app.described {
        let words = [&mut model.name, &mut model.endpoint, &mut model.reasoning_effort].into_iter().flatten();
        words.chain([&mut model.provider]).for_each(shorten);
    }
    evaluation
}

fn bare(verdict: &mut WorkflowVerdict) {
    for substep in &mut verdict.substeps {
        substep.reason.clear();
        substep.evidence.clear();
    }
}

fn shorten(text: &mut String) {
    if let Some((end, _)) = text.char_indices().nth(LONGEST_TEXT) {
        text.truncate(end);
    }
}
