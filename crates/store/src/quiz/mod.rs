//! Runs of the quiz that somebody shared: one document each, and one for every decision about it.
//!
//! ```text
//! <data>/quiz/<day>/<id>.json              what was shared, and what the checks said when it arrived
//! <data>/quiz/<day>/<id>.act-<n>.json      a decision about it
//! ```
//!
//! The id comes from the ticket, so that one ticket is one run, whoever takes it in: documents are put if absent.

mod moderation;
mod reference;
mod shared;

pub use moderation::moderate_shared;
pub use reference::{NotAReference, reference_run};
pub use shared::{FirstReading, SHARED_FORMAT, SharedRun};

use crate::error::StoreError;
use crate::event::Act;
use crate::storage::{DocumentName, Put, Storage};
use std::collections::BTreeMap;
use std::time::SystemTime;

const ROOM: &str = "quiz";
const ACT: &str = ".act-";
const DAY_DIGITS: usize = 8;
const ID_DIGITS: usize = 16;

/// A shared run as it is kept: what was shared, unless it was removed, and what was decided about it.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptShare {
    /// What was shared.
    pub run: Option<SharedRun>,
    /// Decisions, in order.
    pub acts: Vec<Act>,
}

/// The id of the run of a ticket: the ticket's day (`YYYY-MM-DD`) and sixteen digits of a hash.
pub fn shared_id(day: &str, hash: &str) -> String {
    let day: String = day.chars().filter(char::is_ascii_digit).collect();
    format!("{day}-{}", &hash[..ID_DIGITS.min(hash.len())])
}

/// Whether this can be the id of a shared run. No id of another kind of run looks like it.
pub fn is_shared_id(id: &str) -> bool {
    let is_hash = |text: &str| text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    id.split_once('-').is_some_and(|(day, hash)| {
        day.len() == DAY_DIGITS
            && day.bytes().all(|byte| byte.is_ascii_digit())
            && hash.len() == ID_DIGITS
            && is_hash(hash)
    })
}

/// Keeps shared runs, each if there is none of its id. All that were put are durable when this returns.
pub fn put_shared(storage: &dyn Storage, runs: Vec<(String, Vec<u8>)>) -> Result<Vec<Put>, StoreError> {
    let named = |(id, bytes): (String, Vec<u8>)| Ok((run_name(&id)?, bytes));
    storage.put_documents(&runs.into_iter().map(named).collect::<Result<Vec<_>, StoreError>>()?)
}

/// A shared run with what was decided about it; nothing if there never was one.
pub fn read_shared(storage: &dyn Storage, id: &str) -> Result<Option<KeptShare>, StoreError> {
    if !is_shared_id(id) {
        return Ok(None);
    }
    let run = storage.document(&run_name(id)?)?.map(|bytes| SharedRun::read(id, &bytes)).transpose()?;
    let acts = acts(storage, id)?;
    Ok((run.is_some() || !acts.is_empty()).then_some(KeptShare { run, acts }))
}

/// The ids of all shared runs of a day, also of those that were removed, in ascending order.
pub fn shared_on(storage: &dyn Storage, day: &str) -> Result<Vec<String>, StoreError> {
    let names = storage.documents(ROOM, day)?;
    let mut ids: Vec<String> = names.iter().filter_map(|name| id_of(name.name())).map(str::to_owned).collect();
    ids.dedup();
    Ok(ids)
}

/// How many decisions about each shared run of a day are kept; runs without any are left out.
pub(crate) fn decided_on(storage: &dyn Storage, day: &str) -> Result<BTreeMap<String, usize>, StoreError> {
    let mut decided = BTreeMap::new();
    for name in storage.documents(ROOM, day)?.iter().map(DocumentName::name).filter(|name| name.contains(ACT)) {
        if let Some(id) = id_of(name) {
            *decided.entry(id.to_owned()).or_default() += 1;
        }
    }
    Ok(decided)
}

/// Removes what is left of the runs of a day that were taken down: whoever did it was interrupted. Says how many there were.
pub(crate) fn finish_removals(storage: &dyn Storage, day: &str) -> Result<usize, StoreError> {
    let mut removed = 0;
    for id in decided_on(storage, day)?.into_keys() {
        let name = run_name(&id)?;
        if moderation::is_taken_down(&acts(storage, &id)?) && storage.document(&name)?.is_some() {
            storage.remove_document(&name)?;
            removed += 1;
        }
    }
    Ok(removed)
}

/// Removes what writers of the documents of a day left half done that were killed before a moment. Says how many files there were.
pub(crate) fn sweep_day(storage: &dyn Storage, day: &str, before: SystemTime) -> Result<usize, StoreError> {
    storage.sweep_documents(ROOM, day, before)
}

/// The days on which something was shared, as eight digits, in ascending order.
pub fn shared_days(storage: &dyn Storage) -> Result<Vec<String>, StoreError> {
    storage.shelves(ROOM)
}

/// Copies all shared runs and decisions from one place to another. What was removed on either side is removed on the other; says how many
/// runs were copied.
pub fn copy_shared(from: &dyn Storage, to: &dyn Storage) -> Result<usize, StoreError> {
    let mut copied = 0;
    for day in shared_days(from)? {
        for id in shared_on(from, &day)? {
            copied += usize::from(copy_one(from, to, &id)?);
        }
    }
    Ok(copied)
}

fn copy_one(from: &dyn Storage, to: &dyn Storage, id: &str) -> Result<bool, StoreError> {
    for number in 0.. {
        let name = act_name(id, number)?;
        let Some(bytes) = from.document(&name)? else { break };
        put_one(to, name, bytes)?;
    }
    let name = run_name(id)?;
    if moderation::is_taken_down(&acts(to, id)?) {
        to.remove_document(&name)?;
        return Ok(false);
    }
    let Some(bytes) = from.document(&name)? else { return Ok(false) };
    Ok(put_one(to, name, bytes)? == Put::Done)
}

fn put_one(storage: &dyn Storage, name: DocumentName, bytes: Vec<u8>) -> Result<Put, StoreError> {
    Ok(storage.put_documents(&[(name, bytes)])?.first().copied().unwrap_or(Put::Taken))
}

/// The decisions about a run, in order.
fn acts(storage: &dyn Storage, id: &str) -> Result<Vec<Act>, StoreError> {
    let mut acts = Vec::new();
    while let Some(bytes) = storage.document(&act_name(id, acts.len())?)? {
        acts.push(moderation::read_act(id, &bytes)?);
    }
    Ok(acts)
}

fn run_name(id: &str) -> Result<DocumentName, StoreError> {
    name(id, ".json")
}

fn act_name(id: &str, number: usize) -> Result<DocumentName, StoreError> {
    name(id, &format!("{ACT}{number:04}.json"))
}

fn name(id: &str, ending: &str) -> Result<DocumentName, StoreError> {
    if !is_shared_id(id) {
        return Err(StoreError::BadRunId { id: id.chars().take(80).flat_map(char::escape_default).collect() });
    }
    DocumentName::new(ROOM, &id[..DAY_DIGITS], &format!("{id}{ending}"))
}

fn id_of(name: &str) -> Option<&str> {
    let id = name.strip_suffix(".json")?.split('.').next()?;
    is_shared_id(id).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_a_day_and_a_hash_and_nothing_else() {
        let id = shared_id("2026-11-16", "0123456789abcdef0123");
        assert_eq!(id, "20261116-0123456789abcdef");
        assert!(is_shared_id(&id));
        for wrong in ["", "20261116T101500Z-3f9a", "20261116-0123456789ABCDEF", "2026111-0123456789abcdef", "../x"] {
            assert!(!is_shared_id(wrong), "{wrong}");
        }
    }

    #[test]
    fn runs_and_decisions_lie_side_by_side() {
        let id = "20261116-0123456789abcdef";
        assert_eq!(id_of(run_name(id).unwrap().name()), Some(id));
        assert_eq!(id_of(act_name(id, 3).unwrap().name()), Some(id));
        assert_eq!(id_of("notes.txt"), None);
    }
}
