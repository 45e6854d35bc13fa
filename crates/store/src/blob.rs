//! Blobs: bytes named by their SHA-256.

use crate::disk::{self, entries, is_old};
use crate::error::StoreError;
use crate::storage::KeptBlob;
use benchwright_domain::BlobId;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

/// The largest blob that is written or read.
pub const MAX_BLOB_BYTES: u64 = 256 * 1024 * 1024;

/// The bytes of a blob of the run in folder `run`, proven to be the ones its name promises.
pub fn blob(run: &Path, id: &BlobId) -> Result<Vec<u8>, StoreError> {
    let path = path_of(run, id)?;
    let bytes = disk::read(&path, MAX_BLOB_BYTES)?.ok_or_else(|| StoreError::MissingBlob { id: id.0.clone() })?;
    proven(bytes, id)
}

/// Keeps bytes in the run. When this returns they are on the disk, and keeping them again changes nothing.
pub(crate) fn put(run: &Path, bytes: &[u8]) -> Result<BlobId, StoreError> {
    let id = name(bytes)?;
    let path = path_of(run, &id)?;
    let folder = path.parent().unwrap_or(run);
    if !folder.is_dir() {
        disk::make_folder(folder)?;
    }
    if is_kept(&path, bytes) {
        // It may have been renamed into place by a process that died before it synced the folder.
        disk::sync_folder(folder)?;
    } else {
        disk::replace(&part_path(run), &path, bytes)?;
    }
    Ok(id)
}

/// The blobs a run keeps, in ascending order. What is not named like a blob is none.
pub(crate) fn kept(run: &Path) -> Result<Vec<KeptBlob>, StoreError> {
    let mut kept = Vec::new();
    for shelf in entries(&run.join("blobs"))?.iter().filter(|entry| entry.is_dir()) {
        for path in entries(shelf)? {
            let failed = |error| StoreError::io("read", &path, error);
            let id = BlobId(path.file_name().unwrap_or_default().to_string_lossy().into_owned());
            let is_blob = path_of(run, &id).is_ok_and(|proper| proper == path) && disk::is_file(&path);
            if is_blob {
                let metadata = fs::metadata(&path).map_err(failed)?;
                let written = metadata.modified().map_err(failed)?;
                kept.push(KeptBlob { id, bytes: metadata.len(), written });
            }
        }
    }
    kept.sort_by(|a, b| a.id.0.cmp(&b.id.0));
    Ok(kept)
}

/// Removes a blob, and the folders that it leaves empty: a job that was refused or called off had nothing else.
pub(crate) fn remove(run: &Path, id: &BlobId) -> Result<(), StoreError> {
    let path = path_of(run, id)?;
    disk::remove(&path)?;
    for folder in path.ancestors().skip(1).take_while(|folder| folder.starts_with(run)) {
        // Something else is in it; or it stays, and does no harm.
        if fs::remove_dir(folder).is_err() {
            break;
        }
    }
    Ok(())
}

/// Removes what killed writers left behind. What cannot be removed takes space and does no other harm.
pub(crate) fn sweep(run: &Path) {
    for path in entries(&run.join("blobs")).unwrap_or_default().iter().filter(|path| is_part(path)) {
        let _ = fs::remove_file(path);
    }
}

/// The same where others may be writing: what was touched since `before` may be theirs. Empty folders go as well.
pub(crate) fn sweep_old(run: &Path, before: SystemTime) {
    let blobs = run.join("blobs");
    // Looked at first: removing what is in a folder touches it.
    let folders: Vec<&Path> = [blobs.as_path(), run].into_iter().filter(|folder| is_old(folder, before)).collect();
    for path in entries(&blobs).unwrap_or_default().iter().filter(|path| is_old(path, before)) {
        // A folder that holds something is not removed.
        let _ = if is_part(path) { fs::remove_file(path) } else { fs::remove_dir(path) };
    }
    for folder in folders {
        let _ = fs::remove_dir(folder);
    }
}

fn is_part(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PART))
}

const PART: &str = "part";

/// Where a blob is written before it has its name; no two writers share one.
fn part_path(run: &Path) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    run.join("blobs").join(format!("{PART}-{}-{count}", std::process::id()))
}

fn is_kept(path: &Path, bytes: &[u8]) -> bool {
    matches!(disk::read(path, bytes.len() as u64), Ok(Some(kept)) if kept == bytes)
}

pub(crate) fn path_of(run: &Path, id: &BlobId) -> Result<PathBuf, StoreError> {
    check_id(id)?;
    Ok(run.join("blobs").join(&id.0[..2]).join(&id.0))
}

/// Refuses what cannot be the name of a blob, before it becomes part of a path.
pub(crate) fn check_id(id: &BlobId) -> Result<(), StoreError> {
    let is_hash = id.0.len() == 64 && id.0.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if is_hash {
        return Ok(());
    }
    // Whoever wrote a wrong id may have written a long or a hostile one.
    Err(StoreError::BadBlobId { id: id.0.chars().take(80).flat_map(char::escape_default).collect() })
}

/// Refuses bytes that are too many, and names the rest.
pub(crate) fn name(bytes: &[u8]) -> Result<BlobId, StoreError> {
    if bytes.len() as u64 > MAX_BLOB_BYTES {
        return Err(StoreError::TooMuch { what: "a blob", limit: MAX_BLOB_BYTES });
    }
    Ok(id_of(bytes))
}

/// Refuses bytes that are not the ones the name promises.
pub(crate) fn proven(bytes: Vec<u8>, id: &BlobId) -> Result<Vec<u8>, StoreError> {
    if id_of(&bytes) == *id { Ok(bytes) } else { Err(StoreError::DamagedBlob { id: id.0.clone() }) }
}

fn id_of(bytes: &[u8]) -> BlobId {
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
    }
    BlobId(hex)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The SHA-256 of "abc", from the standard's own example.
    const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    #[test]
    fn a_blob_is_kept_under_its_sha256_and_keeping_it_twice_changes_nothing() {
        let run = tempfile::tempdir().unwrap();
        let id = put(run.path(), b"abc").unwrap();
        assert_eq!(id.0, ABC);
        assert_eq!(put(run.path(), b"abc").unwrap(), id);
        assert_eq!(blob(run.path(), &id).unwrap(), b"abc");
        let names: Vec<_> = fs::read_dir(run.path().join("blobs")).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names, ["ba"]);
    }

    #[test]
    fn a_damaged_blob_is_never_returned_and_is_mended_by_keeping_it_again() {
        let run = tempfile::tempdir().unwrap();
        let id = put(run.path(), b"abc").unwrap();
        fs::write(path_of(run.path(), &id).unwrap(), b"abd").unwrap();
        assert!(matches!(blob(run.path(), &id), Err(StoreError::DamagedBlob { .. })));
        put(run.path(), b"abc").unwrap();
        assert_eq!(blob(run.path(), &id).unwrap(), b"abc");
    }

    #[test]
    fn an_id_that_is_no_hash_never_reaches_the_file_system() {
        let run = tempfile::tempdir().unwrap();
        let upper = ABC.to_uppercase();
        for id in ["", "../../etc/passwd", "/etc/passwd", &ABC[1..], &upper, &"é".repeat(32)] {
            assert!(matches!(blob(run.path(), &BlobId(id.to_owned())), Err(StoreError::BadBlobId { .. })), "{id}");
        }
        assert!(matches!(blob(run.path(), &BlobId(ABC.to_owned())), Err(StoreError::MissingBlob { .. })));
    }
}
