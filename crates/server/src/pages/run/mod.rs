//! One run: its report, its evidence, its files.

mod evidence;
mod files;
mod tar;

pub use evidence::{kind as evidence_kind, list as evidence_list};
pub use files::{A_DAY, badge, download, file, offline, picture, report_json, thumbnail};

use super::{blocking, html, kept};
use crate::address::{encode, with_query};
use crate::encoding::Encoded;
use crate::methodology::ScorerDocument;
use crate::problem::Problem;
use crate::shell::{Section, Shell};
use crate::site::Site;
use crate::view;
use askama::Template;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use benchwright_domain::{BlobId, Report, RunRecord, ScorerId};
use benchwright_report::{Blobs, text};
use benchwright_store::index::{IndexedRun, State as Shown};
use std::sync::Arc;

#[derive(Template)]
#[template(path = "run.html")]
struct Page {
    shell: Shell,
    title: String,
    headline: String,
    base: String,
    history: String,
    compare: String,
    is_verified: bool,
    body: String,
}

/// Pictures of a run as addresses of this site.
pub struct Linked<'a>(pub &'a str);

impl Blobs for Linked<'_> {
    fn bytes(&self, _: &BlobId) -> Option<Vec<u8>> {
        None
    }

    fn address(&self, id: &BlobId) -> Option<String> {
        Some(format!("{}/pictures/{}.png", view::run_address(self.0), encode(&id.0)))
    }
}

/// The same, and the evidence behind every scorer as addresses of this site.
struct Open<'a> {
    run: &'a str,
    report: &'a Report,
    scorers: &'a [ScorerDocument],
}

impl Blobs for Open<'_> {
    fn bytes(&self, id: &BlobId) -> Option<Vec<u8>> {
        Linked(self.run).bytes(id)
    }

    fn address(&self, id: &BlobId) -> Option<String> {
        Linked(self.run).address(id)
    }

    fn evidence(&self, scorer: ScorerId) -> Vec<(String, String)> {
        let has = |kind: &&String| self.report.provenance.hashes.contains_key(&format!("evidence {kind}"));
        let kinds =
            self.scorers.iter().filter(|document| document.id == scorer).flat_map(|document| &document.evidence);
        kinds.filter(has).map(|kind| (evidence::name(kind), evidence::address(self.run, kind))).collect()
    }
}

/// The report, by the renderer that makes the offline file.
pub async fn page(
    State(site): State<Arc<Site>>,
    Path(run): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let path = view::run_address(&run);
    kept(&site, &headers, path, make(&site, &run)).await
}

async fn make(site: &Arc<Site>, run: &str) -> Result<Encoded, Problem> {
    let record = shown(site, run).await?.record;
    let report = report(site, &record).await?;
    let open = Open { run: &record.run, report: &report, scorers: &site.methodology.scorers };
    let body = benchwright_report::html::body(&report, &open);
    html(&Page {
        shell: site.shell(Section::Runs),
        title: body.title,
        headline: text::line_within(&record.headline, 160),
        base: view::run_address(&record.run),
        history: with_query("/apps", [("url", Some(record.url.as_str()))]),
        compare: with_query("/compare", [("run", Some(record.run.as_str()))]),
        is_verified: record.verified,
        body: body.html,
    })
}

/// The run, if it may be shown.
pub async fn shown(site: &Site, run: &str) -> Result<IndexedRun, Problem> {
    let found = site.index.run(run).await?.ok_or_else(|| Problem::NotFound("There is no such run.".to_owned()))?;
    let reason = found.state_reason.as_deref().map(|reason| text::line_within(reason, 300)).unwrap_or_default();
    match found.state {
        Shown::Shown => Ok(found),
        Shown::Quarantined => Err(Problem::Gone(format!("This run is in quarantine: {reason}"))),
        Shown::TakenDown => Err(Problem::Gone(format!("This run was taken down: {reason}"))),
    }
}

/// The report a run keeps, or made again from its evidence.
pub async fn report(site: &Arc<Site>, record: &RunRecord) -> Result<Report, Problem> {
    let (site, run, blob) = (Arc::clone(site), record.run.clone(), record.report.clone());
    blocking(move || match blob {
        Some(blob) => {
            let bytes = site.storage.blob(&run, &blob)?;
            let unreadable = |error| Problem::Failed(format!("failed to read the report of run {run}: {error}"));
            serde_json::from_slice(&bytes).map_err(unreadable)
        }
        None => (site.scored)(&run).map_err(|error| Problem::Failed(format!("failed to score run {run}: {error}"))),
    })
    .await
}
