//! The evaluation as Markdown: the number, one row per workflow, and what failed in words.

use super::{Tally, cautions, facts, headline, title};
use crate::Blobs;
use crate::markdown::prose;
use crate::vibe::walk;
use crate::vibe::words::{self, look};
use benchwright_domain::vibe::Evaluation;
use benchwright_domain::vibe::evaluation::JudgedWorkflow;
use std::fmt::Write as _;

/// The evaluation as GitHub-flavoured Markdown.
pub fn render(evaluation: &Evaluation, blobs: &dyn Blobs) -> String {
    let tally = Tally::of(evaluation);
    let mut page = format!("## Benchwright vibe: {}\n\n", prose(&title(evaluation)));
    let _ = writeln!(page, "**{}** · {}\n", tally.share(tally.passed), prose(&headline(evaluation, &tally)));
    let mut told: Vec<String> =
        facts(evaluation).iter().map(|(name, value)| format!("{name}: {}", prose(value))).collect();
    if tally.has_critical {
        told.push(format!("Strict reading: {}", tally.share(tally.strict)));
    }
    if let Some(scored) = &evaluation.scored {
        told.push(format!("Composite of the score track: {}", crate::number::score(scored.composite)));
    }
    let _ = writeln!(page, "{}\n", told.join(" · "));
    for caution in cautions(evaluation, &tally) {
        let _ = writeln!(page, "- {}", prose(&caution));
    }
    page.push_str("\n| | Workflow | Substeps | | State | Failure |\n|:--|:--|--:|:--|:--|:--|\n");
    for judged in &evaluation.workflows {
        page.push_str(&row(judged));
    }
    let failed: Vec<String> = evaluation.workflows.iter().filter_map(|judged| reasons(judged, blobs)).collect();
    page + &failed.concat()
}

fn row(judged: &JudgedWorkflow) -> String {
    let verdict = &judged.verdict;
    let signs: String = verdict.substeps.iter().map(|substep| look(substep).sign).collect();
    format!(
        "| {} | {} | {} | {signs} | {} | {} |\n",
        walk::outcome(verdict).sign,
        prose(&judged.title),
        walk::counted(verdict),
        words::state(verdict.state),
        super::failure(verdict),
    )
}

/// What failed in a workflow that did not pass.
fn reasons(judged: &JudgedWorkflow, blobs: &dyn Blobs) -> Option<String> {
    let trace = walk::trace(judged, blobs);
    let failed: Vec<_> = judged.verdict.substeps.iter().filter(|substep| !substep.passed()).collect();
    if judged.verdict.passes() || failed.is_empty() {
        return None;
    }
    let mut part = format!("\n<details><summary>{}</summary>\n\n", prose(&judged.title));
    for substep in failed {
        let walked = trace.iter().flat_map(|trace| &trace.substeps).find(|step| step.number == substep.number);
        let sentence = walked.map(|step| prose(&step.text)).unwrap_or_default();
        let _ = writeln!(
            part,
            "- {} {}. {sentence} *{}* {}",
            look(substep).sign,
            substep.number,
            look(substep).words,
            prose(&substep.reason)
        );
    }
    Some(part + "\n</details>\n")
}
