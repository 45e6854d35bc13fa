//! Runs that are finished and not in the index yet: at the start, and while the site is up.

use crate::data_place;
use crate::exit::Failure;
use benchwright_store::index::{Entry, Index, Recorded, entry_of};
use benchwright_store::{Storage, StoreError};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Runs taken in by one transaction.
const AT_ONCE: usize = 250;
/// How long a finished run may wait to be seen, where looking is quick.
const LOOK_EVERY: Duration = Duration::from_secs(3);
/// Looking may take a fiftieth of the time, no more.
const REST: u32 = 50;
/// Runs that began longer ago than this are only looked for at the start.
const YOUNG: jiff::SignedDuration = jiff::SignedDuration::from_hours(48);

/// Sees which runs are new.
pub struct News {
    storage: Arc<dyn Storage>,
    index: Arc<Index>,
    recorded: Arc<Recorded>,
}

impl News {
    pub fn of(storage: &Arc<dyn Storage>, index: &Arc<Index>) -> Self {
        let recorded = data_place::recorded(storage);
        Self { storage: Arc::clone(storage), index: Arc::clone(index), recorded }
    }

    /// Takes in every run that is not in the index yet, and says how many. One that cannot be read is named and left out.
    pub async fn take_in_all(&self) -> Result<usize, Failure> {
        let all = self.listed("").await?;
        self.take_in(all, &mut BTreeSet::new()).await
    }

    /// Goes on taking in what is finished meanwhile. It does not end by itself.
    pub async fn keep_up(&self) {
        // What was taken in and what cannot be read need not be looked at again.
        let mut settled = BTreeSet::new();
        let mut pause = LOOK_EVERY;
        loop {
            tokio::time::sleep(pause).await;
            let started = Instant::now();
            let since = (jiff::Timestamp::now() - YOUNG).strftime("%Y%m%dT%H%M%SZ").to_string();
            settled = settled.split_off(&since);
            let young = self.listed(&since).await;
            let taken = match young {
                Ok(young) => self.take_in(young, &mut settled).await,
                Err(failure) => Err(failure),
            };
            if let Err(failure) = taken {
                eprintln!("benchwright: cannot look for new runs: {failure}");
            }
            pause = LOOK_EVERY.max(started.elapsed() * REST);
        }
    }

    /// Runs whose ids are not before this one; ids begin with the time.
    async fn listed(&self, since: &str) -> Result<Vec<String>, Failure> {
        let (storage, since) = (Arc::clone(&self.storage), since.to_owned());
        let listing = move || {
            let mut runs = storage.runs()?;
            runs.retain(|run| *run >= since);
            Ok::<_, StoreError>(runs)
        };
        Ok(blocking(listing).await??)
    }

    async fn take_in(&self, runs: Vec<String>, settled: &mut BTreeSet<String>) -> Result<usize, Failure> {
        let mut taken = 0;
        let unseen: Vec<String> = runs.into_iter().filter(|run| !settled.contains(run)).collect();
        for some in unseen.chunks(AT_ONCE) {
            let unknown = self.index.unknown(some).await?;
            taken += self.record(unknown, settled).await?;
        }
        Ok(taken)
    }

    async fn record(&self, runs: Vec<String>, settled: &mut BTreeSet<String>) -> Result<usize, Failure> {
        let (storage, recorded) = (Arc::clone(&self.storage), Arc::clone(&self.recorded));
        let reading = move || {
            let entry = |run: String| (entry_of(&*storage, &run, &*recorded), run);
            runs.into_iter().map(entry).collect::<Vec<_>>()
        };
        let mut entries: Vec<Entry> = Vec::new();
        for (entry, run) in blocking(reading).await? {
            match entry {
                Ok(Some(entry)) => entries.push(entry),
                // Not finished yet.
                Ok(None) => continue,
                Err(error) => eprintln!("benchwright: left out run {run}: {error}"),
            }
            settled.insert(run);
        }
        self.index.take_in(&entries).await?;
        Ok(entries.len())
    }
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Failure> {
    tokio::task::spawn_blocking(work).await.map_err(|error| Failure::Bug(error.to_string()))
}
