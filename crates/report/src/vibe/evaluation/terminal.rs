//! The summary printed after an evaluation: a row of marks for every workflow.

use super::{Tally, cautions, headline, title};
use crate::terminal::Style;
use crate::text;
use crate::vibe::words::{self, Look};
use benchwright_domain::vibe::Evaluation;
use benchwright_domain::vibe::evaluation::JudgedWorkflow;
use std::fmt::Write as _;

const LONGEST_ID: usize = 44;

/// The evaluation as a table of workflows and substeps. Whatever the page wrote arrives without control characters.
pub fn render(evaluation: &Evaluation, style: Style) -> String {
    let tally = Tally::of(evaluation);
    let model = text::line_within(&evaluation.app.model, 60);
    let mut page =
        format!("{} · {} · {}\n\n", title(evaluation), model, text::line_within(&evaluation.evaluator.name(), 80));
    let width = evaluation.workflows.iter().map(|it| shown(it).chars().count()).max().unwrap_or_default();
    for workflow in &evaluation.workflows {
        let _ = writeln!(page, "{}", row(workflow, evaluation.started, width, style));
    }
    let _ = writeln!(page, "\n{} {} of workflows.", headline(evaluation, &tally), tally.share(tally.passed));
    if tally.has_critical && tally.strict != tally.passed {
        let _ = writeln!(page, "{} where every critical substep must pass.", tally.share(tally.strict));
    }
    for caution in cautions(evaluation, &tally) {
        let _ = writeln!(page, "! {caution}");
    }
    page
}

fn shown(workflow: &JudgedWorkflow) -> String {
    text::line_within(&workflow.verdict.workflow, LONGEST_ID)
}

fn row(workflow: &JudgedWorkflow, started: bool, width: usize, style: Style) -> String {
    let verdict = &workflow.verdict;
    let passes = started && verdict.passes();
    let marks: String = verdict.substeps.iter().map(|substep| mark(words::look(substep), style)).collect();
    let passed = verdict.substeps.iter().filter(|substep| substep.passed()).count();
    let word = inked(if passes { "passes" } else { "fails " }, if passes { "32" } else { "31" }, style);
    let failure = words::state(verdict.state);
    let why = if passes { String::new() } else { format!("  {failure}{}", category(workflow)) };
    format!("{:width$}  {word}  {passed:>2}/{:<2}  {marks}{why}", shown(workflow), verdict.substeps.len())
}

fn category(workflow: &JudgedWorkflow) -> String {
    workflow.verdict.failure().map(|failure| format!(", {}", words::category(failure))).unwrap_or_default()
}

fn mark(look: Look, style: Style) -> String {
    let code = match look.class {
        "pass" => "32",
        "fail" => "31",
        "undecided" => "33",
        _ => "2",
    };
    inked(look.sign, code, style)
}

fn inked(text: &str, code: &str, style: Style) -> String {
    if style.color { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
}
