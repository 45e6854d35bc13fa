//! No day gives more than half of a row: whoever brings many runs on one day has one voice, however many questions they were about.
//!
//! A question that several days answered rests on none of them for more than half. What is left are the questions that one day alone
//! answered: those of the day with the most of them weigh together no more than those of all other days.

use super::{MIN_DAYS, MIN_QUESTIONS, PooledAccuracy};

/// A sum over questions: how many, and their shares if all tiers count and if only tier 1 does.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Sum {
    /// Distinct questions.
    pub questions: u64,
    /// The sum of their shares.
    pub share: f64,
    /// The same if only tier 1 counted.
    pub strict: f64,
}

impl Sum {
    /// Adds what another sum holds.
    pub fn add(&mut self, other: Self) {
        self.questions += other.questions;
        self.share += other.share;
        self.strict += other.strict;
    }
}

/// The questions of a row that one day alone answered.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SingleDays {
    /// How many there are, over all days.
    pub questions: u64,
    /// Those of the day that has the most of them.
    pub busiest: Sum,
}

/// What a row comes to.
#[derive(Debug, Clone, PartialEq)]
pub struct Weighed {
    /// The one number; absent without questions.
    pub accuracy: Option<PooledAccuracy>,
    /// The same if only tier 1 counted.
    pub strict: Option<PooledAccuracy>,
    /// Why the row is not ranked; nothing when it is.
    pub not_ranked_because: Vec<String>,
}

impl SingleDays {
    /// The questions of each day that no other day answered.
    pub fn of(days: impl IntoIterator<Item = Sum>) -> Self {
        days.into_iter().fold(Self::default(), |found, day| Self {
            questions: found.questions + day.questions,
            busiest: if day.questions > found.busiest.questions { day } else { found.busiest },
        })
    }

    /// How many of the busiest day's questions are too many.
    fn excess(&self) -> u64 {
        (2 * self.busiest.questions).saturating_sub(self.questions)
    }

    /// The row when the busiest day's questions weigh no more than those of the others.
    fn taken_from(&self, row: Sum) -> Sum {
        let excess = self.excess();
        if excess == 0 {
            return row;
        }
        let part = excess as f64 / self.busiest.questions as f64;
        Sum {
            questions: row.questions.saturating_sub(excess),
            share: row.share - part * self.busiest.share,
            strict: row.strict - part * self.busiest.strict,
        }
    }
}

impl Weighed {
    /// A row of these questions, confirmed on so many days. One that is not ranked shows everything it has; its days are balanced once it is.
    pub fn of(row: Sum, days: usize, single: &SingleDays) -> Self {
        let balanced = single.taken_from(row);
        let not_ranked_because = reasons(row.questions, balanced.questions, days);
        let shown = if not_ranked_because.is_empty() { balanced } else { row };
        let mean = |sum: f64| PooledAccuracy::of((sum / shown.questions as f64).clamp(0.0, 1.0), shown.questions);
        Self { accuracy: mean(shown.share), strict: mean(shown.strict), not_ranked_because }
    }
}

fn reasons(questions: u64, balanced: u64, days: usize) -> Vec<String> {
    let mut reasons = Vec::new();
    let needed = MIN_QUESTIONS as u64;
    if questions < needed {
        reasons.push(format!("{questions} distinct questions; a rank needs {needed}"));
    }
    if days < MIN_DAYS {
        reasons.push(format!("runs on {days} different days; a rank needs {MIN_DAYS}"));
    }
    if reasons.is_empty() && balanced < needed {
        reasons.push(format!(
            "{balanced} of {questions} questions count when no day gives more than half; a rank needs {needed}"
        ));
    }
    reasons
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(questions: u64, share: f64) -> Sum {
        Sum { questions, share, strict: 0.0 }
    }

    #[test]
    fn questions_of_several_days_count_whole() {
        let weighed = Weighed::of(sum(120, 60.0), 3, &SingleDays::default());
        assert_eq!(weighed.not_ranked_because, [""; 0]);
        assert_eq!(weighed.accuracy.map(|one| (one.questions, one.share)), Some((120, 0.5)));
    }

    #[test]
    fn the_busiest_day_weighs_no_more_than_all_others() {
        // 100 questions of several days, half of them right; one day brought 60 of its own, all right, other days 20, none right.
        let single = SingleDays::of([sum(12, 0.0), sum(60, 60.0), sum(8, 0.0)]);
        let weighed = Weighed::of(sum(180, 110.0), 5, &single);
        let accuracy = weighed.accuracy.unwrap();
        assert_eq!(accuracy.questions, 140, "20 of the 60 weigh in");
        assert!((accuracy.share - (50.0 + 20.0) / 140.0).abs() < 1e-12, "{}", accuracy.share);
    }

    #[test]
    fn a_row_of_one_day_with_two_small_ones_beside_it_is_not_ranked() {
        let single = SingleDays::of([sum(114, 114.0), sum(3, 0.0), sum(3, 0.0)]);
        let weighed = Weighed::of(sum(120, 114.0), 3, &single);
        assert_eq!(
            weighed.not_ranked_because,
            ["12 of 120 questions count when no day gives more than half; a rank needs 100"]
        );
        assert_eq!(weighed.accuracy.map(|one| one.questions), Some(120), "what is not ranked shows what it has");
    }

    #[test]
    fn a_row_without_questions_has_no_number() {
        let weighed = Weighed::of(Sum::default(), 0, &SingleDays::default());
        assert!(weighed.accuracy.is_none() && weighed.strict.is_none());
        assert_eq!(weighed.not_ranked_because.len(), 2);
    }
}
