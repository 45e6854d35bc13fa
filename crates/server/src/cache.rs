//! Pages in memory, as long as the index does not change.

use crate::encoding::{Coding, Encoded};
use axum::http::HeaderMap;
use benchwright_store::index::{Index, IndexError};
use bytes::Bytes;
use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{Equivalent, OptionsBuilder, Weighter};
use std::hash::{Hash, RandomState};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
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
/// When the index is asked again, as long as somebody reads. Between this and the end pages are made anew, and nobody has to wait for them.
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
    /// Whether somebody was told to make it anew.
    is_renewed: AtomicBool,
}

/// An answer from memory.
pub struct Remembered {
    pub sent: Arc<Sent>,
    /// True for one of those who get it, whenever it should be made anew. The answer is good meanwhile.
    pub is_due: bool,
}

/// What the index said when it was asked.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    generation: i64,
    at: Duration,
}

impl Seen {
    /// Whether what was made from a state of the index may be shown: it was the present one a moment ago.
    fn vouches_for(self, generation: i64, now: Duration) -> bool {
        self.generation == generation && now < self.at + FRESH_FOR
    }
}

/// What the index said last.
#[derive(Debug, Clone, Copy, Default)]
struct Looked {
    last: Option<Seen>,
    /// Another state, as it was seen last before; nothing if something was withdrawn from view since.
    before: Option<Seen>,
    /// How often something had been withdrawn.
    withdrawn: u64,
}

impl Looked {
    fn after(self, seen: Seen, withdrawn: u64) -> Self {
        let before = match self.last {
            Some(last) if last.generation != seen.generation => Some(last),
            _ => self.before,
        };
        Self { last: Some(seen), before: before.filter(|_| withdrawn == self.withdrawn), withdrawn }
    }

    fn generation(self) -> i64 {
        self.last.map_or(0, |last| last.generation)
    }

    fn is_due(self, now: Duration) -> bool {
        self.last.is_none_or(|last| now >= last.at + DUE_AFTER)
    }

    fn vouches_for(self, generation: i64, now: Duration) -> bool {
        [self.last, self.before].into_iter().flatten().any(|seen| seen.vouches_for(generation, now))
    }
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
    /// How often something was withdrawn from view.
    withdrawn: Arc<AtomicU64>,
    began: Instant,
    looked: RwLock<Looked>,
    /// Whether somebody was told to ask the index since it is due.
    is_sent: AtomicBool,
    looking: Mutex<()>,
}

impl PageCache {
    /// Pages of an index: `withdrawn` grows whenever this process withdraws something from view.
    pub fn new(withdrawn: Arc<AtomicU64>) -> Self {
        Self {
            pages: cache(MOST_BYTES),
            answers: cache(MOST_ANSWER_BYTES),
            withdrawn,
            began: Instant::now(),
            looked: RwLock::default(),
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

    /// The answer that was sent to the same question, if it is not too old. Nobody is asked.
    pub fn answer(&self, coding: Coding, target: &str) -> Option<Remembered> {
        self.answer_at(self.began.elapsed(), coding, target)
    }

    fn answer_at(&self, now: Duration, coding: Coding, target: &str) -> Option<Remembered> {
        let sent = self.answers.get(&Asked { coding, target })?;
        let looked = self.looked();
        if !self.hides_nothing(looked) || !looked.vouches_for(sent.generation, now) {
            return None;
        }
        let is_due = if sent.generation == looked.generation() {
            looked.is_due(now) && !self.is_sent.swap(true, Ordering::AcqRel)
        } else {
            !sent.is_renewed.swap(true, Ordering::AcqRel)
        };
        Some(Remembered { sent, is_due })
    }

    /// Keeps an answer for those who ask the same.
    pub fn keep(&self, coding: Coding, target: &str, made_from: MadeFrom, head: HeaderMap, body: Bytes) {
        let sent = Sent { generation: made_from.0, head, body, is_renewed: AtomicBool::new(false) };
        self.answers.insert(Asked { coding, target: target.into() }, Arc::new(sent));
    }

    /// The state of the index, asked for once a second at most and only while somebody reads, and whenever something was withdrawn.
    async fn generation(&self, index: &Index) -> Result<i64, IndexError> {
        let looked = self.looked();
        if !self.is_fresh(looked) {
            let _looking = self.looking.lock().await;
            if !self.is_fresh(self.looked()) {
                self.look(index).await?;
            }
        } else if looked.is_due(self.began.elapsed())
            && let Ok(_looking) = self.looking.try_lock()
        {
            // Whoever finds the door locked takes the number that is there: somebody is asking just now.
            self.look(index).await?;
        }
        Ok(self.looked().generation())
    }

    async fn look(&self, index: &Index) -> Result<(), IndexError> {
        // Read first: what is withdrawn while the index answers is looked for again, and what changes meanwhile is not vouched for.
        let withdrawn = self.withdrawn.load(Ordering::Acquire);
        let at = self.began.elapsed();
        let generation = index.generation().await?;
        let mut looked = self.looked.write().unwrap_or_else(PoisonError::into_inner);
        *looked = looked.after(Seen { generation, at }, withdrawn);
        drop(looked);
        self.is_sent.store(false, Ordering::Release);
        Ok(())
    }

    fn looked(&self) -> Looked {
        // Nobody panics while it is changed.
        *self.looked.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_fresh(&self, looked: Looked) -> bool {
        self.hides_nothing(looked) && looked.vouches_for(looked.generation(), self.began.elapsed())
    }

    /// Whether nothing was withdrawn from view since the index was asked.
    fn hides_nothing(&self, looked: Looked) -> bool {
        self.withdrawn.load(Ordering::Acquire) == looked.withdrawn
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

    fn cache_with_answer(generation: i64) -> PageCache {
        let cache = PageCache::new(Arc::default());
        cache.keep(Coding::Gzip, "/board", MadeFrom(generation), HeaderMap::new(), Bytes::from_static(b"board"));
        cache
    }

    /// The index was asked at some millisecond, and said this.
    fn said(cache: &PageCache, generation: i64, at: u64) {
        let seen = Seen { generation, at: Duration::from_millis(at) };
        let mut looked = cache.looked.write().unwrap();
        *looked = looked.after(seen, cache.withdrawn.load(Ordering::Acquire));
    }

    /// For three who ask at some millisecond, whether they get an answer, and whether they are to have it made anew.
    fn answered(cache: &PageCache, at: u64) -> [Option<bool>; 3] {
        let now = Duration::from_millis(at);
        [(); 3].map(|()| cache.answer_at(now, Coding::Gzip, "/board").map(|remembered| remembered.is_due))
    }

    #[test]
    fn one_is_told_to_ask_the_index_and_all_get_their_answer() {
        let cache = cache_with_answer(7);
        assert_eq!(answered(&cache, 0), [None; 3], "nobody has asked the index yet");
        said(&cache, 7, 0);
        assert_eq!(answered(&cache, 600), [Some(false); 3], "it is not due");
        assert_eq!(answered(&cache, 800), [Some(true), Some(false), Some(false)], "it is due");
        assert_eq!(answered(&cache, 1000), [None; 3], "it is too late");
    }

    #[test]
    fn the_answer_before_a_change_is_good_until_its_second_is_over() {
        let cache = cache_with_answer(7);
        said(&cache, 7, 0);
        said(&cache, 8, 700);
        assert_eq!(answered(&cache, 710), [Some(true), Some(false), Some(false)], "one is told to have it made anew");
        said(&cache, 8, 900);
        assert_eq!(answered(&cache, 990), [Some(false); 3], "the index says the same again");
        assert_eq!(answered(&cache, 1000), [None; 3], "nobody knows whether it was good within the last second");
        said(&cache, 9, 990);
        assert_eq!(answered(&cache, 995), [None; 3], "two changes ago");
    }

    #[test]
    fn what_was_made_before_something_was_withdrawn_is_never_shown_again() {
        let cache = cache_with_answer(7);
        said(&cache, 7, 0);
        cache.withdrawn.fetch_add(1, Ordering::AcqRel);
        assert_eq!(answered(&cache, 10), [None; 3], "the index was not asked since");
        said(&cache, 8, 20);
        assert_eq!(answered(&cache, 30), [None; 3], "the answer is from before");
        said(&cache, 9, 40);
        assert_eq!(answered(&cache, 50), [None; 3]);
    }
}
