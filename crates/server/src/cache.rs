//! Pages in memory, as long as the index does not change.

use crate::encoding::Encoded;
use benchwright_store::index::{Index, IndexError};
use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{OptionsBuilder, Weighter};
use std::hash::RandomState;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// How many bytes of pages are kept, and how many pages that is about.
const MOST_BYTES: u64 = 48 << 20;
const ABOUT_PAGES: usize = 1000;
/// How long a page may be behind the index.
const FRESH_FOR: Duration = Duration::from_secs(1);

/// A page belongs to the state of the index it was made from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    generation: i64,
    path: String,
}

#[derive(Clone)]
struct Weight;

impl Weighter<Key, Arc<Encoded>> for Weight {
    fn weight(&self, key: &Key, page: &Arc<Encoded>) -> u64 {
        (key.path.len() + page.weight()) as u64
    }
}

/// Pages by the state of the index and their address.
pub struct PageCache {
    pages: Cache<Key, Arc<Encoded>, Weight>,
    generation: AtomicI64,
    looked: Mutex<Option<Instant>>,
}

impl PageCache {
    pub fn new() -> Self {
        let options = OptionsBuilder::new().estimated_items_capacity(ABOUT_PAGES).weight_capacity(MOST_BYTES).build();
        let pages = options.map_or_else(
            |_| Cache::with_weighter(ABOUT_PAGES, MOST_BYTES, Weight),
            |options| Cache::with_options(options, Weight, RandomState::default(), DefaultLifecycle::default()),
        );
        Self { pages, generation: AtomicI64::new(0), looked: Mutex::new(None) }
    }

    /// The page, from memory or made now. Of many who ask at once, one makes it.
    pub async fn get<E>(
        &self,
        index: &Index,
        path: String,
        make: impl Future<Output = Result<Encoded, E>>,
    ) -> Result<Arc<Encoded>, E>
    where
        E: From<IndexError>,
    {
        let key = Key { generation: self.generation(index).await?, path };
        self.pages.get_or_insert_async(&key, async { make.await.map(Arc::new) }).await
    }

    /// The state of the index, asked for once a second at most and only while somebody reads.
    async fn generation(&self, index: &Index) -> Result<i64, IndexError> {
        // Whoever finds the door locked takes the number that is there: somebody is asking just now.
        if let Ok(mut looked) = self.looked.try_lock()
            && looked.is_none_or(|at| at.elapsed() >= FRESH_FOR)
        {
            self.generation.store(index.generation().await?, Ordering::Release);
            *looked = Some(Instant::now());
        }
        Ok(self.generation.load(Ordering::Acquire))
    }

    /// Has the index asked again for the next page.
    pub async fn refresh(&self) {
        *self.looked.lock().await = None;
    }
}
