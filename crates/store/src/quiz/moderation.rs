//! Deciding what may be shown of a shared run. A decision is a document beside it.

use super::{act_name, acts, put_one, run_name};
use crate::error::StoreError;
use crate::event::{Act, Decision};
use crate::index::State;
use crate::moderation::check;
use crate::storage::{Put, Storage};
use serde::{Deserialize, Serialize};

const ACT_FORMAT: u32 = 1;

#[derive(Serialize, Deserialize)]
struct KeptAct {
    format: u32,
    act: Act,
}

/// Carries out a decision: writes it down, then does what it says. Interrupted in between, deciding again does the rest.
pub fn moderate_shared(storage: &dyn Storage, id: &str, act: Act) -> Result<State, StoreError> {
    let name = run_name(id)?;
    let before = acts(storage, id)?;
    if before.is_empty() && storage.document(&name)?.is_none() {
        return Err(StoreError::NotARun { path: format!("quiz run {id}").into() });
    }
    let decision = act.decision;
    if check(id, &before, &act)? {
        let kept = serde_json::to_vec(&KeptAct { format: ACT_FORMAT, act }).unwrap_or_default();
        // Two who decide at once meet at the next number.
        if put_one(storage, act_name(id, before.len())?, kept)? == Put::Taken {
            return Err(StoreError::AlreadyRunning { path: format!("quiz run {id}").into() });
        }
    }
    if decision == Decision::TakeDown {
        storage.remove_document(&name)?;
    }
    Ok(State::of(decision))
}

pub(super) fn is_taken_down(acts: &[Act]) -> bool {
    State::after(acts) == State::TakenDown
}

pub(super) fn read_act(id: &str, bytes: &[u8]) -> Result<Act, StoreError> {
    let damaged = |reason: String| StoreError::DamagedShare { id: id.to_owned(), reason };
    let kept: KeptAct = serde_json::from_slice(bytes).map_err(|error| damaged(error.to_string()))?;
    if kept.format > ACT_FORMAT {
        return Err(damaged(format!("a decision about it has format {}; update Benchwright", kept.format)));
    }
    Ok(kept.act)
}
