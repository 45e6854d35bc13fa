//! Blobs: bytes named by their SHA-256.

use crate::disk;
use crate::error::StoreError;
use benchwright_domain::BlobId;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// The largest blob that is written or read.
pub const MAX_BLOB_BYTES: u64 = 256 * 1024 * 1024;

/// The bytes of a blob of the run in folder `run`, proven to be the ones its name promises.
pub fn blob(run: &Path, id: &BlobId) -> Result<Vec<u8>, StoreError> {
    let path = path_of(run, id)?;
    let bytes = disk::read(&path, MAX_BLOB_BYTES)?.ok_or_else(|| StoreError::MissingBlob { id: id.0.clone() })?;
    if id_of(&bytes) == *id { Ok(bytes) } else { Err(StoreError::DamagedBlob { id: id.0.clone() }) }
}

/// Keeps bytes in the run. When this returns they are on the disk, and keeping them again changes nothing.
pub(crate) fn put(run: &Path, bytes: &[u8]) -> Result<BlobId, StoreError> {
    if bytes.len() as u64 > MAX_BLOB_BYTES {
        return Err(StoreError::TooMuch { what: "a blob", limit: MAX_BLOB_BYTES });
    }
    let id = id_of(bytes);
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

/// Removes what a killed writer left behind.
pub(crate) fn sweep(run: &Path) {
    // What cannot be removed is overwritten by the next blob, or reported by it.
    let _ = fs::remove_file(part_path(run));
}

/// The one place where a blob is written before it has its name: the run's lock means one writer at a time.
fn part_path(run: &Path) -> PathBuf {
    run.join("blobs").join("part")
}

fn is_kept(path: &Path, bytes: &[u8]) -> bool {
    matches!(disk::read(path, bytes.len() as u64), Ok(Some(kept)) if kept == bytes)
}

fn path_of(run: &Path, id: &BlobId) -> Result<PathBuf, StoreError> {
    let is_hash = id.0.len() == 64 && id.0.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if !is_hash {
        // Whoever wrote a wrong id may have written a long or a hostile one.
        let shown = id.0.chars().take(80).flat_map(char::escape_default).collect();
        return Err(StoreError::BadBlobId { id: shown });
    }
    Ok(run.join("blobs").join(&id.0[..2]).join(&id.0))
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
