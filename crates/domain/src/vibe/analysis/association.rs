//! What goes along with accuracy across models. Going along is not causing.

use super::CONFIDENCE;
use super::scores::first_evaluations;
use super::standing::Standing;
use super::tools::{ModelTools, ToolUse};
use crate::statistics::{Correlation, Interval, partial_correlation};
use crate::vibe::app::AppResult;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What accuracy is held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Feature {
    /// Browser calls per app.
    BrowserCalls,
    /// The median of browser calls over apps.
    BrowserCallsMedian,
    /// The share of browser calls.
    BrowserShare,
    /// Edit calls per app.
    EditCalls,
    /// Dollars per app.
    CostUsd,
    /// Seconds per app.
    Seconds,
    /// What the scorers of the other track say, app by app instead of model by model.
    Composite,
}

/// A correlation of accuracy with something.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Association {
    /// With what.
    pub with: Feature,
    /// What was held fixed.
    pub given: Option<Feature>,
    /// The correlation.
    pub correlation: Correlation,
    /// Where it lies with 95 % confidence (Fisher); absent for too few pairs.
    pub interval: Option<Interval>,
    /// The least it becomes when one model is left out, and which; absent for too few.
    pub least_without: Option<Without>,
    /// The most it becomes when one model is left out, and which.
    pub most_without: Option<Without>,
}

/// A correlation without one model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Without {
    /// The model that is left out.
    pub model: String,
    /// The correlation of the others.
    pub r: f64,
}

/// One model: its name, its accuracy, the feature, and what is held fixed.
#[derive(Debug, Clone)]
pub struct Observed<'a> {
    /// The model.
    pub model: &'a str,
    /// Its accuracy.
    pub accuracy: f64,
    /// The feature.
    pub feature: f64,
    /// What is held fixed.
    pub given: Option<f64>,
}

/// Everything that can be computed.
pub fn associations(models: &[Standing], tools: Option<&ToolUse>, apps: &[&AppResult]) -> Vec<Association> {
    let of_tools = |pick: fn(&ModelTools) -> f64| {
        move |row: &Standing| Some(pick(tools?.models.iter().find(|it| it.model == row.model)?))
    };
    let browser = of_tools(|it| it.browser_calls_per_app);
    let seconds = |row: &Standing| row.seconds.complete();
    let across = |with: Feature, value: &dyn Fn(&Standing) -> Option<f64>, given: Option<Feature>| {
        let observed = |row| observe(row, value, if given.is_some() { Some(&seconds) } else { None });
        associate(&models.iter().filter_map(observed).collect::<Vec<_>>(), with, given)
    };
    [
        across(Feature::BrowserCalls, &browser, None),
        across(Feature::BrowserCalls, &browser, Some(Feature::Seconds)),
        across(Feature::BrowserCallsMedian, &of_tools(|it| it.browser_calls_median), None),
        across(Feature::BrowserShare, &of_tools(|it| it.shares.browser), None),
        across(Feature::EditCalls, &of_tools(|it| it.edit_calls_per_app), None),
        across(Feature::CostUsd, &|row| row.cost_usd.complete(), None),
        across(Feature::Seconds, &seconds, None),
        composite(apps),
    ]
    .into_iter()
    .flatten()
    .collect()
}

type Pick<'a> = &'a dyn Fn(&Standing) -> Option<f64>;

fn observe<'a>(row: &'a Standing, value: Pick, given: Option<Pick>) -> Option<Observed<'a>> {
    let held = match given {
        Some(given) => Some(given(row)?),
        None => None,
    };
    Some(Observed { model: &row.model, accuracy: row.accuracy.mean, feature: value(row)?, given: held })
}

/// The correlation over models; absent when it is not defined.
pub fn associate(observed: &[Observed], with: Feature, given: Option<Feature>) -> Option<Association> {
    let correlation = correlate(observed.iter())?;
    let mut without: Vec<Without> = observed
        .iter()
        .enumerate()
        .filter_map(|(left_out, one)| {
            let others = observed.iter().enumerate().filter(|(at, _)| *at != left_out).map(|(_, other)| other);
            Some(Without { model: one.model.to_owned(), r: correlate(others)?.r })
        })
        .collect();
    without.sort_by(|a, b| a.r.total_cmp(&b.r));
    Some(Association {
        with,
        given,
        correlation,
        interval: correlation.interval(CONFIDENCE).ok(),
        least_without: without.first().cloned(),
        most_without: without.pop(),
    })
}

fn correlate<'a>(observed: impl Iterator<Item = &'a Observed<'a>> + Clone) -> Option<Correlation> {
    let accuracy: Vec<f64> = observed.clone().map(|one| one.accuracy).collect();
    let feature: Vec<f64> = observed.clone().map(|one| one.feature).collect();
    let given: Vec<f64> = observed.filter_map(|one| one.given).collect();
    let controls: Vec<&[f64]> = if given.is_empty() { Vec::new() } else { vec![&given] };
    partial_correlation(&accuracy, &feature, &controls).ok()
}

/// Over apps, so without leaving one out: there are many, and each hardly matters.
fn composite(apps: &[&AppResult]) -> Option<Association> {
    let pairs = first_evaluations(apps).into_iter().filter_map(|app| Some((app.accuracy()?, app.composite?)));
    let (accuracies, composites): (Vec<f64>, Vec<f64>) = pairs.unzip();
    let correlation = partial_correlation(&accuracies, &composites, &[]).ok()?;
    Some(Association {
        with: Feature::Composite,
        given: None,
        correlation,
        interval: correlation.interval(CONFIDENCE).ok(),
        least_without: None,
        most_without: None,
    })
}
