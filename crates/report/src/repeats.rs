//! A series of runs as a table for the terminal and for Markdown. Its JSON form is the [`Repeats`] itself.

use crate::markdown::{escaped, prose};
use crate::terminal::{Ink, Page, Style};
use crate::{number, text};
use benchwright_domain::ScorerId;
use benchwright_domain::repeats::{Repeats, Spread};
use std::fmt::Write as _;

/// The series as a terminal table.
pub fn terminal(repeats: &Repeats, style: Style) -> String {
    let mut page = Page::new(style);
    page.heading(&format!("{} runs: mean ± standard error, 95 % interval, values", repeats.runs.len()));
    page.wrapped("", &format!("{:<10} {}", "composite", words(&repeats.composite, 1.0)), Ink::Bold);
    for (key, spread) in rows(repeats) {
        page.wrapped("", &format!("{:<10} {}", badge(key), words(spread, 100.0)), Ink::Plain);
    }
    page.into_text()
}

/// The series as a Markdown table, to stand below the report of the run that stands for all.
pub fn markdown(repeats: &Repeats) -> String {
    let mut table = format!(
        "### {} runs\n\n| | Mean | Standard error | 95 % interval | Values |\n|:--|--:|--:|:--|:--|",
        repeats.runs.len()
    );
    let mut row = |name: &str, spread: &Spread, scale: f64| {
        let [mean, error, interval, values] = cells(spread, scale);
        let _ = write!(table, "\n| {name} | {mean} | {error} | {interval} | {values} |");
    };
    row("**Composite**", &repeats.composite, 1.0);
    for (key, spread) in rows(repeats) {
        row(&escaped(&badge(key)), spread, 100.0);
    }
    if let Some(run) = &repeats.representative {
        let _ = write!(table, "\n\nThe report above is of run {}, the one nearest the median.", prose(run));
    }
    table.push('\n');
    table
}

/// The scorers that were measured at least once, in published order.
fn rows(repeats: &Repeats) -> Vec<(&str, &Spread)> {
    let mut rows: Vec<_> = repeats
        .scorers
        .iter()
        .filter(|(_, spread)| spread.mean.is_some())
        .map(|(key, spread)| (key.as_str(), spread))
        .collect();
    rows.sort_by_key(|(key, _)| (key.parse::<ScorerId>().is_err(), key.parse::<ScorerId>().ok(), *key));
    rows
}

fn badge(key: &str) -> String {
    key.parse::<ScorerId>().map_or_else(|_| text::line_within(key, 40), |id| id.to_string())
}

fn words(spread: &Spread, scale: f64) -> String {
    let [mean, error, interval, values] = cells(spread, scale);
    format!("{mean} ± {error}  [{interval}]  {values}")
}

fn cells(spread: &Spread, scale: f64) -> [String; 4] {
    let shown = |value: f64| number::score(scale * value);
    let none = || "–".to_owned();
    [
        spread.mean.map_or_else(none, shown),
        spread.standard_error.map_or_else(none, |error| format!("{:.2}", number::finite(scale * error))),
        spread.interval.map_or_else(|| "one run".to_owned(), |i| format!("{} to {}", shown(i.low), shown(i.high))),
        spread.values.iter().map(|value| shown(*value)).collect::<Vec<_>>().join(", "),
    ]
}
