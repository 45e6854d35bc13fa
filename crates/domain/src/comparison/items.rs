//! Items by id: what was fixed, what broke.

use crate::details::{Item, ItemStatus};
use crate::report::ScorerReport;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Changed items kept for one scorer and one direction.
const MOST_ITEMS: usize = 40;

/// An item whose status changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ItemChange {
    /// Its id within the scorer.
    pub id: String,
    /// What is (or was) wrong, in one sentence.
    pub title: String,
    /// What to change; for items that fail now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
    /// In how many places it failed first.
    pub places_before: usize,
    /// In how many places it fails now.
    pub places_after: usize,
}

/// The failed items of a scorer by id. Several items may share an id, as findings of one rule do.
struct Failures<'a>(BTreeMap<&'a str, (&'a Item, usize)>);

impl<'a> Failures<'a> {
    fn of(scorer: &'a ScorerReport) -> Self {
        let mut failures = BTreeMap::new();
        for item in scorer.details.items.iter().filter(|item| item.status == ItemStatus::Failed) {
            let places = item.places_total.max(item.places.len()).max(1);
            failures.entry(item.id.as_str()).and_modify(|(_, count)| *count += places).or_insert((item, places));
        }
        Self(failures)
    }

    fn places(&self, id: &str) -> usize {
        self.0.get(id).map_or(0, |(_, places)| *places)
    }
}

/// What was fixed, what broke, and what fails in more or fewer places.
pub(super) fn changes(before: &ScorerReport, after: &ScorerReport) -> [Vec<ItemChange>; 3] {
    let (old, new) = (Failures::of(before), Failures::of(after));
    let change = |item: &Item, failing_now: bool| ItemChange {
        id: item.id.clone(),
        title: item.title.clone(),
        fix: item.fix.clone().filter(|_| failing_now),
        places_before: old.places(&item.id),
        places_after: new.places(&item.id),
    };
    let fixed = old.0.values().map(|(item, _)| change(item, false)).filter(|change| change.places_after == 0);
    let failing = || new.0.values().map(|(item, _)| change(item, true));
    let broken = failing().filter(|change| change.places_before == 0);
    let moved = failing().filter(|change| change.places_before > 0 && change.places_before != change.places_after);
    [fixed.take(MOST_ITEMS).collect(), broken.take(MOST_ITEMS).collect(), moved.take(MOST_ITEMS).collect()]
}
