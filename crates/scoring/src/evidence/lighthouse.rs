//! Lighthouse runs in the quiet lane, each with how busy the machine was.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Format version of [`Lighthouse`].
pub const VERSION: u32 = 1;

/// All attempts, in order, with what the machine was judged against.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Lighthouse {
    /// Version of Lighthouse.
    pub version: String,
    /// The attempts.
    pub attempts: Vec<Attempt>,
    /// What made an attempt count as contended.
    pub thresholds: Thresholds,
    /// Seconds waited for the machine-wide lock.
    pub lock_wait_seconds: f64,
}

/// When an attempt counts as contended.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Thresholds {
    /// The machine's own calibrated median BenchmarkIndex, if it was calibrated (`benchwright doctor --calibrate`).
    pub calibrated_index: Option<f64>,
    /// Lowest acceptable share of the calibrated index.
    pub min_index_share: f64,
    /// Highest acceptable share of stolen CPU time.
    pub max_steal_share: f64,
}

/// One Lighthouse run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// Wall seconds.
    pub seconds: f64,
    /// How it ended.
    pub result: AttemptResult,
    /// Load average (one minute) before.
    pub load_before: Option<f64>,
    /// Load average (one minute) after.
    pub load_after: Option<f64>,
    /// Share of CPU time stolen by the hypervisor during the run.
    pub steal_share: Option<f64>,
    /// Why it counts as contended, if it does.
    pub contended: Option<String>,
}

/// How a run ended.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum AttemptResult {
    /// It measured.
    Measured {
        /// The facts.
        run: Box<Run>,
    },
    /// It was over its limit.
    TimedOut {
        /// The limit.
        after_seconds: f64,
    },
    /// Lighthouse or its browser failed.
    Failed {
        /// In words.
        reason: String,
    },
    /// Never started.
    #[default]
    NotRun,
}

/// The facts of one measured run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Run {
    /// Performance category, 0 to 1.
    pub score: Option<f64>,
    /// Timings and shifts by name: fcpMs, lcpMs, tbtMs, cls, siMs.
    pub metrics: BTreeMap<String, f64>,
    /// The five metric scores by the same stem: fcp, lcp, tbt, cls, si.
    pub metric_scores: BTreeMap<String, f64>,
    /// Lighthouse's own estimate of the machine's speed.
    pub benchmark_index: Option<f64>,
    /// What Lighthouse warns of.
    pub run_warnings: Vec<String>,
    /// Where it measured.
    pub final_url: Option<String>,
    /// What would help, largest saving first.
    pub opportunities: Vec<Opportunity>,
}

/// A failing performance audit.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Opportunity {
    /// Audit id.
    pub id: String,
    /// What Lighthouse calls it.
    pub title: String,
    /// 0 to 1.
    pub score: Option<f64>,
    /// What it says of the page.
    pub display_value: Option<String>,
    /// Milliseconds to be saved.
    pub savings_ms: Option<f64>,
    /// Bytes to be saved.
    pub savings_bytes: Option<f64>,
    /// Where.
    pub items: Vec<OpportunityItem>,
}

/// A place an opportunity names.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OpportunityItem {
    /// Address of the resource.
    pub url: Option<String>,
    /// Any other words.
    pub text: Option<String>,
    /// Bytes to be saved here.
    pub wasted_bytes: Option<f64>,
    /// Milliseconds to be saved here.
    pub wasted_ms: Option<f64>,
    /// Element.
    pub selector: Option<String>,
    /// Its markup.
    pub snippet: Option<String>,
}
