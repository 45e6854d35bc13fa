//! Runs that are finished and not in the index yet: at the start, and while the site is up.

use crate::data_place;
use crate::exit::Failure;
use benchwright_store::index::{Index, IndexError, Recorded, entry_of};
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

/// What earlier looks found out about runs.
#[derive(Default)]
struct Known {
    /// They were taken in, or will never be fit to: they need not be looked at again.
    settled: BTreeSet<String>,
    /// It was said that they are left out; every few seconds would be too often.
    named: BTreeSet<String>,
}

impl Known {
    fn forget_before(&mut self, since: &str) {
        self.settled = self.settled.split_off(since);
        self.named = self.named.split_off(since);
    }

    fn leave_out(&mut self, run: String, error: &IndexError) {
        if self.named.insert(run.clone()) {
            eprintln!("benchwright: left out run {run}: {error}");
        }
        if !may_pass(error) {
            self.settled.insert(run);
        }
    }
}

/// Whether reading the run again may go better. A folder that is no run yet may have been made a moment ago, by somebody who is about to begin.
fn may_pass(error: &IndexError) -> bool {
    use StoreError::{Bucket, Denied, DiskFull, Io, NotARun};
    let IndexError::Store(error) = error else { return false };
    matches!(error, Io { .. } | Denied { .. } | DiskFull { .. } | Bucket { .. } | NotARun { .. })
}

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
        self.take_in(all, &mut Known::default()).await
    }

    /// Goes on taking in what is finished meanwhile. It does not end by itself.
    pub async fn keep_up(&self) {
        let mut known = Known::default();
        let mut pause = LOOK_EVERY;
        loop {
            tokio::time::sleep(pause).await;
            let started = Instant::now();
            let since = (jiff::Timestamp::now() - YOUNG).strftime("%Y%m%dT%H%M%SZ").to_string();
            known.forget_before(&since);
            let young = self.listed(&since).await;
            let taken = match young {
                Ok(young) => self.take_in(young, &mut known).await,
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

    async fn take_in(&self, runs: Vec<String>, known: &mut Known) -> Result<usize, Failure> {
        let mut taken = 0;
        let unseen: Vec<String> = runs.into_iter().filter(|run| !known.settled.contains(run)).collect();
        for some in unseen.chunks(AT_ONCE) {
            let unknown = self.index.unknown(some).await?;
            taken += self.record(unknown, known).await?;
        }
        Ok(taken)
    }

    async fn record(&self, runs: Vec<String>, known: &mut Known) -> Result<usize, Failure> {
        let (storage, recorded) = (Arc::clone(&self.storage), Arc::clone(&self.recorded));
        let reading = move || {
            let entry = |run: String| (entry_of(&*storage, &run, &*recorded), run);
            runs.into_iter().map(entry).collect::<Vec<_>>()
        };
        let (mut entries, mut taken) = (Vec::new(), Vec::new());
        for (entry, run) in blocking(reading).await? {
            match entry {
                Ok(Some(entry)) => {
                    entries.push(entry);
                    taken.push(run);
                }
                // Not finished yet.
                Ok(None) => {}
                Err(error) => known.leave_out(run, &error),
            }
        }
        self.index.take_in(&entries).await?;
        // Only now: what an index that is busy or full did not take is tried again at the next look.
        known.settled.extend(taken);
        Ok(entries.len())
    }
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Failure> {
    tokio::task::spawn_blocking(work).await.map_err(|error| Failure::Bug(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::block_on;
    use benchwright_store::Folder;
    use benchwright_store::index::Durability;
    use std::fs;
    use std::path::Path;

    const RUN: &str = "20261116T020553Z-03f5";

    /// Puts files of a finished run into a folder of that name.
    fn put(data: &Path, run: &str, files: &[&str]) {
        let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../store/tests/fixtures/finished-1");
        let run = data.join("runs").join(run);
        fs::create_dir_all(&run).unwrap();
        for file in files {
            fs::copy(fixture.join(file), run.join(file)).unwrap();
        }
    }

    async fn news_of(data: &Path, index: &Path) -> News {
        let storage: Arc<dyn Storage> = Arc::new(Folder::at(data));
        let index = Index::sqlite(&index.join("index.sqlite"), Durability::Process).await.unwrap();
        News::of(&storage, &Arc::new(index))
    }

    #[test]
    fn a_run_that_the_index_could_not_take_is_taken_at_the_next_look() {
        let folder = tempfile::tempdir().unwrap();
        let (home, away) = (folder.path().join("index"), folder.path().join("away"));
        fs::create_dir(&home).unwrap();
        put(folder.path(), RUN, &["log", "run.json"]);
        block_on(async {
            let mut known = Known::default();
            let news = news_of(folder.path(), &home).await;
            // A closed index is opened again by whoever writes, which fails as long as its folder is gone.
            news.index.close().await.unwrap();
            fs::rename(&home, &away).unwrap();
            assert!(news.record(vec![RUN.to_owned()], &mut known).await.is_err());
            fs::rename(&away, &home).unwrap();
            let news = news_of(folder.path(), &home).await;
            assert_eq!(news.take_in(vec![RUN.to_owned()], &mut known).await.unwrap(), 1);
            assert!(news.index.run(RUN).await.unwrap().is_some() && known.settled.contains(RUN));
        })
        .unwrap();
    }

    #[test]
    fn a_folder_that_becomes_a_run_is_taken_in_and_a_bad_record_is_not_looked_at_again() {
        let folder = tempfile::tempdir().unwrap();
        let other = "20261116T020554Z-0000";
        put(folder.path(), RUN, &[]);
        // It says that it is the run above.
        put(folder.path(), other, &["log"]);
        block_on(async {
            let mut known = Known::default();
            let news = news_of(folder.path(), folder.path()).await;
            let all = news.listed("").await.unwrap();
            assert_eq!(news.take_in(all.clone(), &mut known).await.unwrap(), 0);
            assert_eq!(known.settled.iter().collect::<Vec<_>>(), [other]);
            put(folder.path(), RUN, &["log", "run.json"]);
            assert_eq!(news.take_in(all, &mut known).await.unwrap(), 1);
        })
        .unwrap();
    }

    #[test]
    fn what_a_disk_or_a_bucket_refused_once_may_pass() {
        let failed = std::io::ErrorKind::TimedOut.into();
        let disk = StoreError::Io { doing: "read", path: "log".into(), source: failed };
        let bucket = StoreError::Bucket { doing: "read", key: "log".to_owned(), reason: "it is down".to_owned() };
        assert!(may_pass(&disk.into()) && may_pass(&bucket.into()));
        assert!(!may_pass(&StoreError::DamagedLog { path: "log".into() }.into()));
    }
}
