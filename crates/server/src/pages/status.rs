//! How the site is doing, and what was decided about runs.

use super::{html, kept};
use crate::address::with_query;
use crate::encoding::Encoded;
use crate::problem::Problem;
use crate::shell::{Section, Shell};
use crate::site::Site;
use crate::view;
use askama::Template;
use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use benchwright_domain::METHODOLOGY_VERSION;
use benchwright_domain::record::RECORD_FORMAT;
use benchwright_domain::report::REPORT_FORMAT;
use benchwright_report::text;
use benchwright_store::RUN_FORMAT;
use benchwright_store::index::{ActPlace, ModerationEntry, RunFilter, SCHEMA_VERSION};
use benchwright_store::jobs::{Queue, SeenWorker};
use benchwright_store::quiz::is_shared_id;
use serde::Deserialize;
use std::sync::Arc;

const ACTS_ON_A_PAGE: u32 = 50;

#[derive(Template)]
#[template(path = "status.html")]
struct Page {
    shell: Shell,
    runs: Vec<(&'static str, String)>,
    versions: Vec<(&'static str, String)>,
    jobs: Option<Jobs>,
}

/// What waits, and who works.
struct Jobs {
    counts: Vec<(&'static str, String)>,
    workers: Vec<(String, String)>,
}

impl Jobs {
    async fn of(site: &Site) -> Result<Self, Problem> {
        let queue = Queue::of(Arc::clone(&site.index));
        let counts = queue.counts().await?;
        let workers = queue.workers().await?;
        let about = |worker: SeenWorker| {
            let SeenWorker { id, version, parallel, seen_at, .. } = worker;
            (id, format!("version {version}, {parallel} at once, seen {} UTC", view::minutes(&seen_at)))
        };
        Ok(Self {
            counts: vec![
                ("Waiting", view::thousands(counts.queued)),
                ("Running", view::thousands(counts.running)),
                ("Done", view::thousands(counts.done)),
                ("Failed", view::thousands(counts.failed)),
                ("Cancelled", view::thousands(counts.cancelled)),
            ],
            workers: workers.into_iter().map(about).collect(),
        })
    }
}

pub async fn page(State(site): State<Arc<Site>>, headers: HeaderMap) -> Result<Response, Problem> {
    // The queue moves without the index: this page is made anew each time.
    Ok(make(&site).await?.answer(&headers))
}

async fn make(site: &Site) -> Result<Encoded, Problem> {
    let totals = site.index.totals().await?;
    let newest = site.index.runs(&RunFilter::default(), None, 1).await?;
    let newest =
        newest.first().map_or_else(|| "none yet".to_owned(), |run| view::minutes(&run.record.started_at) + " UTC");
    html(&Page {
        shell: site.shell(Section::Status),
        runs: vec![
            ("Shown", view::thousands(totals.shown)),
            ("Ranked", view::thousands(totals.ranked)),
            ("In quarantine", view::thousands(totals.quarantined)),
            ("Taken down", view::thousands(totals.taken_down)),
            ("Newest", newest),
        ],
        versions: vec![
            ("Benchwright", env!("CARGO_PKG_VERSION").to_owned()),
            ("Methodology", METHODOLOGY_VERSION.to_owned()),
            ("Run format", RUN_FORMAT.to_string()),
            ("Record format", RECORD_FORMAT.to_string()),
            ("Report format", REPORT_FORMAT.to_string()),
            ("Index schema", SCHEMA_VERSION.to_string()),
        ],
        jobs: if site.settings.jobs.is_some() { Some(Jobs::of(site).await?) } else { None },
    })
}

/// Where a page of the moderation log begins.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Asked {
    at: Option<String>,
    run: Option<String>,
    sequence: Option<i64>,
}

#[derive(Template)]
#[template(path = "moderation.html")]
struct Log {
    shell: Shell,
    acts: Vec<Act>,
    next: Option<String>,
}

struct Act {
    at: String,
    decision: &'static str,
    run: String,
    href: String,
    reason: String,
    by: String,
}

pub async fn moderation(
    State(site): State<Arc<Site>>,
    Query(asked): Query<Asked>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let sequence = asked.sequence.map(|number| number.to_string());
    let parts = [("at", asked.at.as_deref()), ("run", asked.run.as_deref()), ("sequence", sequence.as_deref())];
    let path = with_query("/moderation", parts);
    kept(&site, &headers, path, log(&site, &asked)).await
}

async fn log(site: &Site, asked: &Asked) -> Result<Encoded, Problem> {
    let after = asked.at.clone().zip(asked.run.clone()).zip(asked.sequence);
    let after = after.map(|((at, run), sequence)| ActPlace { at, run, sequence });
    let entries = site.index.moderation(after.as_ref(), ACTS_ON_A_PAGE).await?;
    let next = entries.last().filter(|_| entries.len() == ACTS_ON_A_PAGE as usize).map(|last| {
        let sequence = last.sequence.to_string();
        with_query(
            "/moderation",
            [("at", Some(last.at.as_str())), ("run", Some(&last.run)), ("sequence", Some(&sequence))],
        )
    });
    html(&Log { shell: site.shell(Section::Home), acts: entries.iter().map(Act::of).collect(), next })
}

impl Act {
    fn of(entry: &ModerationEntry) -> Self {
        use benchwright_store::Decision;
        Self {
            at: view::minutes(&entry.at),
            decision: match entry.decision {
                Decision::Quarantine => "Put in quarantine",
                Decision::Release => "Shown again",
                Decision::TakeDown => "Taken down",
            },
            run: text::line_within(&entry.run, 100),
            href: if is_shared_id(&entry.run) {
                format!("/quiz/runs/{}", entry.run)
            } else {
                view::run_address(&entry.run)
            },
            reason: text::line_within(&entry.reason, 600),
            by: text::line_within(&entry.by, 100),
        }
    }
}
