//! Going in circles: the same step on the same page again and again.

use crate::reading;
use crate::walk::hands::fingerprint;
use benchwright_domain::vibe::trace::Sight;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// How often a step may be repeated before the model is told, and before the walk is over.
const TOLD: u32 = 2;
const OVER: u32 = 5;

/// Counts steps by what was done and how the page looked before.
#[derive(Debug, Default)]
pub(super) struct Circles {
    seen: HashMap<u64, u32>,
}

/// What the count says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Repeated {
    /// Nothing worth a word.
    No,
    /// So often.
    Times(u32),
    /// Too often.
    TooOften(u32),
}

impl Circles {
    /// Notes a step on a page with that fingerprint.
    pub(super) fn note(&mut self, page: u64, step: &str) -> Repeated {
        let mut hasher = DefaultHasher::new();
        (page, step).hash(&mut hasher);
        let times = self.seen.entry(hasher.finish()).or_insert(0);
        *times += 1;
        match *times {
            times if times >= OVER => Repeated::TooOften(times),
            times if times >= TOLD => Repeated::Times(times),
            _ => Repeated::No,
        }
    }

    /// A new substep may ask for what an earlier one asked for.
    pub(super) fn begin_anew(&mut self) {
        self.seen.clear();
    }
}

/// The page and where one stands on it: who scrolls on, or tabs on, is somewhere else on a page that says the same.
pub(super) fn standpoint(sight: &Sight) -> u64 {
    let mut hasher = DefaultHasher::new();
    fingerprint(sight).hash(&mut hasher);
    [sight.scrolled.0, sight.scrolled.1].map(f64::to_bits).hash(&mut hasher);
    for node in reading::all(&sight.root) {
        let place = node.place.as_ref().map(|place| [place.x, place.y].map(f64::to_bits));
        (node.focused, place).hash(&mut hasher);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_step_on_the_same_page_is_told_and_then_the_end() {
        let mut circles = Circles::default();
        assert_eq!(circles.note(1, "click e1"), Repeated::No);
        assert_eq!(circles.note(2, "click e1"), Repeated::No, "the page has changed");
        assert_eq!(circles.note(1, "click e2"), Repeated::No);
        assert_eq!(circles.note(1, "click e1"), Repeated::Times(2));
        for _ in 0..2 {
            circles.note(1, "click e1");
        }
        assert_eq!(circles.note(1, "click e1"), Repeated::TooOften(5));
        circles.begin_anew();
        assert_eq!(circles.note(1, "click e1"), Repeated::No);
    }
}
