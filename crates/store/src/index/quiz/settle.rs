//! How runs stand to each other. What comes out depends on the runs that are there and not on the order they came in.

use super::row::IndexedShare;
use benchwright_quiz::{ReasonCode, State as Standing};
use std::collections::{BTreeMap, BTreeSet};

/// Runs that are better than the others make likely count once they are from so many different days.
const AGREEING_DAYS: usize = 3;

/// Gives every run its standing. `runs` holds all outliers of its pools, and all runs with the same outputs as one of its runs.
///
/// - A run that only is too good counts once enough others are.
/// - Of runs with the same outputs to the same questions, references count, or else the one with the lowest id; the others are merged into
///   the first of them.
pub(super) fn settle(runs: &mut BTreeMap<String, IndexedShare>) {
    let agreed = agreed_pools(runs.values());
    let mut first: BTreeMap<(String, String, String), String> = BTreeMap::new();
    let mut in_order: Vec<&mut IndexedShare> = runs.values_mut().collect();
    in_order.sort_by_key(|run| run.verdict != Standing::Reference);
    for run in in_order {
        run.standing = run.verdict;
        run.reasons.clone_from(&run.verdict_reasons);
        run.merged_into = None;
        let pool = run.pool();
        if run.is_outlier() && agreed.contains(&pool) {
            run.standing = Standing::Confirmed;
            run.reasons.clear();
        }
        if !run.is_counted() {
            continue;
        }
        let same = (pool, run.selection.clone(), run.outputs_sha256.clone());
        // References come first, and then runs in the order of their ids.
        let counted = first.entry(same).or_insert_with(|| run.run.clone());
        if *counted != run.run && run.verdict != Standing::Reference {
            run.standing = Standing::Unconfirmed;
            run.reasons = vec![ReasonCode::Duplicate];
            run.merged_into = Some(counted.clone());
        }
    }
}

fn agreed_pools<'a>(runs: impl Iterator<Item = &'a IndexedShare>) -> BTreeSet<String> {
    let mut days: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for run in runs.filter(|run| run.is_outlier()) {
        days.entry(run.pool()).or_default().insert(&run.day);
    }
    days.into_iter().filter(|(_, days)| days.len() >= AGREEING_DAYS).map(|(pool, _)| pool).collect()
}
