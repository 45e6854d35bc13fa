//! Group commit: what is shared at the same time is written together, and each sharer hears when it is durable.

use super::super::Index;
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
                    // Who does not wait for the answer does not need it, and who takes runs in ends after this only.
                    if is_put {
                        let _ = done.send(Written { entry: QuizEntry::fresh(record), acknowledge }).await;
                    } else {
                        let _ = acknowledge.send(Ok(Shared::Taken));
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
                    let share = kept.remove(&entry.run).map_or(Shared::Taken, |share| Shared::Kept(Box::new(share)));
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
