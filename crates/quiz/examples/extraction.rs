//! How fast outputs are read: `extraction REQUESTS` prints it as JSON, and writes what was read as requests for the page's module.
//!
//! The outputs are those of a real model in the golden file, over and over. Hostile ones are long and full of what rules look for.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "this is a program for the bench, which fails by panicking"
)]

use benchwright_quiz::extract;
use serde::Deserialize;
use serde_json::{Value, json};
use std::hint::black_box;
use std::time::Instant;

const GOLDEN: &str = include_str!("../tests/golden/extraction.jsonl");
const ROUNDS: usize = 40;
const REPEATS: usize = 20;
const SHORT: usize = 50_000;
const LONG: usize = 1_000_000;
/// Of what is longer than 64 KB the middle is not read: only below that does the time tell how it grows with the length.
const READ_SHORT: usize = 3_000;
const READ_LONG: usize = 60_000;
/// Each is repeated until it is long enough.
const HOSTILE: &str = include_str!("../tests/golden/hostile.json");

#[derive(Deserialize)]
struct Case {
    from: String,
    output: String,
    choices: Option<[String; 4]>,
}

fn main() {
    let place = std::env::args().nth(1).expect("extraction REQUESTS");
    let cases: Vec<Case> = GOLDEN.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let real: Vec<(String, [String; 4])> = cases
        .into_iter()
        .filter(|case| case.from.starts_with("smollm2"))
        .map(|case| (case.output, case.choices.unwrap()))
        .collect();
    let request = |(output, choices): &(String, [String; 4])| {
        // As the page writes it.
        format!("extract\0{}\0{output}", choices.join("\0"))
    };
    std::fs::write(place, real.iter().map(request).collect::<Vec<_>>().join("\u{1e}")).unwrap();
    let bytes: usize = real.iter().map(|(output, _)| output.len()).sum();
    let seconds = best(|| {
        for (output, choices) in real.iter().cycle().take(real.len() * REPEATS) {
            black_box(extract(black_box(output), choices));
        }
    });
    let texts: Vec<String> = serde_json::from_str(HOSTILE).unwrap();
    let hostile: Vec<Value> = texts.iter().map(|text| hostile(text)).collect();
    let speed = (bytes * REPEATS) as f64 / seconds / 1e6;
    println!("{}", json!({ "outputs": real.len(), "bytes": bytes, "mb_per_second": speed, "hostile": hostile }));
}

/// How long an output of this takes, short and long.
fn hostile(text: &str) -> Value {
    let choices = ["Paris", "Rome", "B cells", "14"].map(str::to_owned);
    let seconds = |bytes: usize| {
        let output = text.repeat(bytes / text.len() + 1);
        best(|| {
            black_box(extract(black_box(&output), &choices));
        })
    };
    let [short, long, read_short, read_long] = [SHORT, LONG, READ_SHORT, READ_LONG].map(seconds);
    json!({ "text": text, "short_seconds": short, "long_seconds": long, "ratio": long / short, "read_ratio": read_long / read_short })
}

/// The shortest of several rounds, in seconds.
fn best(mut round: impl FnMut()) -> f64 {
    let once = |()| {
        let started = Instant::now();
        round();
        started.elapsed().as_secs_f64()
    };
    std::iter::repeat_n((), ROUNDS).map(once).fold(f64::INFINITY, f64::min)
}
