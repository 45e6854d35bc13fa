//! How app scores are spread: models differ less in degrees than in how many apps come to nothing.

use super::scores::AppScore;
use crate::statistics::{Interval, wilson_95};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bars of a histogram.
pub const BARS: usize = 10;

/// The spread of app scores.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Distribution {
    /// One per model, in the order of the standings.
    pub models: Vec<Spread>,
    /// The best models together.
    pub top: Spread,
    /// The worst models together.
    pub bottom: Spread,
}

/// How the scores of some apps are spread.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Spread {
    /// The models.
    pub models: Vec<String>,
    /// How many apps have 0 up to 10 percent, 10 up to 20, and so on; the last bar holds 100 as well.
    pub histogram: [u64; BARS],
    /// Apps that pass nothing.
    pub zero: Share,
    /// Apps that pass everything.
    pub perfect: Share,
    /// Apps that did not start.
    pub not_started: Share,
}

/// Some apps of all.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Share {
    /// How many.
    pub count: u64,
    /// Of how many.
    pub of: u64,
    /// In percent; absent of nothing.
    pub percent: Option<f64>,
    /// Wilson's 95 % interval, in percent; absent of nothing.
    pub interval: Option<Interval>,
}

impl Share {
    /// So many of so many.
    pub fn new(count: u64, of: u64) -> Self {
        let interval = wilson_95(count, of).ok();
        Self {
            count,
            of,
            percent: (of > 0).then(|| 100.0 * count as f64 / of as f64),
            interval: interval.map(|it| Interval { low: 100.0 * it.low, high: 100.0 * it.high }),
        }
    }
}

impl Distribution {
    /// `models` are sorted, best first.
    pub fn of(models: &[&str], scores: &[AppScore], ends: usize) -> Self {
        let ends = ends.min(models.len());
        Self {
            models: models.iter().map(|model| Spread::of(&[model], scores)).collect(),
            top: Spread::of(&models[..ends], scores),
            bottom: Spread::of(&models[models.len() - ends..], scores),
        }
    }
}

impl Spread {
    /// Of the apps of some models.
    pub fn of(models: &[&str], scores: &[AppScore]) -> Self {
        let own: Vec<&AppScore> = scores.iter().filter(|score| models.contains(&score.model.as_str())).collect();
        let mut histogram = [0; BARS];
        for score in &own {
            histogram[((score.accuracy / 100.0 * BARS as f64) as usize).min(BARS - 1)] += 1;
        }
        let share = |is: fn(&AppScore) -> bool| {
            Share::new(own.iter().filter(|score| is(score)).count() as u64, own.len() as u64)
        };
        Self {
            models: models.iter().map(|model| (*model).to_owned()).collect(),
            histogram,
            zero: share(|score| score.accuracy <= 0.0),
            perfect: share(|score| score.accuracy >= 100.0),
            not_started: share(|score| !score.started),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_bar_holds_the_perfect_ones() {
        let values = [0.0, 9.9, 10.0, 55.0, 99.0, 100.0];
        let mut scores: Vec<_> = values.iter().map(|value| AppScore::new("a", "t", 0, *value)).collect();
        scores[0].started = false;
        let spread = Spread::of(&["a"], &scores);
        assert_eq!(spread.histogram, [2, 1, 0, 0, 0, 1, 0, 0, 0, 2]);
        assert_eq!((spread.zero.count, spread.perfect.count, spread.not_started.count), (1, 1, 1));
        assert_eq!(Share::new(0, 0).percent, None);
    }

    #[test]
    fn ends_do_not_reach_beyond_the_models() {
        let scores = [AppScore::new("a", "t", 0, 10.0)];
        let distribution = Distribution::of(&["a"], &scores, 5);
        assert_eq!((distribution.top.zero.of, distribution.bottom.zero.of), (1, 1));
        assert_eq!(Distribution::of(&[], &[], 5).models, []);
    }
}
