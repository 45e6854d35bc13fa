//! Blobs that nobody needs: a gatherer was killed between a blob and the event that would have named it, or the job is over that a
//! source was submitted with. And what is left of shared runs that were removed, or never were whole.

use crate::error::StoreError;
use crate::index::State;
use crate::jobs::Job;
use crate::moderation::acts_in;
use crate::quiz::{finish_removals, shared_days, sweep_day};
use crate::storage::{KeptBlob, Storage};
use benchwright_domain::BlobId;
use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

/// How long after it was written a blob is left alone that something may still come to name.
pub const GRACE: Duration = Duration::from_hours(24);

const HASH_LENGTH: usize = 64;

/// Shows every blob of a run that something names, with its bytes. What was submitted with the run's job is none of them.
///
/// What names a blob is found by looking for its name, in the log, in `run.json`, and in the named blobs that are text. That errs on
/// the side of keeping.
pub fn each_named<E: From<StoreError>>(
    storage: &dyn Storage,
    run: &str,
    (log, result): (&[u8], Option<&[u8]>),
    mut show: impl FnMut(BlobId, Vec<u8>) -> Result<(), E>,
) -> Result<(), E> {
    let mut unnamed: BTreeSet<BlobId> = storage.blobs(run)?.into_iter().map(|blob| blob.id).collect();
    let mut named_in = |text: &[u8]| -> Vec<BlobId> {
        hashes(text).filter_map(|hash| unnamed.take(&BlobId(hash.to_owned()))).collect()
    };
    let mut named = named_in(log);
    named.extend(result.map(&mut named_in).unwrap_or_default());
    while let Some(id) = named.pop() {
        let bytes = storage.blob(run, &id)?;
        if is_text(&bytes) {
            named.extend(named_in(&bytes));
        }
        show(id, bytes)?;
    }
    Ok(())
}

/// The blobs of a run that nothing names. Runs that are not finished have none: somebody may still be writing, or go on later.
pub fn unnamed(storage: &dyn Storage, run: &str, now: SystemTime) -> Result<Vec<KeptBlob>, StoreError> {
    let Some(log) = log_if_begun(storage, run)? else { return Ok(Vec::new()) };
    let result = storage.result(run)?;
    if State::after(&acts_in(&log)) == State::TakenDown {
        return storage.blobs(run);
    }
    let Some(result) = result else { return Ok(Vec::new()) };
    let mut kept = storage.blobs(run)?;
    let mut named = BTreeSet::new();
    each_named(storage, run, (&log, Some(result.as_slice())), |id, _| {
        named.insert(id);
        Ok::<_, StoreError>(())
    })?;
    kept.retain(|blob| !named.contains(&blob.id) && is_old(blob, now));
    Ok(kept)
}

/// What was submitted with the job of a run that is not finished, and that nobody will need: the job, as the queue knows it, is over, or
/// its server was killed before it could put it in.
pub fn abandoned(
    storage: &dyn Storage,
    run: &str,
    job: Option<&Job>,
    now: SystemTime,
) -> Result<Vec<KeptBlob>, StoreError> {
    let mut kept = storage.blobs(run)?;
    match job {
        Some(job) => kept.retain(|blob| job.state.is_final() && job.order.source.as_ref() == Some(&blob.id)),
        None if log_if_begun(storage, run)?.is_none() => kept.retain(|blob| is_old(blob, now)),
        None => kept.clear(),
    }
    Ok(kept)
}

/// Removes the blobs of a run that nothing names, and what a take-down that was interrupted left. Says what was removed.
pub fn collect(storage: &dyn Storage, run: &str, now: SystemTime) -> Result<Vec<KeptBlob>, StoreError> {
    let unnamed = unnamed(storage, run, now)?;
    let log = log_if_begun(storage, run)?;
    if log.is_some_and(|log| State::after(&acts_in(&log)) == State::TakenDown) {
        storage.withdraw(run)?;
    }
    remove(storage, run, &unnamed)?;
    Ok(unnamed)
}

/// Removes blobs of a run.
pub fn remove(storage: &dyn Storage, run: &str, blobs: &[KeptBlob]) -> Result<(), StoreError> {
    blobs.iter().try_for_each(|blob| storage.remove_blob(run, &blob.id))
}

/// Removes what killed writers left half done in a run long ago. Says whether anything is left of the run.
pub fn sweep(storage: &dyn Storage, run: &str, now: SystemTime) -> Result<bool, StoreError> {
    now.checked_sub(GRACE).map_or(Ok(true), |before| storage.sweep(run, before))
}

/// Removes what killed writers of shared runs left half done long ago, and what removals that were interrupted left. Says how many files
/// and documents there were.
pub fn sweep_shared(storage: &dyn Storage, now: SystemTime) -> Result<usize, StoreError> {
    let Some(before) = now.checked_sub(GRACE) else { return Ok(0) };
    let mut removed = 0;
    for day in shared_days(storage)? {
        removed += sweep_day(storage, &day, before)? + finish_removals(storage, &day)?;
    }
    Ok(removed)
}

/// The log of a run; none while it is a job that nobody has begun.
fn log_if_begun(storage: &dyn Storage, run: &str) -> Result<Option<Vec<u8>>, StoreError> {
    match storage.log(run) {
        Err(StoreError::NeverStarted { .. }) => Ok(None),
        log => log.map(Some),
    }
}

/// A clock that went back makes a blob look as if it came from the future; such a one is young.
fn is_old(blob: &KeptBlob, now: SystemTime) -> bool {
    now.duration_since(blob.written).is_ok_and(|age| age >= GRACE)
}

fn is_text(bytes: &[u8]) -> bool {
    matches!(bytes.iter().find(|byte| !byte.is_ascii_whitespace()), Some(b'{' | b'['))
}

/// Everything that looks like the name of a blob.
fn hashes(text: &[u8]) -> impl Iterator<Item = &str> {
    text.split(|byte| !matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        .filter(|word| word.len() == HASH_LENGTH)
        .filter_map(|word| std::str::from_utf8(word).ok())
}
