//! Deciding what may be shown of a run. The decision is an event of the run, so it cannot be lost apart from it.

use crate::error::StoreError;
use crate::event::{Act, Decision, EventBody};
use crate::index::State;
use crate::log;
use crate::storage::Storage;
use std::path::Path;

const LONGEST_REASON: usize = 2000;
const LONGEST_NAME: usize = 100;

/// Carries out a decision: writes it down, then does what it says. Interrupted in between, the same again or garbage collection does the rest.
pub fn moderate(storage: &dyn Storage, run: &str, act: Act) -> Result<State, StoreError> {
    let (mut writer, events) = storage.open(run)?;
    let acts = events.iter().filter_map(|event| match &event.body {
        EventBody::Moderated { act } => Some(act),
        _ => None,
    });
    let decision = act.decision;
    if check(run, acts, &act)? {
        let at_ms = events.last().map_or(0, |event| event.at_ms);
        writer.append(EventBody::Moderated { act }, at_ms)?;
    }
    drop(writer);
    if decision == Decision::TakeDown {
        storage.withdraw(run)?;
    }
    Ok(State::of(decision))
}

/// Whether a decision says why and by whom. What has to be done before it is carried out should not be done for one that does not.
pub fn check_words(run: &str, act: &Act) -> Result<(), StoreError> {
    if act.reason.trim().is_empty() || act.reason.len() > LONGEST_REASON {
        return refused(run, "it needs a reason, of at most 2,000 bytes; the reason is public");
    }
    if act.by.trim().is_empty() || act.by.len() > LONGEST_NAME {
        return refused(run, "it needs the name of who decides, of at most 100 bytes; the name is public");
    }
    Ok(())
}

fn refused<T>(run: &str, reason: &str) -> Result<T, StoreError> {
    Err(StoreError::Refused { run: run.to_owned(), reason: reason.to_owned() })
}

/// Whether a decision is to be written down: no when it was before, an error when it does not fit what was decided before.
pub(crate) fn check<'a>(run: &str, before: impl IntoIterator<Item = &'a Act>, act: &Act) -> Result<bool, StoreError> {
    check_words(run, act)?;
    match (State::after(before), act.decision) {
        (State::TakenDown, Decision::TakeDown) => Ok(false),
        (State::TakenDown, _) => refused(run, "it was taken down, and that is final"),
        (State::Shown, Decision::Release) => refused(run, "it is not in quarantine"),
        (State::Quarantined, Decision::Quarantine) => refused(run, "it is in quarantine already"),
        _ => Ok(true),
    }
}

/// The acts in the bytes of a log; an unreadable log has none.
pub(crate) fn acts_in(bytes: &[u8]) -> Vec<Act> {
    let events = log::replay(bytes, Path::new("log")).map(|replay| replay.events).unwrap_or_default();
    let act = |body| match body {
        EventBody::Moderated { act } => Some(act),
        _ => None,
    };
    events.into_iter().filter_map(|event| act(event.body)).collect()
}
