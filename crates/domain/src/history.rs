//! One app over time: which steps of its composite are more than noise.

use crate::composite::Composite;
use crate::noise::{EPSILON, band};
use crate::outcome::{Outcome, UnitScore};
use crate::record::RunRecord;
use crate::scorer::ScorerId;

/// What a run is beside one before it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Step {
    /// There is none before it.
    First,
    /// None before it measured the same things, so their composites are not compared.
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

/// A run beside those before it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Compared {
    /// The step to it from the last run before it that measured the same things.
    pub step: Step,
    /// Which run that is; nothing where no run before it measured the same things.
    pub beside: Option<usize>,
    /// The first of all runs that measured the same things: this one, if none did before.
    pub series: usize,
}

/// Several runs of one app, the oldest first, each beside the last one before it that can be compared with it: a run between them that measured
/// other things hides no fall.
pub fn compared(runs: &[RunRecord]) -> Vec<Compared> {
    let mut known: Vec<Compared> = Vec::with_capacity(runs.len());
    for (place, run) in runs.iter().enumerate() {
        let found = runs[..place].iter().enumerate().rev().find_map(|(before, old)| Some((before, step(old, run)?)));
        known.push(Compared {
            step: match found {
                Some((_, step)) => step,
                None if place == 0 => Step::First,
                None => Step::NotCompared,
            },
            beside: found.map(|(before, _)| before),
            series: found.map_or(place, |(before, _)| known[before].series),
        });
    }
    known
}

/// The step between two runs that measured the same things.
fn step(before: &RunRecord, after: &RunRecord) -> Option<Step> {
    let (old, new) = (before.composite?, after.composite?);
    let mut scores = before.scores.iter().zip(&after.scores);
    let is_alike = before.scores.len() == after.scores.len()
        && scores.all(|((key, old), (other, new))| key == other && old.version == new.version);
    if !is_alike || before.class != after.class || before.prompt != after.prompt {
        return None;
    }
    let (delta, band) = (new - old, composite_band(after));
    Some(match delta {
        delta if delta.abs() <= band.max(EPSILON * 100.0) => Step::WithinNoise { delta, band },
        delta if delta > 0.0 => Step::Better { delta, band },
        delta => Step::Worse { delta, band },
    })
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

    fn steps(runs: &[RunRecord]) -> Vec<Step> {
        compared(runs).into_iter().map(|one| one.step).collect()
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
        let other = [run(&[("c3", Some(1.0))]), run(&[("c3", Some(0.2)), ("f1", Some(1.0))])];
        assert_eq!(steps(&other)[1], Step::NotCompared);
        let mut newer = run(&[("c3", Some(0.5))]);
        newer.scores.get_mut("c3").unwrap().version = "2".to_owned();
        assert_eq!(steps(&[run(&[("c3", Some(1.0))]), newer])[1], Step::NotCompared);
    }

    #[test]
    fn a_run_that_measured_other_things_hid_a_fall() {
        let whole = |score| run(&[("c3", Some(score))]);
        let other = || run(&[("c3", Some(0.9)), ("f1", Some(1.0))]);
        let runs = [whole(0.92), other(), whole(0.5), other(), RunRecord { composite: None, ..whole(0.5) }, whole(0.5)];
        let compared = compared(&runs);
        let beside: Vec<_> = compared.iter().map(|one| (one.beside, one.series)).collect();
        assert_eq!(beside, [(None, 0), (None, 1), (Some(0), 0), (Some(1), 1), (None, 4), (Some(2), 0)]);
        assert!(matches!(compared[2].step, Step::Worse { delta, .. } if (delta + 42.0).abs() < 1e-9), "{compared:?}");
        assert_eq!((compared[1].step, compared[4].step), (Step::NotCompared, Step::NotCompared));
        assert!(matches!(compared[5].step, Step::WithinNoise { .. }), "{compared:?}");
    }
}
