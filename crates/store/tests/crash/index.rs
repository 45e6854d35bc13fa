//! SIGKILL at random moments while runs are taken into an index.

use super::{Victim, block_on, header, open_index, record};
use benchwright_store::ReadRun;
use benchwright_store::index::{Entry, Index};
use std::fs::{self, OpenOptions};
use std::hash::{BuildHasher, Hasher};
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

const PART: &str = "take-in-until-killed";
const ACKNOWLEDGED: &str = "acknowledged";
const KILLS: usize = 12;
const BATCH: usize = 7;

fn entry(id: &str) -> Entry {
    let run = ReadRun { header: header(id), events: Vec::new(), torn: false, damage: None, run_json: None };
    Entry::of(&run, Some(record(id))).unwrap()
}

async fn take_in_some(index: &Index, first: usize) {
    let ids: Vec<String> = (first..first + BATCH).map(|number| format!("r{number:08}")).collect();
    index.take_in(&ids.iter().map(|id| entry(id)).collect::<Vec<_>>()).await.unwrap();
    let mut file = OpenOptions::new().create(true).append(true).open(ACKNOWLEDGED).unwrap();
    file.write_all(format!("{}\n", ids.join("\n")).as_bytes()).unwrap();
}

#[test]
fn index_victim_takes_runs_in() {
    if Path::new(PART).exists() {
        let first = fs::read_to_string(ACKNOWLEDGED).unwrap_or_default().lines().count();
        block_on(async {
            let index = open_index(Path::new("index.sqlite")).await;
            for number in 0..100_000 {
                take_in_some(&index, first + number * BATCH).await;
            }
        });
        panic!("nobody killed the victim");
    }
    let folder = tempfile::tempdir().unwrap();
    block_on(async {
        let index = open_index(&folder.path().join("index.sqlite")).await;
        index.take_in(&[entry("a"), entry("b")]).await.unwrap();
        assert_eq!(index.totals().await.unwrap().ranked, 2);
    });
}

#[test]
fn every_acknowledged_run_survives_sigkill_and_none_counts_twice() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(PART), "").unwrap();
    let acknowledged = || fs::read_to_string(folder.path().join(ACKNOWLEDGED)).unwrap_or_default();
    for kill in 0..KILLS {
        let before = acknowledged().len();
        let mut victim = Victim::playing("index::index_victim_takes_runs_in", folder.path());
        victim.wait_until("it made progress", || acknowledged().len() > before);
        std::thread::sleep(Duration::from_micros(random() % 20_000));
        drop(victim);
        block_on(verify(&folder.path().join("index.sqlite"), &acknowledged(), kill));
    }
}

async fn verify(path: &Path, acknowledged: &str, kill: usize) {
    let index = open_index(path).await;
    let mut found = Vec::new();
    loop {
        let page = index.runs_by_id(found.last().map_or("", String::as_str), 1000).await.unwrap();
        if page.is_empty() {
            break;
        }
        found.extend(page.into_iter().map(|run| run.record.run));
    }
    let missing = acknowledged.lines().find(|id| found.binary_search(&(*id).to_owned()).is_err());
    assert_eq!(missing, None, "kill {kill}: acknowledged and lost");
    assert_eq!(found.len() % BATCH, 0, "kill {kill}: a transaction was torn apart");
    let totals = index.totals().await.unwrap();
    assert_eq!((totals.shown as usize, totals.ranked as usize), (found.len(), found.len()), "kill {kill}");
    let class = &index.classes(None).await.unwrap()[0];
    assert_eq!(index.standings(None, &class.class).await.unwrap()[0].tally.runs as usize, found.len(), "kill {kill}");
}

/// The standard library seeds its hashers anew in every process, which is randomness enough to choose a moment.
fn random() -> u64 {
    std::hash::RandomState::new().build_hasher().finish()
}
