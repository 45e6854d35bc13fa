//! Data and API: what other programs can have, and how.

use super::{html, kept};
use crate::address::encode;
use crate::api;
use crate::downloads::Place;
use crate::encoding::{Effort, Encoded};
use crate::problem::Problem;
use crate::shell::{Section, Shell};
use crate::site::Site;
use crate::view;
use askama::Template;
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use benchwright_store::index::{IndexedRun, RunFilter};
use benchwright_store::{ExportFormat, export};
use std::fmt::Write as _;
use std::io;
use std::sync::Arc;

const IN_THE_FEED: u32 = 30;
/// Rows are gathered into pieces of about this size before they are sent.
const PIECE: usize = 64 * 1024;

#[derive(Template)]
#[template(path = "data.html")]
struct Page {
    shell: Shell,
    operations: Vec<(&'static str, &'static str)>,
    takes_jobs: bool,
    newest: Option<String>,
    address: String,
    has_parquet: bool,
}

#[derive(Template)]
#[template(path = "feed.xml", escape = "html")]
struct Feed {
    address: String,
    updated: String,
    entries: Vec<Entry>,
}

struct Entry {
    /// The id of the run, as a part of an address.
    run: String,
    href: String,
    title: String,
    summary: String,
    updated: String,
    tool: String,
}

fn address(site: &Site) -> String {
    site.settings.address.clone().unwrap_or_default()
}

pub async fn page(State(site): State<Arc<Site>>, headers: HeaderMap) -> Result<Response, Problem> {
    kept(&site, &headers, "/data".to_owned(), async {
        let newest = site.index.runs(&RunFilter::default(), None, 1).await?;
        html(&Page {
            shell: site.shell(Section::Data),
            operations: api::examples(),
            takes_jobs: site.settings.jobs.is_some(),
            newest: newest.first().map(|run| view::run_address(&run.record.run)),
            address: site.settings.address.clone().unwrap_or_else(|| "https://this-site.example".to_owned()),
            has_parquet: format("runs.parquet").is_some(),
        })
    })
    .await
}

/// The newest runs as an Atom feed.
pub async fn feed(State(site): State<Arc<Site>>, headers: HeaderMap) -> Result<Response, Problem> {
    kept(&site, &headers, "/feed.atom".to_owned(), async {
        let runs = site.index.runs(&RunFilter::default(), None, IN_THE_FEED).await?;
        let feed = Feed {
            address: address(&site),
            updated: runs
                .first()
                .map_or_else(|| "1970-01-01T00:00:00Z".to_owned(), |run| run.record.started_at.clone()),
            entries: runs.iter().map(Entry::of).collect(),
        };
        Ok(Encoded::new("application/atom+xml; charset=utf-8", "no-cache", Effort::Page, feed.render()?))
    })
    .await
}

impl Entry {
    fn of(run: &IndexedRun) -> Self {
        let card = view::Card::of(&run.record);
        let composite = card.composite.unwrap_or_else(|| "no score".to_owned());
        Self {
            run: encode(&run.record.run),
            href: card.href,
            title: format!("{composite} · {}", card.title),
            summary: benchwright_report::text::line_within(&run.record.headline, 300),
            updated: run.record.started_at.clone(),
            tool: card.tool,
        }
    }
}

fn format(name: &str) -> Option<(ExportFormat, &'static str)> {
    match name {
        "runs.jsonl" => Some((ExportFormat::JsonLines, "application/x-ndjson")),
        "runs.csv" => Some((ExportFormat::Csv, "text/csv; charset=utf-8")),
        #[cfg(feature = "parquet")]
        "runs.parquet" => Some((ExportFormat::Parquet, "application/vnd.apache.parquet")),
        _ => None,
    }
}

/// All runs that are shown, streamed.
pub async fn dump(
    State(site): State<Arc<Site>>,
    Path(name): Path<String>,
    place: Result<Place, Problem>,
) -> Result<Response, Problem> {
    let (format, kind) = format(&name).ok_or_else(|| Problem::NotFound("There is no such file.".to_owned()))?;
    let place = place?;
    let (sender, receiver) = flume::bounded(4);
    let runtime = tokio::runtime::Handle::current();
    tokio::task::spawn_blocking(move || {
        let mut pieces = Pieces { waiting: Vec::with_capacity(PIECE), sender: sender.clone() };
        let written = runtime.block_on(export(&site.index, format, &mut pieces)).map_err(|error| error.to_string());
        let sent = written.and_then(|_| io::Write::flush(&mut pieces).map_err(|error| error.to_string()));
        if let Err(error) = sent {
            // The client sees a download that breaks off, and not half of one that looks whole.
            let _ = sender.send(Err(io::Error::other(error)));
        }
        drop(place);
    });
    let mut response = Response::new(Body::from_stream(receiver.into_stream()));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    let disposition = HeaderValue::try_from(format!("attachment; filename=\"benchwright-{name}\""));
    response
        .headers_mut()
        .insert(CONTENT_DISPOSITION, disposition.map_err(|error| Problem::Failed(error.to_string()))?);
    Ok(response)
}

/// A file that is sent while it is written.
struct Pieces {
    waiting: Vec<u8>,
    sender: flume::Sender<Result<Bytes, io::Error>>,
}

impl io::Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.waiting.extend_from_slice(bytes);
        if self.waiting.len() >= PIECE {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let piece = std::mem::replace(&mut self.waiting, Vec::with_capacity(PIECE));
        self.sender.send(Ok(piece.into())).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

/// What crawlers may do, and where the pages are.
pub async fn robots(State(site): State<Arc<Site>>) -> String {
    let mut text = "User-agent: *\nAllow: /\nDisallow: /api/\nDisallow: /compare\nDisallow: /data/runs.\n".to_owned();
    if let Some(address) = &site.settings.address {
        let _ = writeln!(text, "Sitemap: {address}/sitemap.xml");
    }
    text
}

pub async fn sitemap(State(site): State<Arc<Site>>, headers: HeaderMap) -> Result<Response, Problem> {
    kept(&site, &headers, "/sitemap.xml".to_owned(), async {
        let mut paths: Vec<String> = [
            "/", "/board", "/runs", "/quiz", "/quiz/board", "/quiz/runs", "/quiz/methodology", "/vibe", "/methodology", "/data", "/status",
        ].map(str::to_owned).into();
        paths.extend(site.methodology.scorers.iter().map(|scorer| format!("/methodology/{}", scorer.id.key())));
        paths.extend(site.index.prompts().await?.iter().map(|prompt| view::board_address(prompt.prompt.as_deref())));
        let address = address(&site);
        let urls: Vec<_> = paths.iter().map(|path| format!("<url><loc>{address}{path}</loc></url>\n")).collect();
        let text = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n{}</urlset>\n",
            urls.concat()
        );
        Ok(Encoded::new("application/xml; charset=utf-8", "no-cache", Effort::Page, text))
    })
    .await
}
