//! Where models stand, what they take, and which of them can be told apart.

use super::sheet::{Cell, Sheet};
use benchwright_domain::board::RankRange;
use benchwright_domain::vibe::analysis::SplitAnalysis;
use benchwright_domain::vibe::analysis::frontier::{Axis, Frontier};
use benchwright_domain::vibe::analysis::standing::Measured;

pub fn standings(split: &SplitAnalysis) -> Sheet {
    let about = "Accuracy is the mean over apps of the share of workflows that pass; SE = s/√n. A rank range holds every rank that comparisons \
                 with the others leave open. The strict reading also asks every critical substep to pass. Cost and time are those of building \
                 an app; what is not known of every app is not shown.";
    let mut sheet = Sheet::new(
        "standings",
        "Standings",
        about,
        &[
            ("rank_best", "Rank"),
            ("rank_worst", "to"),
            ("model", "Model"),
            ("open_weights", "Weights"),
            ("accuracy", "Accuracy"),
            ("standard_error", "± SE"),
            ("interval_low", "95 % from"),
            ("interval_high", "to"),
            ("clustered_standard_error", "Clustered SE"),
            ("strict_accuracy", "Strict"),
            ("apps", "Apps"),
            ("cost_usd", "Cost an app"),
            ("cost_known", "known of"),
            ("seconds", "Time an app"),
            ("tokens", "Tokens an app"),
            ("turns", "Turns an app"),
        ],
    );
    for row in &split.models {
        let interval = row.accuracy.interval;
        let rank = |pick: fn(RankRange) -> usize| row.rank.map_or(Cell::Unknown, |rank| Cell::size(pick(rank)));
        sheet.row(vec![
            rank(|rank| rank.best),
            rank(|rank| rank.worst),
            Cell::words(&row.name),
            Cell::words(if row.open_weights { "open" } else { "closed" }),
            Cell::percent(row.accuracy.mean),
            Cell::percent(row.accuracy.standard_error),
            Cell::percent(interval.map(|it| it.low)),
            Cell::percent(interval.map(|it| it.high)),
            Cell::percent(row.clustered_standard_error),
            Cell::percent(row.strict_accuracy.mean),
            Cell::size(row.accuracy.apps),
            Cell::dollars(row.cost_usd.complete()),
            known(&row.cost_usd),
            Cell::seconds(row.seconds.complete()),
            Cell::about(row.tokens.complete()),
            Cell::about(row.turns.complete()),
        ]);
    }
    // Nobody may have said of any of them whether its weights can be had.
    if !split.models.iter().any(|row| row.open_weights) {
        sheet.drop_column("open_weights");
    }
    sheet
}

fn known(measured: &Measured) -> Cell {
    Cell::words(format!("{} of {}", measured.known, measured.of))
}

pub fn frontier(plane: &Frontier) -> Sheet {
    let (name, title, label) = axis(plane.axis);
    let unknown = plane.unknown.iter().map(|model| crate::text::line_within(model, 80)).collect::<Vec<_>>().join(", ");
    let about = if unknown.is_empty() {
        "On the line: no other model is at least as good in both and better in one.".to_owned()
    } else {
        format!(
            "On the line: no other model is at least as good in both and better in one. Not known of every app of {unknown}."
        )
    };
    let columns = [("model", "Model"), ("takes", label), ("accuracy", "Accuracy"), ("on_the_line", "On the line")];
    let mut sheet = Sheet::new(name, title, about, &columns);
    for point in &plane.points {
        sheet.row(vec![
            Cell::words(&point.model),
            takes(plane.axis, point.takes),
            Cell::percent(point.accuracy),
            Cell::words(if point.on_the_line { "yes" } else { "no" }),
        ]);
    }
    sheet
}

pub fn axis(axis: Axis) -> (&'static str, &'static str, &'static str) {
    match axis {
        Axis::CostUsd => ("accuracy-cost", "Accuracy and cost", "Cost an app"),
        Axis::Seconds => ("accuracy-latency", "Accuracy and time", "Time an app"),
        Axis::Tokens => ("accuracy-tokens", "Accuracy and tokens", "Tokens an app"),
        Axis::Turns => ("accuracy-turns", "Accuracy and turns", "Turns an app"),
    }
}

pub fn takes(axis: Axis, value: f64) -> Cell {
    match axis {
        Axis::CostUsd => Cell::dollars(value),
        Axis::Seconds => Cell::seconds(value),
        Axis::Tokens | Axis::Turns => Cell::about(value),
    }
}

pub fn comparisons(split: &SplitAnalysis, plan: benchwright_domain::statistics::TestPlan) -> Sheet {
    let about = format!(
        "Task by task, first minus second, in percentage points; p after Holm’s correction over all pairs. The last two columns say what a \
         test with power {} at level {} could see: the smallest difference on so many tasks, and how many tasks it takes to see this one.",
        plan.power, plan.significance
    );
    let columns = [
        ("first", "Model"),
        ("second", "against"),
        ("tasks", "Tasks"),
        ("difference", "Difference"),
        ("interval_low", "95 % from"),
        ("interval_high", "to"),
        ("p", "p"),
        ("p_adjusted", "p, corrected"),
        ("smallest_detectable", "Smallest visible"),
        ("tasks_needed", "Tasks needed"),
    ];
    let mut sheet = Sheet::new("comparisons", "Every pair of models", about, &columns);
    for pair in &split.comparisons {
        let difference = &pair.difference;
        sheet.row(vec![
            Cell::words(&pair.first),
            Cell::words(&pair.second),
            Cell::size(difference.tasks),
            Cell::percent(difference.mean),
            Cell::percent(difference.interval.map(|it| it.low)),
            Cell::percent(difference.interval.map(|it| it.high)),
            Cell::chance(difference.p),
            Cell::chance(pair.p_adjusted),
            Cell::percent(pair.smallest_detectable),
            pair.tasks_needed.map_or(Cell::Unknown, Cell::size),
        ]);
    }
    sheet
}
