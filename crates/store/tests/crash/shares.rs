//! SIGKILL at random moments while many share runs at once.

use super::quiz_sample::{key, record};
use super::{Victim, block_on, open_index};
use benchwright_store::index::quiz::{QuizRecord, ShareCommit, Shared, pool_id};
use benchwright_store::quiz::{shared_days, shared_on};
use benchwright_store::{DocumentName, Folder, Storage};
use futures_util::future::join_all;
use std::fs::{self, OpenOptions};
use std::hash::{BuildHasher, Hasher};
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

const PART: &str = "share-until-killed";
const ACKNOWLEDGED: &str = "acknowledged";
const VICTIM: &str = "shares::share_victim_keeps_runs";
const KILLS: usize = 12;
const SHARERS: u32 = 16;

pub fn shared(number: u32) -> QuizRecord {
    record("small", 16, number, "BA")
}

/// A document that is told from every other one, and from half of it.
pub fn document(run: &str) -> Vec<u8> {
    run.repeat(500).into_bytes()
}

fn number(run: &str) -> u32 {
    u32::from_str_radix(run.split_once('-').unwrap().1, 16).unwrap()
}

/// Every document that is there is whole; returns the runs they are of.
pub fn whole_documents(storage: &dyn Storage) -> Vec<String> {
    let mut runs = Vec::new();
    for day in shared_days(storage).unwrap() {
        for run in shared_on(storage, &day).unwrap() {
            let name = DocumentName::new("quiz", &day, &format!("{run}.json")).unwrap();
            assert_eq!(storage.document(&name).unwrap().unwrap(), document(&run), "{run}");
            runs.push(run);
        }
    }
    runs
}

/// Keeps runs one after the other, and writes down which are kept.
async fn share_some(commit: &ShareCommit, next: &AtomicU32, last: u32) {
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number > last {
            return;
        }
        let record = shared(number);
        let run = record.summary.run.clone();
        let kept = commit.keep(record, document(&run)).await.unwrap();
        assert!(matches!(kept, Shared::Kept(_)), "{run}: {kept:?}");
        let mut file = OpenOptions::new().create(true).append(true).open(ACKNOWLEDGED).unwrap();
        file.write_all(format!("{run}\n").as_bytes()).unwrap();
    }
}

#[test]
fn share_victim_keeps_runs() {
    if !Path::new(PART).exists() {
        return;
    }
    let storage: Arc<dyn Storage> = Arc::new(Folder::at(Path::new(".")));
    // What was kept and not acknowledged has its number for good.
    let first = whole_documents(&*storage).last().map_or(0, |run| number(run) + 1);
    block_on(async {
        let index = Arc::new(open_index(Path::new("index.sqlite")).await);
        let commit = ShareCommit::start(storage, index);
        let next = AtomicU32::new(first);
        join_all((0..SHARERS).map(|_| share_some(&commit, &next, first + 100_000))).await;
    });
    panic!("nobody killed the victim");
}

#[test]
fn every_acknowledged_share_survives_sigkill_and_none_counts_twice() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(PART), "").unwrap();
    let acknowledged = || fs::read_to_string(folder.path().join(ACKNOWLEDGED)).unwrap_or_default();
    for kill in 0..KILLS {
        let before = acknowledged().len();
        let mut victim = Victim::playing(VICTIM, folder.path());
        victim.wait_until("it made progress", || acknowledged().len() > before);
        std::thread::sleep(Duration::from_micros(random() % 20_000));
        drop(victim);
        block_on(verify(folder.path(), &acknowledged(), kill));
    }
}

async fn verify(folder: &Path, acknowledged: &str, kill: usize) {
    let documents = whole_documents(&Folder::at(folder));
    let index = open_index(&folder.join("index.sqlite")).await;
    let unknown = index.unknown_shared(&documents).await.unwrap();
    for run in acknowledged.lines().map(str::to_owned) {
        assert!(documents.contains(&run) && !unknown.contains(&run), "kill {kill}: {run} is acknowledged and lost");
    }
    let sums = index.pool(&pool_id(&key("small"))).await.unwrap().unwrap();
    assert_eq!(sums.runs as usize, documents.len() - unknown.len(), "kill {kill}: what is indexed is kept, once");
}

/// The standard library seeds its hashers anew in every process, which is randomness enough to choose a moment.
fn random() -> u64 {
    std::hash::RandomState::new().build_hasher().finish()
}
