//! Quantiles and tails of the normal and of Student's t distribution.

use super::StatisticsError;
use std::f64::consts::PI;

/// The 97.5 % quantile of the normal distribution, which makes a two-sided 95 % interval.
pub const Z_95: f64 = 1.959_963_984_540_054;

/// From here on Student's t is the normal distribution with a first correction, exact to more than nine digits.
const NEARLY_NORMAL: f64 = 1e5;

/// The value below which a standard normal variable lies with probability `p`.
pub fn normal_quantile(p: f64) -> Result<f64, StatisticsError> {
    probability_in_range(p)?;
    Ok(quantile_by_symmetry(p, |upper| bisect(0.0, 40.0, |x| normal_upper_tail(x) > upper)))
}

/// The value below which a variable with Student's t distribution lies with probability `p`.
pub fn student_t_quantile(p: f64, degrees_of_freedom: f64) -> Result<f64, StatisticsError> {
    probability_in_range(p)?;
    degrees_in_range(degrees_of_freedom)?;
    if degrees_of_freedom >= NEARLY_NORMAL {
        let z = normal_quantile(p)?;
        return Ok(z + (z.powi(3) + z) / (4.0 * degrees_of_freedom));
    }
    let density = student_density(degrees_of_freedom);
    let quantile = |upper| climb(|t| (student_upper_tail(t, degrees_of_freedom) - upper) / density(t));
    Ok(quantile_by_symmetry(p, quantile))
}

/// The probability that a variable with Student's t distribution is at least as far from 0 as `t`.
pub fn student_t_two_sided(t: f64, degrees_of_freedom: f64) -> Result<f64, StatisticsError> {
    degrees_in_range(degrees_of_freedom)?;
    if t.is_nan() {
        return Err(StatisticsError::NotFinite);
    }
    Ok(2.0 * student_upper_tail(t.abs(), degrees_of_freedom))
}

/// The probability that a variable with Student's t distribution is more than `t`.
pub fn student_t_upper_tail(t: f64, degrees_of_freedom: f64) -> Result<f64, StatisticsError> {
    let beyond = student_t_two_sided(t, degrees_of_freedom)? / 2.0;
    Ok(if t < 0.0 { 1.0 - beyond } else { beyond })
}

fn degrees_in_range(degrees_of_freedom: f64) -> Result<(), StatisticsError> {
    if degrees_of_freedom.is_finite() && degrees_of_freedom >= 1.0 {
        Ok(())
    } else {
        Err(StatisticsError::BadParameter("there must be at least one degree of freedom"))
    }
}

fn probability_in_range(p: f64) -> Result<(), StatisticsError> {
    if p > 0.0 && p < 1.0 {
        Ok(())
    } else {
        Err(StatisticsError::BadParameter("a probability must lie between 0 and 1"))
    }
}

/// Both distributions are symmetric around 0, so it suffices to find the positive quantile with a given upper tail.
fn quantile_by_symmetry(p: f64, of_upper_tail: impl Fn(f64) -> f64) -> f64 {
    if p < 0.5 {
        -of_upper_tail(p)
    } else if p > 0.5 {
        of_upper_tail(1.0 - p)
    } else {
        0.0
    }
}

/// Newton's steps from 0 on. A tail falls ever more slowly, so that no step leads beyond the quantile, but for the last digit.
fn climb(step: impl Fn(f64) -> f64) -> f64 {
    let mut at = 0.0;
    loop {
        let next = at + step(at);
        if next - at <= 1e-15 * next || !next.is_finite() {
            return at.max(next.min(f64::MAX));
        }
        at = next;
    }
}

fn bisect(mut low: f64, mut high: f64, is_below: impl Fn(f64) -> bool) -> f64 {
    loop {
        let middle = f64::midpoint(low, high);
        // At the latest when the ends are neighbours, their midpoint is one of them.
        if high - low <= 1e-15 * high || middle <= low || middle >= high {
            return middle;
        }
        if is_below(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// The probability of more than `x`, for `x` from 0 on.
fn normal_upper_tail(x: f64) -> f64 {
    let density = (-x * x / 2.0).exp() / (2.0 * PI).sqrt();
    if x > 3.0 {
        // A continued fraction that converges fast in the tail, evaluated from its far end.
        return density / (1..=100).rev().fold(x, |tail, n| x + f64::from(n) / tail);
    }
    let mut term = x;
    let mut sum = x;
    for n in 1..100 {
        term *= x * x / (2.0 * f64::from(n) + 1.0);
        sum += term;
    }
    0.5 - density * sum
}

/// The probability of more than `t`, for `t` from 0 on.
fn student_upper_tail(t: f64, degrees_of_freedom: f64) -> f64 {
    let x = degrees_of_freedom / (degrees_of_freedom + t * t);
    0.5 * incomplete_beta(x, degrees_of_freedom / 2.0, 0.5)
}

fn student_density(degrees_of_freedom: f64) -> impl Fn(f64) -> f64 {
    let half = f64::midpoint(degrees_of_freedom, 1.0);
    let at_0 = ln_gamma(half) - ln_gamma(degrees_of_freedom / 2.0) - 0.5 * (degrees_of_freedom * PI).ln();
    move |t| (at_0 - half * (t * t / degrees_of_freedom).ln_1p()).exp()
}

/// The regularised incomplete beta function.
fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (1.0 - x).ln()).exp();
    // The fraction converges fast on one side of the mean; the symmetry of the function serves the other.
    if x < (a + 1.0) / (a + b + 2.0) {
        front * beta_fraction(x, a, b) / a
    } else {
        1.0 - front * beta_fraction(1.0 - x, b, a) / b
    }
}

/// The continued fraction of the incomplete beta function, by Lentz's method.
fn beta_fraction(x: f64, a: f64, b: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away_from_zero = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut upper = 1.0;
    let mut lower = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = lower;
    for step in 1..10_000 {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut factor = 1.0;
        for numerator in [even, odd] {
            lower = 1.0 / away_from_zero(1.0 + numerator * lower);
            upper = away_from_zero(1.0 + numerator / upper);
            factor = upper * lower;
            fraction *= factor;
        }
        if (factor - 1.0).abs() < 1e-15 {
            break;
        }
    }
    fraction
}

/// The logarithm of the gamma function for positive arguments: Stirling's series, after shifting small arguments upwards.
fn ln_gamma(mut x: f64) -> f64 {
    let mut shift = 0.0;
    while x < 15.0 {
        shift -= x.ln();
        x += 1.0;
    }
    let inverse = 1.0 / x;
    let square = inverse * inverse;
    let series = inverse * (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square / 1680.0)));
    shift + (x - 0.5) * x.ln() - x + 0.5 * (2.0 * PI).ln() + series
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn close(a: f64, b: f64, tolerance: f64) {
        assert!((a - b).abs() <= tolerance, "{a} is not {b}");
    }

    #[test]
    fn normal_quantiles_match_the_tables() {
        close(normal_quantile(0.975).unwrap(), Z_95, 1e-12);
        close(normal_quantile(0.95).unwrap(), 1.644_853_626_951_472, 1e-12);
        close(normal_quantile(0.999).unwrap(), 3.090_232_306_167_814, 1e-10);
        close(normal_quantile(0.025).unwrap(), -Z_95, 1e-12);
        assert_eq!(normal_quantile(0.5), Ok(0.0));
    }

    #[test]
    fn student_quantiles_match_the_tables() {
        for (p, df, expected) in [
            (0.975, 1.0, 12.706_20),
            (0.975, 2.0, 4.302_65),
            (0.975, 5.0, 2.570_58),
            (0.975, 10.0, 2.228_14),
            (0.975, 30.0, 2.042_27),
            (0.975, 100.0, 1.983_97),
            (0.95, 4.0, 2.131_85),
            (0.995, 9.0, 3.249_84),
            (0.025, 10.0, -2.228_14),
        ] {
            close(student_t_quantile(p, df).unwrap(), expected, 1e-5);
        }
    }

    #[test]
    fn tails_undo_quantiles() {
        for (p, df) in [(0.6, 3.0), (0.975, 10.0), (0.999, 49.0)] {
            let t = student_t_quantile(p, df).unwrap();
            close(student_t_upper_tail(t, df).unwrap(), 1.0 - p, 1e-12);
            close(student_t_upper_tail(-t, df).unwrap(), p, 1e-12);
            close(student_t_two_sided(-t, df).unwrap(), 2.0 * (1.0 - p), 1e-12);
        }
        assert_eq!(student_t_two_sided(0.0, 5.0), Ok(1.0));
        assert_eq!(student_t_two_sided(f64::INFINITY, 5.0), Ok(0.0));
        assert!(student_t_two_sided(f64::NAN, 5.0).is_err() && student_t_upper_tail(1.0, 0.0).is_err());
    }

    #[test]
    fn with_one_degree_of_freedom_it_is_the_cauchy_distribution() {
        for p in [0.6, 0.9, 0.99, 0.999_9] {
            let expected = (PI * (p - 0.5)).tan();
            close(student_t_quantile(p, 1.0).unwrap() / expected, 1.0, 1e-10);
        }
    }

    #[test]
    fn the_approximation_for_many_degrees_of_freedom_joins_smoothly() {
        let below = student_t_quantile(0.975, NEARLY_NORMAL - 1.0).unwrap();
        let above = student_t_quantile(0.975, NEARLY_NORMAL).unwrap();
        close(below, above, 1e-8);
    }

    #[test]
    fn what_is_no_probability_is_refused() {
        for p in [0.0, 1.0, -0.1, f64::NAN, f64::INFINITY] {
            assert!(normal_quantile(p).is_err());
            assert!(student_t_quantile(p, 3.0).is_err());
        }
        assert!(student_t_quantile(0.9, 0.5).is_err());
        assert!(student_t_quantile(0.9, f64::NAN).is_err());
    }

    proptest! {
        #[test]
        fn student_is_wider_than_normal_and_both_grow_with_p(p in 0.501..0.999_f64, df in 1.0..500.0_f64) {
            let z = normal_quantile(p).unwrap();
            let t = student_t_quantile(p, df).unwrap();
            prop_assert!(t.is_finite() && t > z && z > 0.0);
            prop_assert!(student_t_quantile(p + 0.000_5, df).unwrap() > t);
            prop_assert!(student_t_quantile(p, df + 1.0).unwrap() < t);
        }
    }
}
