//! A crowd that shares runs of the quiz while others read the board: `crowd ADDRESS RATE SECONDS` prints what it met as JSON.
//!
//! Tickets and runs are made first, so that the crowd itself takes little of the machine while it is measured. Then the pages are read
//! alone, then the runs are shared as fast as they are taken, then at a fixed rate while the same pages are read.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "this is a program for the bench, which fails by panicking"
)]

mod connection;
mod prepared;

use connection::Connection;
use prepared::Prepared;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

const SENDERS: usize = 16;
const READERS: usize = 2;
/// Pages that each reader asks for in a second.
const PAGES_PER_SECOND: f64 = 50.0;
const PAGES: [&str; 4] = ["/quiz/board", "/api/v1/quiz/board", "/quiz/runs", "/board"];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [address, rate, seconds] = &words[..] else { panic!("crowd ADDRESS RATE SECONDS") };
    let (rate, seconds): (f64, f64) = (rate.parse().unwrap(), seconds.parse().unwrap());
    let host = address.trim_start_matches("http://").trim_end_matches('/').to_owned();
    let paced = (rate * seconds) as usize;
    let saturating = paced / 2;
    eprintln!("crowd: preparing {} runs", paced + saturating);
    let runs = Prepared::make(&host, paced + saturating);
    eprintln!("crowd: reading alone");
    let idle = reading(&host, |_| thread::sleep(Duration::from_secs_f64(seconds)));
    eprintln!("crowd: sharing as fast as possible");
    let saturated = saturate(&host, &runs[..saturating]);
    eprintln!("crowd: sharing {rate} a second and reading");
    let mut shared = Value::Null;
    let busy = reading(&host, |_| shared = pace(&host, &runs[saturating..], rate));
    let bytes: usize = runs.iter().map(|run| run.body.len()).sum();
    println!(
        "{}",
        json!({
            "rate": rate,
            "seconds": seconds,
            "bytes_of_a_run": bytes / runs.len().max(1),
            "idle": idle,
            "saturated": saturated,
            "shared": shared,
            "busy": busy,
        })
    );
}

/// Reads pages while something is done, and says how long they took.
fn reading(host: &str, work: impl FnOnce(&AtomicBool)) -> Value {
    let is_over = AtomicBool::new(false);
    let mut times: Vec<f64> = thread::scope(|scope| {
        let readers: Vec<_> = (0..READERS)
            .map(|reader| {
                scope.spawn({
                    let is_over = &is_over;
                    move || read_pages(host, reader, is_over)
                })
            })
            .collect();
        work(&is_over);
        is_over.store(true, Ordering::Relaxed);
        readers.into_iter().flat_map(|reader| reader.join().unwrap()).collect()
    });
    percentiles(&mut times)
}

/// Asks at fixed moments; a page that is late makes the next one late as well, and that counts.
fn read_pages(host: &str, reader: usize, is_over: &AtomicBool) -> Vec<f64> {
    let mut connection = Connection::open(host);
    let begun = Instant::now();
    let mut times = Vec::new();
    for number in 0.. {
        let due = begun + Duration::from_secs_f64(f64::from(number) / PAGES_PER_SECOND);
        thread::sleep(due.saturating_duration_since(Instant::now()));
        if is_over.load(Ordering::Relaxed) {
            break;
        }
        let page = PAGES[(number as usize + reader) % PAGES.len()];
        let (status, _) = connection.ask("GET", page, "");
        assert_eq!(status, 200, "{page}");
        times.push(due.elapsed().as_secs_f64());
    }
    times
}

/// Shares runs one after the other on every connection.
fn saturate(host: &str, runs: &[Prepared]) -> Value {
    let next = AtomicUsize::new(0);
    let begun = Instant::now();
    let answers = thread::scope(|scope| {
        let senders: Vec<_> = (0..SENDERS)
            .map(|_| {
                scope.spawn(|| {
                    let mut connection = Connection::open(host);
                    let mut answers = Vec::new();
                    while let Some(run) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
                        answers.push(share(&mut connection, run, Instant::now()));
                    }
                    answers
                })
            })
            .collect();
        senders.into_iter().flat_map(|sender| sender.join().unwrap()).collect::<Vec<_>>()
    });
    summed(answers, begun.elapsed().as_secs_f64())
}

/// Shares runs at a fixed rate.
fn pace(host: &str, runs: &[Prepared], rate: f64) -> Value {
    let begun = Instant::now();
    let answers = thread::scope(|scope| {
        let senders: Vec<_> = (0..SENDERS)
            .map(|sender| {
                scope.spawn(move || {
                    let mut connection = Connection::open(host);
                    let mut answers = Vec::new();
                    for (place, run) in runs.iter().enumerate().skip(sender).step_by(SENDERS) {
                        let due = begun + Duration::from_secs_f64(place as f64 / rate);
                        thread::sleep(due.saturating_duration_since(Instant::now()));
                        answers.push(share(&mut connection, run, due));
                    }
                    answers
                })
            })
            .collect();
        senders.into_iter().flat_map(|sender| sender.join().unwrap()).collect::<Vec<_>>()
    });
    summed(answers, begun.elapsed().as_secs_f64())
}

/// What became of a run, and how long after it was due.
fn share(connection: &mut Connection, run: &Prepared, due: Instant) -> (String, f64) {
    let (status, body) = connection.ask("POST", "/api/v1/quiz/runs", &run.body);
    let said: Value = serde_json::from_str(&body).unwrap_or_default();
    let state = said["state"].as_str().or(said["code"].as_str()).unwrap_or("?").to_owned();
    (format!("{status} {state}"), due.elapsed().as_secs_f64())
}

fn summed(answers: Vec<(String, f64)>, seconds: f64) -> Value {
    let mut states: BTreeMap<String, usize> = BTreeMap::new();
    let mut times = Vec::new();
    for (state, time) in answers {
        *states.entry(state).or_default() += 1;
        times.push(time);
    }
    let accepted: usize = states.iter().filter(|(state, _)| state.starts_with("201")).map(|(_, count)| count).sum();
    json!({
        "states": states,
        "accepted": accepted,
        "accepted_per_second": accepted as f64 / seconds,
        "seconds": seconds,
        "times": percentiles(&mut times),
    })
}

fn percentiles(times: &mut [f64]) -> Value {
    times.sort_by(f64::total_cmp);
    let at =
        |share: f64| times.get(((times.len() as f64 * share) as usize).min(times.len().saturating_sub(1))).copied();
    json!({ "count": times.len(), "p50": at(0.5), "p99": at(0.99), "most": times.last() })
}
