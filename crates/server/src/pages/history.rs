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
use benchwright_domain::history::{Step, steps};
use benchwright_report::{number, text};
use benchwright_store::index::RunFilter;
use serde::Deserialize;
use std::sync::Arc;

const MOST: u32 = 100;

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
        site.index.runs(&filter, None, MOST + 1).await?.into_iter().map(|run| run.record).collect();
    records.reverse();
    let newest = records.last().ok_or_else(|| Problem::NotFound("No run of this app is known.".to_owned()))?;
    let all_steps = steps(&records);
    // One more than is shown, so that the oldest that is shown stands beside the run before it.
    let unseen = records.len().saturating_sub(MOST as usize);
    let (shown, steps) = (&records[unseen..], &all_steps[unseen..]);
    let title = Card::of(newest).title;
    let (scored, marks): (Vec<_>, Vec<_>) = shown
        .iter()
        .zip(steps)
        .filter_map(|(record, step)| {
            let composite = record.composite?;
            Some(((composite, format!("{}: {}", view::minutes(&record.started_at), number::score(composite))), *step))
        })
        .unzip();
    let before = std::iter::once(None).chain(records.iter().map(Some));
    let beside = before.zip(&records).skip(unseen);
    let mut rows: Vec<Row> = beside.zip(steps).map(|((before, record), step)| Row::of(before, record, *step)).collect();
    rows.reverse();
    html(&Page {
        shell: site.shell(Section::Runs),
        title,
        link: text::link(&url),
        address: text::line_within(&url, 160),
        trend: (scored.len() > 1).then(|| Trend::of(&scored, &marks)),
        width: WIDTH,
        height: HEIGHT,
        regressions: steps.iter().filter(|step| matches!(step, Step::Worse { .. })).count(),
        runs: if unseen > 0 {
            format!("The newest {MOST} runs")
        } else {
            view::counted(view::count(shown.len()), "run", "runs")
        },
        all: (unseen > 0).then(|| with_query("/runs", [("url", Some(url.as_str()))])),
        rows,
    })
}

impl Row {
    fn of(before: Option<&RunRecord>, record: &RunRecord, step: Step) -> Self {
        let moved = |delta: f64, band: f64| {
            let sign = if delta < 0.0 { "−" } else { "+" };
            format!(
                "{sign}{} points; noise alone moves it by up to {}",
                number::points(delta.abs()),
                number::points(band)
            )
        };
        let (tone, verdict) = match step {
            Step::First => ("", "First run".to_owned()),
            Step::NotCompared => ("", "Measured other things than the run before".to_owned()),
            Step::WithinNoise { delta, .. } if delta.abs() < 0.005 => ("", "No change".to_owned()),
            Step::WithinNoise { delta, band } => ("", format!("Within noise: {}", moved(delta, band))),
            Step::Better { delta, band } => ("good", format!("Better: {}", moved(delta, band))),
            Step::Worse { delta, band } => ("bad", format!("Regression: {}", moved(delta, band))),
        };
        let pair = |before: &RunRecord| {
            with_query("/compare", [("run", Some(before.run.as_str())), ("run", Some(record.run.as_str()))])
        };
        Self { card: Card::of(record), tone, verdict, compare: before.map(pair) }
    }
}
