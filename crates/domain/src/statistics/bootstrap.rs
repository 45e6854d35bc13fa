//! The bootstrap: intervals of any statistic, by resampling with a seed that is a value.

use super::{Interval, StatisticsError, all_finite, at_least, confidence_in_range};

/// The most resamples that are drawn.
pub const MAX_RESAMPLES: usize = 1_000_000;

/// Of all resamples, the share on which the statistic may be undefined (for instance, a correlation of equal values).
const MAX_UNDEFINED: f64 = 0.05;

/// A small generator of well-spread bits (Steele, Lea and Flood's SplitMix64). The same seed gives the same sequence on every
/// machine and for ever; it is for resampling, never for secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// A generator that starts at `seed`.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// The next number from 0 up to, not including, 1.
    pub fn next_unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// The next index into a list of `length` items; 0 for an empty one.
    pub fn next_index(&mut self, length: usize) -> usize {
        ((u128::from(self.next_u64()) * length as u128) >> 64) as usize
    }
}

/// The percentile interval of `statistic` over `resamples` samples drawn with replacement from `values`.
///
/// The statistic may be undefined (infinite or not a number) on up to one resample in twenty; those are left out. To keep
/// clusters or pairs together, let the values be indices and look up what they stand for in `statistic`.
pub fn bootstrap_interval(
    values: &[f64],
    statistic: impl Fn(&[f64]) -> f64,
    resamples: usize,
    confidence: f64,
    seed: u64,
) -> Result<Interval, StatisticsError> {
    confidence_in_range(confidence)?;
    at_least(2, values.len(), "values")?;
    at_least(2, resamples, "resamples")?;
    all_finite(values)?;
    if resamples > MAX_RESAMPLES {
        return Err(StatisticsError::BadParameter("at most a million resamples are drawn"));
    }
    let mut random = SplitMix64::new(seed);
    let mut sample = vec![0.0; values.len()];
    let mut results = Vec::with_capacity(resamples);
    for _ in 0..resamples {
        sample.fill_with(|| values[random.next_index(values.len())]);
        let result = statistic(&sample);
        if result.is_finite() {
            results.push(result);
        }
    }
    if (resamples - results.len()) as f64 > MAX_UNDEFINED * resamples as f64 {
        return Err(StatisticsError::NotFinite);
    }
    results.sort_by(f64::total_cmp);
    let tail = (1.0 - confidence) / 2.0;
    Ok(Interval { low: quantile(&results, tail), high: quantile(&results, 1.0 - tail) })
}

/// The quantile of sorted values, linear between neighbours.
fn quantile(sorted: &[f64], p: f64) -> f64 {
    let position = p * (sorted.len() - 1) as f64;
    let below = sorted[position.floor() as usize];
    let above = sorted[position.ceil() as usize];
    // Written so that huge neighbours of opposite sign do not overflow.
    below * (1.0 - position.fract()) + above * position.fract()
}

#[cfg(test)]
mod tests {
    use super::super::mean::average;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_generator_is_the_published_one() {
        let mut random = SplitMix64::new(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| random.next_u64()).collect();
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn indices_are_spread_evenly() {
        let mut random = SplitMix64::new(1);
        let mut counts = [0_u32; 6];
        (0..60_000).for_each(|_| counts[random.next_index(6)] += 1);
        assert!(counts.iter().all(|count| (9_600..10_400).contains(count)), "{counts:?}");
    }

    #[test]
    fn for_a_mean_it_agrees_with_the_formula() {
        let values: Vec<f64> = (0..200).map(|index| f64::from(index % 20)).collect();
        let bootstrap = bootstrap_interval(&values, average, 4000, 0.95, 7).unwrap();
        let formula = super::super::mean(&values).unwrap().interval(0.95).unwrap();
        assert!((bootstrap.low - formula.low).abs() < 0.08, "{bootstrap:?} {formula:?}");
        assert!((bootstrap.high - formula.high).abs() < 0.08, "{bootstrap:?} {formula:?}");
    }

    #[test]
    fn quantiles_are_linear_between_neighbours() {
        assert_eq!(quantile(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.5), 3.0);
        assert_eq!(quantile(&[1.0, 2.0], 0.25), 1.25);
        assert_eq!(quantile(&[-f64::MAX, f64::MAX], 0.5), 0.0);
    }

    #[test]
    fn too_little_data_and_a_statistic_that_is_rarely_defined_are_refused() {
        assert!(bootstrap_interval(&[1.0], average, 100, 0.95, 0).is_err());
        assert!(bootstrap_interval(&[1.0, 2.0], average, 1, 0.95, 0).is_err());
        assert!(bootstrap_interval(&[1.0, 2.0], average, MAX_RESAMPLES + 1, 0.95, 0).is_err());
        assert!(bootstrap_interval(&[1.0, f64::NAN], average, 100, 0.95, 0).is_err());
        let undefined_for_equals = |sample: &[f64]| if sample[0] == sample[1] { f64::NAN } else { 1.0 };
        assert_eq!(
            bootstrap_interval(&[1.0, 2.0], undefined_for_equals, 100, 0.95, 0),
            Err(StatisticsError::NotFinite)
        );
    }

    proptest! {
        #[test]
        fn the_same_seed_gives_the_same_interval_within_the_data(
            values in prop::collection::vec(-1e6..1e6_f64, 2..30), seed: u64,
        ) {
            let once = bootstrap_interval(&values, average, 200, 0.9, seed).unwrap();
            prop_assert_eq!(once, bootstrap_interval(&values, average, 200, 0.9, seed).unwrap());
            let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(*x), high.max(*x)));
            prop_assert!(low - 1e-6 <= once.low && once.low <= once.high && once.high <= high + 1e-6);
        }
    }
}
