//! Places for ZIPs on their way in: few in all, as they are held in memory, and fewer for each token, so that nobody has them all.

use crate::refusal::Refused;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

/// ZIPs that may be on their way in at once; together they hold at most so many times the largest.
const MOST: usize = 8;
/// How many of them may be one token's.
const MOST_OF_A_TOKEN: usize = 2;

/// All places.
pub struct Places {
    shared: Arc<Semaphore>,
    /// The places of tokens that have some now, or wait for one.
    own: Mutex<BTreeMap<String, Weak<Semaphore>>>,
}

/// A place that somebody has.
#[derive(Debug)]
pub struct Place {
    _own: OwnedSemaphorePermit,
    _shared: OwnedSemaphorePermit,
}

impl Places {
    /// All of them free.
    pub fn new() -> Self {
        Self { shared: Arc::new(Semaphore::new(MOST)), own: Mutex::default() }
    }

    /// A place for a ZIP of a token, if one is free before its turn is over. Its own is waited for first, so that whoever has none left
    /// keeps nobody else waiting.
    pub async fn take(&self, token: &str, turn: Duration) -> Result<Place, Refused> {
        let end = Instant::now() + turn;
        let own = timeout_at(end, self.of(token).acquire_owned()).await.map_err(|_| Refused::TooManyAtOnce)?;
        let shared = timeout_at(end, Arc::clone(&self.shared).acquire_owned()).await.map_err(|_| Refused::Busy)?;
        let closed = |_| Refused::Busy;
        Ok(Place { _own: own.map_err(closed)?, _shared: shared.map_err(closed)? })
    }

    fn of(&self, token: &str) -> Arc<Semaphore> {
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        own.retain(|_, places| places.strong_count() > 0);
        own.get(token).and_then(Weak::upgrade).unwrap_or_else(|| {
            let places = Arc::new(Semaphore::new(MOST_OF_A_TOKEN));
            own.insert(token.to_owned(), Arc::downgrade(&places));
            places
        })
    }
}
