//! Making the index again from the runs.

use super::Index;
use super::entry::{Entry, State, record_in};
use super::error::IndexError;
use super::{quiz, vibe, write};
use crate::error::StoreError;
use crate::quiz::{shared_days, shared_on};
use crate::run_dir::ReadRun;
use crate::storage::Storage;
use benchwright_domain::RunRecord;
use benchwright_quiz::Library;
use futures_util::{StreamExt as _, stream};
use std::sync::Arc;

/// Runs read by one thread before it hands them over, and runs per write.
const AT_ONCE: usize = 250;

/// Makes the record of a run that was finished before records were kept.
pub type Recorded = dyn Fn(&str, &ReadRun) -> Result<RunRecord, String> + Send + Sync;

/// A run that could not be taken in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadRun {
    /// Its id.
    pub run: String,
    /// What is wrong with it.
    pub reason: String,
}

/// What came of a rebuild.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rebuilt {
    /// Runs in the index now.
    pub indexed: usize,
    /// Runs that are not finished; they are not shown.
    pub unfinished: usize,
    /// Shared runs of the quiz in the index now.
    pub shared: usize,
    /// Runs that cannot be read.
    pub bad: Vec<BadRun>,
}

impl Rebuilt {
    fn seen(&self) -> usize {
        self.indexed + self.unfinished + self.shared + self.bad.len()
    }
}

/// Makes the index again from all runs and from everything that was shared. Readers see the old one until the new one is whole; killed at any moment, the old one stays.
///
/// `progress` is told how many of how many runs were looked at.
pub async fn rebuild(
    storage: Arc<dyn Storage>,
    index: &Index,
    recorded: Arc<Recorded>,
    library: Arc<Library>,
    mut progress: impl FnMut(usize, usize),
) -> Result<Rebuilt, IndexError> {
    let mut session = index.database.begin().await?;
    // Listed now: a run that finishes later waits for this transaction to end, and takes itself in then.
    let (runs, shared) = blocking({
        let storage = Arc::clone(&storage);
        move || Ok::<_, StoreError>((storage.runs()?, all_shared(&*storage)?))
    })
    .await??;
    let of = runs.len() + shared.len();
    write::clear(&mut *session).await?;
    quiz::clear(&mut *session).await?;
    let mut rebuilt = Rebuilt::default();
    let readers = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    let chunks: Vec<Vec<String>> = runs.chunks(AT_ONCE).map(<[String]>::to_vec).collect();
    let mut read = stream::iter(chunks)
        .map(|runs| {
            let (storage, recorded) = (Arc::clone(&storage), Arc::clone(&recorded));
            blocking(move || runs.into_iter().map(|run| read_one(&*storage, run, &*recorded)).collect::<Vec<_>>())
        })
        .buffered(readers);
    while let Some(outcomes) = read.next().await {
        let mut entries = Vec::new();
        for outcome in outcomes? {
            match outcome {
                Ok(Some(entry)) => entries.push(entry),
                Ok(None) => rebuilt.unfinished += 1,
                Err(bad) => rebuilt.bad.push(bad),
            }
        }
        write::take_in(&mut *session, &entries).await?;
        rebuilt.indexed += entries.len();
        progress(rebuilt.seen(), of);
    }
    drop(read);
    let chunks: Vec<Vec<String>> = shared.chunks(AT_ONCE).map(<[String]>::to_vec).collect();
    let mut read = stream::iter(chunks)
        .map(|runs| {
            let (storage, library) = (Arc::clone(&storage), Arc::clone(&library));
            blocking(move || runs.into_iter().map(|run| read_shared(&*storage, run, &library)).collect::<Vec<_>>())
        })
        .buffered(readers);
    while let Some(outcomes) = read.next().await {
        let (mut entries, mut bad) = (Vec::new(), Vec::new());
        for outcome in outcomes? {
            match outcome {
                Ok(entry) => entries.extend(entry),
                Err(left_out) => bad.push(left_out),
            }
        }
        quiz::take_in(&mut *session, &entries).await?;
        rebuilt.shared += entries.len();
        rebuilt.bad.extend(bad);
        progress(rebuilt.seen(), of);
    }
    session.commit().await?;
    Ok(rebuilt)
}

/// The ids of everything that was shared.
fn all_shared(storage: &dyn Storage) -> Result<Vec<String>, StoreError> {
    let mut ids = Vec::new();
    for day in shared_days(storage)? {
        ids.extend(shared_on(storage, &day)?);
    }
    Ok(ids)
}

fn read_shared(storage: &dyn Storage, run: String, library: &Library) -> Result<Option<quiz::QuizEntry>, BadRun> {
    quiz::quiz_entry_of(storage, &run, library).map_err(|error| left_out(run, error))
}

/// What the index says of one run; nothing if the run is not finished.
pub fn entry_of(storage: &dyn Storage, run: &str, recorded: &Recorded) -> Result<Option<Entry>, IndexError> {
    let read = match storage.read(run) {
        Err(StoreError::NeverStarted { .. }) => return Ok(None),
        read => read?,
    };
    let bad = |reason: String| IndexError::BadRecord { run: run.to_owned(), reason };
    if read.header.id != run {
        return Err(bad(format!("it says it is run {}", read.header.id.escape_default())));
    }
    if read.damage.is_some() {
        return Err(bad("its log is damaged; restore it from a backup".to_owned()));
    }
    if let Some(evaluation) = vibe::evaluation_of(storage, &read).map_err(bad)? {
        return Entry::of_evaluation(&read, evaluation).map(Some);
    }
    let record = match &read.run_json {
        Some(run_json) => match record_in(run_json).map_err(bad)? {
            Some(record) => Some(record),
            None => Some(recorded(run, &read).map_err(bad)?),
        },
        None if State::after(super::entry::acts(&read.events).iter().map(|placed| &placed.act)) == State::TakenDown => {
            None
        }
        None => return Ok(None),
    };
    Entry::of(&read, record).map(Some)
}

fn read_one(storage: &dyn Storage, run: String, recorded: &Recorded) -> Result<Option<Entry>, BadRun> {
    entry_of(storage, &run, recorded).map_err(|error| left_out(run, error))
}

pub(super) fn left_out(run: String, error: IndexError) -> BadRun {
    let reason = match error {
        IndexError::BadRecord { reason, .. } => reason,
        other => other.to_string(),
    };
    BadRun { run, reason }
}

pub(super) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, IndexError> {
    let panicked = |_| IndexError::Failed { doing: "read the runs", reason: "a reader ended early".to_owned() };
    tokio::task::spawn_blocking(work).await.map_err(panicked)
}
