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
    /// What building the app took, as the submitter says; shown, never ranked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
}

/// What was scored.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Subject {
    /// The address as given, credentials removed; `folder://NAME/` for a folder that was served for the run.
    pub url: String,
    /// Where redirects led.
    pub final_url: Option<String>,
    /// Title of the page.
    pub title: Option<String>,
    /// Id of the prompt, if one was given.
    pub prompt: Option<String>,
    /// Name of the source folder, if one was given.
    pub source: Option<String>,
    /// The tool that built the app, if the submitter says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Version of that tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_version: Option<String>,
    /// Which repetition of the same tool and prompt this is, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_index: Option<u32>,
}

/// What building the app took. Nobody measured it: it is what the submitter reports, and it never enters a ranking.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cost {
    /// Where the numbers come from: `user-reported`.
    pub source: String,
    /// Seconds from the prompt to the first render.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_render_seconds: Option<f64>,
    /// Seconds from the prompt to a working build.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub working_build_seconds: Option<f64>,
    /// Dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd: Option<f64>,
    /// What else the submitter says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
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

#[cfg(test)]
pub(crate) mod sample {
    use super::*;
    use crate::composite::Composite;
    use crate::outcome::{Outcome, UnitScore};

    /// A small report: scorers by key with their score, or none.
    pub fn report(scores: &[(&str, Option<f64>)]) -> Report {
        let outcomes: Vec<(ScorerId, Outcome)> = scores
            .iter()
            .map(|(key, score)| {
                let none = || Outcome::NoInput { reason: "no source".to_owned() };
                let scored = |score: f64| Outcome::scored(UnitScore::new(score), score >= 0.5);
                (key.parse().unwrap(), score.map_or_else(none, scored))
            })
            .collect();
        let composite = Composite::of(outcomes.iter().map(|(id, outcome)| (*id, outcome)));
        let scorer = |(id, outcome): &(ScorerId, Outcome)| {
            let score = outcome.score().map(UnitScore::value);
            let report = ScorerReport {
                outcome: if score.is_some() { OutcomeKind::Scored } else { OutcomeKind::NoInput },
                score,
                passed: score.map(|score| score >= 0.5),
                reason: outcome.reason().map(str::to_owned),
                name: id.name().to_owned(),
                title: id.name().to_owned(),
                share: composite.share(*id),
                points_lost: score.map_or(0.0, |score| composite.share(*id) * (1.0 - score)),
                details: Details::default(),
                seconds: 0.0,
                version: "1".to_owned(),
                id: Some(*id),
            };
            (id.key().to_owned(), report)
        };
        Report {
            format: REPORT_FORMAT,
            methodology: crate::METHODOLOGY_VERSION.to_owned(),
            headline: String::new(),
            composite: composite.value,
            rankable: true,
            not_rankable_because: Vec::new(),
            coverage: 0.5,
            gate: Gate::Null,
            subject: Subject { url: "https://app.example/".to_owned(), ..Subject::default() },
            scorers: outcomes.iter().map(scorer).collect(),
            dimensions: composite.dimensions,
            screenshots: Vec::new(),
            provenance: Provenance::default(),
            cost: None,
        }
    }
}
