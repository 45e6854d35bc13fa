//! How the index scales: `cargo run --release -p benchwright-store --example scale -- FOLDER RUNS`.
//!
//! Takes RUNS runs in, then times what pages ask; with a third word `folders` it writes run folders first and rebuilds from them.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "this is a command for developers")]

use benchwright_domain::board::CoverageClass;
use benchwright_domain::record::{RECORD_FORMAT, RecordedScore, RunRecord};
use benchwright_domain::{Dimension, ScorerId};
use benchwright_store::index::{Durability, Entry, Index, RunFilter, rebuild};
use benchwright_store::{EventBody, Folder, RUN_FORMAT, ReadRun, RunHeader, Storage};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

const BATCH: usize = 500;
const REPEATS: u32 = 200;

#[tokio::main]
async fn main() {
    let words: Vec<String> = std::env::args().collect();
    let (folder, runs) = (Path::new(&words[1]), words[2].parse::<usize>().unwrap());
    let index = Index::sqlite(&folder.join("index.sqlite"), Durability::Power).await.unwrap();
    if words.get(3).is_some_and(|word| word == "folders") {
        let storage = Folder::at(folder);
        (0..runs).for_each(|number| write_run(&storage, number));
        let begun = Instant::now();
        let rebuilt =
            rebuild(Arc::new(storage), &index, Arc::new(|_, _| Err(String::new())), Arc::default(), |_, _| ())
                .await
                .unwrap();
        say("rebuild from folders", rebuilt.indexed, begun.elapsed());
    } else {
        let begun = Instant::now();
        for first in (0..runs).step_by(BATCH) {
            let entries: Vec<Entry> = (first..(first + BATCH).min(runs)).map(entry).collect();
            index.take_in(&entries).await.unwrap();
        }
        say("take in, 500 per commit", runs, begun.elapsed());
    }
    let class = index.classes(Some("prompt-3")).await.unwrap().remove(0).class;
    time("a board", async || drop(index.standings(Some("prompt-3"), &class).await.unwrap())).await;
    time("the prompts", async || drop(index.prompts().await.unwrap())).await;
    time("the newest 50", async || drop(index.runs(&RunFilter::default(), None, 50).await.unwrap())).await;
    let filter =
        RunFilter { tool: Some("tool-7".to_owned()), prompt: Some("prompt-3".to_owned()), ..RunFilter::default() };
    time("50 of one tool and prompt", async || drop(index.runs(&filter, None, 50).await.unwrap())).await;
    let apart = RunFilter { ranked: Some(false), ..RunFilter::default() };
    time("50 not ranked", async || drop(index.runs(&apart, None, 50).await.unwrap())).await;
    time("one run", async || drop(index.run(&id(runs / 2)).await.unwrap())).await;
    time("a distribution", async || drop(index.distribution("c3").await.unwrap())).await;
    time("totals", async || assert!(index.totals().await.unwrap().shown > 0)).await;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    println!("{}", status.lines().find(|line| line.starts_with("VmRSS")).unwrap_or_default());
}

fn say(what: &str, runs: usize, took: Duration) {
    println!("{what}: {runs} in {:.2} s, {:.0} a second", took.as_secs_f64(), runs as f64 / took.as_secs_f64());
}

async fn time(what: &str, ask: impl AsyncFn()) {
    ask().await;
    let begun = Instant::now();
    for _ in 0..REPEATS {
        ask().await;
    }
    println!("{what}: {:.0} µs", begun.elapsed().as_secs_f64() * 1e6 / f64::from(REPEATS));
}

fn id(number: usize) -> String {
    format!("r{number:08}")
}

fn header(number: usize) -> RunHeader {
    RunHeader {
        format: RUN_FORMAT,
        id: id(number),
        started_at: record(number).started_at,
        benchwright: "0.1.0".to_owned(),
        request: serde_json::json!({ "prompt": "x".repeat(8000) }),
    }
}

fn entry(number: usize) -> Entry {
    let run = ReadRun { header: header(number), events: Vec::new(), torn: false, damage: None, run_json: None };
    Entry::of(&run, Some(record(number))).unwrap()
}

/// A folder as a run of the score track leaves it, without its blobs.
fn write_run(storage: &dyn Storage, number: usize) {
    let mut run = storage.create(&header(number)).unwrap();
    for kind in 0..15 {
        run.append(EventBody::Note { text: format!("evidence {kind} {}", "x".repeat(150)) }, kind).unwrap();
    }
    run.finish(&serde_json::json!({ "record": record(number) })).unwrap();
}

fn record(number: usize) -> RunRecord {
    let score = |id: ScorerId| {
        let score = (number * 31 + id as usize * 17) % 1001;
        (id.key().to_owned(), RecordedScore { score: score as f64 / 1000.0, version: "1".to_owned() })
    };
    let (minute, tool, prompt) = (number % 525_600, number * 7 % 40, number * 13 % 25);
    RunRecord {
        format: RECORD_FORMAT,
        run: id(number),
        tool: format!("tool-{tool}"),
        tool_version: Some("2026-W46".to_owned()),
        run_index: Some(0),
        prompt: Some(format!("prompt-{prompt}")),
        tier: Some(2),
        url: format!("https://app-{}.example/", number % 5000),
        title: Some("An app".to_owned()),
        headline: "81.3 of 100, over 95 % of the weight".to_owned(),
        composite: Some((number * 7919 % 100_001) as f64 / 1000.0),
        dimensions: Dimension::ALL.map(|dimension| (dimension, 0.5)).into(),
        scores: ScorerId::ALL.map(score).into(),
        rankable: !number.is_multiple_of(50),
        not_rankable_because: Vec::new(),
        class: CoverageClass {
            scored: ScorerId::ALL.into(),
            scanners: "gitleaks".to_owned(),
            methodology: "1.0".to_owned(),
            counts_unrendered_as_zero: false,
        },
        coverage: 0.95,
        started_at: format!(
            "2026-{:02}-{:02}T{:02}:{:02}:00Z",
            1 + minute / 43_800,
            1 + minute / 1440 % 28,
            minute / 60 % 24,
            minute % 60
        ),
        seconds: 120.0,
        benchwright: "0.1.0".to_owned(),
        cost: None,
        verified: true,
        report: Some(benchwright_domain::BlobId("a".repeat(64))),
        thumbnail: Some(benchwright_domain::BlobId("b".repeat(64))),
    }
}
