//! How far raters agree, plainly and beyond chance.
//!
//! Ratings come as units: one list for each rated thing, with one place for each rater and `None` where that rater gave no
//! rating. Categories of a nominal scale are numbers that only mean themselves.

use super::{StatisticsError, at_least, finite, same_length};

/// What the distance of two ratings means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// Equal or not.
    Nominal,
    /// Ranks: the distance grows with how many ratings lie between.
    Ordinal,
    /// Numbers: the squared difference.
    Interval,
}

/// The share of pairs of ratings of the same unit that are equal, over all units with at least two ratings; each unit weighs
/// the same.
pub fn raw_agreement(units: &[Vec<Option<f64>>]) -> Result<f64, StatisticsError> {
    let units = pairable(units)?;
    let shares = units.iter().map(|ratings| {
        let equal: usize = ratings.iter().map(|a| ratings.iter().filter(|b| a == *b).count() - 1).sum();
        equal as f64 / (ratings.len() * (ratings.len() - 1)) as f64
    });
    Ok(shares.sum::<f64>() / units.len() as f64)
}

/// Cohen's κ of two raters with a nominal scale: their agreement beyond what their own habits would give by chance.
pub fn cohen_kappa(a: &[f64], b: &[f64]) -> Result<f64, StatisticsError> {
    same_length(a, b)?;
    at_least(1, a.len(), "units")?;
    super::all_finite(a)?;
    super::all_finite(b)?;
    let n = a.len() as f64;
    let observed = a.iter().zip(b).filter(|(a, b)| a == b).count() as f64 / n;
    let mut sorted = b.to_vec();
    sorted.sort_by(f64::total_cmp);
    // The two zeros are one category, and compare as equal here.
    let equals = |x: &f64| sorted.partition_point(|y| y <= x) - sorted.partition_point(|y| y < x);
    let expected: f64 = a.iter().map(|a| equals(a) as f64).sum::<f64>() / (n * n);
    beyond_chance(observed, expected)
}

/// Fleiss' κ of any number of raters with a nominal scale, who need not be the same for every unit.
///
/// Every unit needs the same number of ratings, at least two; [`krippendorff_alpha`] takes what has gaps.
pub fn fleiss_kappa(units: &[Vec<Option<f64>>]) -> Result<f64, StatisticsError> {
    let observed = raw_agreement(units)?;
    let units = pairable(units)?;
    let ratings = units[0].len();
    if units.iter().any(|unit| unit.len() != ratings) {
        return Err(StatisticsError::BadParameter("every unit needs the same number of ratings"));
    }
    let mut all: Vec<f64> = units.into_iter().flatten().collect();
    all.sort_by(f64::total_cmp);
    let total = all.len() as f64;
    let expected = all.chunk_by(|a, b| a == b).map(|category| (category.len() as f64 / total).powi(2)).sum();
    beyond_chance(observed, expected)
}

/// The part of what chance leaves open that is reached; nothing is left open when all ratings are the same.
fn beyond_chance(observed: f64, expected: f64) -> Result<f64, StatisticsError> {
    if expected >= 1.0 {
        return Err(StatisticsError::NoVariation);
    }
    Ok((observed - expected) / (1.0 - expected))
}

/// Krippendorff's α for any number of raters and missing ratings: 1 is perfect, 0 is chance, below 0 is worse than chance.
///
/// Units with fewer than two ratings say nothing and are left out. Ratings that never vary leave nothing to agree about, which
/// is an error and not a 1.
pub fn krippendorff_alpha(units: &[Vec<Option<f64>>], metric: Metric) -> Result<f64, StatisticsError> {
    let units = pairable(units)?;
    let mut values: Vec<f64> = units.iter().flatten().copied().collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let coincidences = coincidences(&units, &values);
    let totals: Vec<f64> = coincidences.iter().map(|row| row.iter().sum()).collect();
    let n: f64 = totals.iter().sum();
    let (mut observed, mut expected) = (0.0, 0.0);
    for low in 0..values.len() {
        for high in low + 1..values.len() {
            let distance = distance(metric, &values, &totals, low, high);
            observed += coincidences[low][high] * distance;
            expected += totals[low] * totals[high] * distance;
        }
    }
    if expected == 0.0 {
        return Err(StatisticsError::NoVariation);
    }
    finite(1.0 - (n - 1.0) * observed / expected)
}

/// The ratings of the units that have at least two.
fn pairable(units: &[Vec<Option<f64>>]) -> Result<Vec<Vec<f64>>, StatisticsError> {
    let units: Vec<Vec<f64>> = units
        .iter()
        // Adding 0 makes the two zeros one.
        .map(|ratings| ratings.iter().flatten().map(|rating| rating + 0.0).collect::<Vec<_>>())
        .filter(|ratings| ratings.len() >= 2)
        .collect();
    at_least(1, units.len(), "units with two ratings")?;
    units.iter().try_for_each(|ratings| super::all_finite(ratings))?;
    Ok(units)
}

/// How often each value meets each other in a unit, each pair weighted so that a unit counts as often as it has ratings.
fn coincidences(units: &[Vec<f64>], values: &[f64]) -> Vec<Vec<f64>> {
    let mut matrix = vec![vec![0.0; values.len()]; values.len()];
    for ratings in units {
        let places: Vec<usize> = ratings.iter().map(|x| values.partition_point(|value| value < x)).collect();
        let weight = 1.0 / (ratings.len() - 1) as f64;
        for (first, a) in places.iter().enumerate() {
            for (second, b) in places.iter().enumerate() {
                if first != second {
                    matrix[*a][*b] += weight;
                }
            }
        }
    }
    matrix
}

/// The squared distance of two different values, given by their places.
fn distance(metric: Metric, values: &[f64], totals: &[f64], low: usize, high: usize) -> f64 {
    match metric {
        Metric::Nominal => 1.0,
        Metric::Ordinal => {
            let between: f64 = totals[low..=high].iter().sum();
            (between - f64::midpoint(totals[low], totals[high])).powi(2)
        }
        Metric::Interval => {
            // Only ratios of distances matter, and a distance relative to the whole range cannot overflow when squared.
            let range = values[values.len() - 1] / 2.0 - values[0] / 2.0;
            ((values[high] / 2.0 - values[low] / 2.0) / range).powi(2)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 5e-4, "{a} is not {b}");
    }

    /// One list for each rater, 0 for no rating, turned into one list for each unit.
    fn units(raters: &[&[u8]]) -> Vec<Vec<Option<f64>>> {
        (0..raters[0].len())
            .map(|unit| raters.iter().map(|rater| (rater[unit] > 0).then(|| f64::from(rater[unit]))).collect())
            .collect()
    }

    /// The example with four raters, twelve units and gaps in Krippendorff (2011).
    fn krippendorff_example() -> Vec<Vec<Option<f64>>> {
        units(&[
            &[1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
            &[1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
            &[0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
            &[1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
        ])
    }

    #[test]
    fn the_published_alphas_are_met() {
        let example = krippendorff_example();
        close(krippendorff_alpha(&example, Metric::Nominal).unwrap(), 0.743);
        close(krippendorff_alpha(&example, Metric::Ordinal).unwrap(), 0.815);
        close(krippendorff_alpha(&example, Metric::Interval).unwrap(), 0.849);
        // Two raters and a yes-or-no question, from the same paper.
        let binary = units(&[&[1, 2, 1, 1, 1, 1, 1, 1, 2, 1], &[2, 2, 2, 1, 1, 2, 1, 1, 1, 1]]);
        close(krippendorff_alpha(&binary, Metric::Nominal).unwrap(), 0.095);
    }

    #[test]
    fn kappa_of_a_two_by_two_table_by_hand() {
        // 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no: 0.7 observed, 0.5 expected.
        let table = [(1.0, 1.0, 20), (1.0, 0.0, 5), (0.0, 1.0, 10), (0.0, 0.0, 15)];
        let pairs: Vec<(f64, f64)> = table.iter().flat_map(|(a, b, count)| vec![(*a, *b); *count]).collect();
        let (a, b): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
        close(cohen_kappa(&a, &b).unwrap(), 0.4);
        let units: Vec<_> = a.iter().zip(&b).map(|(a, b)| vec![Some(*a), Some(*b)]).collect();
        close(raw_agreement(&units).unwrap(), 0.7);
    }

    /// Ten subjects, fourteen raters, five categories: the worked example that is printed most often, κ = 0.210.
    #[test]
    fn fleiss_kappa_of_a_worked_example() {
        let counts = [
            [0, 0, 0, 0, 14],
            [0, 2, 6, 4, 2],
            [0, 0, 3, 5, 6],
            [0, 3, 9, 2, 0],
            [2, 2, 8, 1, 1],
            [7, 7, 0, 0, 0],
            [3, 2, 6, 3, 0],
            [2, 5, 3, 2, 2],
            [6, 5, 2, 1, 0],
            [0, 2, 2, 3, 7],
        ];
        let unit = |row: &[usize; 5]| (0..5).flat_map(|at| vec![Some(at as f64); row[at]]).collect::<Vec<_>>();
        close(fleiss_kappa(&counts.iter().map(unit).collect::<Vec<_>>()).unwrap(), 0.2099);
    }

    #[test]
    fn fleiss_kappa_takes_other_raters_for_every_unit_but_no_gaps() {
        let [yes, no, none] = [Some(1.0), Some(0.0), None];
        // 3 of 4 pairs agree; 5 of 8 ratings are yes: (0.75 − 34/64) / (1 − 34/64).
        let units = vec![vec![yes, yes, none], vec![yes, none, yes], vec![none, no, no], vec![yes, no, none]];
        close(fleiss_kappa(&units).unwrap(), (0.75 - 34.0 / 64.0) / (30.0 / 64.0));
        let uneven = vec![vec![yes, yes, yes], vec![yes, no, none]];
        assert!(matches!(fleiss_kappa(&uneven), Err(StatisticsError::BadParameter(_))));
        assert_eq!(fleiss_kappa(&[vec![yes, yes], vec![yes, yes]]), Err(StatisticsError::NoVariation));
    }

    #[test]
    fn raw_agreement_counts_pairs_and_leaves_out_lonely_ratings() {
        let some = |values: &[f64]| values.iter().copied().map(Some).collect::<Vec<_>>();
        let lonely = vec![Some(1.0), None, None];
        // Of three ratings with two equal, one pair in three agrees; the other unit agrees wholly.
        close(
            raw_agreement(&[some(&[1.0, 1.0, 2.0]), some(&[3.0, 3.0]), lonely]).unwrap(),
            f64::midpoint(1.0 / 3.0, 1.0),
        );
    }

    #[test]
    fn nothing_to_agree_about_is_refused() {
        let same = vec![vec![Some(1.0), Some(1.0)]; 3];
        assert_eq!(krippendorff_alpha(&same, Metric::Nominal), Err(StatisticsError::NoVariation));
        assert_eq!(cohen_kappa(&[1.0, 1.0], &[1.0, 1.0]), Err(StatisticsError::NoVariation));
        assert!(krippendorff_alpha(&[vec![Some(1.0), None]], Metric::Ordinal).is_err());
        assert!(raw_agreement(&[]).is_err());
        assert_eq!(raw_agreement(&[vec![Some(f64::NAN), Some(1.0)]]), Err(StatisticsError::NotFinite));
    }

    fn ratings() -> impl Strategy<Value = Vec<Vec<Option<f64>>>> {
        let rating = prop::option::weighted(0.8, (0_u8..4).prop_map(f64::from));
        prop::collection::vec(prop::collection::vec(rating, 3), 1..20)
    }

    proptest! {
        #[test]
        fn alpha_is_at_most_one_and_the_order_of_raters_and_units_does_not_matter(ratings in ratings()) {
            for metric in [Metric::Nominal, Metric::Ordinal, Metric::Interval] {
                let Ok(alpha) = krippendorff_alpha(&ratings, metric) else { continue };
                prop_assert!(alpha.is_finite() && alpha <= 1.0 + 1e-12);
                let turned: Vec<Vec<_>> = ratings.iter().rev().map(|unit| unit.iter().rev().copied().collect()).collect();
                prop_assert!((krippendorff_alpha(&turned, metric).unwrap() - alpha).abs() < 1e-9);
            }
        }

        #[test]
        fn alpha_is_one_exactly_when_all_agree(ratings in prop::collection::vec(0_u8..4, 2..20), raters in 2_usize..5) {
            let units: Vec<_> = ratings.iter().map(|rating| vec![Some(f64::from(*rating)); raters]).collect();
            prop_assert_eq!(raw_agreement(&units), Ok(1.0));
            match krippendorff_alpha(&units, Metric::Interval) {
                Ok(alpha) => prop_assert_eq!(alpha, 1.0),
                Err(error) => prop_assert_eq!(error, StatisticsError::NoVariation),
            }
        }

        /// With two values all three metrics are the same thing.
        #[test]
        fn a_yes_or_no_scale_has_one_alpha(ratings in prop::collection::vec((0_u8..2, 0_u8..2), 2..30)) {
            let units: Vec<_> = ratings.iter().map(|(a, b)| vec![Some(f64::from(*a)), Some(f64::from(*b))]).collect();
            let alphas = [Metric::Nominal, Metric::Ordinal, Metric::Interval].map(|m| krippendorff_alpha(&units, m));
            if let [Ok(nominal), Ok(ordinal), Ok(interval)] = alphas {
                prop_assert!((nominal - ordinal).abs() < 1e-9 && (nominal - interval).abs() < 1e-9);
            } else {
                prop_assert!(alphas.iter().all(|alpha| *alpha == Err(StatisticsError::NoVariation)));
            }
        }

        #[test]
        fn huge_and_tiny_ratings_never_give_nan(a: Vec<f64>, b: Vec<f64>) {
            let units: Vec<_> = a.iter().zip(&b).map(|(a, b)| vec![Some(*a), Some(*b)]).collect();
            for metric in [Metric::Nominal, Metric::Ordinal, Metric::Interval] {
                if let Ok(alpha) = krippendorff_alpha(&units, metric) {
                    prop_assert!(alpha.is_finite());
                }
            }
        }
    }
}
