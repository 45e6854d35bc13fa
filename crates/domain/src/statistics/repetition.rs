//! What k tries would give, from the results of more tries than k.

use super::{StatisticsError, at_least};

/// pass@k: the chance that at least one of `k` tries succeeds, when `passed` of `tries` did. Without bias (Chen et al. 2021):
/// the share of all choices of k tries that hold a success.
pub fn any_of_k(tries: usize, passed: usize, k: usize) -> Result<f64, StatisticsError> {
    possible(tries, passed, k)?;
    Ok(1.0 - share_of_choices(tries, tries - passed, k))
}

/// pass^k: the chance that all of `k` tries succeed, when `passed` of `tries` did.
pub fn all_of_k(tries: usize, passed: usize, k: usize) -> Result<f64, StatisticsError> {
    possible(tries, passed, k)?;
    Ok(share_of_choices(tries, passed, k))
}

fn possible(tries: usize, passed: usize, k: usize) -> Result<(), StatisticsError> {
    if k == 0 {
        return Err(StatisticsError::BadParameter("k must be at least 1"));
    }
    if passed > tries {
        return Err(StatisticsError::BadParameter("there cannot be more successes than tries"));
    }
    at_least(k, tries, "tries")
}

/// The share of all choices of `k` out of `all` that lie wholly within a part of size `part`.
fn share_of_choices(all: usize, part: usize, k: usize) -> f64 {
    // A product of ratios, because the binomials themselves overflow.
    (0..k).map(|drawn| part.saturating_sub(drawn) as f64 / (all - drawn) as f64).product()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn by_hand() {
        // Two of five succeed. Of the ten pairs, three hold no success and one holds two.
        assert!((any_of_k(5, 2, 2).unwrap() - 0.7).abs() < 1e-12);
        assert!((all_of_k(5, 2, 2).unwrap() - 0.1).abs() < 1e-12);
        assert_eq!(any_of_k(5, 4, 2), Ok(1.0));
        assert_eq!(all_of_k(5, 1, 2), Ok(0.0));
    }

    #[test]
    fn impossible_questions_are_refused() {
        assert_eq!(any_of_k(3, 1, 4), Err(StatisticsError::TooFew { what: "tries", needed: 4, got: 3 }));
        assert!(any_of_k(3, 4, 1).is_err() && all_of_k(3, 1, 0).is_err());
    }

    proptest! {
        #[test]
        fn one_try_is_the_plain_share_and_more_tries_spread_apart(tries in 1_usize..200, part in 0.0..=1.0_f64) {
            let passed = (part * tries as f64) as usize;
            let share = passed as f64 / tries as f64;
            prop_assert!((any_of_k(tries, passed, 1).unwrap() - share).abs() < 1e-12);
            prop_assert!((all_of_k(tries, passed, 1).unwrap() - share).abs() < 1e-12);
            for k in 2..=tries.min(10) {
                prop_assert!(any_of_k(tries, passed, k).unwrap() >= any_of_k(tries, passed, k - 1).unwrap() - 1e-12);
                prop_assert!(all_of_k(tries, passed, k).unwrap() <= all_of_k(tries, passed, k - 1).unwrap() + 1e-12);
            }
        }
    }
}
