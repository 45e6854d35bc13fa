//! Makes data folders of any size, for `cargo xtask bench` and for whoever wants to see what a large site is like:
//! `cargo run --release -p benchwright-store --example scale -- FOLDER WHAT…`
//!
//! - `index RUNS TOOLS PROMPTS`: an index of so many runs, through the index's own way of taking runs in, with empty folders for the runs
//! - `folders RUNS`: so many run folders as a run of the score track leaves them, without blobs
//! - `events RUNS EVENTS RUN REPORT`: so many copies of a real run and its `report.json`, each with so many events in its log
//! - `ask`: how long the index takes to answer what pages ask
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "this is a command for developers")]

use benchwright_domain::board::CoverageClass;
use benchwright_domain::record::{RECORD_FORMAT, RecordedScore, RunRecord};
use benchwright_domain::{Dimension, Report, ScorerId};
use benchwright_store::index::{Durability, Entry, Index, RunFilter};
use benchwright_store::{EventBody, Folder, RUN_FORMAT, ReadRun, RunDir, RunHeader, Storage};
use std::path::Path;
use std::time::Instant;

const BATCH: usize = 500;
const REPEATS: u32 = 200;

#[tokio::main]
async fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let count = |word: &str| word.parse::<usize>().unwrap();
    match words[..] {
        [folder, "index", runs, tools, prompts] => {
            let shape = Shape { tools: count(tools), prompts: count(prompts) };
            make_index(Path::new(folder), count(runs), &shape).await;
        }
        [folder, "folders", runs] => {
            let storage = Folder::at(Path::new(folder));
            (0..count(runs)).for_each(|number| write_run(&storage, number));
        }
        [folder, "events", runs, events, run, report] => {
            let storage = Folder::at(Path::new(folder));
            for number in 0..count(runs) {
                copy_run(&storage, &format!("e{events}-{number}"), count(events), Path::new(run), Path::new(report));
            }
        }
        [folder, "ask"] => ask(Path::new(folder)).await,
        _ => println!("FOLDER index RUNS TOOLS PROMPTS | folders RUNS | events RUNS EVENTS RUN REPORT | ask"),
    }
}

/// How many tools and prompts the runs are spread over.
struct Shape {
    tools: usize,
    prompts: usize,
}

async fn make_index(folder: &Path, runs: usize, shape: &Shape) {
    std::fs::create_dir_all(folder.join("runs")).unwrap();
    let index = Index::sqlite(&folder.join("index.sqlite"), Durability::Process).await.unwrap();
    let begun = Instant::now();
    for first in (0..runs).step_by(BATCH) {
        let numbers = first..(first + BATCH).min(runs);
        let entries: Vec<Entry> = numbers.clone().map(|number| entry(number, shape)).collect();
        index.take_in(&entries).await.unwrap();
        for number in numbers {
            // What the index knows is not read again, but it is listed.
            std::fs::create_dir(folder.join("runs").join(id(number))).unwrap();
        }
    }
    let seconds = begun.elapsed().as_secs_f64();
    println!("{runs} runs taken in, {BATCH} per commit, in {seconds:.2} s, {:.0} a second", runs as f64 / seconds);
    index.close().await.unwrap();
}

async fn ask(folder: &Path) {
    let index = Index::sqlite(&folder.join("index.sqlite"), Durability::Process).await.unwrap();
    let prompt = index.prompts().await.unwrap().remove(0).prompt;
    let class = index.classes(prompt.as_deref()).await.unwrap().remove(0).class;
    time("a board", async || drop(index.standings(prompt.as_deref(), &class).await.unwrap())).await;
    time("the prompts", async || drop(index.prompts().await.unwrap())).await;
    time("the newest 50", async || drop(index.runs(&RunFilter::default(), None, 50).await.unwrap())).await;
    let filter = RunFilter { tool: Some("tool-7".to_owned()), prompt: prompt.clone(), ..RunFilter::default() };
    time("50 of one tool and prompt", async || drop(index.runs(&filter, None, 50).await.unwrap())).await;
    let apart = RunFilter { ranked: Some(false), ..RunFilter::default() };
    time("50 not ranked", async || drop(index.runs(&apart, None, 50).await.unwrap())).await;
    let apart = RunFilter { prompt, ..apart };
    time("50 not ranked of one prompt", async || drop(index.runs(&apart, None, 50).await.unwrap())).await;
    time("one run", async || drop(index.run(&id(7)).await.unwrap())).await;
    time("a distribution", async || drop(index.distribution("c3").await.unwrap())).await;
    time("totals", async || assert!(index.totals().await.unwrap().shown > 0)).await;
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
    format!("20260101T000000Z-{number:08}")
}

fn header(record: &RunRecord) -> RunHeader {
    RunHeader {
        format: RUN_FORMAT,
        id: record.run.clone(),
        started_at: record.started_at.clone(),
        benchwright: "0.1.0".to_owned(),
        request: serde_json::json!({ "prompt": "x".repeat(8000) }),
    }
}

fn entry(number: usize, shape: &Shape) -> Entry {
    let record = record(number, shape);
    let header = RunHeader { request: serde_json::Value::Null, ..header(&record) };
    let run = ReadRun { header, events: Vec::new(), torn: false, damage: None, run_json: None };
    Entry::of(&run, Some(record)).unwrap()
}

fn write_run(storage: &dyn Storage, number: usize) {
    let record = record(number, &Shape { tools: 40, prompts: 25 });
    let mut run = storage.create(&header(&record)).unwrap();
    for kind in 0..15 {
        run.append(EventBody::Note { text: format!("evidence {kind} {}", "x".repeat(150)) }, kind).unwrap();
    }
    run.finish(&serde_json::json!({ "record": record })).unwrap();
}

/// The evidence of a real run under another id, with notes until the log is as long as it should be.
fn copy_run(storage: &dyn Storage, id: &str, events: usize, original: &Path, report: &Path) {
    let read = RunDir::read(original).unwrap();
    let mut report: Report = serde_json::from_slice(&std::fs::read(report).unwrap()).unwrap();
    id.clone_into(&mut report.provenance.run);
    let mut run = storage.create(&RunHeader { id: id.to_owned(), ..read.header }).unwrap();
    let bodies: Vec<EventBody> = read.events.into_iter().skip(1).map(|event| event.body).collect();
    let notes = events.saturating_sub(bodies.len() + 2);
    for body in bodies {
        if let EventBody::Evidence { blob, .. } = &body {
            run.put_blob(&benchwright_store::blob(original, blob).unwrap()).unwrap();
        }
        run.append(body, 1).unwrap();
    }
    for shot in &report.screenshots {
        run.put_blob(&benchwright_store::blob(original, &shot.blob).unwrap()).unwrap();
    }
    for number in 0..notes {
        run.append(EventBody::Note { text: format!("step {number}: looked at the page") }, number as u64).unwrap();
    }
    run.append(EventBody::Finished {}, notes as u64).unwrap();
    let blob = run.put_blob(&serde_json::to_vec(&report).unwrap()).unwrap();
    let record = RunRecord { report: Some(blob), rankable: true, ..RunRecord::of(&report) };
    run.finish(&serde_json::json!({ "format": 1, "record": record })).unwrap();
}

fn record(number: usize, shape: &Shape) -> RunRecord {
    let score = |id: ScorerId| {
        let score = (number * 31 + id as usize * 17) % 1001;
        (id.key().to_owned(), RecordedScore { score: score as f64 / 1000.0, version: "1".to_owned() })
    };
    // Every tool has runs of every prompt: the tool changes with every run, the prompt after a round of all tools.
    let (tool, prompt) = (number % shape.tools, number / shape.tools % shape.prompts);
    let minute = number % 525_600;
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
        rankable: number % 1009 != 50,
        not_rankable_because: if number % 1009 == 50 {
            vec!["The page did not render.".to_owned()]
        } else {
            Vec::new()
        },
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
