//! Group commit: runs that finish at the same time share a transaction, and each is acknowledged once it is durable.

use super::Index;
use super::entry::Entry;
use super::error::IndexError;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

const WAITING: usize = 1024;
const AT_ONCE: usize = 500;

type Waiting = (Entry, oneshot::Sender<Result<(), String>>);

/// Takes runs into an index, many at once. Clones share the queue; it ends with the last of them.
#[derive(Debug, Clone)]
pub struct GroupCommit {
    queue: mpsc::Sender<Waiting>,
}

impl GroupCommit {
    /// Starts taking runs in, on the present runtime.
    pub fn start(index: Arc<Index>) -> Self {
        let (queue, waiting) = mpsc::channel(WAITING);
        tokio::spawn(work(index, waiting));
        Self { queue }
    }

    /// Takes a run in. It is durable and visible when this returns.
    pub async fn take_in(&self, entry: Entry) -> Result<(), IndexError> {
        let failed = |reason: String| IndexError::Failed { doing: "take a run into the index", reason };
        let (acknowledge, acknowledged) = oneshot::channel();
        let ended = || failed("the index was closed".to_owned());
        self.queue.send((entry, acknowledge)).await.map_err(|_| ended())?;
        acknowledged.await.map_err(|_| ended())?.map_err(failed)
    }
}

async fn work(index: Arc<Index>, mut waiting: mpsc::Receiver<Waiting>) {
    let mut batch = Vec::with_capacity(AT_ONCE);
    while waiting.recv_many(&mut batch, AT_ONCE).await > 0 {
        let (entries, acknowledge): (Vec<_>, Vec<_>) = batch.drain(..).unzip();
        let outcome = index.take_in(&entries).await.map_err(|error| error.to_string());
        for acknowledge in acknowledge {
            // Who does not wait for the answer does not need it.
            let _ = acknowledge.send(outcome.clone());
        }
    }
}
