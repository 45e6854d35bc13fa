//! The log of a run in a bucket: immutable segments, read one after the other.

use super::Keys;
use super::connection::Connection;
use crate::error::StoreError;
use crate::log::{self, MAX_LOG_BYTES, Replay};

/// All segments in their order.
pub(super) fn read(connection: &Connection, keys: &Keys) -> Result<Vec<u8>, StoreError> {
    connection.concatenated(&keys.log(), MAX_LOG_BYTES)
}

/// What the segments say. A missing one ends the log where it is missing.
pub(super) fn replay(connection: &Connection, keys: &Keys) -> Result<Replay, StoreError> {
    replay_bytes(&read(connection, keys)?, keys)
}

pub(super) fn replay_bytes(bytes: &[u8], keys: &Keys) -> Result<Replay, StoreError> {
    log::check_format(bytes, &keys.path())?;
    let replay = log::replay(bytes, &keys.path())?;
    if replay.header().is_none() {
        return Err(StoreError::NotARun { path: keys.path() });
    }
    Ok(replay)
}
