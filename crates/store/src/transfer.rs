//! Copying runs from one place to another: backup, restore and moving to a bucket are the same.

use crate::error::StoreError;
use crate::index::State;
use crate::moderation::acts_in;
use crate::storage::Storage;
use benchwright_domain::BlobId;
use std::collections::BTreeSet;

/// What became of a run that was to be copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copied {
    /// It was not there, or not all of it.
    Copied,
    /// Nothing was missing.
    AlreadyThere,
    /// It was taken down there, and so it stays.
    TakenDown,
}

/// Copies a run, byte for byte. Doing it again changes nothing; doing it again after an interruption copies the rest.
///
/// What is there stays. A run that was taken down on either side is withdrawn on the other.
pub fn copy_run(from: &dyn Storage, to: &dyn Storage, run: &str) -> Result<Copied, StoreError> {
    // The log first: every blob it names is there by now, whatever is added while we copy.
    let log = from.log(run)?;
    let there = match to.log(run) {
        Err(StoreError::NotARun { .. } | StoreError::NeverStarted { .. }) => Vec::new(),
        there => there?,
    };
    if State::after(&acts_in(&there)) == State::TakenDown {
        // Whoever brought the decision may have been killed before it was carried out.
        to.withdraw(run)?;
        return Ok(Copied::TakenDown);
    }
    if State::after(&acts_in(&log)) == State::TakenDown {
        to.extend_log(run, &log)?;
        to.withdraw(run)?;
        return Ok(Copied::TakenDown);
    }
    if !there.starts_with(&log) && !log.starts_with(&there) {
        return Err(StoreError::HoldsRun { path: run.into() });
    }
    let mut has_changed = copy_blobs(from, to, run)?;
    if !there.starts_with(&log) {
        to.extend_log(run, &log)?;
        has_changed = true;
    }
    if let Some(result) = from.result(run)?
        && to.result(run)?.as_ref() != Some(&result)
    {
        to.put_result(run, &result)?;
        has_changed = true;
    }
    Ok(if has_changed { Copied::Copied } else { Copied::AlreadyThere })
}

fn copy_blobs(from: &dyn Storage, to: &dyn Storage, run: &str) -> Result<bool, StoreError> {
    let there: BTreeSet<BlobId> = to.blobs(run)?.into_iter().map(|blob| blob.id).collect();
    let mut has_changed = false;
    for blob in from.blobs(run)?.into_iter().filter(|blob| !there.contains(&blob.id)) {
        to.put_blob(run, &from.blob(run, &blob.id)?)?;
        has_changed = true;
    }
    Ok(has_changed)
}
