//! The matrix of agreement, and pooled means.

use crate::printed;
use crate::tables::{AGREEMENT, PLAIN, POOLED, RATERS};
use benchwright_domain::vibe::analysis::agreement::Agreed;
use benchwright_domain::vibe::analysis::variance::generation_percent;

/// Substeps shared with each reviewer. The paper does not print them; these weights reproduce all four pooled means, and are 18 apps
/// with 1,401 substeps seen by two of three reviewers each.
const SHARED: [u64; 3] = [594, 1360, 848];

#[test]
fn reviewers_share_all_labels() {
    assert_eq!(SHARED.iter().sum::<u64>(), 2 * 1401);
}

#[test]
fn the_matrix_is_symmetric_between_the_printed_ends() {
    let mut off_diagonal = Vec::new();
    for (a, row) in AGREEMENT.iter().enumerate() {
        for (b, percent) in row.iter().enumerate() {
            assert_eq!(*percent, AGREEMENT[b][a]);
            if a < b {
                off_diagonal.push((*percent, RATERS[a], RATERS[b]));
            }
        }
    }
    off_diagonal.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert_eq!(off_diagonal.len(), 21);
    assert_eq!(off_diagonal[0], (31.8, "GPT-5.2", "C"));
    assert_eq!(off_diagonal[20], (93.6, "A", "B"));
}

#[test]
fn pooled_means_weigh_substeps_and_plain_means_do_not() {
    for judge in 0..4 {
        let with_reviewers = &AGREEMENT[judge][4..];
        let pairs: Vec<Agreed> = with_reviewers
            .iter()
            .zip(SHARED)
            .map(|(percent, shared)| {
                let pair = Agreed::new((percent * shared as f64 / 100.0).round() as u64, shared).unwrap();
                printed(pair.percent, *percent, 1);
                pair
            })
            .collect();
        let pooled = Agreed::pooled(&pairs).unwrap();
        assert_eq!(pooled.shared, 2802);
        printed(pooled.percent, POOLED[judge], 1);
        printed(with_reviewers.iter().sum::<f64>() / 3.0, PLAIN[judge], 2);
    }
}

#[test]
fn generation_has_most_of_the_variance() {
    for (generation, evaluation, exact, percent) in
        [(3.47, 0.99, 92.47, 92.5), (3.95, 1.16, 92.06, 92.1), (5.00, 3.00, 73.53, 73.5)]
    {
        let share = generation_percent(generation, evaluation).unwrap();
        printed(share, exact, 2);
        printed(share, percent, 1);
    }
}
