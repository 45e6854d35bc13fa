//! One app over time.

use super::{html, kept};
use crate::address::with_query;
use crate::chart::{HEIGHT, Trend, WIDTH};
use crate::encoding::Encoded;
use crate::problem::Problem;
use crate::shell::{Section, Shell};
use crate::site::Site;
use crate::view::{self, Card};
use askama::Template;
use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use benchwright_domain::RunRecord;
use benchwright_domain::history::{Compared, Step, compared};
use benchwright_report::{number, text};
use benchwright_store::index::RunFilter;
use serde::Deserialize;
use std::sync::Arc;

const MOST: u32 = 100;
/// Runs that those on the page are compared with, older ones included.
const MOST_SEEN: u32 = 400;

/// What the address asks for.
#[derive(Debug, Deserialize)]
pub struct Asked {
    url: Option<String>,
}

#[derive(Template)]
#[template(path = "history.html")]
struct Page {
    shell: Shell,
    title: String,
    link: Option<String>,
    address: String,
    trend: Option<Trend>,
    width: f64,
    height: f64,
    rows: Vec<Row>,
    regressions: usize,
    /// Whether any run could be compared with one before it. Where none could, nobody knows of a regression.
    is_compared: bool,
    runs: String,
    /// Where all runs are, if those are not all.
    all: Option<String>,
}

struct Row {
    card: Card,
    tone: &'static str,
    verdict: String,
    compare: Option<String>,
}

pub async fn page(
    State(site): State<Arc<Site>>,
    Query(asked): Query<Asked>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let missing = || Problem::BadRequest("Which app? Add its address as `url`.".to_owned());
    let url = asked.url.filter(|url| !url.is_empty()).ok_or_else(missing)?;
    let path = with_query("/apps", [("url", Some(url.as_str()))]);
    kept(&site, &headers, path, make(&site, url)).await
}

async fn make(site: &Site, url: String) -> Result<Encoded, Problem> {
    let filter = RunFilter { url: Some(url.clone()), ..RunFilter::default() };
    let mut records: Vec<RunRecord> =
        site.index.runs(&filter, None, MOST_SEEN).await?.into_iter().map(|run| run.record).collect();
    records.reverse();
    let newest = records.last().ok_or_else(|| Problem::NotFound("No run of this app is known.".to_owned()))?;
    let all = compared(&records);
    let unseen = records.len().saturating_sub(MOST as usize);
    let (shown, compared) = (&records[unseen..], &all[unseen..]);
    let title = Card::of(newest).title;
    let (scored, marks): (Vec<_>, Vec<_>) = shown
        .iter()
        .zip(compared)
        .filter_map(|(record, compared)| {
            let composite = record.composite?;
            let label = format!("{}: {}", view::minutes(&record.started_at), number::score(composite));
            Some(((composite, label), *compared))
        })
        .unzip();
    html(&Page {
        shell: site.shell(Section::Runs),
        title,
        link: text::link(&url),
        address: text::line_within(&url, 160),
        trend: (scored.len() > 1).then(|| Trend::of(&scored, &marks)),
        width: WIDTH,
        height: HEIGHT,
        regressions: compared.iter().filter(|one| matches!(one.step, Step::Worse { .. })).count(),
        is_compared: compared.iter().any(|one| one.beside.is_some()),
        runs: if unseen > 0 {
            format!("The newest {MOST} runs")
        } else {
            view::counted(view::count(shown.len()), "run", "runs")
        },
        all: (unseen > 0).then(|| with_query("/runs", [("url", Some(url.as_str()))])),
        rows: (unseen..records.len()).rev().map(|place| Row::of(&records, place, all[place])).collect(),
    })
}

impl Row {
    /// The run at a place among all, beside the one it is compared with; one that cannot be compared has a link to the run right before it.
    fn of(records: &[RunRecord], place: usize, Compared { step, beside, .. }: Compared) -> Self {
        let record = &records[place];
        let before = beside.or(place.checked_sub(1)).map(|before| &records[before]);
        let older = before.filter(|_| beside.is_some_and(|beside| beside + 1 < place));
        let since = older.map(|older| format!(" since {}", view::minutes(&older.started_at))).unwrap_or_default();
        let (tone, verdict) = verdict(step, &since);
        let pair = |before: &RunRecord| {
            with_query("/compare", [("run", Some(before.run.as_str())), ("run", Some(record.run.as_str()))])
        };
        Self { card: Card::of(record), tone, verdict, compare: before.map(pair) }
    }
}

/// A step in words, and how they are shown. `since` names the run that was compared where it is not the one right before.
fn verdict(step: Step, since: &str) -> (&'static str, String) {
    let moved = |delta: f64, band: f64| {
        let sign = if delta < 0.0 { "−" } else { "+" };
        let (points, noise) = (number::points(delta.abs()), number::points(band));
        format!("{sign}{points} points{since}; noise alone moves it by up to {noise}")
    };
    match step {
        Step::First => ("", "First run".to_owned()),
        Step::NotCompared => ("", "Measured other things than the runs before".to_owned()),
        Step::WithinNoise { delta, .. } if delta.abs() < 0.005 => ("", format!("No change{since}")),
        Step::WithinNoise { delta, band } => ("", format!("Within noise: {}", moved(delta, band))),
        Step::Better { delta, band } => ("good", format!("Better: {}", moved(delta, band))),
        Step::Worse { delta, band } => ("bad", format!("Regression: {}", moved(delta, band))),
    }
}
