//! Decisions that are kept and that the index does not know: whoever decided was killed before the index could follow.

use super::Index;
use super::error::IndexError;
use super::quiz::quiz_entry_of;
use super::rebuild::{BadRun, Recorded, blocking, entry_of, left_out};
use super::write::{ROWS_AT_ONCE, acts_known, counted};
use crate::error::StoreError;
use crate::jobs::Queue;
use crate::moderation::acts_in;
use crate::quiz::{decided_on, shared_days};
use crate::storage::Storage;
use benchwright_quiz::Library;
use futures_util::{StreamExt as _, stream};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Runs whose logs one thread reads before it hands over what it found.
const AT_ONCE: usize = 250;

/// What came of following decisions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Followed {
    /// Runs of which the index now says what was decided, shared ones among them.
    pub runs: Vec<String>,
    /// Runs that cannot be read.
    pub bad: Vec<BadRun>,
}

/// Makes the index say what was decided about runs and shared runs, where it does not know yet. Every log is read; of shared runs, only those
/// that are decided about.
pub async fn follow_decisions(
    storage: &Arc<dyn Storage>,
    index: &Arc<Index>,
    recorded: Arc<Recorded>,
    library: Arc<Library>,
) -> Result<Followed, IndexError> {
    let mut followed = follow_shared_decisions(storage, index, library).await?;
    follow_runs(storage, index, recorded, &mut followed).await?;
    Ok(followed)
}

/// The same for shared runs alone, which costs next to nothing: only what is decided about is read.
pub async fn follow_shared_decisions(
    storage: &Arc<dyn Storage>,
    index: &Index,
    library: Arc<Library>,
) -> Result<Followed, IndexError> {
    let mut followed = Followed::default();
    follow_shared(storage, index, library, &mut followed).await?;
    Ok(followed)
}

async fn follow_runs(
    storage: &Arc<dyn Storage>,
    index: &Arc<Index>,
    recorded: Arc<Recorded>,
    followed: &mut Followed,
) -> Result<(), IndexError> {
    let mut behind = Vec::new();
    let listing = Arc::clone(storage);
    let runs = blocking(move || listing.runs()).await??;
    let chunks: Vec<Vec<String>> = runs.chunks(AT_ONCE).map(<[String]>::to_vec).collect();
    let readers = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    let mut read = stream::iter(chunks)
        .map(|runs| {
            let storage = Arc::clone(storage);
            blocking(move || decided_in(&*storage, runs))
        })
        .buffered(readers);
    while let Some(found) = read.next().await {
        let (decided, bad) = found?;
        followed.bad.extend(bad);
        behind.extend(index.behind(&decided).await?);
    }
    for run in behind {
        let (storage, recorded, name) = (Arc::clone(storage), Arc::clone(&recorded), run.clone());
        match blocking(move || entry_of(&*storage, &name, &*recorded)).await? {
            Ok(Some(entry)) => {
                if entry.state() == super::State::TakenDown {
                    // Before the index knows: killed in between, this is done again.
                    Queue::of(Arc::clone(index)).forget(&run).await?;
                }
                index.take_in(&[entry]).await?;
                followed.runs.push(run);
            }
            // Not finished, and so not shown.
            Ok(None) => {}
            Err(error) => followed.bad.push(left_out(run, error)),
        }
    }
    Ok(())
}

async fn follow_shared(
    storage: &Arc<dyn Storage>,
    index: &Index,
    library: Arc<Library>,
    followed: &mut Followed,
) -> Result<(), IndexError> {
    let listing = Arc::clone(storage);
    for day in blocking(move || shared_days(&*listing)).await?? {
        let listing = Arc::clone(storage);
        let decided = blocking(move || decided_on(&*listing, &day)).await??;
        for run in index.behind(&decided).await? {
            let (storage, library, name) = (Arc::clone(storage), Arc::clone(&library), run.clone());
            match blocking(move || quiz_entry_of(&*storage, &name, &library)).await? {
                Ok(entry) => {
                    index.take_in_shared(entry.as_slice()).await?;
                    followed.runs.push(run);
                }
                Err(error) => followed.bad.push(left_out(run, error)),
            }
        }
    }
    Ok(())
}

/// How many decisions the logs of runs hold; runs without any are left out.
fn decided_in(storage: &dyn Storage, runs: Vec<String>) -> (BTreeMap<String, usize>, Vec<BadRun>) {
    let (mut decided, mut bad) = (BTreeMap::new(), Vec::new());
    for run in runs {
        match storage.log(&run).map(|log| acts_in(&log).len()) {
            // Nothing can be decided about what nobody has begun.
            Ok(0) | Err(StoreError::NotARun { .. } | StoreError::NeverStarted { .. }) => {}
            Ok(acts) => {
                decided.insert(run, acts);
            }
            Err(error) => bad.push(left_out(run, error.into())),
        }
    }
    (decided, bad)
}

impl Index {
    /// Those of these runs about which fewer decisions are known here than there are.
    async fn behind(&self, decided: &BTreeMap<String, usize>) -> Result<Vec<String>, IndexError> {
        let runs: Vec<String> = decided.keys().cloned().collect();
        let mut known = BTreeMap::new();
        for some in runs.chunks(ROWS_AT_ONCE) {
            let (sql, cells) = acts_known(some);
            known.extend(counted(self.database.query(&sql, cells).await?)?);
        }
        let is_behind = |run: &String| known.get(run).copied().unwrap_or_default() < decided[run];
        Ok(runs.into_iter().filter(is_behind).collect())
    }
}
