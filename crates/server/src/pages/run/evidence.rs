//! The evidence viewer: what was gathered, as it was frozen, piece by piece.

use super::shown;
use crate::address::{encode, with_query};
use crate::encoding::Encoded;
use crate::facts::{Block, blocks};
use crate::pages::{blocking, html, kept};
use crate::problem::Problem;
use crate::shell::{Section, Shell};
use crate::site::Site;
use crate::view;
use askama::Template;
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use benchwright_report::{number, text};
use benchwright_store::{Event, EventBody};
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;

/// Lines of the log on one page.
const LINES: usize = 200;

/// Where in the log a page begins.
#[derive(Debug, Deserialize)]
pub struct Asked {
    #[serde(default)]
    line: usize,
}

#[derive(Template)]
#[template(path = "evidence.html")]
struct Page {
    shell: Shell,
    title: String,
    base: String,
    run: String,
    pieces: Vec<Piece>,
    chosen: Option<Chosen>,
    log: Log,
}

/// A page of the log, in words.
#[derive(Default)]
struct Log {
    lines: Vec<(String, String)>,
    all: usize,
    first: usize,
    earlier: Option<String>,
    later: Option<String>,
}

/// One kind of evidence.
struct Piece {
    kind: String,
    name: String,
    href: Option<String>,
    note: String,
    is_chosen: bool,
}

struct Chosen {
    name: String,
    hash: String,
    blocks: Vec<Block>,
}

/// All pieces of a run.
pub async fn list(
    State(site): State<Arc<Site>>,
    Path(run): Path<String>,
    Query(Asked { line }): Query<Asked>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    kept(&site, &headers, log_address(&view::run_address(&run), line), make(&site, &run, None, line)).await
}

fn log_address(base: &str, line: usize) -> String {
    let line = (line > 0).then(|| line.to_string());
    with_query(&format!("{base}/evidence"), [("line", line.as_deref())])
}

/// One piece.
pub async fn kind(
    State(site): State<Arc<Site>>,
    Path((run, kind)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    kept(&site, &headers, address(&run, &kind), make(&site, &run, Some(&kind), 0)).await
}

/// Where one piece of a run is shown.
pub fn address(run: &str, kind: &str) -> String {
    format!("{}/evidence/{}", view::run_address(run), encode(kind))
}

async fn make(site: &Arc<Site>, run: &str, kind: Option<&str>, line: usize) -> Result<Encoded, Problem> {
    let record = shown(site, run).await?.record;
    let read = {
        let (site, run) = (Arc::clone(site), run.to_owned());
        blocking(move || Ok(site.storage.read(&run)?)).await?
    };
    let base = view::run_address(run);
    let pieces = pieces(&read.events, &base, kind);
    let chosen = match kind {
        Some(kind) => Some(chosen(site, run, &read.events, kind).await?),
        None => None,
    };
    let name = record.title.as_deref().map(|title| text::line_within(title, 90)).filter(|title| !title.is_empty());
    html(&Page {
        shell: site.shell(Section::Runs),
        title: name.unwrap_or_else(|| text::line_within(&record.tool, 90)),
        log: if kind.is_none() { Log::of(&read.events, line, &base) } else { Log::default() },
        base,
        run: text::line_within(run, 100),
        pieces,
        chosen,
    })
}

impl Log {
    fn of(events: &[Event], line: usize, base: &str) -> Self {
        let told: Vec<&Event> = events.iter().filter(|event| is_told(event)).collect();
        // Anybody may write any number into the address; what lies behind the end is the end.
        let first = line.min(told.len().saturating_sub(1));
        let lines = told.iter().skip(first).take(LINES).filter_map(|event| said(event)).collect();
        Self {
            lines,
            all: told.len(),
            first,
            earlier: (first > 0).then(|| log_address(base, first.saturating_sub(LINES))),
            later: (told.len() > first + LINES).then(|| log_address(base, first + LINES)),
        }
    }
}

/// The last word on each kind, in the order in which they were gathered.
fn pieces(events: &[Event], base: &str, chosen: Option<&str>) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for event in events {
        let piece = match &event.body {
            EventBody::Evidence { kind, seconds, version, .. } => Piece {
                href: Some(format!("{base}/evidence/{}", encode(kind))),
                note: format!("format {version}, gathered in {}", number::seconds(*seconds)),
                name: name(kind),
                is_chosen: chosen == Some(kind),
                kind: kind.clone(),
            },
            EventBody::Absent { kind, absence, .. } => Piece {
                href: None,
                note: absence
                    .get("reason")
                    .and_then(Value::as_str)
                    .map_or_else(|| "not gathered".to_owned(), |reason| text::line_within(reason, 200)),
                name: name(kind),
                is_chosen: false,
                kind: kind.clone(),
            },
            _ => continue,
        };
        pieces.retain(|known| known.kind != piece.kind);
        pieces.push(piece);
    }
    pieces
}

async fn chosen(site: &Arc<Site>, run: &str, events: &[Event], kind: &str) -> Result<Chosen, Problem> {
    let blob = events.iter().rev().find_map(|event| match &event.body {
        EventBody::Evidence { kind: known, blob, .. } if known == kind => Some(blob.clone()),
        _ => None,
    });
    let blob = blob.ok_or_else(|| Problem::NotFound("The run has no such evidence.".to_owned()))?;
    let (site, run, id) = (Arc::clone(site), run.to_owned(), blob.clone());
    let value = blocking(move || {
        let bytes = site.storage.blob(&run, &id)?;
        serde_json::from_slice::<Value>(&bytes)
            .map_err(|error| Problem::Failed(format!("failed to read evidence of run {run}: {error}")))
    })
    .await?;
    Ok(Chosen { name: name(kind), hash: blob.0, blocks: blocks(&value) })
}

/// Whether [`said`] has words for it: evidence has a place of its own.
fn is_told(event: &Event) -> bool {
    use EventBody::{Finished, Interrupted, Moderated, Note, Resumed, Started};
    matches!(
        event.body,
        Started { .. } | Resumed { .. } | Interrupted { .. } | Note { .. } | Finished {} | Moderated { .. }
    )
}

/// What else the log says, in words.
fn said(event: &Event) -> Option<(String, String)> {
    let words = match &event.body {
        EventBody::Started { header } => {
            format!("Started with Benchwright {}", text::line_within(&header.benchwright, 40))
        }
        EventBody::Resumed { benchwright } => format!("Taken up again with {}", text::line_within(benchwright, 40)),
        EventBody::Interrupted { reason } => format!("Interrupted: {}", text::line_within(reason, 300)),
        EventBody::Note { text } => text::line_within(text, 300),
        EventBody::Finished {} => "Finished".to_owned(),
        EventBody::Moderated { act } => {
            format!("{}: {}", act.decision.key().replace('_', " "), text::line_within(&act.reason, 300))
        }
        _ => return None,
    };
    Some((number::seconds(event.at_ms as f64 / 1000.0), words))
}

/// What a visitor calls it.
pub fn name(kind: &str) -> String {
    match kind {
        "load" => "Console, network and headers",
        "content" => "What the document says of itself",
        "design" => "Text samples and pixels",
        "axe" => "Accessibility findings",
        "viewports" => "Three viewports",
        "scroll" => "Scrolled half-way",
        "routes" => "Further routes",
        "acceptance" => "Acceptance criteria, walked",
        "backend" => "Two accounts",
        "lighthouse" => "Lighthouse runs",
        "source" => "Source tree",
        "verbatim" => "Verbatim constraints",
        "secrets" => "Secrets",
        "patterns" => "Security patterns",
        "lint" => "Lint findings",
        "types" => "TypeScript",
        "install" => "Clean install",
        "audit" => "Advisories",
        "intent" => "Judges on intent",
        "looks" => "Judges on looks",
        "maintainability" => "Judges on maintainability",
        other => return text::line_within(other, 60),
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_behind_the_end_of_the_log_broke_the_page() {
        let note = |sequence| Event { sequence, at_ms: 0, body: EventBody::Note { text: "n".to_owned() } };
        let events: Vec<Event> = (0..300).map(note).collect();
        for line in [300, usize::MAX] {
            let log = Log::of(&events, line, "/runs/r");
            assert_eq!((log.first, log.lines.len(), log.all), (299, 1, 300));
            assert_eq!((log.earlier.as_deref(), log.later), (Some("/runs/r/evidence?line=99"), None));
        }
        let second = Log::of(&events, 200, "/runs/r");
        assert_eq!((second.first, second.lines.len(), second.earlier.as_deref()), (200, 100, Some("/runs/r/evidence")));
        assert_eq!(Log::of(&[], usize::MAX, "/runs/r").first, 0);
    }
}
