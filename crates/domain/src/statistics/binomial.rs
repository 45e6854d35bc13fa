//! Exact probabilities of counts.

use super::StatisticsError;

/// The most trials for which a probability is summed up.
pub const MAX_TRIALS: u64 = 10_000_000;

/// How likely at least so many of so many trials succeed, when each does with probability `p`.
///
/// Only products and sums, no logarithms: the same bits on every machine, and in a browser.
pub fn binomial_at_least(successes: u64, trials: u64, p: f64) -> Result<f64, StatisticsError> {
    if !(0.0..=1.0).contains(&p) {
        return Err(StatisticsError::BadParameter("a probability is between 0 and 1"));
    }
    if trials > MAX_TRIALS {
        return Err(StatisticsError::BadParameter("at most ten million trials are summed up"));
    }
    if successes == 0 || p == 1.0 {
        return Ok(if successes <= trials { 1.0 } else { 0.0 });
    }
    if successes > trials || p == 0.0 {
        return Ok(0.0);
    }
    // From the given count away from the most likely one, terms only get smaller.
    if successes as f64 > trials as f64 * p {
        Ok(sum_upwards(successes, trials, p).min(1.0))
    } else {
        Ok((1.0 - sum_upwards(trials - successes + 1, trials, 1.0 - p)).clamp(0.0, 1.0))
    }
}

fn sum_upwards(from: u64, trials: u64, p: f64) -> f64 {
    let odds = p / (1.0 - p);
    let mut term = exactly(from, trials, p);
    let mut sum = term;
    for count in from..trials {
        term *= (trials - count) as f64 / (count + 1) as f64 * odds;
        sum += term;
        if term < sum * f64::EPSILON / 4.0 {
            break;
        }
    }
    sum
}

/// The probability of exactly so many. Factors above and below 1 take turns, so that nothing overflows on the way.
fn exactly(successes: u64, trials: u64, p: f64) -> f64 {
    let failures = trials - successes;
    let (mut used, mut failed) = (0, 0);
    let mut product = 1.0;
    while used < successes || failed < failures {
        if failed < failures && (product >= 1.0 || used == successes) {
            product *= 1.0 - p;
            failed += 1;
        } else {
            used += 1;
            product *= (failures + used) as f64 / used as f64 * p;
        }
    }
    product
}

/// McNemar's exact test of two methods on the same cases, from the cases that only one of them got right: the probability of a split at
/// least this uneven, to either side, if both were equally good.
pub fn mcnemar_exact(only_first: u64, only_second: u64) -> Result<f64, StatisticsError> {
    let one_sided = binomial_at_least(only_first.max(only_second), only_first.saturating_add(only_second), 0.5)?;
    Ok((2.0 * one_sided).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn counts_by_hand() {
        // Of four throws of a coin: at least three heads in 5 of 16 cases.
        assert_eq!(binomial_at_least(3, 4, 0.5), Ok(5.0 / 16.0));
        // Three of three at one in four: 1/64.
        assert_eq!(binomial_at_least(3, 3, 0.25), Ok(1.0 / 64.0));
        assert_eq!(binomial_at_least(0, 9, 0.3), Ok(1.0));
        assert_eq!(binomial_at_least(4, 3, 0.9), Ok(0.0));
        assert_eq!((binomial_at_least(1, 3, 0.0), binomial_at_least(3, 3, 1.0)), (Ok(0.0), Ok(1.0)));
        assert!(binomial_at_least(1, 2, 1.5).is_err() && binomial_at_least(1, 2, f64::NAN).is_err());
        assert!(binomial_at_least(1, MAX_TRIALS + 1, 0.5).is_err());
    }

    #[test]
    fn mcnemar_by_hand() {
        // One against nine: 2 · (1 + 10) / 1024.
        assert_eq!(mcnemar_exact(1, 9), Ok(22.0 / 1024.0));
        assert_eq!(mcnemar_exact(9, 1), mcnemar_exact(1, 9));
        assert_eq!((mcnemar_exact(0, 0), mcnemar_exact(5, 5)), (Ok(1.0), Ok(1.0)));
        assert_eq!(mcnemar_exact(0, 5), Ok(2.0 / 32.0));
    }

    #[test]
    fn thousands_of_trials_neither_overflow_nor_vanish() {
        let p = binomial_at_least(5_100, 10_000, 0.5).unwrap();
        assert!((p - 0.023_288).abs() < 5e-6, "{p}");
        let tiny = mcnemar_exact(100, 5_000).unwrap();
        assert!(tiny < 1e-100, "{tiny}");
    }

    proptest! {
        #[test]
        fn a_tail_and_its_complement_are_one(trials in 1_u64..400, part in 0.0..1.0_f64, p in 0.001..0.999_f64) {
            let count = (part * trials as f64) as u64;
            let (above, below) = (binomial_at_least(count + 1, trials, p).unwrap(), binomial_at_least(trials - count, trials, 1.0 - p).unwrap());
            prop_assert!((above + below - 1.0).abs() < 1e-9, "{above} {below}");
        }

        #[test]
        fn more_is_less_likely(trials in 1_u64..300, count in 0_u64..300, p in 0.001..0.999_f64) {
            prop_assert!(binomial_at_least(count + 1, trials, p).unwrap() <= binomial_at_least(count, trials, p).unwrap() + 1e-12);
        }
    }
}
