//! Group commit: what is shared at the same time is written together, and each sharer hears when it is durable.

use super::super::Index;
use super::super::entry::State;
use super::super::error::IndexError;
use super::entry::{QuizEntry, QuizRecord};
use super::row::IndexedShare;
use crate::quiz::put_shared;
use crate::storage::{Put, Storage};
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

const WAITING: usize = 256;
const AT_ONCE: usize = 100;

/// What became of a run that was to be kept.
#[derive(Debug, Clone, PartialEq)]
pub enum Shared {
    /// It is kept now.
    Kept(Box<IndexedShare>),
    /// There is a run of that id already.
    Taken,
}

/// A run that is to be kept.
struct Waiting {
    record: QuizRecord,
    bytes: Vec<u8>,
    acknowledge: Acknowledge,
}

/// A run whose document is durable.
struct Written {
    entry: QuizEntry,
    acknowledge: Acknowledge,
}

type Acknowledge = oneshot::Sender<Result<Shared, String>>;

/// Keeps shared runs and takes them into an index, many at once. Clones share the queue; it ends with the last of them.
#[derive(Debug, Clone)]
pub struct ShareCommit {
    queue: mpsc::Sender<Waiting>,
}

impl ShareCommit {
    /// Starts keeping runs, on the present runtime.
    pub fn start(storage: Arc<dyn Storage>, index: Arc<Index>) -> Self {
        let (queue, waiting) = mpsc::channel(WAITING);
        let (done, written) = mpsc::channel(WAITING);
        // The disk and the index work at the same time, each on what the other has done with or will come to.
        tokio::spawn(write_documents(storage, Arc::clone(&index), waiting, done));
        tokio::spawn(take_in(index, written));
        Self { queue }
    }

    /// Keeps a run: `bytes` is its document, `record` what it comes to. It is durable and visible when this returns.
    pub async fn keep(&self, record: QuizRecord, bytes: Vec<u8>) -> Result<Shared, IndexError> {
        let failed = |reason: String| IndexError::Failed { doing: "keep a shared run", reason };
        let (acknowledge, acknowledged) = oneshot::channel();
        let ended = || failed("the index was closed".to_owned());
        self.queue.send(Waiting { record, bytes, acknowledge }).await.map_err(|_| ended())?;
        acknowledged.await.map_err(|_| ended())?.map_err(failed)
    }
}

/// Documents first: a run that is in the index is kept for certain. One that is kept and not in the index is taken in later.
async fn write_documents(
    storage: Arc<dyn Storage>,
    index: Arc<Index>,
    mut waiting: mpsc::Receiver<Waiting>,
    done: mpsc::Sender<Written>,
) {
    let mut batch = Vec::with_capacity(AT_ONCE);
    while waiting.recv_many(&mut batch, AT_ONCE).await > 0 {
        let (mut records, mut documents, mut acknowledges) = (Vec::new(), Vec::new(), Vec::new());
        for one in batch.drain(..) {
            documents.push((one.record.summary.run.clone(), one.bytes));
            records.push(one.record);
            acknowledges.push(one.acknowledge);
        }
        match put_fresh(&storage, &index, documents).await {
            Ok(put) => {
                for ((record, acknowledge), is_put) in records.into_iter().zip(acknowledges).zip(put) {
                    if !is_put {
                        // Who does not wait for the answer does not need it.
                        let _ = acknowledge.send(Ok(Shared::Taken));
                    } else if done.send(Written { entry: QuizEntry::fresh(record), acknowledge }).await.is_err() {
                        // Nobody takes runs in any more. All who wait hear that, as their places in the queue go with it.
                        return;
                    }
                }
            }
            Err(error) => refuse(acknowledges, &error),
        }
    }
}

/// Puts the documents whose ids are free, and says of each whether it was put.
async fn put_fresh(
    storage: &Arc<dyn Storage>,
    index: &Index,
    documents: Vec<(String, Vec<u8>)>,
) -> Result<Vec<bool>, IndexError> {
    let runs: Vec<String> = documents.iter().map(|(run, _)| run.clone()).collect();
    // A ticket whose run was removed is used up as well, and of such a run nothing is left but what the index knows.
    let fresh: BTreeSet<String> = index.unknown_shared(&runs).await?.into_iter().collect();
    let documents: Vec<_> = documents.into_iter().filter(|(run, _)| fresh.contains(run)).collect();
    let storage = Arc::clone(storage);
    let ended = |_| IndexError::Failed { doing: "keep a shared run", reason: "a writer ended early".to_owned() };
    let put = tokio::task::spawn_blocking(move || put_shared(&*storage, documents)).await.map_err(ended)??;
    let mut put = put.into_iter();
    Ok(runs.iter().map(|run| fresh.contains(run) && put.next() == Some(Put::Done)).collect())
}

async fn take_in(index: Arc<Index>, mut written: mpsc::Receiver<Written>) {
    let mut batch = Vec::with_capacity(AT_ONCE);
    while written.recv_many(&mut batch, AT_ONCE).await > 0 {
        let (entries, acknowledges): (Vec<QuizEntry>, Vec<Acknowledge>) =
            batch.drain(..).map(|one| (one.entry, one.acknowledge)).unzip();
        match index.keep_shared(&entries).await {
            Ok(mut kept) => {
                for (entry, acknowledge) in entries.iter().zip(acknowledges) {
                    // Somebody may have decided about it since its document was written.
                    let share = kept.remove(&entry.run).filter(|share| share.state == State::Shown);
                    let share = share.map_or(Shared::Taken, |share| Shared::Kept(Box::new(share)));
                    let _ = acknowledge.send(Ok(share));
                }
            }
            Err(error) => refuse(acknowledges, &error),
        }
    }
}

fn refuse(acknowledges: Vec<Acknowledge>, error: &IndexError) {
    for acknowledge in acknowledges {
        let _ = acknowledge.send(Err(error.to_string()));
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::sqlite::Durability;
    use super::*;
    use crate::event::{Act, Decision};
    use crate::folder::Folder;
    use crate::quiz::{KeptShare, shared_on};
    use benchwright_quiz::board::{RowKey, RunSummary};
    use benchwright_quiz::{Protocol, Source, State as Standing};

    const DAY: &str = "20261116";

    fn record(number: u32) -> QuizRecord {
        let key = RowKey {
            source: Source::Own,
            protocol: Protocol::OneMessage1,
            thinking: false,
            custom: false,
            model: "small".to_owned(),
            quantisation: "q8_0".to_owned(),
            file_sha256: None,
        };
        let summary = RunSummary {
            format: 1,
            run: format!("{DAY}-{number:016x}"),
            key,
            state: Standing::Confirmed,
            day: "2026-11-16".to_owned(),
            questions: Vec::new(),
            speed: None,
        };
        QuizRecord {
            summary,
            reasons: Vec::new(),
            selection: "own-12".to_owned(),
            outputs_sha256: String::new(),
            extractor: 1,
            first_extractor: 1,
            first_correct: 0,
            first_strict: 0,
            engine: String::new(),
            seconds: 1.0,
        }
    }

    async fn index_in(folder: &tempfile::TempDir) -> Arc<Index> {
        Arc::new(Index::sqlite(&folder.path().join("index.sqlite"), Durability::Process).await.unwrap())
    }

    #[tokio::test]
    async fn when_nobody_takes_runs_in_any_more_sharers_hear_it_and_no_more_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let storage: Arc<dyn Storage> = Arc::new(Folder::at(folder.path()));
        let (queue, waiting) = mpsc::channel(WAITING);
        let (done, written) = mpsc::channel(WAITING);
        drop(written);
        let writing = tokio::spawn(write_documents(Arc::clone(&storage), index_in(&folder).await, waiting, done));
        let commit = ShareCommit { queue };
        for number in 1..=3 {
            let error = commit.keep(record(number), b"{}".to_vec()).await.unwrap_err();
            assert!(error.to_string().contains("the index was closed"), "{error}");
        }
        writing.await.unwrap();
        assert_eq!(shared_on(&*storage, DAY).unwrap().len(), 1, "only what was under way");
    }

    #[tokio::test]
    async fn a_run_that_was_removed_before_it_was_taken_in_stays_removed() {
        let folder = tempfile::tempdir().unwrap();
        let index = index_in(&folder).await;
        let (record, name) = (record(1), |text: &str| text.to_owned());
        let act = Act { decision: Decision::TakeDown, reason: name("asked for"), by: name("ada"), at: name("now") };
        let removed = KeptShare { run: None, acts: vec![act] };
        let removed = QuizEntry::of(&record.summary.run, &removed, &benchwright_quiz::Library::default()).unwrap();
        index.take_in_shared(&[removed]).await.unwrap();
        let (done, written) = mpsc::channel(WAITING);
        let (acknowledge, acknowledged) = oneshot::channel();
        done.send(Written { entry: QuizEntry::fresh(record.clone()), acknowledge }).await.unwrap();
        drop(done);
        take_in(Arc::clone(&index), written).await;
        assert_eq!(acknowledged.await.unwrap().unwrap(), Shared::Taken);
        assert_eq!(index.shared_run(&record.summary.run).await.unwrap().unwrap().state, State::TakenDown);
    }
}
