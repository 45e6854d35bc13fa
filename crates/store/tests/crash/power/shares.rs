//! The same of shared runs: documents that get their names together, and one transaction.

use super::{ACKNOWLEDGED, PART, RUNS, after_each_acknowledgement, watched};
use crate::block_on;
use crate::shares::{document, shared, whole_documents};
use benchwright_store::index::quiz::{QuizRecord, ShareCommit, Shared};
use benchwright_store::index::{Durability, Index};
use benchwright_store::{Folder, Storage};
use futures_util::future::join_all;
use std::fs;
use std::path::Path;
use std::sync::Arc;

const VICTIM: &str = "power::shares::power_victim_keeps_shared_runs";
const AT_ONCE: u32 = 3;

/// The runs that are shared at the same time before an acknowledgement.
fn group(number: usize) -> impl Iterator<Item = u32> {
    let first = number as u32 * AT_ONCE;
    first..first + AT_ONCE
}

async fn acknowledge_shares(root: &Path) {
    let storage: Arc<dyn Storage> = Arc::new(Folder::at(root));
    let index = Index::sqlite(&root.join("index.sqlite"), Durability::Power).await.unwrap();
    let commit = ShareCommit::start(storage, Arc::new(index));
    for number in 0..RUNS {
        let keep = async |record: QuizRecord| {
            let bytes = document(&record.summary.run);
            assert!(matches!(commit.keep(record, bytes).await.unwrap(), Shared::Kept(_)));
        };
        join_all(group(number).map(|number| keep(shared(number)))).await;
        fs::write(root.join(ACKNOWLEDGED), number.to_string()).unwrap();
    }
    // See the other victim.
    std::process::exit(0);
}

#[test]
fn power_victim_keeps_shared_runs() {
    if Path::new(PART).exists() {
        block_on(acknowledge_shares(&std::env::current_dir().unwrap()));
    }
}

#[test]
fn an_acknowledged_share_survives_a_power_loss_where_commits_are_synced() {
    let folder = tempfile::tempdir().unwrap();
    let Some(trace) = watched(folder.path(), VICTIM, "power") else { return };
    after_each_acknowledgement(folder.path(), &trace, |after, acknowledged| {
        let documents = whole_documents(&Folder::at(after));
        let expected: Vec<String> =
            (0..acknowledged).flat_map(group).map(|number| shared(number).summary.run).collect();
        assert_eq!(documents, expected, "after {acknowledged}");
        let unknown = block_on(async {
            let index = Index::sqlite(&after.join("index.sqlite"), Durability::Process).await.unwrap();
            index.unknown_shared(&expected).await.unwrap()
        });
        assert_eq!(unknown, Vec::<String>::new(), "after {acknowledged}");
    });
}
