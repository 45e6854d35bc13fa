//! One row per substep, for spreadsheets.

use crate::Blobs;
use crate::csv::{Table, words};
use crate::vibe::walk;
use crate::vibe::words as named;
use benchwright_domain::vibe::Evaluation;
use benchwright_domain::vibe::evaluation::JudgedWorkflow;

const HEAD: [&str; 20] = [
    "task",
    "model",
    "run",
    "evaluation",
    "evaluator",
    "workflow",
    "title",
    "kind",
    "state",
    "workflow_passes",
    "workflow_passes_strictly",
    "failure",
    "substep",
    "text",
    "mark",
    "critical",
    "not_attempted",
    "category",
    "walker_suspected",
    "reason",
];

/// The verdicts as CSV.
pub fn render(evaluation: &Evaluation, blobs: &dyn Blobs) -> String {
    let mut table = Table::new(&HEAD);
    for judged in &evaluation.workflows {
        rows(evaluation, judged, blobs, &mut table);
    }
    table.into_text()
}

fn rows(evaluation: &Evaluation, judged: &JudgedWorkflow, blobs: &dyn Blobs, table: &mut Table) {
    let (app, verdict) = (&evaluation.app, &judged.verdict);
    let trace = walk::trace(judged, blobs);
    let of_workflow = [
        words(&evaluation.task.id),
        words(&app.model),
        app.run.to_string(),
        app.evaluation.to_string(),
        words(&evaluation.evaluator.name()),
        words(&verdict.workflow),
        words(&judged.title),
        words(named::kind(verdict.kind)),
        words(named::state(verdict.state)),
        (evaluation.started && verdict.passes()).to_string(),
        (evaluation.started && verdict.passes_strictly()).to_string(),
        words(super::failure(verdict)),
    ];
    for substep in &verdict.substeps {
        let walked = trace.iter().flat_map(|trace| &trace.substeps).find(|step| step.number == substep.number);
        let mut row = of_workflow.to_vec();
        row.extend([
            substep.number.to_string(),
            words(walked.map_or("", |step| &step.text)),
            words(mark(substep.mark)),
            substep.critical.to_string(),
            substep.not_attempted.to_string(),
            words(substep.category.map_or("", named::category)),
            substep.walker_suspected.to_string(),
            words(&substep.reason),
        ]);
        table.row(&row);
    }
}

fn mark(mark: benchwright_domain::vibe::Mark) -> &'static str {
    match mark {
        benchwright_domain::vibe::Mark::Pass => "pass",
        benchwright_domain::vibe::Mark::Fail => "fail",
        benchwright_domain::vibe::Mark::Undecided => "undecided",
    }
}
