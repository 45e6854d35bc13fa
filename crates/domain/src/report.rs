//! The one value every report format is rendered from. Its JSON form is `report.json`, with a published schema.

use crate::composite::{DimensionScore, Gate};
use crate::details::{BlobId, Details};
use crate::scorer::{Dimension, ScorerId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Format version of [`Report`]; raised when a reader of the old form would misread the new one.
pub const REPORT_FORMAT: u32 = 1;

/// A finished report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// Format version of this file.
    pub format: u32,
    /// Version of the methodology the numbers follow.
    pub methodology: String,
    /// One sentence: the composite, or why there is none, and what stands against ranking it.
    pub headline: String,
    /// 0 to 100, or null when nothing could be measured.
    pub composite: Option<f64>,
    /// Whether this run may stand on a board beside runs with the same set of scored ids.
    pub rankable: bool,
    /// Why it may not, one sentence each.
    pub not_rankable_because: Vec<String>,
    /// Share of the published weight that was measured, 0 to 1 (base scorers; the backend track counts when it was measured).
    pub coverage: f64,
    /// How a page that did not render was counted.
    pub gate: Gate,
    /// What was scored.
    pub subject: Subject,
    /// The four dimensions.
    pub dimensions: BTreeMap<Dimension, DimensionScore>,
    /// Every published scorer by its lower-case id, and user-added ones by the id the user gave.
    pub scorers: BTreeMap<String, ScorerReport>,
    /// Screenshots by name (`desktop`, `tablet`, `mobile`, `full`); bytes are blobs of the run.
    pub screenshots: Vec<Screenshot>,
    /// Versions, hashes, machine, times.
    pub provenance: Provenance,
}

/// What was scored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Subject {
    /// The address as given, credentials removed.
    pub url: String,
    /// Where redirects led.
    pub final_url: Option<String>,
    /// Title of the page.
    pub title: Option<String>,
    /// Id of the prompt, if one was given.
    pub prompt: Option<String>,
    /// Name of the source folder, if one was given.
    pub source: Option<String>,
}

/// The four kinds of outcome, as `report.json` names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeKind {
    /// It was measured.
    Scored,
    /// The prompt or the track does not ask for it.
    NotApplicable,
    /// Something the user did not give is missing.
    NoInput,
    /// Our fault.
    Errored,
}

/// One scorer in a report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScorerReport {
    /// Which of the four outcomes.
    pub outcome: OutcomeKind,
    /// 0 to 1, or null.
    pub score: Option<f64>,
    /// Whether the published pass mark was reached.
    pub passed: Option<bool>,
    /// Why there is no score.
    pub reason: Option<String>,
    /// The plain phrase that goes with the id.
    pub name: String,
    /// A sentence that fits this outcome: different for pass and for fail.
    pub title: String,
    /// What it is worth in this composite, in points of 100.
    pub share: f64,
    /// Composite points lost: share × (1 − score).
    pub points_lost: f64,
    /// The numbers and the places behind it.
    pub details: Details,
    /// Seconds the evidence took to gather that this scorer alone needed or shared.
    pub seconds: f64,
    /// Version of this scorer's definition.
    pub version: String,
    /// Published id; absent for a scorer the user added, which has weight 0.
    pub id: Option<ScorerId>,
}

/// A screenshot of the page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Screenshot {
    /// `desktop`, `tablet`, `mobile` (viewport shots) or `full` (the whole page at desktop width, capped).
    pub name: String,
    /// In CSS pixels.
    pub width: u32,
    /// In CSS pixels.
    pub height: u32,
    /// The PNG.
    pub blob: BlobId,
}

/// Everything a reader needs to judge or repeat the measurement.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Provenance {
    /// Version of Benchwright.
    pub benchwright: String,
    /// Id of the run.
    pub run: String,
    /// When the run began, RFC 3339, UTC.
    pub started_at: String,
    /// Wall seconds from start to the last piece of evidence.
    pub seconds: f64,
    /// Versions of browser and instruments by name.
    pub versions: BTreeMap<String, String>,
    /// SHA-256 of what entered: prompt, source tree, evidence, by name.
    pub hashes: BTreeMap<String, String>,
    /// Fonts the page was rendered with.
    pub fonts: Vec<String>,
    /// The machine and how busy it was: cores, memory, load, steal, benchmark index.
    pub machine: BTreeMap<String, Value>,
    /// Settings that differ from the defaults and influence a number; secrets masked.
    pub settings: BTreeMap<String, Value>,
}
