//! How app scores are spread, and why workflows failed.

use super::sheet::{Cell, Sheet};
use crate::text;
use crate::vibe::words;
use benchwright_domain::vibe::analysis::SplitAnalysis;
use benchwright_domain::vibe::analysis::distribution::{Share, Spread};
use benchwright_domain::vibe::analysis::failures::FailureTable;
use benchwright_domain::vibe::verdict::{FailureCategory, WorkflowState};

/// Everything about the spread: each model, then the ends of the field.
pub fn spreads(split: &SplitAnalysis) -> Vec<(String, &Spread)> {
    let distribution = &split.distribution;
    let name =
        |spread: &Spread| spread.models.iter().map(|it| text::line_within(it, 80)).collect::<Vec<_>>().join(", ");
    let mut spreads: Vec<(String, &Spread)> = distribution.models.iter().map(|it| (name(it), it)).collect();
    if distribution.top.models.len() < spreads.len() {
        spreads.push((format!("Best {}", distribution.top.models.len()), &distribution.top));
        spreads.push((format!("Last {}", distribution.bottom.models.len()), &distribution.bottom));
    }
    spreads
}

pub fn distribution(split: &SplitAnalysis) -> Sheet {
    let about = "How many apps have so much percent of their workflows passing, and how many pass nothing, pass everything, or did not start.";
    let mut sheet = Sheet::new("distribution", "How app scores are spread", about, &[("model", "Model")]);
    for tenth in 0..10 {
        let to = if tenth == 9 { 100 } else { 10 * (tenth + 1) };
        sheet.column(&format!("from_{}", 10 * tenth), &format!("{}–{to}", 10 * tenth));
    }
    for (key, label) in [("zero", "Zero"), ("perfect", "Perfect"), ("not_started", "Not started")] {
        sheet.column(key, label);
        sheet.column(&format!("{key}_percent"), "%");
    }
    for (name, spread) in spreads(split) {
        let mut row = vec![Cell::words(name)];
        row.extend(spread.histogram.iter().map(|apps| Cell::count(*apps)));
        for share in [&spread.zero, &spread.perfect, &spread.not_started] {
            row.extend([Cell::count(share.count), Cell::percent(share.percent)]);
        }
        sheet.row(row);
    }
    sheet
}

pub fn failures(split: &SplitAnalysis) -> Vec<Sheet> {
    let tables: Vec<&FailureTable> = std::iter::once(&split.failures.overall).chain(&split.failures.models).collect();
    vec![taxonomy(&tables), states(&tables)]
}

fn name(table: &FailureTable) -> Cell {
    Cell::words(table.model.as_deref().unwrap_or("All models"))
}

fn taxonomy(tables: &[&FailureTable]) -> Sheet {
    let about = "Failed workflows of apps that started, in percent, by the first substep that was tried and failed. The evaluator’s own \
                 failures are left out; the six shares make up 100.";
    let mut sheet =
        Sheet::new("failures", "Why workflows failed", about, &[("model", "Model"), ("workflows", "Failed")]);
    for category in FailureCategory::ALL {
        sheet.column(&words::category(category).replace(' ', "_"), words::category(category));
    }
    for table in tables {
        let of = table.categories.values().map(|share| share.of).max().unwrap_or_default();
        let shares = FailureCategory::ALL.iter().map(|category| percent(table.categories.get(category)));
        sheet.row([name(table), Cell::count(of)].into_iter().chain(shares).collect());
    }
    sheet
}

fn states(tables: &[&FailureTable]) -> Sheet {
    let about = "Workflows of apps that started, in percent, by how their walk ended; then what the evaluator itself is to blame for, and what \
                 it cost where that is known.";
    let mut sheet = Sheet::new("evaluator-failures", "How walks ended", about, &[("model", "Model")]);
    for state in WorkflowState::ALL {
        sheet.column(&words::state(state).replace(' ', "_"), words::state(state));
    }
    sheet.column("evaluator_failures_percent", "Evaluator’s failures");
    sheet.column("walker_suspected_percent", "Walker suspected");
    sheet.column("evaluation_usd_per_workflow", "Cost a workflow");
    sheet.column("evaluation_usd_known", "known of");
    for table in tables {
        let shares = WorkflowState::ALL.iter().map(|state| percent(table.states.get(state)));
        let mut row: Vec<Cell> = [name(table)].into_iter().chain(shares).collect();
        row.extend([
            percent(Some(&table.evaluator_failures)),
            percent(Some(&table.walker_suspected)),
            Cell::dollars(table.evaluation_usd_per_workflow),
            Cell::words(format!("{} of {}", table.evaluation_usd_known.count, table.evaluation_usd_known.of)),
        ]);
        sheet.row(row);
    }
    sheet
}

/// A category that nobody named has no share of anything; of some failures that is 0.
fn percent(share: Option<&Share>) -> Cell {
    share.map_or(Cell::percent(0.0), |share| Cell::percent(share.percent))
}
