//! Accuracy against what it takes, and the Pareto line: models that nothing beats in both.

use super::standing::Standing;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What accuracy is set against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Axis {
    /// Dollars per app.
    CostUsd,
    /// Seconds per app.
    Seconds,
    /// Tokens per app.
    Tokens,
    /// Answers of the model per app.
    Turns,
}

/// Models in the plane of accuracy and one thing it takes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Frontier {
    /// What accuracy is set against.
    pub axis: Axis,
    /// The models for which it is known, the cheapest first.
    pub points: Vec<Point>,
    /// The models for which it is not known for every app.
    pub unknown: Vec<String>,
}

/// A model in the plane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Point {
    /// The model.
    pub model: String,
    /// What it takes, on average per app.
    pub takes: f64,
    /// Its accuracy in percent.
    pub accuracy: f64,
    /// Whether no other model is at least as good in both and better in one.
    pub on_the_line: bool,
}

/// The four planes.
pub fn frontiers(models: &[Standing]) -> Vec<Frontier> {
    let plane = |axis: Axis, takes: fn(&Standing) -> Option<f64>| {
        let known = models.iter().filter_map(|row| Some((row.model.clone(), takes(row)?, row.accuracy.mean)));
        let unknown = models.iter().filter(|row| takes(row).is_none()).map(|row| row.model.clone());
        Frontier { axis, points: points(known), unknown: unknown.collect() }
    };
    vec![
        plane(Axis::CostUsd, |row| row.cost_usd.complete()),
        plane(Axis::Seconds, |row| row.seconds.complete()),
        plane(Axis::Tokens, |row| row.tokens.complete()),
        plane(Axis::Turns, |row| row.turns.complete()),
    ]
}

/// Points from name, what it takes, and accuracy.
pub fn points(models: impl Iterator<Item = (String, f64, f64)>) -> Vec<Point> {
    let mut points: Vec<Point> =
        models.map(|(model, takes, accuracy)| Point { model, takes, accuracy, on_the_line: false }).collect();
    points.sort_by(|a, b| {
        a.takes.total_cmp(&b.takes).then(b.accuracy.total_cmp(&a.accuracy)).then_with(|| a.model.cmp(&b.model))
    });
    let mut best: Option<(f64, f64)> = None;
    for point in &mut points {
        // What is as cheap and as good as the best so far is not beaten by it.
        let ties = best == Some((point.takes, point.accuracy));
        if ties || best.is_none_or(|(_, accuracy)| point.accuracy > accuracy) {
            point.on_the_line = true;
            best = Some((point.takes, point.accuracy));
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_line_is_what_nothing_beats(data in prop::collection::vec((0_u8..12, 0_u8..12), 0..30)) {
            let models = data.iter().map(|(x, y)| (String::new(), f64::from(*x), f64::from(*y)));
            let points = points(models);
            for point in &points {
                let beaten = points.iter().any(|other| {
                    other.takes <= point.takes && other.accuracy >= point.accuracy
                        && (other.takes < point.takes || other.accuracy > point.accuracy)
                });
                prop_assert_eq!(point.on_the_line, !beaten);
            }
        }
    }
}
