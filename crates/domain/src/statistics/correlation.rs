//! Pearson's correlation, plain and with other variables held fixed.

use super::mean::average;
use super::{Interval, StatisticsError, Z_95, all_finite, at_least, finite, normal_quantile, same_length};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Below this part of its former length, what is left of a variable after a projection is rounding noise.
const NOISE: f64 = 1e-9;

/// A correlation and what is needed to judge it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Correlation {
    /// Between −1 and 1.
    pub r: f64,
    /// How many pairs it was computed from.
    pub pairs: usize,
    /// How many other variables were held fixed.
    pub controls: usize,
}

impl Correlation {
    /// The two-sided interval by Fisher's transformation; 0.95 for 95 % confidence.
    pub fn interval(&self, confidence: f64) -> Result<Interval, StatisticsError> {
        super::confidence_in_range(confidence)?;
        at_least(4 + self.controls, self.pairs, "pairs")?;
        let z = if confidence == 0.95 { Z_95 } else { normal_quantile(f64::midpoint(1.0, confidence))? };
        let reach = z / ((self.pairs - self.controls - 3) as f64).sqrt();
        let transformed = self.r.atanh();
        Ok(Interval { low: (transformed - reach).tanh(), high: (transformed + reach).tanh() })
    }
}

/// Pearson's correlation of pairs.
pub fn pearson(x: &[f64], y: &[f64]) -> Result<Correlation, StatisticsError> {
    partial_correlation(x, y, &[])
}

/// The correlation of what is left of `x` and `y` after a linear regression of both on all `controls`.
///
/// A control that follows from the others is harmless, but still counts as one.
pub fn partial_correlation(x: &[f64], y: &[f64], controls: &[&[f64]]) -> Result<Correlation, StatisticsError> {
    let pairs = x.len();
    same_length(x, y)?;
    controls.iter().try_for_each(|control| same_length(x, control))?;
    at_least(3 + controls.len(), pairs, "pairs")?;
    [x, y].iter().chain(controls).try_for_each(|values| all_finite(values))?;
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for control in controls {
        basis.extend(direction(control, &basis));
    }
    let x = direction(x, &basis).ok_or(StatisticsError::NoVariation)?;
    let y = direction(y, &basis).ok_or(StatisticsError::NoVariation)?;
    let r = finite(dot(&x, &y))?.clamp(-1.0, 1.0);
    Ok(Correlation { r, pairs, controls: controls.len() })
}

/// The values without their mean and without their parts along `basis`, with length 1; nothing if nothing is left.
fn direction(values: &[f64], basis: &[Vec<f64>]) -> Option<Vec<f64>> {
    // Correlation does not depend on the scale, and a common one keeps squares from overflowing.
    let scale = values.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
    if scale == 0.0 {
        return None;
    }
    let scaled: Vec<f64> = values.iter().map(|x| x / scale).collect();
    let center = average(&scaled);
    let centered: Vec<f64> = scaled.iter().map(|x| x - center).collect();
    let before = unit(&centered, NOISE * NOISE)?;
    // The second pass removes what rounding left over from the first.
    let rest = (0..2).fold(before, |rest, _| basis.iter().fold(rest, |rest, axis| without(&rest, axis)));
    unit(&rest, NOISE)
}

fn unit(values: &[f64], noise: f64) -> Option<Vec<f64>> {
    let length = dot(values, values).sqrt();
    (length > noise).then(|| values.iter().map(|x| x / length).collect())
}

fn without(values: &[f64], axis: &[f64]) -> Vec<f64> {
    let part = dot(values, axis);
    values.iter().zip(axis).map(|(x, a)| x - part * a).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 5e-4, "{a} is not {b}");
    }

    /// Anscombe (1973), first set: r = 0.816.
    #[test]
    fn a_published_correlation_is_met() {
        let x = [10.0, 8.0, 13.0, 9.0, 11.0, 14.0, 6.0, 4.0, 12.0, 7.0, 5.0];
        let y = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68];
        close(pearson(&x, &y).unwrap().r, 0.8164);
    }

    #[test]
    fn fishers_interval_by_hand() {
        // atanh 0.5 = 0.549306; 1.959964 / √25 = 0.391993.
        let interval = Correlation { r: 0.5, pairs: 28, controls: 0 }.interval(0.95).unwrap();
        close(interval.low, 0.156_0);
        close(interval.high, 0.735_9);
        let perfect = Correlation { r: 1.0, pairs: 28, controls: 0 }.interval(0.95).unwrap();
        assert_eq!((perfect.low, perfect.high), (1.0, 1.0));
        assert!(Correlation { r: 0.5, pairs: 3, controls: 0 }.interval(0.95).is_err());
    }

    #[test]
    fn a_partial_correlation_follows_the_closed_form_for_one_control() {
        let x = [2.0, 4.0, 15.0, 20.0, 7.0, 9.0];
        let y = [1.0, 2.0, 3.0, 4.0, 6.0, 5.0];
        let z = [0.0, 0.0, 1.0, 1.0, 0.5, 2.0];
        let [xy, xz, yz] = [(&x, &y), (&x, &z), (&y, &z)].map(|(a, b)| pearson(a, b).unwrap().r);
        let expected = (xy - xz * yz) / ((1.0 - xz * xz) * (1.0 - yz * yz)).sqrt();
        let partial = partial_correlation(&x, &y, &[&z]).unwrap();
        assert!((partial.r - expected).abs() < 1e-12);
        assert_eq!(partial.controls, 1);
    }

    #[test]
    fn a_common_cause_is_taken_away() {
        // Both follow z; what is left of them is made to be uncorrelated.
        let z = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
        let own_of_x = [1.0, -1.0, -1.0, 1.0, 1.0, -1.0, -1.0, 1.0];
        let own_of_y = [1.0, 1.0, -1.0, -1.0, -1.0, -1.0, 1.0, 1.0];
        let x: Vec<f64> = z.iter().zip(own_of_x).map(|(z, own)| 10.0 * z + own).collect();
        let y: Vec<f64> = z.iter().zip(own_of_y).map(|(z, own)| -5.0 * z + own).collect();
        assert!(pearson(&x, &y).unwrap().r < -0.98);
        assert!(partial_correlation(&x, &y, &[&z]).unwrap().r.abs() < 1e-9);
        let twice = partial_correlation(&x, &y, &[&z, &z]).unwrap();
        assert!(twice.r.abs() < 1e-9, "a repeated control changes nothing");
    }

    #[test]
    fn data_without_variation_is_refused() {
        let x = [1.0, 2.0, 3.0, 4.0, 5.0];
        assert_eq!(pearson(&x, &[0.1; 5]), Err(StatisticsError::NoVariation));
        assert_eq!(pearson(&x, &[0.0; 5]), Err(StatisticsError::NoVariation));
        assert_eq!(partial_correlation(&x, &[5.0, 1.0, 2.0, 2.0, 0.0], &[&x]), Err(StatisticsError::NoVariation));
        assert_eq!(pearson(&x, &x[..4]), Err(StatisticsError::UnequalLengths(5, 4)));
        assert_eq!(pearson(&x[..2], &x[..2]), Err(StatisticsError::TooFew { what: "pairs", needed: 3, got: 2 }));
        assert_eq!(pearson(&x[..3], &[1.0, f64::INFINITY, 0.0]), Err(StatisticsError::NotFinite));
    }

    proptest! {
        #[test]
        fn it_is_bounded_symmetric_and_free_of_scale(
            data in prop::collection::vec((-1e3..1e3_f64, -1e3..1e3_f64, -1e3..1e3_f64), 4..40), scale in 0.01..100.0_f64,
        ) {
            let x: Vec<f64> = data.iter().map(|d| d.0).collect();
            let y: Vec<f64> = data.iter().map(|d| d.1).collect();
            let z: Vec<f64> = data.iter().map(|d| d.2).collect();
            let scaled: Vec<f64> = x.iter().map(|x| 7.0 - x * scale).collect();
            for controls in [vec![], vec![&z[..]]] {
                if let Ok(c) = partial_correlation(&x, &y, &controls) {
                    prop_assert!((-1.0..=1.0).contains(&c.r));
                    prop_assert!((partial_correlation(&y, &x, &controls).unwrap().r - c.r).abs() < 1e-9);
                    prop_assert!((partial_correlation(&scaled, &y, &controls).unwrap().r + c.r).abs() < 1e-6);
                    if let Ok(interval) = c.interval(0.9) {
                        prop_assert!(interval.contains(c.r) && interval.low >= -1.0 && interval.high <= 1.0);
                    }
                }
            }
        }

        #[test]
        fn whatever_comes_in_no_nan_comes_out(x: Vec<f64>, y: Vec<f64>) {
            let n = x.len().min(y.len());
            if let Ok(c) = pearson(&x[..n], &y[..n]) {
                prop_assert!((-1.0..=1.0).contains(&c.r));
            }
        }
    }
}
