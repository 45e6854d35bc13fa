//! Accuracy by groups of tasks, and which tasks are in which tier.

use super::sheet::{Cell, Sheet};
use benchwright_domain::vibe::Written;
use benchwright_domain::vibe::analysis::SplitAnalysis;
use benchwright_domain::vibe::analysis::breakdown::Breakdown;

pub fn sheets(split: &SplitAnalysis) -> Vec<Sheet> {
    let tables = [
        (
            "by-difficulty",
            "By how hard tasks proved",
            "Tiers are made from the very results they break down; their borders are in the next table.",
            &split.by_difficulty,
        ),
        (
            "by-judged-difficulty",
            "By how hard tasks were thought to be",
            "Judged before any model tried them.",
            &split.by_judged_difficulty,
        ),
        ("by-integration", "By outside services", "What services an app must use.", &split.by_integration),
        (
            "by-domain",
            "By who would want the app",
            "Somebody for themselves, somebody who starts a business, a business.",
            &split.by_domain,
        ),
        (
            "by-written",
            "By when tasks were written",
            "The resolver that walks without a model was tuned on tasks written before; those written afterwards it had never seen.",
            &split.by_written,
        ),
    ];
    let mut sheets: Vec<Sheet> = tables
        .into_iter()
        .filter(|(name, .., table)| !table.groups.is_empty() && (*name != "by-written" || tells_apart(table)))
        .map(|(name, title, about, table)| breakdown(name, title, about, table))
        .collect();
    sheets.insert(sheets.len().min(1), tiers(split));
    sheets
}

/// Whether there is anything to tell apart: most packs have no task that was written afterwards.
fn tells_apart(table: &Breakdown) -> bool {
    table.groups.iter().any(|group| group.name == Written::Afterwards.name())
}

fn breakdown(name: &str, title: &'static str, about: &str, table: &Breakdown) -> Sheet {
    let mut sheet = Sheet::new(name, title, about, &[("model", "Model")]);
    for group in &table.groups {
        let tasks = if group.tasks == 1 { "task" } else { "tasks" };
        sheet.column(&group.name, &format!("{} ({} {tasks})", group.name, group.tasks));
        sheet.column(&format!("{}_standard_error", group.name), "± SE");
    }
    for row in &table.rows {
        let scores = row.cells.iter().flat_map(|cell| {
            [Cell::percent(cell.map(|score| score.mean)), Cell::percent(cell.and_then(|score| score.standard_error))]
        });
        sheet.row([Cell::words(&row.model)].into_iter().chain(scores).collect());
    }
    let averages = table.average.iter().flat_map(|mean| [Cell::percent(*mean), Cell::Unknown]);
    sheet.row([Cell::words("Mean over models")].into_iter().chain(averages).collect());
    sheet
}

fn tiers(split: &SplitAnalysis) -> Sheet {
    let columns = [
        ("tier", "Tier"),
        ("task", "Task"),
        ("pass_rate", "Mean pass rate"),
        ("judged_difficulty", "Judged beforehand"),
    ];
    let about = "Tasks sorted by their mean pass rate over all models.";
    let mut sheet = Sheet::new("tiers", "Which tasks are in which tier", about, &columns);
    for tier in &split.tiers {
        for task in &tier.tasks {
            sheet.row(vec![
                Cell::words(tier.difficulty.name()),
                Cell::words(&task.task),
                Cell::percent(task.pass_rate),
                task.judged_difficulty.map_or(Cell::Unknown, |judged| Cell::words(judged.name())),
            ]);
        }
    }
    sheet
}
