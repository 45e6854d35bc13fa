//! What a reader needs to judge or repeat the measurement.

use crate::ledger::Ledger;
use crate::{Report, number, text};
use benchwright_domain::Gate;
use serde_json::Value;
use std::collections::BTreeMap;

/// A titled table of names and values.
pub struct Table {
    pub title: &'static str,
    pub rows: Vec<(String, String)>,
}

/// The tables that have rows.
pub fn tables(report: &Report, ledger: &Ledger) -> Vec<Table> {
    let provenance = &report.provenance;
    let tables = [
        Table { title: "Run", rows: run(report) },
        Table { title: "Versions", rows: words(&provenance.versions) },
        Table { title: "Machine and how busy it was", rows: facts(&provenance.machine) },
        Table { title: "Settings that differ from the defaults", rows: facts(&provenance.settings) },
        Table { title: "SHA-256 of what entered", rows: words(&provenance.hashes) },
        Table { title: "Time spent gathering", rows: times(ledger) },
    ];
    tables.into_iter().filter(|table| !table.rows.is_empty()).collect()
}

fn run(report: &Report) -> Vec<(String, String)> {
    let provenance = &report.provenance;
    let gate = match report.gate {
        Gate::Null => "scorers that need a rendered page become null",
        Gate::Zero => "scorers that need a rendered page score 0",
    };
    [
        ("Run", text::line(&provenance.run)),
        ("Started", text::line(&provenance.started_at)),
        ("Took", number::seconds(provenance.seconds)),
        ("Benchwright", text::line(&provenance.benchwright)),
        ("Methodology", text::line(&report.methodology)),
        ("Report format", report.format.to_string()),
        ("If a page does not render", gate.to_owned()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into_iter()
    .filter(|(_, value)| !value.is_empty())
    .collect()
}

fn words(map: &BTreeMap<String, String>) -> Vec<(String, String)> {
    map.iter().map(|(name, value)| (text::line_within(name, 120), text::line(value))).collect()
}

fn facts(map: &BTreeMap<String, Value>) -> Vec<(String, String)> {
    map.iter().map(|(name, value)| number::fact(name, value)).collect()
}

fn times(ledger: &Ledger) -> Vec<(String, String)> {
    let measured = ledger.lost.iter().chain(&ledger.passed).chain(&ledger.errored);
    let mut timed: Vec<_> = measured.filter(|entry| entry.scorer.seconds > 0.0).collect();
    timed.sort_by(|a, b| b.scorer.seconds.total_cmp(&a.scorer.seconds));
    let row = |entry: &&crate::ledger::Entry| {
        let name = text::line_within(&entry.scorer.name, 120);
        (format!("{} {name}", entry.badge()), number::seconds(entry.scorer.seconds))
    };
    timed.iter().map(row).collect()
}
