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

struct Waiting {
    record: QuizRecord,
    bytes: Vec<u8>,
    acknowledge: oneshot::Sender<Result<Shared, String>>,
}

/// Keeps shared runs and takes them into an index, many at once. Clones share the queue; it ends with the last of them.
#[derive(Debug, Clone)]
pub struct ShareCommit {
    queue: mpsc::Sender<Waiting>,
}

impl ShareCommit {
    /// Starts keeping runs, on the present runtime.
    pub fn start(storage: Arc<dyn Storage>, index: Arc<Index>) -> Self {
        let (queue, waiting) = mpsc::channel(WAITING);
        tokio::spawn(work(storage, index, waiting));
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

async fn work(storage: Arc<dyn Storage>, index: Arc<Index>, mut waiting: mpsc::Receiver<Waiting>) {
    let mut batch = Vec::with_capacity(AT_ONCE);
    while waiting.recv_many(&mut batch, AT_ONCE).await > 0 {
        let batch = std::mem::take(&mut batch);
        let (mut records, mut documents, mut acknowledge) = (Vec::new(), Vec::new(), Vec::new());
        for one in batch {
            documents.push((one.record.summary.run.clone(), one.bytes));
            records.push(one.record);
            acknowledge.push(one.acknowledge);
        }
        let outcome = keep(&storage, &index, records, documents).await.map_err(|error| error.to_string());
        for (place, acknowledge) in acknowledge.into_iter().enumerate() {
            let own = outcome.as_ref().map_err(Clone::clone).map(|all| all[place].clone());
            // Who does not wait for the answer does not need it.
            let _ = acknowledge.send(own);
        }
    }
}

/// Documents first: a run that is in the index is kept for certain. One that is kept and not in the index is taken in later.
async fn keep(
    storage: &Arc<dyn Storage>,
    index: &Index,
    records: Vec<QuizRecord>,
    documents: Vec<(String, Vec<u8>)>,
) -> Result<Vec<Shared>, IndexError> {
    let runs: Vec<String> = records.iter().map(|record| record.summary.run.clone()).collect();
    // A ticket whose run was removed is used up as well, and of such a run nothing is left but what the index knows.
    let fresh: BTreeSet<String> = index.unknown_shared(&runs).await?.into_iter().collect();
    let (records, documents): (Vec<QuizRecord>, Vec<(String, Vec<u8>)>) =
        records.into_iter().zip(documents).filter(|(record, _)| fresh.contains(&record.summary.run)).unzip();
    let storage = Arc::clone(storage);
    let ended = |_| IndexError::Failed { doing: "keep a shared run", reason: "a writer ended early".to_owned() };
    let put = tokio::task::spawn_blocking(move || put_shared(&*storage, documents)).await.map_err(ended)??;
    let done = records.into_iter().zip(put).filter(|(_, put)| *put == Put::Done);
    let entries: Vec<QuizEntry> = done.map(|(record, _)| QuizEntry::fresh(record)).collect();
    let done: BTreeSet<&str> = entries.iter().map(|entry| entry.run.as_str()).collect();
    let mut kept = index.keep_shared(&entries).await?;
    let outcome = |run: &String| match kept.remove(run).filter(|_| done.contains(run.as_str())) {
        Some(share) => Shared::Kept(Box::new(share)),
        None => Shared::Taken,
    };
    Ok(runs.iter().map(outcome).collect())
}
