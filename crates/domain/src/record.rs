//! A run in short: what boards, lists and feeds show of it. It is part of `run.json`, so that nobody has to score the run again to list it.

use crate::board::{CoverageClass, tool};
use crate::details::BlobId;
use crate::report::{Cost, Report};
use crate::scorer::Dimension;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Format version of [`RunRecord`]; raised when a reader of the old form would misread the new one.
pub const RECORD_FORMAT: u32 = 1;

/// The name of the screenshot that stands for a run in lists.
const SHOWN_IN_LISTS: &str = "desktop";

/// A run in short.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunRecord {
    /// Format version.
    pub format: u32,
    /// Id of the run.
    pub run: String,
    /// The tool, or the host of the address where nobody named one.
    pub tool: String,
    /// Version of the tool.
    pub tool_version: Option<String>,
    /// Which repetition of the same tool and prompt this is.
    pub run_index: Option<u32>,
    /// Id of the prompt.
    pub prompt: Option<String>,
    /// How hard the prompt is, 1 to 3.
    pub tier: Option<u8>,
    /// The address as given, credentials removed.
    pub url: String,
    /// Title of the page.
    pub title: Option<String>,
    /// What the report says in one sentence.
    pub headline: String,
    /// 0 to 100.
    pub composite: Option<f64>,
    /// The dimensions that have a score, 0 to 1.
    pub dimensions: BTreeMap<Dimension, f64>,
    /// The scorers that have a score.
    pub scores: BTreeMap<String, RecordedScore>,
    /// Whether it may stand on a board.
    pub rankable: bool,
    /// Why it may not, one sentence each.
    pub not_rankable_because: Vec<String>,
    /// Only runs of one class are ranked together.
    pub class: CoverageClass,
    /// Share of the published weight that was measured.
    pub coverage: f64,
    /// RFC 3339, UTC.
    pub started_at: String,
    /// Wall seconds from start to the last piece of evidence.
    pub seconds: f64,
    /// Version of Benchwright.
    pub benchwright: String,
    /// What building the app took, as the submitter says; shown, never ranked.
    pub cost: Option<Cost>,
    /// Whether the operator's own workers made this run from what was submitted.
    pub verified: bool,
    /// The whole report, as JSON.
    pub report: Option<BlobId>,
    /// The picture that stands for it in lists.
    pub thumbnail: Option<BlobId>,
}

/// One score, and the definition it follows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecordedScore {
    /// 0 to 1.
    pub score: f64,
    /// Version of the scorer's definition.
    pub version: String,
}

impl RunRecord {
    /// The record of a report. What the report does not know (tier, who ran it, where the report is kept) is left out.
    pub fn of(report: &Report) -> Self {
        let dimensions = report.dimensions.iter().filter_map(|(dimension, found)| Some((*dimension, found.score?)));
        let scores = report.scorers.iter().filter_map(|(key, scorer)| {
            Some((key.clone(), RecordedScore { score: scorer.score?, version: scorer.version.clone() }))
        });
        let thumbnail = report.screenshots.iter().find(|screenshot| screenshot.name == SHOWN_IN_LISTS);
        Self {
            format: RECORD_FORMAT,
            run: report.provenance.run.clone(),
            tool: tool(report),
            tool_version: report.subject.tool_version.clone(),
            run_index: report.subject.run_index,
            prompt: report.subject.prompt.clone(),
            tier: None,
            url: report.subject.url.clone(),
            title: report.subject.title.clone(),
            headline: report.headline.clone(),
            composite: report.composite,
            dimensions: dimensions.collect(),
            scores: scores.collect(),
            rankable: report.rankable && report.composite.is_some(),
            not_rankable_because: report.not_rankable_because.clone(),
            class: CoverageClass::of(report),
            coverage: report.coverage,
            started_at: report.provenance.started_at.clone(),
            seconds: report.provenance.seconds,
            benchwright: report.provenance.benchwright.clone(),
            cost: report.cost.clone(),
            verified: false,
            report: None,
            thumbnail: thumbnail.map(|screenshot| screenshot.blob.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn a_record_says_what_its_report_says() {
        let mut report = sample::report(&[("f1", Some(1.0)), ("c3", Some(0.25)), ("c1", None)]);
        report.subject.tool = Some("kiln".to_owned());
        let record = RunRecord::of(&report);
        assert_eq!((record.tool.as_str(), record.composite), ("kiln", report.composite));
        assert_eq!(record.scores.keys().collect::<Vec<_>>(), ["c3", "f1"]);
        assert_eq!(record.scores["c3"], RecordedScore { score: 0.25, version: "1".to_owned() });
        assert_eq!(record.dimensions[&Dimension::CodeQuality], 0.25);
        assert!(!record.dimensions.contains_key(&Dimension::Visual));
        assert_eq!(record.class, CoverageClass::of(&report));
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<RunRecord>(&text).unwrap(), record);
    }

    #[test]
    fn a_run_without_a_composite_cannot_be_ranked() {
        let record = RunRecord::of(&sample::report(&[("c1", None)]));
        assert_eq!((record.composite, record.rankable), (None, false));
    }
}
