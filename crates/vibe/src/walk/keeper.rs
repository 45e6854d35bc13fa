//! Where a walk keeps what is too large for its trace: sights and screenshots.

use crate::hex::hex;
use benchwright_domain::BlobId;
use benchwright_domain::vibe::trace::{Sight, SightRef};
use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// Keeps blobs by their content: the same bytes have the same id.
pub trait Keeper: Send {
    /// Keeps the bytes.
    fn keep(&mut self, bytes: &[u8]) -> Result<BlobId, KeepError>;
}

/// Gives back what a walk saw. All that a judge reads besides the trace.
pub trait Archive {
    /// The sight behind a reference, or none when it is lost or no sight.
    fn sight(&self, reference: &SightRef) -> Option<Sight>;

    /// The picture behind an id, as PNG, or none when it is lost or nobody keeps pictures.
    fn picture(&self, id: &BlobId) -> Option<Vec<u8>> {
        let _ = id;
        None
    }
}

/// Why something could not be kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("keep {bytes} bytes of a walk: {reason}")]
pub struct KeepError {
    /// How many.
    pub bytes: usize,
    /// What was in the way.
    pub reason: String,
}

/// Keeps everything in memory, for tests and for looking around.
#[derive(Debug, Clone, Default)]
pub struct InMemory {
    blobs: HashMap<BlobId, Vec<u8>>,
}

impl InMemory {
    /// The bytes behind an id.
    pub fn get(&self, id: &BlobId) -> Option<&[u8]> {
        self.blobs.get(id).map(Vec::as_slice)
    }
}

impl Keeper for InMemory {
    fn keep(&mut self, bytes: &[u8]) -> Result<BlobId, KeepError> {
        let id = blob_id(bytes);
        self.blobs.entry(id.clone()).or_insert_with(|| bytes.to_vec());
        Ok(id)
    }
}

impl Archive for InMemory {
    fn sight(&self, reference: &SightRef) -> Option<Sight> {
        serde_json::from_slice(self.get(&reference.blob)?).ok()
    }

    fn picture(&self, id: &BlobId) -> Option<Vec<u8>> {
        self.get(id).map(<[u8]>::to_vec)
    }
}

/// The id of a blob: the SHA-256 of its bytes, in lower-case hex.
pub fn blob_id(bytes: &[u8]) -> BlobId {
    BlobId(hex(&Sha256::digest(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_bytes_are_kept_once_under_their_hash() {
        let mut keeper = InMemory::default();
        let (first, second) = (keeper.keep(b"abc").unwrap(), keeper.keep(b"abc").unwrap());
        assert_eq!(first, second);
        assert_eq!(first.0, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!((keeper.blobs.len(), keeper.get(&first)), (1, Some(b"abc".as_slice())));
    }
}
