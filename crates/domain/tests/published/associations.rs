//! Correlations across models.

use crate::printed;
use crate::tables::{MODELS, ONE_TASK, Row, TOOL_SHARES, model};
use benchwright_domain::statistics::Correlation;
use benchwright_domain::vibe::analysis::association::{Association, Feature, Observed, associate};

fn across_all(feature: fn(&Row) -> f64, with: Feature) -> Association {
    let observe =
        |row: &'static Row| Observed { model: row.model, accuracy: row.accuracy, feature: feature(row), given: None };
    associate(&MODELS.iter().map(observe).collect::<Vec<_>>(), with, None).unwrap()
}

#[test]
fn cost_goes_along_with_accuracy_but_for_one_model() {
    let cost = across_all(|row| row.cost_usd, Feature::CostUsd);
    printed(cost.correlation.r, 0.322, 3);
    let without = cost.most_without.unwrap();
    assert_eq!(without.model, "GLM-5");
    printed(without.r, 0.827, 3);
}

#[test]
fn latency_hardly_does() {
    let latency = across_all(|row| row.minutes, Feature::Seconds);
    printed(latency.correlation.r, 0.065, 3);
    let without = latency.most_without.unwrap();
    assert_eq!(without.model, "GLM-5");
    printed(without.r, 0.317, 3);
}

#[test]
fn the_share_of_browser_calls_does() {
    let observed: Vec<Observed> = TOOL_SHARES
        .iter()
        .map(|(name, shares, _)| Observed {
            model: name,
            accuracy: model(name).accuracy,
            feature: shares[2],
            given: None,
        })
        .collect();
    printed(associate(&observed, Feature::BrowserShare, None).unwrap().correlation.r, 0.798, 3);
}

/// The published trajectories of one task: twelve of the sixteen models.
#[test]
fn browser_calls_of_one_task() {
    let observed = |feature: fn(&(&str, u32, u32, f64)) -> u32, given: bool| -> Vec<Observed<'static>> {
        ONE_TASK
            .iter()
            .map(|row| Observed {
                model: row.0,
                accuracy: model(row.0).accuracy,
                feature: f64::from(feature(row)),
                given: given.then_some(row.3),
            })
            .collect()
    };
    let plain = associate(&observed(|row| row.1, false), Feature::BrowserCalls, None).unwrap();
    printed(plain.correlation.r, 0.706, 3);
    assert_eq!((plain.correlation.pairs, plain.correlation.controls), (12, 0));
    let partial = associate(&observed(|row| row.1, true), Feature::BrowserCalls, Some(Feature::Seconds)).unwrap();
    printed(partial.correlation.r, 0.663, 3);
    assert_eq!(partial.correlation.controls, 1);
    assert!(partial.interval.unwrap().contains(0.663));
    printed(associate(&observed(|row| row.2, false), Feature::EditCalls, None).unwrap().correlation.r, 0.086, 3);
}

#[test]
fn sixteen_models_say_little_about_a_correlation() {
    let interval = Correlation { r: 0.72, pairs: 16, controls: 0 }.interval(0.95).unwrap();
    printed(interval.low, 0.35, 2);
    printed(interval.high, 0.90, 2);
}
