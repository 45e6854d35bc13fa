//! One app over time: which steps of its composite are more than noise.

use crate::composite::Composite;
use crate::noise::{EPSILON, band};
use crate::outcome::{Outcome, UnitScore};
use crate::record::RunRecord;
use crate::scorer::ScorerId;
use std::collections::BTreeMap;

/// What a run is beside the one before it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Step {
    /// There is none before it.
    First,
    /// They do not measure the same things, so their composites are not compared.
    NotCompared,
    /// No further than noise moves it.
    WithinNoise {
        /// In points.
        delta: f64,
        /// How far noise alone may move it.
        band: f64,
    },
    /// Better by more than noise.
    Better {
        /// In points.
        delta: f64,
        /// How far noise alone may move it.
        band: f64,
    },
    /// Worse by more than noise.
    Worse {
        /// In points.
        delta: f64,
        /// How far noise alone may move it.
        band: f64,
    },
}

/// The step to each of several runs of one app, the oldest first.
pub fn steps(runs: &[RunRecord]) -> Vec<Step> {
    let before = std::iter::once(None).chain(runs.iter().map(Some));
    before.zip(runs).map(|(before, after)| before.map_or(Step::First, |before| step(before, after))).collect()
}

fn step(before: &RunRecord, after: &RunRecord) -> Step {
    let (Some(old), Some(new)) = (before.composite, after.composite) else { return Step::NotCompared };
    let version =
        |run: &RunRecord| run.scores.iter().map(|(key, score)| (key.clone(), score.version.clone())).collect();
    let versions: [BTreeMap<String, String>; 2] = [version(before), version(after)];
    if before.class != after.class || before.prompt != after.prompt || versions[0] != versions[1] {
        return Step::NotCompared;
    }
    let (delta, band) = (new - old, composite_band(after));
    match delta {
        delta if delta.abs() <= band.max(EPSILON * 100.0) => Step::WithinNoise { delta, band },
        delta if delta > 0.0 => Step::Better { delta, band },
        delta => Step::Worse { delta, band },
    }
}

/// How far noise alone may move the composite of a run, in points: the bands of its noisy scorers, each by its share.
pub fn composite_band(run: &RunRecord) -> f64 {
    let outcomes: Vec<(ScorerId, Outcome)> = run
        .scores
        .iter()
        .filter_map(|(key, score)| Some((key.parse().ok()?, Outcome::scored(UnitScore::new(score.score), true))))
        .collect();
    let composite = Composite::of(outcomes.iter().map(|(id, outcome)| (*id, outcome)));
    let square = |id: ScorerId| (composite.share(id) * band(Some(id), &[], 1).width).powi(2);
    outcomes.iter().map(|(id, _)| square(*id)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    fn run(scores: &[(&str, Option<f64>)]) -> RunRecord {
        RunRecord::of(&sample::report(scores))
    }

    #[test]
    fn a_fall_of_a_scorer_that_repeats_itself_is_a_regression() {
        let steps = steps(&[run(&[("c3", Some(1.0))]), run(&[("c3", Some(0.9))]), run(&[("c3", Some(0.9))])]);
        assert_eq!(steps[0], Step::First);
        assert!(matches!(steps[1], Step::Worse { delta, .. } if (delta + 10.0).abs() < 1e-9), "{steps:?}");
        assert!(matches!(steps[2], Step::WithinNoise { .. }), "{steps:?}");
    }

    #[test]
    fn lighthouse_may_move_within_its_band() {
        let steps = steps(&[run(&[("c4", Some(0.90))]), run(&[("c4", Some(0.85))]), run(&[("c4", Some(0.95))])]);
        assert!(matches!(steps[1], Step::WithinNoise { band, .. } if (band - 8.0).abs() < 1e-9), "{steps:?}");
        assert!(matches!(steps[2], Step::Better { .. }), "{steps:?}");
    }

    #[test]
    fn runs_that_measured_other_things_are_not_compared() {
        let steps = steps(&[run(&[("c3", Some(1.0))]), run(&[("c3", Some(0.2)), ("f1", Some(1.0))])]);
        assert_eq!(steps[1], Step::NotCompared);
        let mut newer = run(&[("c3", Some(0.5))]);
        newer.scores.get_mut("c3").unwrap().version = "2".to_owned();
        assert_eq!(super::steps(&[run(&[("c3", Some(1.0))]), newer])[1], Step::NotCompared);
    }
}
