//! Means and differences of means, with their standard errors.

use super::{
    Interval, StatisticsError, all_finite, at_least, confidence_in_range, finite, same_length, student_t_quantile,
    student_t_two_sided,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A mean with its uncertainty.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    /// The mean.
    pub value: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// Of Student's t distribution for its interval: values minus one, or clusters minus one.
    pub degrees_of_freedom: f64,
}

impl Estimate {
    /// The two-sided interval by Student's t distribution; 0.95 for 95 % confidence.
    pub fn interval(&self, confidence: f64) -> Result<Interval, StatisticsError> {
        confidence_in_range(confidence)?;
        let t = student_t_quantile(f64::midpoint(1.0, confidence), self.degrees_of_freedom)?;
        let reach = finite(t * self.standard_error)?;
        Ok(Interval { low: finite(self.value - reach)?, high: finite(self.value + reach)? })
    }

    /// The two-sided p of "the truth is 0", by Student's t test. Values that never vary leave nothing to test.
    pub fn p_value(&self) -> Result<f64, StatisticsError> {
        if self.standard_error == 0.0 {
            return Err(StatisticsError::NoVariation);
        }
        student_t_two_sided(self.value / self.standard_error, self.degrees_of_freedom)
    }
}

/// The mean of independent values with its standard error, s / √n.
pub fn mean(values: &[f64]) -> Result<Estimate, StatisticsError> {
    at_least(2, values.len(), "values")?;
    all_finite(values)?;
    let n = values.len() as f64;
    let value = average(values);
    let squares: f64 = values.iter().map(|x| (x - value).powi(2)).sum();
    estimate(value, squares / (n - 1.0) / n, n - 1.0)
}

/// The mean of values that come in clusters, such as the questions on one text or the runs of one app, with a standard error
/// that does not pretend that the members of a cluster are independent.
///
/// The convention is the sandwich estimator with the finite-cluster correction G / (G − 1): the variance is
/// G / (G − 1) · Σ over clusters of (sum of the cluster's residuals)² / n². With that correction the result equals that of
/// [`mean`] when every value is its own cluster; the interval uses G − 1 degrees of freedom.
pub fn clustered_mean<K: Ord>(values: &[f64], clusters: &[K]) -> Result<Estimate, StatisticsError> {
    same_length(values, clusters)?;
    at_least(2, values.len(), "values")?;
    all_finite(values)?;
    let value = average(values);
    let mut residuals: BTreeMap<&K, f64> = BTreeMap::new();
    for (x, cluster) in values.iter().zip(clusters) {
        *residuals.entry(cluster).or_default() += x - value;
    }
    at_least(2, residuals.len(), "clusters")?;
    let groups = residuals.len() as f64;
    let n = values.len() as f64;
    let squares: f64 = residuals.values().map(|sum| sum.powi(2)).sum();
    estimate(value, groups / (groups - 1.0) * squares / n / n, groups - 1.0)
}

/// The mean of `a − b` over pairs: the same question, app or task under two conditions.
pub fn paired_difference(a: &[f64], b: &[f64]) -> Result<Estimate, StatisticsError> {
    mean(&differences(a, b)?)
}

/// The mean of `a − b` over pairs that come in clusters; see [`clustered_mean`].
pub fn clustered_paired_difference<K: Ord>(a: &[f64], b: &[f64], clusters: &[K]) -> Result<Estimate, StatisticsError> {
    clustered_mean(&differences(a, b)?, clusters)
}

fn differences(a: &[f64], b: &[f64]) -> Result<Vec<f64>, StatisticsError> {
    same_length(a, b)?;
    Ok(a.iter().zip(b).map(|(a, b)| a - b).collect())
}

/// The mean, computed in two passes so that values with a large common part keep their digits.
pub(super) fn average(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let rough = values.iter().sum::<f64>() / n;
    rough + values.iter().map(|x| x - rough).sum::<f64>() / n
}

fn estimate(value: f64, variance: f64, degrees_of_freedom: f64) -> Result<Estimate, StatisticsError> {
    let standard_error = finite(variance.max(0.0).sqrt())?;
    Ok(Estimate { value: finite(value)?, standard_error, degrees_of_freedom })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() <= 1e-9 * (1.0 + a.abs().max(b.abs())), "{a} is not {b}");
    }

    #[test]
    fn a_mean_by_hand() {
        // Mean 5, squares 9+1+1+1+0+0+4+16 = 32, variance 32/7, standard error √(32/56).
        let estimate = mean(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap();
        close(estimate.value, 5.0);
        close(estimate.standard_error, (32.0_f64 / 56.0).sqrt());
        assert_eq!(estimate.degrees_of_freedom, 7.0);
    }

    /// Student's own sleep data (1908): extra hours under two drugs for ten patients, t = 4.0621 on 9 degrees of freedom.
    #[test]
    fn the_paired_difference_of_students_sleep_data() {
        let first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
        let second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
        let difference = paired_difference(&second, &first).unwrap();
        close(difference.value, 1.58);
        assert!((difference.value / difference.standard_error - 4.0621).abs() < 5e-5);
        let interval = difference.interval(0.95).unwrap();
        assert!((interval.low - 0.700_114).abs() < 5e-6 && (interval.high - 2.459_886).abs() < 5e-6, "{interval:?}");
        assert!((difference.p_value().unwrap() - 0.002_833).abs() < 5e-7);
    }

    #[test]
    fn a_clustered_error_by_hand() {
        // Mean 3; residuals −2, −1 | 1, 2; cluster sums −3 and 3; 2/1 · (9 + 9) / 16.
        let estimate = clustered_mean(&[1.0, 2.0, 4.0, 5.0], &["a", "a", "b", "b"]).unwrap();
        close(estimate.value, 3.0);
        close(estimate.standard_error, (36.0_f64 / 16.0).sqrt());
        assert_eq!(estimate.degrees_of_freedom, 1.0);
    }

    #[test]
    fn too_little_or_broken_data_is_refused() {
        assert_eq!(mean(&[1.0]), Err(StatisticsError::TooFew { what: "values", needed: 2, got: 1 }));
        assert_eq!(mean(&[1.0, f64::NAN]), Err(StatisticsError::NotFinite));
        assert_eq!(mean(&[f64::MAX, f64::MAX]), Err(StatisticsError::NotFinite));
        assert_eq!(mean(&[f64::MAX, -f64::MAX]), Err(StatisticsError::NotFinite));
        assert_eq!(paired_difference(&[1.0], &[1.0, 2.0]), Err(StatisticsError::UnequalLengths(1, 2)));
        assert_eq!(
            clustered_mean(&[1.0, 2.0], &["same", "same"]),
            Err(StatisticsError::TooFew { what: "clusters", needed: 2, got: 1 })
        );
        let estimate = mean(&[1.0, 2.0]).unwrap();
        assert!(estimate.interval(1.0).is_err() && estimate.interval(f64::NAN).is_err());
    }

    proptest! {
        #[test]
        fn singleton_clusters_change_nothing(values in prop::collection::vec(-1e6..1e6_f64, 2..50)) {
            let clusters: Vec<usize> = (0..values.len()).collect();
            let naive = mean(&values).unwrap();
            let clustered = clustered_mean(&values, &clusters).unwrap();
            prop_assert_eq!(naive.value, clustered.value);
            prop_assert_eq!(naive.degrees_of_freedom, clustered.degrees_of_freedom);
            prop_assert!((naive.standard_error - clustered.standard_error).abs() <= 1e-9 * naive.standard_error);
        }

        #[test]
        fn copies_of_a_value_within_its_cluster_add_no_certainty(values in prop::collection::vec(-1e3..1e3_f64, 2..20)) {
            let tripled: Vec<f64> = values.iter().flat_map(|x| [*x; 3]).collect();
            let clusters: Vec<usize> = (0..tripled.len()).map(|index| index / 3).collect();
            let once = mean(&values).unwrap();
            let thrice = clustered_mean(&tripled, &clusters).unwrap();
            prop_assert!((once.standard_error - thrice.standard_error).abs() <= 1e-9 * (1.0 + once.standard_error));
        }

        #[test]
        fn moving_and_stretching_moves_and_stretches(
            values in prop::collection::vec(-1e3..1e3_f64, 2..30), shift in -1e3..1e3_f64, scale in 0.1..10.0_f64,
        ) {
            let original = mean(&values).unwrap();
            let changed = mean(&values.iter().map(|x| x * scale + shift).collect::<Vec<_>>()).unwrap();
            prop_assert!((changed.value - (original.value * scale + shift)).abs() < 1e-6);
            prop_assert!((changed.standard_error - original.standard_error * scale).abs() < 1e-6);
        }

        #[test]
        fn whatever_comes_in_no_nan_comes_out(data: Vec<(f64, u8)>) {
            let (values, clusters): (Vec<f64>, Vec<u8>) = data.into_iter().unzip();
            for estimate in [mean(&values), clustered_mean(&values, &clusters)].into_iter().flatten() {
                prop_assert!(estimate.value.is_finite() && estimate.standard_error.is_finite());
                if let Ok(interval) = estimate.interval(0.95) {
                    prop_assert!(interval.low <= interval.high && interval.contains(estimate.value));
                }
            }
        }
    }
}
