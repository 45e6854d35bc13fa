//! Evidence for tests: a good page to start from, and short ways to spoil it.

use super::content::{Canonical, Content, Heading, JsonLd, OpenGraph, WellKnown};
use super::lighthouse::{Attempt, AttemptResult, Run};
use super::load::{ConsoleLine, Exception, Header, Load, NavigationOutcome, Request};
use super::viewports::{VIEWPORTS, View, ViewportFacts};
use super::{Absence, Axe, Design, Lighthouse, Viewports};
use super::{Evidence, Piece};
use crate::prompt::{Prompt, SeoCheck};

pub(crate) const PAGE: &str = "https://app.test/";

/// A page that loaded without a fault.
pub(crate) fn load() -> Load {
    Load {
        requested_url: PAGE.to_owned(),
        final_url: PAGE.to_owned(),
        outcome: responded(200),
        idle: true,
        visible_text_length: 480,
        visible_text_sample: "Harbour notes for people who write things down".to_owned(),
        title: "Harbour notes".to_owned(),
        ..Load::default()
    }
}

pub(crate) fn responded(status: u16) -> NavigationOutcome {
    NavigationOutcome::Responded { status, headers: Vec::new(), mime_type: "text/html".to_owned() }
}

pub(crate) fn load_with_headers(headers: &[(&str, &str)]) -> Load {
    let headers =
        headers.iter().map(|(name, value)| Header { name: (*name).to_owned(), value: (*value).to_owned() }).collect();
    Load { outcome: NavigationOutcome::Responded { status: 200, headers, mime_type: "text/html".to_owned() }, ..load() }
}

pub(crate) fn with_load(load: Load) -> Evidence {
    Evidence { load: Piece::present(load, 1.0), ..Evidence::default() }
}

/// A request that was answered.
pub(crate) fn request(url: &str, resource_type: &str, status: u16, bytes: u64) -> Request {
    Request {
        url: url.to_owned(),
        method: "GET".to_owned(),
        resource_type: resource_type.to_owned(),
        status: Some(status),
        content_encoding: Some("br".to_owned()),
        encoded_bytes: bytes,
        decoded_bytes: bytes * 3,
        ..Request::default()
    }
}

/// A request that got no answer.
pub(crate) fn failed_request(url: &str, error: &str) -> Request {
    Request {
        url: url.to_owned(),
        method: "GET".to_owned(),
        resource_type: "fetch".to_owned(),
        failed: Some(error.to_owned()),
        ..Request::default()
    }
}

pub(crate) fn console_error(text: &str, source: &str, url: Option<&str>) -> ConsoleLine {
    ConsoleLine {
        level: "error".to_owned(),
        text: text.to_owned(),
        url: url.map(str::to_owned),
        line: Some(3),
        source: source.to_owned(),
    }
}

pub(crate) fn exception(text: &str) -> Exception {
    Exception { text: text.to_owned(), url: Some(format!("{PAGE}app.js")), line: Some(12) }
}

pub(crate) fn heading(level: u8, visible: bool) -> Heading {
    Heading { level, visible, text: format!("Heading {level}"), selector: format!("h{level}"), ..Heading::default() }
}

/// A document without a fault.
pub(crate) fn content() -> Content {
    let found = |content_type: &str| WellKnown {
        status: Some(200),
        content_type: Some(content_type.to_owned()),
        starts_like_html: false,
        bytes: 120,
    };
    Content {
        version: super::content::VERSION,
        title: "Harbour notes for crews".to_owned(),
        lang: Some("en".to_owned()),
        description: Some("Notes that stay where you left them, on every boat and in every harbour.".to_owned()),
        canonical: vec![Canonical { href: PAGE.to_owned(), resolved: Some(PAGE.to_owned()) }],
        open_graph: OpenGraph {
            title: Some("Harbour notes".to_owned()),
            description: Some("Notes".to_owned()),
            kind: Some("website".to_owned()),
        },
        twitter_card: Some("summary".to_owned()),
        json_ld: vec![JsonLd { parses: true, error: None, start: "{".to_owned() }],
        headings: vec![heading(1, true), heading(2, true), heading(3, true), heading(2, true)],
        headings_total: 4,
        elements: 100,
        robots_txt: Some(found("text/plain")),
        sitemap_xml: Some(found("application/xml")),
        ..Content::default()
    }
}

pub(crate) fn prompt(checks: &[SeoCheck]) -> Prompt {
    Prompt {
        id: "harbour-notes".to_owned(),
        tier: 1,
        prompt: "A landing page for a notes app".to_owned(),
        must_have: Vec::new(),
        should_have: Vec::new(),
        verbatim_constraints: Vec::new(),
        seo_applicable: checks.to_vec(),
        visual_checklist: crate::prompt::Checklist::default(),
        functional_checklist: crate::prompt::Checklist::default(),
        backend_probes: Vec::new(),
        record: None,
    }
}

/// Evidence of every kind a run without source has, of a page that renders.
pub(crate) fn whole() -> Evidence {
    let views = VIEWPORTS.map(|spec| View {
        name: spec.name.to_owned(),
        width: spec.width,
        height: spec.height,
        facts: Some(ViewportFacts::default()),
        ..View::default()
    });
    let run = Run { score: Some(0.9), benchmark_index: Some(1000.0), ..Run::default() };
    let attempt = Attempt { result: AttemptResult::Measured { run: Box::new(run) }, ..Attempt::default() };
    Evidence {
        content: Piece::present(content(), 0.1),
        design: Piece::present(Design::default(), 0.1),
        axe: Piece::present(Axe { total_nodes: 100, ..Axe::default() }, 0.1),
        viewports: Piece::present(Viewports { version: 1, views: views.to_vec() }, 0.1),
        lighthouse: Piece::present(Lighthouse { attempts: vec![attempt], ..Lighthouse::default() }, 5.0),
        source: Piece::absent(Absence::NoInput { reason: "no source folder was given".to_owned() }),
        ..with_load(load())
    }
}
