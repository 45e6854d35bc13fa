//! Ranks, and what intervals say about them.

use super::{Incomplete, Overall, OverallRow, PromptBoard, RankRange, Ranking, Row, mean_of};
use crate::repeats::Spread;
use crate::scorer::Dimension;
use crate::statistics::{Interval, student_t_quantile};
use std::collections::BTreeSet;

const CONFIDENCE: f64 = 0.95;

/// Sorts rows by their mean and gives each the ranks it may have.
pub(super) fn rows(mut rows: Vec<Row>) -> Vec<Row> {
    rows.sort_by(|a, b| mean(&b.composite).total_cmp(&mean(&a.composite)).then(a.tool.cmp(&b.tool)));
    let ranks = ranges(&rows.iter().map(|row| &row.composite).collect::<Vec<_>>());
    for (row, rank) in rows.iter_mut().zip(ranks) {
        row.rank = rank;
    }
    rows
}

/// The ranks each of several tools may have: all that no interval excludes. One run has no interval, and so excludes nothing.
pub fn ranges(spreads: &[&Spread]) -> Vec<RankRange> {
    ranges_of(&spreads.iter().map(|spread| spread.interval).collect::<Vec<_>>())
}

/// The ranks that several intervals leave open. What has no interval excludes nothing.
pub fn ranges_of(intervals: &[Option<Interval>]) -> Vec<RankRange> {
    let surely_better =
        |a: &Option<Interval>, b: &Option<Interval>| matches!((a, b), (Some(a), Some(b)) if a.low > b.high);
    intervals
        .iter()
        .map(|own| {
            let better = intervals.iter().filter(|other| surely_better(other, own)).count();
            let worse = intervals.iter().filter(|other| surely_better(own, other)).count();
            RankRange { best: 1 + better, worst: intervals.len() - worse }
        })
        .collect()
}

/// The tools with runs in the main ranking of every prompt. Runs without a prompt answer to different wishes; a mean over them means nothing.
pub(super) fn overall(prompts: &[PromptBoard]) -> Option<Overall> {
    let mains: Vec<(&str, &Ranking)> =
        prompts.iter().filter_map(|board| Some((board.prompt.as_deref()?, board.rankings.first()?))).collect();
    if mains.len() < 2 {
        return None;
    }
    let tools: BTreeSet<&str> =
        mains.iter().flat_map(|(_, ranking)| ranking.rows.iter().map(|row| row.tool.as_str())).collect();
    let mut rows = Vec::new();
    let mut incomplete = Vec::new();
    for tool in tools {
        let found: Vec<_> =
            mains.iter().map(|(prompt, ranking)| (*prompt, ranking.rows.iter().find(|row| row.tool == tool))).collect();
        let missing: Vec<String> =
            found.iter().filter(|(_, row)| row.is_none()).map(|(prompt, _)| (*prompt).to_owned()).collect();
        let present: Vec<&Row> = found.iter().filter_map(|(_, row)| *row).collect();
        if missing.is_empty() {
            rows.push(overall_row(tool, &present));
        } else {
            incomplete.push(Incomplete { tool: tool.to_owned(), missing });
        }
    }
    rows.sort_by(|a, b| mean(&b.composite).total_cmp(&mean(&a.composite)).then(a.tool.cmp(&b.tool)));
    let ranks = ranges(&rows.iter().map(|row| &row.composite).collect::<Vec<_>>());
    for (row, rank) in rows.iter_mut().zip(ranks) {
        row.rank = rank;
    }
    Some(Overall { prompts: mains.len(), rows, incomplete })
}

fn overall_row(tool: &str, rows: &[&Row]) -> OverallRow {
    let dimension = |dimension: Dimension| mean_of(rows.iter().filter_map(|row| *row.dimensions.get(&dimension)?));
    OverallRow {
        tool: tool.to_owned(),
        rank: RankRange { best: 1, worst: 1 },
        composite: over_prompts(&rows.iter().map(|row| (&row.composite, row.runs.len())).collect::<Vec<_>>()),
        dimensions: Dimension::ALL.into_iter().map(|d| (d, dimension(d))).collect(),
        runs: rows.iter().map(|row| row.runs.len()).sum(),
    }
}

/// The mean over prompts, of the composite over the runs of each and how many runs that is. The prompts are given, not drawn, so its
/// error comes from the runs alone: √Σ se² / P, with Welch's degrees of freedom; without repeated runs on every prompt there is none.
pub fn over_prompts(spreads: &[(&Spread, usize)]) -> Spread {
    let count = spreads.len() as f64;
    let means: Vec<f64> = spreads.iter().filter_map(|(spread, _)| spread.mean).collect();
    let mean = means.iter().sum::<f64>() / count;
    let errors: Option<Vec<(f64, f64)>> =
        spreads.iter().map(|(spread, runs)| Some((spread.standard_error?, *runs as f64 - 1.0))).collect();
    let error = errors.as_ref().map(|errors| errors.iter().map(|(error, _)| error.powi(2)).sum::<f64>().sqrt() / count);
    let interval = errors.zip(error).and_then(|(errors, error)| {
        let squares: f64 = errors.iter().map(|(error, _)| error.powi(2)).sum();
        let fourths: f64 = errors.iter().map(|(error, freedom)| error.powi(4) / freedom).sum();
        let freedom = if fourths > 0.0 { squares.powi(2) / fourths } else { 1.0 };
        let reach = student_t_quantile(f64::midpoint(1.0, CONFIDENCE), freedom).ok()? * error;
        Some(Interval { low: (mean - reach).clamp(0.0, 100.0), high: (mean + reach).clamp(0.0, 100.0) })
    });
    Spread { values: means, mean: Some(mean), standard_error: error, interval }
}

fn mean(spread: &Spread) -> f64 {
    spread.mean.unwrap_or_default()
}
