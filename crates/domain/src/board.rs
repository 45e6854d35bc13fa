//! The leaderboard: one ranking per prompt, of runs that measured the same things; what cannot be told apart shares its ranks.

mod rank;
mod tally;

pub use rank::{over_prompts, ranges, ranges_of};
pub use tally::{Counted, Tally};

use crate::composite::Gate;
use crate::repeats::Spread;
use crate::report::{Cost, Report};
use crate::scorer::{Dimension, ScorerId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Format version of [`Board`], which is `board.json`.
pub const BOARD_FORMAT: u32 = 1;

/// One report that wants to stand on the board.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    /// The report.
    pub report: &'a Report,
    /// Where a reader finds it, relative to the board.
    pub link: &'a str,
}

/// The board. Its JSON form is `board.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Board {
    /// Format version.
    pub format: u32,
    /// One per prompt, in the order of their ids; runs without a prompt come last.
    pub prompts: Vec<PromptBoard>,
    /// The tools with ranked runs on all prompts; absent when there is only one prompt.
    pub overall: Option<Overall>,
    /// Runs that may not be ranked.
    pub unranked: Vec<Unranked>,
}

/// The rankings of one prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PromptBoard {
    /// Id of the prompt; absent for runs without one.
    pub prompt: Option<String>,
    /// One ranking per class, the one with most tools first.
    pub rankings: Vec<Ranking>,
}

/// Runs can be compared when they measured the same things in the same way.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct CoverageClass {
    /// The scorers that entered the composite.
    pub scored: BTreeSet<ScorerId>,
    /// The secret scanners that ran, as S1 says.
    pub scanners: String,
    /// Version of the methodology.
    pub methodology: String,
    /// Whether a page that did not render counted as 0.
    pub counts_unrendered_as_zero: bool,
}

impl CoverageClass {
    /// The class of a report.
    pub fn of(report: &Report) -> Self {
        let scored = report.scorers.values().filter(|scorer| scorer.score.is_some()).filter_map(|scorer| scorer.id);
        let fact = |name: &str| report.scorers.get("s1")?.details.facts.get(name)?.as_str().map(str::to_owned);
        Self {
            scored: scored.collect(),
            scanners: fact("scanners").or_else(|| fact("secrets_scan")).unwrap_or_default(),
            methodology: report.methodology.clone(),
            counts_unrendered_as_zero: report.gate == Gate::Zero,
        }
    }
}

/// One ranking: tools whose runs are in the same class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ranking {
    /// What the runs have in common.
    pub class: CoverageClass,
    /// Share of the published weight it covers.
    pub coverage: f64,
    /// The tools, best mean first.
    pub rows: Vec<Row>,
}

/// The ranks a tool may have: all that the intervals do not exclude.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RankRange {
    /// The best.
    pub best: usize,
    /// The worst.
    pub worst: usize,
}

/// One tool in one ranking.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Row {
    /// The tool, or the host of the address where nobody named one.
    pub tool: String,
    /// Its versions.
    pub versions: Vec<String>,
    /// The ranks it may have.
    pub rank: RankRange,
    /// The composite over its runs, 0 to 100.
    pub composite: Spread,
    /// Mean of each dimension over its runs, 0 to 1.
    pub dimensions: BTreeMap<Dimension, Option<f64>>,
    /// Mean dollars over the runs that say so. Never ranked.
    pub usd: Option<f64>,
    /// Mean seconds to a working build over the runs that say so. Never ranked.
    pub working_build_seconds: Option<f64>,
    /// The runs.
    pub runs: Vec<BoardRun>,
}

/// One run of a row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BoardRun {
    /// Its id.
    pub run: String,
    /// Which repetition it is.
    pub run_index: Option<u32>,
    /// When it began.
    pub started_at: String,
    /// The address.
    pub url: String,
    /// The composite.
    pub composite: f64,
    /// Where its report is, relative to the board.
    pub link: String,
    /// What building took, as the submitter says.
    pub cost: Option<Cost>,
}

/// A run that is shown apart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Unranked {
    /// The tool.
    pub tool: String,
    /// Id of the prompt.
    pub prompt: Option<String>,
    /// Id of the run.
    pub run: String,
    /// The composite, if there is one.
    pub composite: Option<f64>,
    /// Why it is not ranked.
    pub reasons: Vec<String>,
    /// Where its report is, relative to the board.
    pub link: String,
}

/// The tools that were measured on every prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Overall {
    /// How many prompts there are.
    pub prompts: usize,
    /// The tools, best mean first.
    pub rows: Vec<OverallRow>,
    /// Tools that lack a prompt, and which.
    pub incomplete: Vec<Incomplete>,
}

/// One tool over all prompts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OverallRow {
    /// The tool.
    pub tool: String,
    /// The ranks it may have.
    pub rank: RankRange,
    /// The mean over prompts of the mean over runs, with its interval; each prompt weighs the same.
    pub composite: Spread,
    /// Mean of each dimension, 0 to 1.
    pub dimensions: BTreeMap<Dimension, Option<f64>>,
    /// Runs in all.
    pub runs: usize,
}

/// A tool that lacks a prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Incomplete {
    /// The tool.
    pub tool: String,
    /// The prompts without a run in the ranking.
    pub missing: Vec<String>,
}

impl Board {
    /// Ranks the candidates. Candidates with the same run id count once.
    pub fn of(candidates: &[Candidate]) -> Self {
        let mut seen = BTreeSet::new();
        let fresh: Vec<_> =
            candidates.iter().copied().filter(|c| seen.insert(c.report.provenance.run.clone())).collect();
        let (ranked, apart): (Vec<_>, Vec<_>) =
            fresh.into_iter().partition(|c| c.report.rankable && c.report.composite.is_some());
        let mut by_prompt: BTreeMap<(bool, Option<String>), Vec<Candidate>> = BTreeMap::new();
        for candidate in ranked {
            let prompt = candidate.report.subject.prompt.clone();
            by_prompt.entry((prompt.is_none(), prompt)).or_default().push(candidate);
        }
        let prompts: Vec<_> = by_prompt
            .into_iter()
            .map(|((_, prompt), runs)| PromptBoard { prompt, rankings: rankings(&runs) })
            .collect();
        let mut unranked: Vec<_> = apart.iter().map(Unranked::of).collect();
        unranked.sort_by(|a, b| (&a.tool, &a.prompt, &a.run).cmp(&(&b.tool, &b.prompt, &b.run)));
        Self { format: BOARD_FORMAT, overall: rank::overall(&prompts), prompts, unranked }
    }
}

impl Unranked {
    fn of(candidate: &Candidate) -> Self {
        let report = candidate.report;
        let mut reasons = report.not_rankable_because.clone();
        if reasons.is_empty() {
            reasons.push("nothing could be measured".to_owned());
        }
        Self {
            tool: tool(report),
            prompt: report.subject.prompt.clone(),
            run: report.provenance.run.clone(),
            composite: report.composite,
            reasons,
            link: candidate.link.to_owned(),
        }
    }
}

/// The tool a report is about, or the host of its address where nobody named one.
pub fn tool(report: &Report) -> String {
    let url = &report.subject.url;
    let host = url.split_once("://").map_or(url.as_str(), |(_, rest)| rest).split(['/', '?', '#']).next();
    report.subject.tool.clone().unwrap_or_else(|| host.unwrap_or_default().to_owned())
}

fn rankings(runs: &[Candidate]) -> Vec<Ranking> {
    let mut classes: BTreeMap<CoverageClass, BTreeMap<String, Vec<Candidate>>> = BTreeMap::new();
    for candidate in runs {
        let tools = classes.entry(CoverageClass::of(candidate.report)).or_default();
        tools.entry(tool(candidate.report)).or_default().push(*candidate);
    }
    let mut rankings: Vec<_> = classes
        .into_iter()
        .map(|(class, tools)| Ranking {
            coverage: tools.values().flatten().map(|candidate| candidate.report.coverage).fold(0.0, f64::max),
            rows: rank::rows(tools.into_iter().map(|(tool, runs)| row(tool, &runs)).collect()),
            class,
        })
        .collect();
    rankings.sort_by(|a, b| b.rows.len().cmp(&a.rows.len()).then(b.coverage.total_cmp(&a.coverage)));
    rankings
}

fn row(tool: String, runs: &[Candidate]) -> Row {
    let mut runs: Vec<_> = runs.to_vec();
    runs.sort_by_key(|c| {
        (c.report.subject.run_index, c.report.provenance.started_at.clone(), c.report.provenance.run.clone())
    });
    let reports = || runs.iter().map(|candidate| candidate.report);
    let versions: BTreeSet<_> = reports().filter_map(|report| report.subject.tool_version.clone()).collect();
    let cost = |pick: fn(&Cost) -> Option<f64>| mean_of(reports().filter_map(|report| pick(report.cost.as_ref()?)));
    let dimension =
        |dimension: Dimension| mean_of(reports().filter_map(|report| report.dimensions.get(&dimension)?.score));
    Row {
        tool,
        versions: versions.into_iter().collect(),
        rank: RankRange { best: 1, worst: 1 },
        composite: Spread::of(reports().filter_map(|report| report.composite), 100.0),
        dimensions: Dimension::ALL.into_iter().map(|d| (d, dimension(d))).collect(),
        usd: cost(|cost| cost.usd),
        working_build_seconds: cost(|cost| cost.working_build_seconds),
        runs: runs.iter().map(BoardRun::of).collect(),
    }
}

impl BoardRun {
    fn of(candidate: &Candidate) -> Self {
        let report = candidate.report;
        Self {
            run: report.provenance.run.clone(),
            run_index: report.subject.run_index,
            started_at: report.provenance.started_at.clone(),
            url: report.subject.url.clone(),
            composite: report.composite.unwrap_or_default(),
            link: candidate.link.to_owned(),
            cost: report.cost.clone(),
        }
    }
}

fn mean_of(values: impl Iterator<Item = f64>) -> Option<f64> {
    Spread::of(values, f64::MAX).mean
}

#[cfg(test)]
mod tests;
