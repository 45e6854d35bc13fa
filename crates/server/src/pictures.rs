//! Pictures on their way. Whoever asks for one that is being sent gets the same bytes: a thousand slow readers of a picture take no more
//! memory than one.

use crate::problem::Problem;
use benchwright_domain::BlobId;
use bytes::Bytes;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// A run, and a picture of it.
type Key = (String, BlobId);

/// All of them.
#[derive(Default)]
pub struct Pictures {
    sent: Mutex<HashMap<Key, Weak<[u8]>>>,
}

impl Pictures {
    /// The picture, read only if nobody is being sent it.
    pub fn get(
        &self,
        run: &str,
        id: BlobId,
        read: impl FnOnce(&BlobId) -> Result<Vec<u8>, Problem>,
    ) -> Result<Bytes, Problem> {
        let key = (run.to_owned(), id);
        if let Some(known) = self.known(&key) {
            return Ok(Bytes::from_owner(known));
        }
        let bytes: Arc<[u8]> = read(&key.1)?.into();
        Ok(Bytes::from_owner(self.shared(key, bytes)))
    }

    fn known(&self, key: &Key) -> Option<Arc<[u8]>> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner).get(key).and_then(Weak::upgrade)
    }

    /// What somebody else read meanwhile, or else these bytes.
    fn shared(&self, key: Key, bytes: Arc<[u8]>) -> Arc<[u8]> {
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        sent.retain(|_, picture| picture.strong_count() > 0);
        if let Some(known) = sent.get(&key).and_then(Weak::upgrade) {
            return known;
        }
        sent.insert(key, Arc::downgrade(&bytes));
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_slow_reader_of_a_picture_had_a_copy_of_its_own() {
        let pictures = Pictures::default();
        let get = |run: &str| pictures.get(run, BlobId("a".repeat(64)), |_| Ok(vec![7; 9])).unwrap();
        let (first, again, other) = (get("r1"), get("r1"), get("r2"));
        assert_eq!((first.as_ptr(), &first[..]), (again.as_ptr(), &[7; 9][..]));
        assert_ne!(first.as_ptr(), other.as_ptr(), "another run");
        drop((first, again));
        let none = || Problem::NotFound("gone".to_owned());
        assert!(pictures.get("r1", BlobId("a".repeat(64)), |_| Err(none())).is_err(), "nobody is being sent it");
        drop(get("r3"));
        let _kept = get("r4");
        assert_eq!(pictures.sent.lock().unwrap().len(), 2, "nothing is remembered that nobody is being sent");
    }
}
