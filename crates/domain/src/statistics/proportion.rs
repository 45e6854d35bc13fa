//! Intervals of a share.

use super::{Interval, StatisticsError, Z_95, at_least};

/// Wilson's score interval of a share of successes at 95 % confidence.
pub fn wilson_95(successes: u64, trials: u64) -> Result<Interval, StatisticsError> {
    wilson(successes, trials, Z_95)
}

/// Wilson's score interval of a share of successes, for the quantile `z` of the normal distribution ([`Z_95`] for 95 %).
///
/// Without continuity correction. It never leaves 0 to 1 and has a width even when all trials or none succeeded.
pub fn wilson(successes: u64, trials: u64, z: f64) -> Result<Interval, StatisticsError> {
    at_least(1, usize::try_from(trials).unwrap_or(usize::MAX), "trials")?;
    if successes > trials {
        return Err(StatisticsError::BadParameter("there cannot be more successes than trials"));
    }
    wilson_of_share(successes as f64 / trials as f64, trials, z)
}

/// Wilson's score interval of a share that is itself a mean, such as that of questions which were each asked several times.
pub fn wilson_of_share(share: f64, trials: u64, z: f64) -> Result<Interval, StatisticsError> {
    at_least(1, usize::try_from(trials).unwrap_or(usize::MAX), "trials")?;
    if !(0.0..=1.0).contains(&share) {
        return Err(StatisticsError::BadParameter("a share is between 0 and 1"));
    }
    if !(z.is_finite() && z > 0.0 && z < 1e6) {
        return Err(StatisticsError::BadParameter("z must be a positive number"));
    }
    let n = trials as f64;
    let z2n = z * z / n;
    let center = (share + z2n / 2.0) / (1.0 + z2n);
    let half = z / (1.0 + z2n) * (share * (1.0 - share) / n + z2n / (4.0 * n)).sqrt();
    // At the ends the formula gives exactly 0 and 1; rounding must not.
    let low = if share == 0.0 { 0.0 } else { (center - half).clamp(0.0, share) };
    let high = if share == 1.0 { 1.0 } else { (center + half).clamp(share, 1.0) };
    Ok(Interval { low, high })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Newcombe (1998) prints these for the score method without continuity correction.
    #[test]
    fn published_examples_are_met() {
        for (successes, trials, low, high) in
            [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)]
        {
            let interval = wilson_95(successes, trials).unwrap();
            assert!((interval.low - low).abs() < 5e-5, "{successes}/{trials}: {interval:?}");
            assert!((interval.high - high).abs() < 5e-5, "{successes}/{trials}: {interval:?}");
        }
    }

    #[test]
    fn none_and_all_of_n_have_the_closed_form() {
        for n in [1, 7, 100, 1_000_000] {
            let reach = Z_95 * Z_95 / (n as f64 + Z_95 * Z_95);
            let (none, all) = (wilson_95(0, n).unwrap(), wilson_95(n, n).unwrap());
            assert_eq!((none.low, all.high), (0.0, 1.0));
            assert!((none.high - reach).abs() < 1e-12 && (all.low - (1.0 - reach)).abs() < 1e-12);
        }
    }

    #[test]
    fn impossible_counts_are_refused() {
        assert_eq!(wilson_95(0, 0), Err(StatisticsError::TooFew { what: "trials", needed: 1, got: 0 }));
        assert!(wilson_95(2, 1).is_err());
        assert!(wilson(1, 2, f64::NAN).is_err());
        assert!(wilson(1, 2, 0.0).is_err());
        assert!(wilson_of_share(1.5, 2, Z_95).is_err() && wilson_of_share(f64::NAN, 2, Z_95).is_err());
    }

    proptest! {
        #[test]
        fn the_interval_holds_the_share_and_mirrors(trials in 1_u64..1_000_000, part in 0.0..=1.0_f64, z in 0.1..5.0_f64) {
            let successes = (part * trials as f64) as u64;
            let interval = wilson(successes, trials, z).unwrap();
            let mirrored = wilson(trials - successes, trials, z).unwrap();
            prop_assert!(0.0 <= interval.low && interval.low < interval.high && interval.high <= 1.0);
            prop_assert!(interval.contains(successes as f64 / trials as f64));
            prop_assert!((interval.low - (1.0 - mirrored.high)).abs() < 1e-9);
        }

        #[test]
        fn more_of_the_same_narrows_it(successes in 0_u64..100, rest in 1_u64..100) {
            let few = wilson_95(successes, successes + rest).unwrap();
            let many = wilson_95(successes * 4, (successes + rest) * 4).unwrap();
            prop_assert!(many.width() < few.width());
        }
    }
}
