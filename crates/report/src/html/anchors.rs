//! Fragment ids of scorers: `#f1` for published ones, a name of our own making for those a user added.

use crate::Report;
use std::collections::{BTreeMap, BTreeSet};

pub struct Anchors(BTreeMap<String, String>);

impl Anchors {
    pub fn of(report: &Report) -> Self {
        let mut taken = BTreeSet::new();
        let mut by_key = BTreeMap::new();
        for (position, (key, scorer)) in report.scorers.iter().enumerate() {
            let published = scorer.id.map(|id| id.key().to_owned()).filter(|id| !taken.contains(id));
            let anchor = published.unwrap_or_else(|| format!("added-{position}"));
            taken.insert(anchor.clone());
            by_key.insert(key.clone(), anchor);
        }
        Self(by_key)
    }

    /// The fragment id of a scorer by its key in the report.
    pub fn get(&self, key: &str) -> String {
        self.0.get(key).cloned().unwrap_or_default()
    }

    /// Whether the report has a scorer with this fragment id.
    pub fn contains(&self, anchor: &str) -> bool {
        self.0.values().any(|known| known == anchor)
    }
}
