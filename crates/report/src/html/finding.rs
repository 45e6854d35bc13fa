//! One scorer with everything behind its number.

use super::album::{Album, Crop};
use super::anchors::Anchors;
use super::dimensions::accent;
use crate::Blobs;
use crate::ledger::{Entry, reason};
use crate::number;
use crate::text::{self, Run};
use benchwright_domain::{Item, ItemStatus, Place};

/// A scorer written by a user may send anything; what is beyond these is counted and left to `report.json`.
const MOST_ITEMS: usize = 80;
const MOST_FACTS: usize = 60;
const MOST_PLACES: usize = 40;
/// Places shown before the fold.
const OPEN_PLACES: usize = 3;

pub struct Finding {
    pub anchor: String,
    pub badge: String,
    /// Whether the methodology knows it.
    pub is_published: bool,
    pub accent: &'static str,
    pub name: String,
    pub title: Vec<Run>,
    pub score: Option<String>,
    pub verdict: &'static str,
    pub reason: Vec<Run>,
    pub points: String,
    pub share: String,
    /// Nothing was lost.
    pub is_whole: bool,
    /// Whatever it scores, the composite stays the same.
    pub is_weightless: bool,
    pub facts: Vec<(String, String)>,
    pub notes: Vec<Vec<Run>>,
    pub failed: Vec<Check>,
    pub informed: Vec<Check>,
    pub folded: Vec<Check>,
    pub left_out: usize,
    pub seconds: Option<String>,
    pub version: String,
    /// Name and address of what is behind it, where that is shown.
    pub evidence: Vec<(String, String)>,
}

pub struct Check {
    pub id: String,
    pub title: Vec<Run>,
    pub status: Option<&'static str>,
    pub severity: Option<String>,
    pub measured: Option<String>,
    pub expected: Option<String>,
    pub fix: Option<Vec<Run>>,
    pub points: Option<String>,
    pub open: Vec<Spot>,
    pub folded: Vec<Spot>,
    pub left_out: usize,
}

/// A place, ready to be shown.
pub enum Spot {
    Element { selector: String, html: String, note: Option<String>, crop: Option<Box<Crop>> },
    Code { location: String, text: String },
    Header { name: String, value: Option<String> },
    Log { channel: String, text: String, location: Option<String> },
    Request { method: String, url: String, facts: String, error: Option<String> },
    Text { text: String },
}

impl Finding {
    pub fn of(entry: &Entry, anchors: &Anchors, album: &Album, blobs: &dyn Blobs) -> Self {
        let scorer = entry.scorer;
        let details = &scorer.details;
        let items = entry.items();
        let with = |wanted: &[ItemStatus]| {
            let chosen = items.iter().take(MOST_ITEMS).filter(|item| wanted.contains(&item.status));
            chosen.map(|item| Check::of(item, entry, album)).collect::<Vec<_>>()
        };
        Self {
            anchor: anchors.get(entry.key),
            badge: entry.badge(),
            is_published: scorer.id.is_some(),
            accent: accent(scorer.id),
            name: text::line_within(&scorer.name, 120),
            title: prose(&scorer.title),
            score: scorer.score.map(|_| number::score(100.0 * entry.score())),
            verdict: match scorer.passed {
                Some(true) => "Pass mark reached",
                Some(false) => "Below the pass mark",
                None => "",
            },
            reason: text::runs(&reason(scorer)),
            points: number::points(entry.points_lost()),
            share: number::points(scorer.share),
            is_whole: entry.is_whole(),
            is_weightless: entry.is_weightless(),
            facts: details.facts.iter().take(MOST_FACTS).map(|(name, value)| number::fact(name, value)).collect(),
            notes: details.notes.iter().take(MOST_ITEMS).map(|note| prose(note)).collect(),
            failed: with(&[ItemStatus::Failed]),
            informed: with(&[ItemStatus::Info]),
            folded: with(&[ItemStatus::Passed, ItemStatus::NotApplicable]),
            left_out: details.items.len().saturating_sub(MOST_ITEMS),
            seconds: Some(scorer.seconds).filter(|seconds| *seconds > 0.0).map(number::seconds),
            version: text::line_within(&scorer.version, 40),
            evidence: scorer.id.map(|id| blobs.evidence(id)).unwrap_or_default(),
        }
    }
}

impl Check {
    fn of(item: &Item, entry: &Entry, album: &Album) -> Self {
        let mut open: Vec<_> = item.places.iter().take(MOST_PLACES).map(|place| Spot::of(place, album)).collect();
        let folded = open.split_off(open.len().min(OPEN_PLACES));
        let shown = open.len() + folded.len();
        Self {
            id: text::line_within(&item.id, 80),
            title: prose(&item.title),
            status: match item.status {
                ItemStatus::Failed => None,
                ItemStatus::Passed => Some("Passed"),
                ItemStatus::NotApplicable => Some("Not applicable"),
                ItemStatus::Info => Some("For information"),
            },
            severity: item.severity.as_deref().map(|severity| text::line_within(severity, 40)),
            measured: optional(item.measured.as_deref()),
            expected: optional(item.expected.as_deref()),
            fix: item.fix.as_deref().map(prose),
            points: entry.points_of(item).map(number::points),
            open,
            folded,
            left_out: item.places_total.max(item.places.len()) - shown,
        }
    }
}

impl Spot {
    fn of(place: &Place, album: &Album) -> Self {
        match place {
            Place::Element { selector, html, note, shot, rect } => Self::Element {
                selector: text::line(selector),
                html: text::block(html),
                note: optional(note.as_deref()),
                crop: shot.as_deref().zip(*rect).and_then(|(shot, rect)| album.crop(shot, rect)).map(Box::new),
            },
            Place::Code { file, line, column, text } => {
                let location = location(file, Some(*line), *column);
                Self::Code { location, text: text::block(text) }
            }
            Place::Header { name, value } => {
                Self::Header { name: text::line_within(name, 120), value: optional(value.as_deref()) }
            }
            Place::Log { channel, text, url, line } => Self::Log {
                channel: text::line_within(channel, 40),
                text: text::block(text),
                location: url.as_deref().map(|url| location(url, *line, None)),
            },
            Place::Request { method, url, status, bytes, error } => Self::Request {
                method: text::line_within(method, 20),
                url: text::line(url),
                facts: response(*status, *bytes),
                error: optional(error.as_deref()),
            },
            Place::Text { text } => Self::Text { text: text::block(text) },
        }
    }
}

fn prose(words: &str) -> Vec<Run> {
    text::runs(&text::line(words))
}

fn optional(words: Option<&str>) -> Option<String> {
    words.map(text::line).filter(|words| !words.is_empty())
}

fn location(file: &str, line: Option<u32>, column: Option<u32>) -> String {
    let numbers = [line, column].into_iter().map_while(|number| number).map(|number| format!(":{number}"));
    std::iter::once(text::line_within(file, 240)).chain(numbers).collect()
}

fn response(status: Option<u16>, bytes: Option<u64>) -> String {
    let status = status.map_or_else(|| "no response".to_owned(), |status| format!("status {status}"));
    match bytes {
        Some(bytes) => format!("{status}, {}", number::bytes(bytes as f64)),
        None => status,
    }
}
