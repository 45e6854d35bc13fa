//! A board's rows from sums that were kept, so that nobody reads all runs to show them.

use crate::board::{MIN_DAYS, MIN_QUESTIONS, PooledAccuracy};
use benchwright_domain::board::RankRange;
use benchwright_domain::statistics::{Interval, Z_95, wilson_of_share};

impl PooledAccuracy {
    /// A share of so many distinct questions; nothing without questions.
    pub fn of(share: f64, questions: u64) -> Option<Self> {
        let interval = wilson_of_share(share, questions, Z_95).ok()?;
        Some(Self { questions, share, interval })
    }
}

/// Why a row is not ranked; nothing when it is.
pub fn not_ranked_because(questions: u64, days: u64) -> Vec<String> {
    let mut reasons = Vec::new();
    if questions < MIN_QUESTIONS as u64 {
        reasons.push(format!("{questions} distinct questions; a rank needs {MIN_QUESTIONS}"));
    }
    if days < MIN_DAYS as u64 {
        let days = if days == 1 { "1 day".to_owned() } else { format!("{days} days") };
        reasons.push(format!("runs of {days}; a rank needs {MIN_DAYS} different ones"));
    }
    reasons
}

/// The ranks that rows may have: all that no interval excludes.
pub fn rank_ranges(intervals: &[Interval]) -> Vec<RankRange> {
    let range = |own: &Interval| RankRange {
        best: 1 + intervals.iter().filter(|other| other.low > own.high).count(),
        worst: intervals.len() - intervals.iter().filter(|other| own.low > other.high).count(),
    };
    intervals.iter().map(range).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchwright_domain::statistics::wilson_95;

    #[test]
    fn whole_numbers_give_the_interval_that_counts_give() {
        for (k, n) in [(0, 1), (1, 3), (5, 10), (26, 40), (100, 100)] {
            let pooled = PooledAccuracy::of(k as f64 / n as f64, n).unwrap().interval;
            let counted = wilson_95(k, n).unwrap();
            assert!((pooled.low - counted.low).abs() < 1e-12 && (pooled.high - counted.high).abs() < 1e-12, "{k}/{n}");
        }
        assert_eq!(PooledAccuracy::of(0.5, 0), None);
    }

    #[test]
    fn a_row_needs_questions_and_days() {
        assert_eq!(not_ranked_because(100, 3), Vec::<String>::new());
        assert_eq!(not_ranked_because(12, 1).len(), 2);
        assert!(not_ranked_because(120, 1)[0].starts_with("runs of 1 day;"));
    }

    #[test]
    fn ranks_are_shared_where_intervals_overlap() {
        let interval = |low, high| Interval { low, high };
        let ranks = rank_ranges(&[interval(0.6, 0.8), interval(0.5, 0.7), interval(0.1, 0.2)]);
        assert_eq!(ranks[0], RankRange { best: 1, worst: 2 });
        assert_eq!(ranks[1], RankRange { best: 1, worst: 2 });
        assert_eq!(ranks[2], RankRange { best: 3, worst: 3 });
    }
}
