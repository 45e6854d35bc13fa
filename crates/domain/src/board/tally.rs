//! What a board needs of many runs, in whole numbers.
//!
//! Sums of floats depend on the order of their terms, and taking a term out again leaves dust. Sums of whole numbers do neither: a
//! tally kept run by run, for years, equals one made at once from all runs. Composites count in ten-thousandths of a point.

use crate::record::RunRecord;
use crate::repeats::Spread;
use crate::scorer::Dimension;
use crate::statistics::{Estimate, Interval};
use std::ops::{AddAssign, Neg};

const POINT: f64 = 1e4;
const UNIT: f64 = 1e6;
const DOLLAR: f64 = 1e6;
const SECOND: f64 = 1e3;
const CONFIDENCE: f64 = 0.95;

/// A sum, and how many runs are in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counted {
    /// The sum in the smallest unit.
    pub sum: i64,
    /// The runs that have a value.
    pub runs: i64,
}

impl Counted {
    fn of(value: Option<f64>, unit: f64) -> Self {
        value.map_or_else(Self::default, |value| Self { sum: (value * unit).round() as i64, runs: 1 })
    }

    fn mean(self, unit: f64) -> Option<f64> {
        (self.runs > 0).then(|| self.sum as f64 / self.runs as f64 / unit)
    }
}

/// The runs of one tool on one prompt in one class.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many there are.
    pub runs: i64,
    /// How many the operator's workers made.
    pub verified: i64,
    /// Sum of the composites.
    pub points: i64,
    /// Sum of their squares.
    pub squares: i64,
    /// The dimensions, in the order of [`Dimension::ALL`].
    pub dimensions: [Counted; 4],
    /// What the submitters paid.
    pub usd: Counted,
    /// How long they say building took.
    pub build: Counted,
}

impl Tally {
    /// The tally of one run; nothing for a run that cannot be ranked.
    pub fn of(record: &RunRecord) -> Option<Self> {
        let points = (record.composite.filter(|_| record.rankable)? * POINT).round() as i64;
        let cost = record.cost.as_ref();
        Some(Self {
            runs: 1,
            verified: i64::from(record.verified),
            points,
            squares: points * points,
            dimensions: Dimension::ALL.map(|dimension| Counted::of(record.dimensions.get(&dimension).copied(), UNIT)),
            usd: Counted::of(cost.and_then(|cost| cost.usd), DOLLAR),
            build: Counted::of(cost.and_then(|cost| cost.working_build_seconds), SECOND),
        })
    }

    /// The composite over the runs: its mean and where it lies with 95 % confidence. The single values are not known any more.
    pub fn composite(&self) -> Spread {
        if self.runs <= 0 {
            return Spread { values: Vec::new(), mean: None, standard_error: None, interval: None };
        }
        let runs = self.runs as f64;
        let mean = self.points as f64 / runs / POINT;
        let standard_error = (self.runs > 1).then(|| (self.deviations() / (runs - 1.0) / runs).sqrt() / POINT);
        let interval = standard_error.and_then(|standard_error| {
            Estimate { value: mean, standard_error, degrees_of_freedom: runs - 1.0 }.interval(CONFIDENCE).ok()
        });
        let within = |interval: Interval| Interval {
            low: interval.low.clamp(0.0, 100.0),
            high: interval.high.clamp(0.0, 100.0),
        };
        Spread { values: Vec::new(), mean: Some(mean), standard_error, interval: interval.map(within) }
    }

    /// Σ(x − mean)², by whole numbers as long as possible: n·Σx² and (Σx)² are close to each other.
    fn deviations(&self) -> f64 {
        let (runs, points, squares) = (i128::from(self.runs), i128::from(self.points), i128::from(self.squares));
        (runs * squares - points * points).max(0) as f64 / self.runs as f64
    }

    /// Mean of a dimension, 0 to 1.
    pub fn dimension(&self, dimension: Dimension) -> Option<f64> {
        let place = Dimension::ALL.iter().position(|other| *other == dimension)?;
        self.dimensions[place].mean(UNIT)
    }

    /// Mean dollars over the runs that say so.
    pub fn usd(&self) -> Option<f64> {
        self.usd.mean(DOLLAR)
    }

    /// Mean seconds to a working build over the runs that say so.
    pub fn working_build_seconds(&self) -> Option<f64> {
        self.build.mean(SECOND)
    }
}

impl AddAssign for Counted {
    fn add_assign(&mut self, other: Self) {
        self.sum += other.sum;
        self.runs += other.runs;
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.runs += other.runs;
        self.verified += other.verified;
        self.points += other.points;
        self.squares += other.squares;
        for (own, others) in self.dimensions.iter_mut().zip(other.dimensions) {
            *own += others;
        }
        self.usd += other.usd;
        self.build += other.build;
    }
}

impl Neg for Counted {
    type Output = Self;

    fn neg(self) -> Self {
        Self { sum: -self.sum, runs: -self.runs }
    }
}

impl Neg for Tally {
    type Output = Self;

    fn neg(self) -> Self {
        Self {
            runs: -self.runs,
            verified: -self.verified,
            points: -self.points,
            squares: -self.squares,
            dimensions: self.dimensions.map(Neg::neg),
            usd: -self.usd,
            build: -self.build,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Cost, sample};
    use proptest::prelude::*;

    fn record(composite: f64) -> RunRecord {
        RunRecord { composite: Some(composite), ..RunRecord::of(&sample::report(&[("f1", Some(1.0))])) }
    }

    fn tally(composites: &[f64]) -> Tally {
        let mut sum = Tally::default();
        for composite in composites {
            sum += Tally::of(&record(*composite)).unwrap();
        }
        sum
    }

    fn near(a: Option<f64>, b: Option<f64>) -> bool {
        match (a, b) {
            (Some(a), Some(b)) => (a - b).abs() < 1e-3,
            (a, b) => a == b,
        }
    }

    #[test]
    fn a_run_that_cannot_be_ranked_has_no_tally() {
        assert_eq!(Tally::of(&RunRecord { rankable: false, ..record(50.0) }), None);
        assert_eq!(Tally::of(&RunRecord { composite: None, ..record(50.0) }), None);
        assert_eq!(Tally::default().composite().mean, None);
    }

    #[test]
    fn only_runs_that_say_what_they_cost_count_in_the_mean_cost() {
        let cost = Cost {
            source: "user-reported".to_owned(),
            first_render_seconds: None,
            working_build_seconds: Some(90.0),
            usd: Some(1.5),
            note: None,
        };
        let mut sum = tally(&[10.0]);
        sum += Tally::of(&RunRecord { cost: Some(cost), ..record(20.0) }).unwrap();
        assert_eq!((sum.usd(), sum.working_build_seconds(), sum.runs), (Some(1.5), Some(90.0), 2));
        assert_eq!(sum.dimension(Dimension::Functional), Some(1.0));
        assert_eq!(sum.dimension(Dimension::Visual), None);
    }

    proptest! {
        #[test]
        fn a_tally_says_what_the_runs_themselves_say(composites in prop::collection::vec(0.0..=100.0_f64, 1..40)) {
            let (sums, values) = (tally(&composites).composite(), Spread::of(composites.clone(), 100.0));
            prop_assert!(near(sums.mean, values.mean));
            prop_assert!(near(sums.standard_error, values.standard_error));
            prop_assert!(near(sums.interval.map(|i| i.low), values.interval.map(|i| i.low)));
            prop_assert!(near(sums.interval.map(|i| i.high), values.interval.map(|i| i.high)));
        }

        #[test]
        fn taking_runs_out_again_leaves_no_dust(kept in prop::collection::vec(0.0..=100.0_f64, 0..20), gone in prop::collection::vec(0.0..=100.0_f64, 0..20)) {
            let mut sum = tally(&gone);
            sum += tally(&kept);
            sum += -tally(&gone);
            prop_assert_eq!(sum, tally(&kept));
        }
    }
}
