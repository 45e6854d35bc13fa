//! Whether intervals cover what they promise: seeded simulations, the same on every machine.

use super::mean::average;
use super::{Interval, SplitMix64, bootstrap_interval, clustered_mean, mean, paired_difference, pearson, wilson_95};

const ROUNDS: usize = 4000;

/// The share of rounds in which the interval held the truth.
fn coverage(seed: u64, rounds: usize, mut round: impl FnMut(&mut SplitMix64) -> (Interval, f64)) -> f64 {
    let mut random = SplitMix64::new(seed);
    let covered = (0..rounds)
        .filter(|_| {
            let (interval, truth) = round(&mut random);
            interval.contains(truth)
        })
        .count();
    covered as f64 / rounds as f64
}

fn assert_nominal(coverage: f64) {
    assert!((0.93..=0.97).contains(&coverage), "covers {coverage}");
}

/// A standard normal value, by Box and Muller's transformation.
fn normal(random: &mut SplitMix64) -> f64 {
    let radius = (-2.0 * (1.0 - random.next_unit()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.next_unit()).cos()
}

fn normals(random: &mut SplitMix64, count: usize) -> Vec<f64> {
    (0..count).map(|_| normal(random)).collect()
}

#[test]
fn wilson_covers_over_all_shares() {
    assert_nominal(coverage(1, ROUNDS, |random| {
        let truth = random.next_unit();
        let successes = (0..40).filter(|_| random.next_unit() < truth).count() as u64;
        (wilson_95(successes, 40).unwrap(), truth)
    }));
}

#[test]
fn the_interval_of_a_small_mean_covers() {
    assert_nominal(coverage(2, ROUNDS, |random| {
        let values: Vec<f64> = normals(random, 8).iter().map(|x| 3.0 + 2.0 * x).collect();
        (mean(&values).unwrap().interval(0.95).unwrap(), 3.0)
    }));
}

#[test]
fn the_clustered_interval_covers_where_the_naive_one_does_not() {
    let draw = |random: &mut SplitMix64| {
        let clusters: Vec<usize> = (0..120).map(|index| index / 6).collect();
        let effects = normals(random, 20);
        let values: Vec<f64> = clusters.iter().map(|cluster| effects[*cluster] + normal(random)).collect();
        (values, clusters)
    };
    assert_nominal(coverage(3, ROUNDS, |random| {
        let (values, clusters) = draw(random);
        (clustered_mean(&values, &clusters).unwrap().interval(0.95).unwrap(), 0.0)
    }));
    let naive = coverage(3, ROUNDS, |random| (mean(&draw(random).0).unwrap().interval(0.95).unwrap(), 0.0));
    assert!(naive < 0.8, "naive covers {naive}");
}

#[test]
fn a_paired_difference_without_effect_is_called_one_in_about_five_percent() {
    let quiet = coverage(4, ROUNDS, |random| {
        let difficulty = normals(random, 15);
        let [a, b] = [(); 2].map(|()| difficulty.iter().map(|d| d + 0.3 * normal(random)).collect::<Vec<_>>());
        (paired_difference(&a, &b).unwrap().interval(0.95).unwrap(), 0.0)
    });
    assert!((0.03..=0.07).contains(&(1.0 - quiet)), "false alarms {}", 1.0 - quiet);
}

#[test]
fn the_bootstrap_covers() {
    assert_nominal(coverage(5, 1500, |random| {
        let values = normals(random, 60);
        let seed = random.next_u64();
        (bootstrap_interval(&values, average, 400, 0.95, seed).unwrap(), 0.0)
    }));
}

#[test]
fn fishers_interval_covers() {
    let truth = 0.6_f64;
    assert_nominal(coverage(6, ROUNDS, |random| {
        let x = normals(random, 30);
        let y: Vec<f64> = x.iter().map(|x| truth * x + (1.0 - truth * truth).sqrt() * normal(random)).collect();
        (pearson(&x, &y).unwrap().interval(0.95).unwrap(), truth)
    }));
}
