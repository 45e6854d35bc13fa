//! The first glance: how good, how sure, what to fix first.

use super::anchors::Anchors;
use super::dimensions::accent;
use crate::ledger::{Entry, Ledger};
use crate::text::{self, Run};
use crate::{Report, number};

/// How many changes the first glance names.
const FIRST: usize = 3;

pub struct Summary {
    pub composite: Option<String>,
    pub headline: Vec<Run>,
    pub rankable: bool,
    pub reasons: Vec<Vec<Run>>,
    pub coverage: String,
    pub scored: usize,
    pub scorers: usize,
    pub errored: usize,
    pub points_lost: String,
    pub first: Vec<First>,
}

/// One of the changes that win most back.
pub struct First {
    pub anchor: String,
    pub badge: String,
    pub accent: &'static str,
    pub points: String,
    /// Whether `points` are all the scorer lost, of which this change may win only a part.
    pub is_whole: bool,
    pub change: Vec<Run>,
}

/// An address as text, and as a link if it may be one.
pub struct Address {
    pub text: String,
    pub link: Option<String>,
}

impl Address {
    pub fn of(url: &str) -> Self {
        Self { text: text::line_within(url, 120), link: text::link(url) }
    }
}

impl Summary {
    pub fn of(report: &Report, ledger: &Ledger, anchors: &Anchors) -> Self {
        Self {
            composite: report.composite.map(number::score),
            headline: text::runs(&text::line(&report.headline)),
            rankable: report.rankable,
            reasons: report.not_rankable_because.iter().map(|reason| text::runs(&text::line(reason))).collect(),
            coverage: number::percent(report.coverage),
            scored: ledger.scored_count(),
            scorers: ledger.count(),
            errored: ledger.errored.len(),
            points_lost: number::points(ledger.points_lost()),
            first: first_changes(ledger, anchors),
        }
    }
}

impl First {
    fn new(entry: &Entry, anchors: &Anchors, change: &str, points: f64, is_whole: bool) -> Self {
        Self {
            anchor: anchors.get(entry.key),
            badge: entry.badge(),
            accent: accent(entry.scorer.id),
            points: number::points(points),
            is_whole,
            change: text::runs(&text::line_within(change, 200)),
        }
    }
}

/// The changes that win most back. Where a scorer does not say what each change is worth, its first change stands for all it lost.
fn first_changes(ledger: &Ledger, anchors: &Anchors) -> Vec<First> {
    let mut changes: Vec<(f64, First)> = Vec::new();
    for entry in ledger.lost.iter().filter(|entry| !entry.is_whole()) {
        let failed = entry.failed();
        let known: Vec<_> = failed.iter().filter_map(|item| Some((entry.points_of(item)?, *item))).collect();
        for (points, item) in &known {
            let change = item.fix.as_deref().unwrap_or(&item.title);
            changes.push((*points, First::new(entry, anchors, change, *points, false)));
        }
        if known.is_empty() {
            let change = failed.iter().find_map(|item| item.fix.as_deref()).unwrap_or(&entry.scorer.title);
            changes.push((entry.points_lost(), First::new(entry, anchors, change, entry.points_lost(), true)));
        }
    }
    changes.sort_by(|a, b| b.0.total_cmp(&a.0));
    changes.into_iter().take(FIRST).map(|(_, change)| change).collect()
}

/// `2026-11-16T09:24:31Z` as "2026-11-16 09:24 UTC"; anything else as it is.
pub fn minutes(started_at: &str) -> String {
    let stamp = text::line_within(started_at, 40);
    let day_and_time = stamp.strip_suffix('Z').and_then(|stamp| stamp.split_once('T'));
    match day_and_time.and_then(|(day, time)| Some((day, time.get(..5)?))) {
        Some((day, minutes)) => format!("{day} {minutes} UTC"),
        None => stamp,
    }
}

/// What the page is called: its title, or the host it lives on.
pub fn title(report: &Report) -> String {
    let names = [report.subject.title.as_deref().unwrap_or_default(), host(&report.subject.url)];
    let shown = names.map(|name| text::line_within(name, 140)).into_iter().find(|name| !name.is_empty());
    shown.unwrap_or_else(|| "A page without a name".to_owned())
}

fn host(url: &str) -> &str {
    let behind_scheme = url.split_once("://").map_or(url, |(_, rest)| rest);
    behind_scheme.split(['/', '?', '#']).next().unwrap_or_default()
}

/// What was given beside the address.
pub fn inputs(report: &Report) -> Vec<(&'static str, String)> {
    let subject = &report.subject;
    let given = |value: &Option<String>| value.as_deref().map(|value| text::line_within(value, 120));
    [
        ("Prompt", given(&subject.prompt)),
        ("Source", given(&subject.source)),
        ("Built by", given(&subject.tool)),
        ("Version", given(&subject.tool_version)),
        ("Repetition", subject.run_index.map(|index| (index + 1).to_string())),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name, value?)))
    .collect()
}

/// What building took, as the submitter says.
pub fn cost(report: &Report) -> Vec<(&'static str, String)> {
    let Some(cost) = &report.cost else { return Vec::new() };
    let rows = [
        ("First render", cost.first_render_seconds.map(number::seconds)),
        ("Working build", cost.working_build_seconds.map(number::seconds)),
        ("Cost", cost.usd.map(number::dollars)),
        ("Note", cost.note.as_deref().map(text::line).filter(|note| !note.is_empty())),
        ("Numbers", Some(format!("{}, never ranked", text::line_within(&cost.source, 120)))),
    ];
    rows.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}
