//! Accuracy by groups of tasks.

use super::scores::{AppScore, Score, average};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A table: models by groups of tasks.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Breakdown {
    /// The groups that have tasks.
    pub groups: Vec<Group>,
    /// One row per model, in the order of the standings.
    pub rows: Vec<BreakdownRow>,
    /// The unweighted mean over models, for each group.
    pub average: Vec<Option<f64>>,
}

/// A group of tasks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// How many tasks of it have results.
    pub tasks: usize,
}

/// One model in a breakdown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BreakdownRow {
    /// The model.
    pub model: String,
    /// Its score in each group; absent where it has no app.
    pub cells: Vec<Option<Score>>,
}

/// Breaks scores down. `group_of` gives the index of an app's group in `groups`.
pub fn breakdown(
    scores: &[AppScore],
    models: &[&str],
    groups: &[&str],
    group_of: &dyn Fn(&AppScore) -> Option<usize>,
) -> Breakdown {
    let placed: Vec<(&AppScore, usize)> = scores
        .iter()
        .filter_map(|score| Some((score, group_of(score)?)))
        .filter(|(_, at)| *at < groups.len())
        .collect();
    let tasks_of = |at: usize| -> BTreeSet<&str> {
        placed.iter().filter(|(_, group)| *group == at).map(|(score, _)| score.task.as_str()).collect()
    };
    let used: Vec<(usize, usize)> =
        (0..groups.len()).map(|at| (at, tasks_of(at).len())).filter(|(_, tasks)| *tasks > 0).collect();
    let cell = |model: &str, at: usize| {
        let own = placed.iter().filter(|(score, group)| *group == at && score.model == model);
        Score::of(&own.map(|(score, _)| score.accuracy).collect::<Vec<_>>())
    };
    let rows: Vec<BreakdownRow> = models
        .iter()
        .map(|model| BreakdownRow {
            model: (*model).to_owned(),
            cells: used.iter().map(|(at, _)| cell(model, *at)).collect(),
        })
        .collect();
    let means = |column: usize| -> Vec<f64> { rows.iter().filter_map(|row| Some(row.cells[column]?.mean)).collect() };
    Breakdown {
        average: (0..used.len()).map(|column| average(&means(column))).collect(),
        groups: used.iter().map(|(at, tasks)| Group { name: groups[*at].to_owned(), tasks: *tasks }).collect(),
        rows,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_without_tasks_are_left_out_and_cells_without_apps_are_empty() {
        let scores = [
            AppScore::new("a", "t1", 0, 100.0),
            AppScore::new("a", "t2", 0, 50.0),
            AppScore::new("a", "t3", 0, 0.0),
            AppScore::new("b", "t1", 0, 20.0),
        ];
        let group_of = |score: &AppScore| if score.task == "t1" { Some(0) } else { Some(2) };
        let table = breakdown(&scores, &["a", "b"], &["x", "y", "z"], &group_of);
        let groups: Vec<_> = table.groups.iter().map(|group| (group.name.as_str(), group.tasks)).collect();
        assert_eq!(groups, [("x", 1), ("z", 2)]);
        assert_eq!(table.rows[0].cells[1].unwrap().mean, 25.0);
        assert_eq!(table.rows[1].cells[1], None);
        assert_eq!(table.average, [Some(60.0), Some(25.0)]);
    }
}
