//! When a model did what: slices of equal time or equal number, and the strip of a single trajectory.

use super::{Call, Category, CategoryCounts};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Into how many slices a trajectory is cut.
pub const PHASES: usize = 10;

/// Calls of one category that follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Segment {
    /// What they are for.
    pub category: Category,
    /// When the first of them was made, as a share of the whole time.
    pub from: f64,
    /// When the next segment begins.
    pub to: f64,
    /// How many there are.
    pub calls: u64,
}

/// Calls by category in slices of equal time.
pub(super) fn by_time(calls: &[Call]) -> [CategoryCounts; PHASES] {
    slices(calls, |_, call| (call.at * PHASES as f64) as usize)
}

/// Calls by category in slices with an equal number of calls.
pub(super) fn by_count(calls: &[Call]) -> [CategoryCounts; PHASES] {
    slices(calls, |index, _| index * PHASES / calls.len())
}

fn slices(calls: &[Call], slice_of: impl Fn(usize, &Call) -> usize) -> [CategoryCounts; PHASES] {
    let mut slices = [CategoryCounts::default(); PHASES];
    for (index, call) in calls.iter().enumerate() {
        slices[slice_of(index, call).min(PHASES - 1)].add(call.category, 1);
    }
    slices
}

/// The calls as segments.
pub(super) fn strip(calls: &[Call]) -> Vec<Segment> {
    let starts = calls.chunk_by(|a, b| a.category == b.category);
    let mut segments: Vec<Segment> = starts
        .map(|run| Segment { category: run[0].category, from: run[0].at, to: 1.0, calls: run.len() as u64 })
        .collect();
    for index in 1..segments.len() {
        segments[index - 1].to = segments[index].from;
    }
    segments
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(category: Category, at: f64) -> Call {
        Call { tool: String::new(), category, at }
    }

    #[test]
    fn the_last_moment_belongs_to_the_last_slice() {
        let calls = [call(Category::Edit, 0.0), call(Category::Bash, 0.31), call(Category::Other, 1.0)];
        let slices = by_time(&calls);
        assert_eq!((slices[0].edit, slices[3].bash, slices[9].other), (1, 1, 1));
        assert_eq!(slices.iter().map(CategoryCounts::total).sum::<u64>(), 3);
    }

    #[test]
    fn slices_of_equal_number_differ_by_at_most_one() {
        let calls: Vec<Call> = (0..56).map(|_| call(Category::Edit, 0.5)).collect();
        let sizes = by_count(&calls).map(|slice| slice.total());
        assert_eq!(sizes, [6, 6, 5, 6, 5, 6, 6, 5, 6, 5]);
        assert_eq!(by_count(&[]).map(|slice| slice.total()), [0; PHASES]);
    }

    #[test]
    fn a_strip_joins_neighbours_and_has_no_holes() {
        let calls = [
            call(Category::Edit, 0.0),
            call(Category::Edit, 0.2),
            call(Category::Browser, 0.5),
            call(Category::Edit, 1.0),
        ];
        let strip = strip(&calls);
        let told: Vec<_> = strip.iter().map(|s| (s.category, s.from, s.to, s.calls)).collect();
        assert_eq!(
            told,
            [(Category::Edit, 0.0, 0.5, 2), (Category::Browser, 0.5, 1.0, 1), (Category::Edit, 1.0, 1.0, 1)]
        );
    }
}
