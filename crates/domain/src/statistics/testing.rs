//! Telling two things apart: what a test of paired differences can see, how many pairs it needs, and many tests at once.
//!
//! The power of the paired t test is approximated by moving Student's t distribution by the true difference. From about ten
//! pairs on this is at most one pair away from what exact tables say.

use super::{StatisticsError, Z_95, at_least, finite, normal_quantile, student_t_quantile, student_t_upper_tail};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// More pairs than this nobody will ever make.
const MOST_UNITS: f64 = 1e9;

/// What a test is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TestPlan {
    /// How often it may see a difference where there is none (two-sided).
    pub significance: f64,
    /// How often it must see a difference that is there.
    pub power: f64,
}

impl Default for TestPlan {
    /// One false alarm in twenty, four of five differences seen.
    fn default() -> Self {
        Self { significance: 0.05, power: 0.8 }
    }
}

impl TestPlan {
    fn check(&self) -> Result<(), StatisticsError> {
        let within = |share: f64| share > 0.0 && share < 1.0;
        if within(self.significance) && within(self.power) && self.power > self.significance {
            Ok(())
        } else {
            Err(StatisticsError::BadParameter(
                "significance and power must lie between 0 and 1, power above significance",
            ))
        }
    }

    /// How many standard errors a difference must be away from 0 to be seen with this power.
    fn reach(&self, degrees_of_freedom: f64) -> Result<f64, StatisticsError> {
        let critical = student_t_quantile(1.0 - self.significance / 2.0, degrees_of_freedom)?;
        Ok(critical + student_t_quantile(self.power, degrees_of_freedom)?)
    }
}

/// The smallest true difference that a test of `units` pairs would see, when differences of pairs have this standard deviation.
pub fn smallest_difference(deviation: f64, units: usize, plan: TestPlan) -> Result<f64, StatisticsError> {
    plan.check()?;
    at_least(2, units, "pairs")?;
    let n = units as f64;
    finite(plan.reach(n - 1.0)? * spread(deviation)? / n.sqrt())
}

/// How many pairs it takes to see a true difference, when differences of pairs have this standard deviation.
pub fn units_needed(difference: f64, deviation: f64, plan: TestPlan) -> Result<usize, StatisticsError> {
    plan.check()?;
    let effect = finite(spread(deviation)? / difference.abs())?;
    let z = if plan.significance == 0.05 { Z_95 } else { normal_quantile(1.0 - plan.significance / 2.0)? };
    // The normal approximation with its usual correction is nearly right; the neighbours decide.
    let guess = ((z + normal_quantile(plan.power)?) * effect).powi(2) + z * z / 2.0;
    if guess > MOST_UNITS {
        return Err(StatisticsError::BadParameter("the difference is too small against its noise"));
    }
    let enough = |units: usize| -> Result<bool, StatisticsError> {
        Ok(plan.reach((units - 1) as f64)? * effect <= (units as f64).sqrt())
    };
    let mut units = (guess.ceil() as usize).max(2);
    while !enough(units)? {
        units += 1;
    }
    while units > 2 && enough(units - 1)? {
        units -= 1;
    }
    Ok(units)
}

/// The chance that a test of `units` pairs sees a true difference.
pub fn power(difference: f64, deviation: f64, units: usize, significance: f64) -> Result<f64, StatisticsError> {
    TestPlan { significance, power: f64::midpoint(significance, 1.0) }.check()?;
    at_least(2, units, "pairs")?;
    let n = units as f64;
    let away = finite(difference.abs() / (spread(deviation)? / n.sqrt()))?;
    let critical = student_t_quantile(1.0 - significance / 2.0, n - 1.0)?;
    // Both tails: a difference of 0 is "seen" exactly as often as the significance says.
    Ok(student_t_upper_tail(critical - away, n - 1.0)? + student_t_upper_tail(critical + away, n - 1.0)?)
}

fn spread(deviation: f64) -> Result<f64, StatisticsError> {
    if deviation.is_finite() && deviation >= 0.0 {
        Ok(deviation)
    } else {
        Err(StatisticsError::BadParameter("a standard deviation is a number from 0 on"))
    }
}

/// Holm's correction: the p values of many tests, each raised so that a false alarm among all of them stays as rare as in one.
pub fn holm(p_values: &[f64]) -> Result<Vec<f64>, StatisticsError> {
    if p_values.iter().any(|p| !(0.0..=1.0).contains(p)) {
        return Err(StatisticsError::BadParameter("a p value lies between 0 and 1"));
    }
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|a, b| p_values[*a].total_cmp(&p_values[*b]));
    let mut adjusted = vec![0.0; p_values.len()];
    let mut highest: f64 = 0.0;
    for (rank, index) in order.into_iter().enumerate() {
        highest = highest.max((p_values[index] * (p_values.len() - rank) as f64).min(1.0));
        adjusted[index] = highest;
    }
    Ok(adjusted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PLAN: TestPlan = TestPlan { significance: 0.05, power: 0.8 };

    /// Numbers of pairs for effects of 0.2, 0.5 and 0.8 standard deviations, as exact tables of the paired t test print them.
    #[test]
    fn the_published_sample_sizes_are_met() {
        for (effect, units) in [(0.2, 199), (0.5, 34), (0.8, 15)] {
            assert_eq!(units_needed(effect, 1.0, PLAN), Ok(units));
        }
        // The tables say 44.
        assert_eq!(units_needed(0.5, 1.0, TestPlan { power: 0.9, ..PLAN }), Ok(45));
    }

    #[test]
    fn power_difference_and_number_are_one_relation() {
        let smallest = smallest_difference(20.0, 50, PLAN).unwrap();
        // t(49) at 97.5 % and 80 %: 2.009575 + 0.849018, times 20 / √50.
        assert!((smallest - (2.009_575 + 0.849_018) * 20.0 / 50.0_f64.sqrt()).abs() < 1e-4, "{smallest}");
        assert_eq!(units_needed(smallest * 1.000_001, 20.0, PLAN), Ok(50));
        assert!((power(smallest, 20.0, 50, 0.05).unwrap() - 0.8).abs() < 1e-4);
        assert!((power(0.0, 20.0, 50, 0.05).unwrap() - 0.05).abs() < 1e-9);
    }

    #[test]
    fn what_cannot_be_answered_is_refused() {
        assert_eq!(units_needed(0.0, 1.0, PLAN), Err(StatisticsError::NotFinite));
        assert!(units_needed(1e-12, 1.0, PLAN).is_err() && units_needed(1.0, -1.0, PLAN).is_err());
        assert_eq!(units_needed(1.0, 0.0, PLAN), Ok(2));
        assert!(smallest_difference(1.0, 1, PLAN).is_err());
        assert!(smallest_difference(1.0, 9, TestPlan { power: 1.0, ..PLAN }).is_err());
        assert!(holm(&[0.5, f64::NAN]).is_err());
    }

    #[test]
    fn holm_by_hand() {
        // Sorted: 0.005 × 4, 0.01 × 3, 0.03 × 2, 0.04 × 1, and never below the one before.
        let adjusted = holm(&[0.01, 0.04, 0.03, 0.005]).unwrap();
        for (found, expected) in adjusted.iter().zip([0.03, 0.06, 0.06, 0.02]) {
            assert!((found - expected).abs() < 1e-12, "{adjusted:?}");
        }
        assert_eq!(holm(&[]), Ok(vec![]));
    }

    proptest! {
        #[test]
        fn the_answer_is_the_least_number_that_is_enough(effect in 0.05..3.0_f64, power in 0.5..0.95_f64) {
            let plan = TestPlan { significance: 0.05, power };
            let units = units_needed(effect, 1.0, plan).unwrap();
            prop_assert!(smallest_difference(1.0, units, plan).unwrap() <= effect * (1.0 + 1e-9));
            if units > 2 {
                prop_assert!(smallest_difference(1.0, units - 1, plan).unwrap() > effect * (1.0 - 1e-9));
            }
        }
    }
}
