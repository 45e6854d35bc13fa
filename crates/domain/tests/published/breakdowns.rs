//! Three breakdowns of the same results give the same accuracy, and their averages are the printed ones.

use crate::printed;
use crate::tables::{
    AVERAGE_DIFFICULTY, AVERAGE_DOMAIN, AVERAGE_INTEGRATION, DIFFICULTY_TASKS, DOMAIN_TASKS, INTEGRATION_TASKS, MODELS,
    OTHERWISE, Row, model,
};
use benchwright_domain::vibe::analysis::breakdown::breakdown;
use benchwright_domain::vibe::analysis::frontier::points;
use benchwright_domain::vibe::analysis::scores::{AppScore, Score};

/// The scores of all apps, each with the mean of its group: the means of groups are all the tables tell.
fn scores<const N: usize>(tasks: [usize; N], cells: fn(&Row) -> [f64; N]) -> Vec<(AppScore, usize)> {
    let groups: Vec<usize> = tasks.iter().enumerate().flat_map(|(group, count)| vec![group; *count]).collect();
    let of_model = |row: &'static Row| {
        let app = |(task, group): (usize, &usize)| {
            (AppScore::new(row.model, &format!("{task}"), 0, cells(row)[*group]), *group)
        };
        groups.iter().enumerate().map(app).collect::<Vec<_>>()
    };
    MODELS.iter().flat_map(of_model).collect()
}

/// The accuracy that a breakdown gives.
fn weighted(row: &Row, breakdown: &str) -> f64 {
    let other = OTHERWISE.iter().find(|(model, by, _)| *model == row.model && *by == breakdown);
    other.map_or(row.accuracy, |(.., accuracy)| *accuracy)
}

fn check<const N: usize>(by: &str, tasks: [usize; N], cells: fn(&Row) -> [f64; N], averages: [f64; N]) {
    let placed = scores(tasks, cells);
    let apps: Vec<AppScore> = placed.iter().map(|(score, _)| score.clone()).collect();
    for row in &MODELS {
        let own: Vec<f64> = apps.iter().filter(|app| app.model == row.model).map(|app| app.accuracy).collect();
        let score = Score::of(&own).unwrap();
        assert_eq!(score.apps, 50);
        printed(score.mean, weighted(row, by), 2);
    }
    let names: Vec<String> = (0..N).map(|group| group.to_string()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let models: Vec<&str> = MODELS.iter().map(|row| row.model).collect();
    let group_of = |app: &AppScore| placed.iter().find(|(score, _)| score.task == app.task).map(|(_, group)| *group);
    let table = breakdown(&apps, &models, &names, &group_of);
    for group in 0..N {
        assert_eq!(table.groups[group].tasks, tasks[group]);
        printed(table.average[group].unwrap(), averages[group], 2);
        for (row, model) in table.rows.iter().zip(&MODELS) {
            printed(row.cells[group].unwrap().mean, cells(model)[group], 2);
        }
    }
}

#[test]
fn difficulty() {
    check("difficulty", DIFFICULTY_TASKS, |row| row.difficulty, AVERAGE_DIFFICULTY);
}

#[test]
fn integration() {
    check("integration", INTEGRATION_TASKS, |row| row.integration, AVERAGE_INTEGRATION);
}

#[test]
fn domain() {
    check("domain", DOMAIN_TASKS, |row| row.domain, AVERAGE_DOMAIN);
}

#[test]
fn accuracies_printed_elsewhere() {
    let elsewhere = [
        ("GPT-5.3-Codex", 61.8),
        ("Claude Opus 4.6", 57.6),
        ("GPT-5.2", 53.5),
        ("GPT-5.2-Codex", 37.9),
        ("GLM-5", 23.4),
        ("Grok 4.1 Fast Reasoning", 1.2),
    ];
    for (name, accuracy) in elsewhere {
        printed(model(name).accuracy, accuracy, 1);
    }
    printed(model("Claude Opus 4.6").accuracy - model("MiniMax M2.5").accuracy, 42.7, 1);
}

#[test]
fn what_is_said_of_open_weights_and_where_it_errs() {
    let open: Vec<&Row> = MODELS.iter().filter(|row| row.open).collect();
    assert_eq!(open.len(), 5);
    assert!(open.iter().all(|row| row.difficulty[2] <= 2.50));
    assert!(open.iter().all(|row| row.integration[3] < 8.0));
    // "Five drop below 13 % on enterprise apps": four do.
    let below: Vec<_> = open.iter().filter(|row| row.domain[2] >= 13.0).map(|row| (row.model, row.domain[2])).collect();
    assert_eq!(below, [("Kimi-K2.5 Thinking", 13.24)]);
}

#[test]
fn the_pareto_line_of_cost() {
    let line: Vec<String> = points(MODELS.iter().map(|row| (row.model.to_owned(), row.cost_usd, row.accuracy)))
        .into_iter()
        .filter(|point| point.on_the_line)
        .map(|point| point.model)
        .collect();
    let expected = [
        "Grok 4.1 Fast Reasoning",
        "GPT-5 Mini",
        "Kimi-K2.5 Thinking",
        "Gemini 3 Flash",
        "Gemini 3.1 Pro",
        "GPT-5.2-Codex",
        "Claude Sonnet 4.6",
        "Claude Opus 4.6 Thinking",
        "Claude Opus 4.6",
        "GPT-5.3-Codex",
    ];
    assert_eq!(line, expected);
}

#[test]
fn the_pareto_line_of_latency() {
    let line: Vec<String> = points(MODELS.iter().map(|row| (row.model.to_owned(), row.minutes, row.accuracy)))
        .into_iter()
        .filter(|point| point.on_the_line)
        .map(|point| point.model)
        .collect();
    let expected = [
        "Grok 4.1 Fast Reasoning",
        "GPT-5 Mini",
        "Gemini 3 Flash",
        "Gemini 3.1 Pro",
        "Claude Opus 4.6",
        "GPT-5.3-Codex",
    ];
    assert_eq!(line, expected);
}
