//! `report.html`: one self-contained file that works offline and without script.
//!
//! The functions here turn a [`Report`] into plain strings and numbers; the templates escape every one of them. Styles may come from
//! the one `<style>` element only, whose hash stands in the content security policy, so nothing here uses `style` attributes.

pub(crate) mod album;
mod anchors;
mod dimensions;
mod finding;
mod provenance;
pub(crate) mod summary;

use crate::ledger::{Entry, Ledger};
use crate::text::{self, Run};
use crate::{Blobs, Body, Report, page, style};
pub(crate) use album::embedded;
use album::{Album, Picture, Source};
use anchors::Anchors;
use askama::Template;
use dimensions::{Gauge, Segment};
use finding::{Finding, Spot};
use provenance::Table;
use summary::{Address, Summary};

/// The report as one HTML file. Screenshots that `blobs` does not have are left out.
pub fn render(report: &Report, blobs: &dyn Blobs) -> String {
    let Body { title, html } = content(report, blobs, false);
    page::alone("report", "what this web page scored, and what to change first.", &title, style::SHARED, &html)
}

/// The report as part of a site: the same, without head and style.
pub fn body(report: &Report, blobs: &dyn Blobs) -> Body {
    content(report, blobs, true)
}

fn content(report: &Report, blobs: &dyn Blobs, is_hosted: bool) -> Body {
    let content = Content::of(report, blobs, is_hosted);
    let composite = content.summary.composite.as_deref().unwrap_or("No score");
    let title = format!("{composite} · {}", content.title);
    Body { title, html: content.render().expect("writing to a string does not fail") }
}

#[derive(Template)]
#[template(path = "report-body.html")]
struct Content {
    is_hosted: bool,
    title: String,
    address: Address,
    final_address: Option<Address>,
    inputs: Vec<(&'static str, String)>,
    cost: Vec<(&'static str, String)>,
    started_at: String,
    summary: Summary,
    segments: Vec<Segment>,
    gauges: Vec<Gauge>,
    sources: Vec<Source>,
    pictures: Vec<Picture>,
    lost: Vec<Finding>,
    errored: Vec<Finding>,
    passed: Vec<Finding>,
    unmeasured: Vec<Unmeasured>,
    unmeasured_count: usize,
    tables: Vec<Table>,
    fonts: Vec<String>,
}

/// Scorers without a score for the same reason.
struct Unmeasured {
    kind: &'static str,
    reason: Vec<Run>,
    members: Vec<Member>,
}

struct Member {
    anchor: String,
    badge: String,
    name: String,
}

impl Content {
    fn of(report: &Report, blobs: &dyn Blobs, is_hosted: bool) -> Self {
        let ledger = Ledger::of(report);
        let anchors = Anchors::of(report);
        let album = Album::of(report, blobs);
        let finding = |entry: &Entry| Finding::of(entry, &anchors, &album, blobs);
        let findings = |entries: &[Entry]| entries.iter().map(finding).collect::<Vec<_>>();
        let unmeasured = unmeasured(&ledger, &anchors);
        Self {
            is_hosted,
            title: summary::title(report),
            address: Address::of(&report.subject.url),
            final_address: report
                .subject
                .final_url
                .as_deref()
                .filter(|url| *url != report.subject.url)
                .map(Address::of),
            inputs: summary::inputs(report),
            cost: summary::cost(report),
            started_at: summary::minutes(&report.provenance.started_at),
            summary: Summary::of(report, &ledger, &anchors),
            segments: dimensions::segments(report),
            gauges: dimensions::gauges(report, &anchors),
            lost: findings(&ledger.lost),
            errored: findings(&ledger.errored),
            passed: findings(&ledger.passed),
            unmeasured_count: unmeasured.iter().map(|group| group.members.len()).sum(),
            unmeasured,
            tables: provenance::tables(report, &ledger),
            fonts: report.provenance.fonts.iter().map(|font| text::line_within(font, 120)).collect(),
            pictures: album.pictures(),
            sources: album.into_sources(),
        }
    }
}

fn unmeasured(ledger: &Ledger, anchors: &Anchors) -> Vec<Unmeasured> {
    let no_input = ledger.no_input.iter().map(|group| ("No input", group));
    let not_applicable = ledger.not_applicable.iter().map(|group| ("Not applicable", group));
    no_input
        .chain(not_applicable)
        .map(|(kind, group)| Unmeasured {
            kind,
            reason: text::runs(&group.reason),
            members: group.entries.iter().map(|entry| Member::of(entry, anchors)).collect(),
        })
        .collect()
}

impl Member {
    fn of(entry: &Entry, anchors: &Anchors) -> Self {
        Self { anchor: anchors.get(entry.key), badge: entry.badge(), name: text::line_within(&entry.scorer.name, 120) }
    }
}
