//! An index that grew run by run, and one made at once from the same folders, must give the same answers.

use crate::sample::{act, header, nth};
use crate::suite::everything;
use benchwright_domain::RunRecord;
use benchwright_store::index::{Index, Rebuilt, Recorded, entry_of, rebuild};
use benchwright_store::{Decision, EventBody, Folder, Storage, moderate};
use serde_json::json;
use std::sync::Arc;

const RUNS: u32 = 120;

/// A data folder with finished, unfinished, moderated and broken runs.
pub struct Data {
    folder: tempfile::TempDir,
}

impl Data {
    fn storage(&self) -> Arc<dyn Storage> {
        Arc::new(Folder::at(self.folder.path()))
    }
}

pub fn data_folder() -> Data {
    let data = Data { folder: tempfile::tempdir().unwrap() };
    let storage = data.storage();
    for number in 0..RUNS {
        write_run(&*storage, &nth(number), number % 10 != 7);
    }
    let broken = data.folder.path().join("runs/broken");
    std::fs::create_dir(&broken).unwrap();
    std::fs::write(broken.join("log"), "no log of ours\n").unwrap();
    std::fs::create_dir(data.folder.path().join("runs/empty")).unwrap();
    let renamed = data.folder.path().join("runs/renamed");
    std::fs::create_dir(&renamed).unwrap();
    std::fs::copy(data.folder.path().join("runs/r00001/log"), renamed.join("log")).unwrap();
    std::fs::copy(data.folder.path().join("runs/r00001/run.json"), renamed.join("run.json")).unwrap();
    let strange = RunRecord { composite: Some(1e9), run: "strange".to_owned(), ..nth(1) };
    write_run(&*storage, &strange, true);
    data
}

fn write_run(storage: &dyn Storage, record: &RunRecord, is_finished: bool) {
    let mut run = storage.create(&header(record)).unwrap();
    run.append(EventBody::Note { text: "gathering".to_owned() }, 1).unwrap();
    if is_finished {
        run.append(EventBody::Finished {}, 2).unwrap();
        // Runs from before there were records have a run.json without one.
        let is_old = record.run.ends_with('3');
        run.finish(&if is_old { json!({ "composite": 1.0 }) } else { json!({ "record": record }) }).unwrap();
    }
}

/// Scoring again, as far as this test is concerned.
fn recorded() -> Arc<Recorded> {
    Arc::new(|run, _| run.trim_start_matches('r').parse().map(nth).map_err(|_| "no such run".to_owned()))
}

/// Takes the runs in one by one, in an odd order, some twice, with decisions in between.
pub async fn answers_of_a_grown_index(data: &Data, open: impl AsyncFn() -> Index) -> String {
    let storage = data.storage();
    let index = open().await;
    let take_in = async |number: u32| {
        let entry = entry_of(&*storage, &nth(number).run, &*recorded()).unwrap();
        index.take_in(entry.as_slice()).await.unwrap();
    };
    for place in 0..RUNS {
        take_in(place * 49 % RUNS).await;
    }
    for (number, decision) in [(2, Decision::Quarantine), (5, Decision::TakeDown), (8, Decision::Quarantine)] {
        moderate(&*storage, &nth(number).run, act(decision, number)).unwrap();
        take_in(number).await;
        take_in(number + 20).await;
    }
    moderate(&*storage, &nth(8).run, act(Decision::Release, 9)).unwrap();
    take_in(8).await;
    let answers = everything(&index).await;
    index.close().await.unwrap();
    assert!(answers.contains("because of 9") && answers.contains("TakenDown"));
    answers
}

/// Makes the index from the folders, twice.
pub async fn answers_of_a_rebuilt_index(data: &Data, open: impl AsyncFn() -> Index) -> String {
    let index = open().await;
    let mut last = (0, 0);
    let rebuilt =
        rebuild(data.storage(), &index, recorded(), Arc::default(), |seen, of| last = (seen, of)).await.unwrap();
    assert_eq!((rebuilt.indexed, rebuilt.unfinished), (108, 12));
    assert_eq!(last, (124, 124));
    assert_bad(&rebuilt);
    let answers = everything(&index).await;
    assert_eq!(rebuild(data.storage(), &index, recorded(), Arc::default(), |_, _| ()).await.unwrap(), rebuilt);
    assert_eq!(everything(&index).await, answers, "a second rebuild changes nothing");
    index.close().await.unwrap();
    answers
}

fn assert_bad(rebuilt: &Rebuilt) {
    let named: Vec<(&str, &str)> = rebuilt.bad.iter().map(|bad| (bad.run.as_str(), bad.reason.as_str())).collect();
    let expected = [
        ("broken", "this is not a run folder"),
        ("empty", "this is not a run folder"),
        ("renamed", "it says it is run r00001"),
        ("strange", "its composite cannot be right"),
    ];
    assert_eq!(named.len(), expected.len(), "{named:?}");
    for ((run, reason), (wanted, part)) in named.iter().zip(expected) {
        assert_eq!(*run, wanted);
        assert!(reason.contains(part), "{run}: {reason}");
    }
}
