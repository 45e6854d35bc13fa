//! Sharing runs of the quiz while others read the board.

use super::Bench;
use crate::call::Call;
use crate::failure::{Failure, Naming};
use crate::json::Json;
use crate::project;
use crate::results::{Outcome, Table};
use crate::running::Running;
use crate::verdict::Verdict;

const RATE: f64 = 300.0;
const SECONDS: f64 = 20.0;

pub(super) fn run(bench: &Bench) -> Result<Outcome, Failure> {
    Call::cargo("build --release --quiet --package benchwright-intake --example crowd").run()?;
    let data = bench.scratch.path().join("quiz-server");
    let site = Running::start(&data, "--quiz-shares-per-hour 100000000")?;
    let crowd = project::release_binary().with_file_name("examples").join("crowd");
    let told = Call::new(crowd).arg(&site.address).arg(RATE.to_string()).arg(SECONDS.to_string()).text()?;
    let told = Json::parse(&told).naming("read what the crowd says")?;
    drop(site);
    let number = |path: &str| told.number(path);
    let sent = RATE * SECONDS;
    let lost = number("shared.accepted").map(|accepted| sent - accepted);
    let ratio = number("busy.p99").zip(number("idle.p99")).map(|(busy, idle)| busy / idle);
    let mut table = Table::new(["", "runs a second", "accepted", "p50, ms", "p99, ms"]);
    let milliseconds = |path: &str| number(path).map_or(Json::Null, |seconds| Json::Number(seconds * 1000.0));
    let plain = |path: &str| number(path).map_or(Json::Null, Json::Number);
    for (name, rate, accepted, times) in [
        ("pages, nobody shares", Json::Null, Json::Null, "idle"),
        (
            "sharing as fast as they are taken",
            plain("saturated.accepted_per_second"),
            plain("saturated.accepted"),
            "saturated.times",
        ),
        ("sharing at the rate", plain("shared.accepted_per_second"), plain("shared.accepted"), "shared.times"),
        ("pages meanwhile", Json::Null, Json::Null, "busy"),
    ] {
        table.row([
            name.into(),
            rate,
            accepted,
            milliseconds(&format!("{times}.p50")),
            milliseconds(&format!("{times}.p99")),
        ]);
    }
    Ok(Outcome {
        kind: "quiz-server",
        title: "sharing runs of the quiz while others read the board".to_owned(),
        about: format!(
            "One `benchwright serve` with a data folder and SQLite on the disk; the crowd runs on the same machine. Runs of 40 answers by six \
             models, {:.0} kB each, every one with a ticket of its own: outputs read again, checked, written as a document, synced, indexed. \
             Pages are the quiz board, its JSON, the list of runs and the board of apps, 100 a second; their times count from when they \
             were due.",
            number("bytes_of_a_run").unwrap_or_default() / 1000.0
        ),
        table,
        verdicts: vec![
            Verdict::new(
                "300 / runs accepted in a second, as fast as they are taken",
                1.0,
                number("saturated.accepted_per_second").map(|rate| RATE / rate),
            ),
            Verdict::new("runs not accepted at 300 a second", 0.0, lost),
            Verdict::new("p99 of pages at 300 runs a second / idle", 3.0, ratio),
        ],
        raw: told,
    })
}
