//! Pages in memory, as long as the index does not change.

use crate::encoding::{Coding, Encoded};
use axum::http::HeaderMap;
use benchwright_store::index::{Index, IndexError};
use bytes::Bytes;
use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{Equivalent, OptionsBuilder, Weighter};
use std::hash::{Hash, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// How many bytes of pages are kept, and how many pages that is about.
const MOST_BYTES: u64 = 48 << 20;
const ABOUT_PAGES: usize = 1000;
/// The same of answers. Their bodies are those of the pages as long as these are kept.
const MOST_ANSWER_BYTES: u64 = 24 << 20;
/// What an answer takes besides its body.
const HEAD_BYTES: usize = 2048;
/// How long a page may be behind the index.
const FRESH_FOR: Duration = Duration::from_secs(1);
/// When the index is asked again, as long as somebody reads. Between this and the end nobody has to wait for its answer but the one who asks.
const DUE_AFTER: Duration = Duration::from_millis(700);

/// The state of the index that an answer was made from; a handler leaves it with what may be kept.
#[derive(Debug, Clone, Copy)]
pub struct MadeFrom(pub i64);

/// A page belongs to the state of the index it was made from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    generation: i64,
    path: String,
}

/// An answer belongs to what was asked, letter by letter, and to the coding that was accepted.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Asked<T> {
    coding: Coding,
    target: T,
}

impl Equivalent<Asked<Box<str>>> for Asked<&str> {
    fn equivalent(&self, key: &Asked<Box<str>>) -> bool {
        self.coding == key.coding && *self.target == *key.target
    }
}

/// An answer as it was sent.
pub struct Sent {
    generation: i64,
    pub head: HeaderMap,
    pub body: Bytes,
}

#[derive(Clone)]
struct Weight;

impl Weighter<Key, Arc<Encoded>> for Weight {
    fn weight(&self, key: &Key, page: &Arc<Encoded>) -> u64 {
        (key.path.len() + page.weight()) as u64
    }
}

impl Weighter<Asked<Box<str>>, Arc<Sent>> for Weight {
    fn weight(&self, asked: &Asked<Box<str>>, sent: &Arc<Sent>) -> u64 {
        (asked.target.len() + HEAD_BYTES + sent.body.len()) as u64
    }
}

/// Pages by the state of the index and their address, and answers by what was asked.
pub struct PageCache {
    pages: Cache<Key, Arc<Encoded>, Weight>,
    answers: Cache<Asked<Box<str>>, Arc<Sent>, Weight>,
    generation: AtomicI64,
    /// How often something was withdrawn from view, and how often when the generation was asked for last.
    withdrawn: Arc<AtomicU64>,
    withdrawn_before: AtomicU64,
    began: Instant,
    /// Until when the generation counts, and from when on it should be asked for, in milliseconds since the beginning.
    fresh_until: AtomicU64,
    due_from: AtomicU64,
    /// Whether somebody was sent to ask since it is due.
    is_sent: AtomicBool,
    looking: Mutex<()>,
}

impl PageCache {
    /// Pages of an index: `withdrawn` grows whenever this process withdraws something from view.
    pub fn new(withdrawn: Arc<AtomicU64>) -> Self {
        Self {
            pages: cache(MOST_BYTES),
            answers: cache(MOST_ANSWER_BYTES),
            generation: AtomicI64::new(0),
            withdrawn,
            withdrawn_before: AtomicU64::new(0),
            began: Instant::now(),
            fresh_until: AtomicU64::new(0),
            due_from: AtomicU64::new(0),
            is_sent: AtomicBool::new(false),
            looking: Mutex::new(()),
        }
    }

    /// The page, from memory or made now, and the state of the index it was made from. Of many who ask at once, one makes it.
    pub async fn get<E>(
        &self,
        index: &Index,
        path: String,
        make: impl Future<Output = Result<Encoded, E>>,
    ) -> Result<(Arc<Encoded>, MadeFrom), E>
    where
        E: From<IndexError>,
    {
        let generation = self.generation(index).await?;
        let key = Key { generation, path };
        let page = self.pages.get_or_insert_async(&key, async { make.await.map(Arc::new) }).await?;
        Ok((page, MadeFrom(generation)))
    }

    /// The answer that was sent to the same question, if the index has not changed since. Nobody is asked.
    ///
    /// Before it is too old, one of those who want it gets none, and so asks the index; the others need not wait for that.
    pub fn answer(&self, coding: Coding, target: &str) -> Option<Arc<Sent>> {
        let sent = self.answers.get(&Asked { coding, target })?;
        let is_current = self.is_fresh() && sent.generation == self.generation.load(Ordering::Acquire);
        (is_current && !self.sends_to_ask()).then_some(sent)
    }

    /// Keeps an answer for those who ask the same.
    pub fn keep(&self, coding: Coding, target: &str, made_from: MadeFrom, head: HeaderMap, body: Bytes) {
        let sent = Sent { generation: made_from.0, head, body };
        self.answers.insert(Asked { coding, target: target.into() }, Arc::new(sent));
    }

    /// The state of the index, asked for once a second at most and only while somebody reads, and whenever something was withdrawn.
    async fn generation(&self, index: &Index) -> Result<i64, IndexError> {
        if self.hides_nothing() {
            // Whoever finds the door locked takes the number that is there: somebody is asking just now.
            if (!self.is_fresh() || self.is_due())
                && let Ok(_looking) = self.looking.try_lock()
            {
                self.look(index).await?;
            }
        } else {
            let _looking = self.looking.lock().await;
            if !self.hides_nothing() {
                self.look(index).await?;
            }
        }
        Ok(self.generation.load(Ordering::Acquire))
    }

    async fn look(&self, index: &Index) -> Result<(), IndexError> {
        // Read first: what is withdrawn while the index answers is looked for again.
        let withdrawn = self.withdrawn.load(Ordering::Acquire);
        let found = index.generation().await?;
        if self.generation.swap(found, Ordering::AcqRel) != found {
            self.answers.clear();
        }
        self.withdrawn_before.store(withdrawn, Ordering::Release);
        let now = self.now();
        self.fresh_until.store(now + FRESH_FOR.as_millis() as u64, Ordering::Release);
        self.due_from.store(now + DUE_AFTER.as_millis() as u64, Ordering::Release);
        self.is_sent.store(false, Ordering::Release);
        Ok(())
    }

    /// True for one caller each time the generation should be asked for.
    fn sends_to_ask(&self) -> bool {
        self.is_due() && !self.is_sent.swap(true, Ordering::AcqRel)
    }

    fn is_due(&self) -> bool {
        self.now() >= self.due_from.load(Ordering::Acquire)
    }

    /// Whether nothing was withdrawn from view since the index was asked.
    fn hides_nothing(&self) -> bool {
        self.withdrawn.load(Ordering::Acquire) == self.withdrawn_before.load(Ordering::Acquire)
    }

    fn is_fresh(&self) -> bool {
        self.hides_nothing() && self.now() < self.fresh_until.load(Ordering::Acquire)
    }

    fn now(&self) -> u64 {
        self.began.elapsed().as_millis() as u64
    }
}

fn cache<K: Eq + Hash, V: Clone>(bytes: u64) -> Cache<K, V, Weight>
where
    Weight: Weighter<K, V>,
{
    let options = OptionsBuilder::new().estimated_items_capacity(ABOUT_PAGES).weight_capacity(bytes).build();
    options.map_or_else(
        |_| Cache::with_weighter(ABOUT_PAGES, bytes, Weight),
        |options| Cache::with_options(options, Weight, RandomState::default(), DefaultLifecycle::default()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_goes_to_ask_the_index_and_the_others_get_their_answer() {
        let cache = PageCache::new(Arc::default());
        cache.keep(Coding::Gzip, "/board", MadeFrom(0), HeaderMap::new(), Bytes::from_static(b"board"));
        let answered = || [(); 3].map(|()| cache.answer(Coding::Gzip, "/board").is_some());
        assert_eq!(answered(), [false; 3], "nobody has asked the index yet");
        cache.fresh_until.store(u64::MAX, Ordering::Release);
        assert_eq!(answered(), [false, true, true], "it is due");
        cache.due_from.store(u64::MAX, Ordering::Release);
        assert_eq!(answered(), [true; 3], "it is not");
        cache.withdrawn.fetch_add(1, Ordering::AcqRel);
        assert_eq!(answered(), [false; 3], "something was withdrawn from view");
    }
}
