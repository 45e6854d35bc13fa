//! The reading behind S1 and S2 over a large tree, beside one pass of ripgrep with the same literals.

use super::measured::alternate;
use super::{Bench, memory, tree};
use crate::call::{Call, find_program};
use crate::failure::{Failure, Naming};
use crate::json::Json;
use crate::results::{Outcome, Table};
use crate::verdict::{Verdict, median};
use crate::{project, setup};
use std::path::{Path, PathBuf};

/// One of our readings.
struct Ours {
    seconds: f64,
    peak_mb: f64,
}

pub(super) fn run(bench: &Bench) -> Result<Outcome, Failure> {
    setup::debian_package("rg", "ripgrep")?;
    let ripgrep = find_program(&["rg"]).ok_or_else(|| Failure::environment("ripgrep is missing"))?;
    Call::cargo("build --release --quiet --package benchwright-source --example survey").run()?;
    let folder = bench.scratch.path().join("tree");
    let made = tree::make(&folder)?;
    println!("bench: made a tree of {made}");
    let literals = bench.file("literals.txt", &Call::new(survey()).arg("--literals").text()?)?;
    let told = Json::parse(&Call::new(survey()).arg(&folder).text()?).naming("read what the survey says")?;
    if told.number("bytes") != Some(made.bytes() as f64) {
        return Err(Failure::check(format!("the survey did not read the whole tree: {}", told.pretty())));
    }
    let pairs = alternate(
        bench.pairs * 5,
        || ours(&folder),
        || grep(&ripgrep, &literals, &folder),
        |number, ours, grep| {
            println!("bench: pair {number}: ours {:.3} s, ripgrep {grep:.3} s", ours.seconds);
        },
    )?;
    let version = Call::new(&ripgrep).arg("--version").text()?.lines().next().unwrap_or_default().to_owned();
    Ok(outcome(&pairs, &made, &version, told))
}

fn survey() -> PathBuf {
    project::release_binary().with_file_name("examples").join("survey")
}

fn ours(folder: &Path) -> Result<Ours, Failure> {
    let watched = memory::watch(Call::new(survey()).arg(folder).into_command())?;
    if !watched.status.success() {
        return Err(Failure::check(format!("the survey ended with {}", watched.status)));
    }
    Ok(Ours { seconds: watched.seconds, peak_mb: watched.own_peak_mb })
}

/// As fast as ripgrep gets: plain literals, letters of ASCII only, counted and not printed.
fn grep(ripgrep: &Path, literals: &Path, folder: &Path) -> Result<f64, Failure> {
    let call = Call::new(ripgrep)
        .words("--fixed-strings --ignore-case --no-unicode --hidden --no-ignore --count --no-config --file")
        .arg(literals)
        .arg(folder);
    let watched = memory::watch(call.into_command())?;
    if watched.status.success() {
        return Ok(watched.seconds);
    }
    Err(Failure::check(format!("ripgrep ended with {}: the tree holds what it looks for", watched.status)))
}

fn outcome(pairs: &[(Ours, f64)], made: &tree::Made, version: &str, told: Json) -> Outcome {
    let mut table = Table::new(["pair", "ours, s", "ripgrep, s", "ours, MB"]);
    for (number, (ours, grep)) in (1_usize..).zip(pairs) {
        table.row([number.into(), Json::Number(ours.seconds), Json::Number(*grep), ours.peak_mb.into()]);
    }
    let raw = pairs.iter().map(|(ours, grep)| {
        Json::object([
            ("ours_seconds", ours.seconds.into()),
            ("ours_peak_mb", ours.peak_mb.into()),
            ("ripgrep_seconds", (*grep).into()),
        ])
    });
    Outcome {
        kind: "scan",
        title: "S1 and S2 over a large tree, beside ripgrep".to_owned(),
        about: format!(
            "{} interleaved pairs on a generated tree of {made}, all of which both read; nothing of it lies in a folder that either leaves \
             out. Ours is a process that does the one reading behind S1's secrets and S2, with no constraint of F6, and ends; the other is \
             {version}, counting the lines that hold one of the same literals. Files in the page cache.",
            pairs.len()
        ),
        table,
        verdicts: vec![
            Verdict::new(
                "S1 and S2 over the tree, ours / ripgrep",
                3.0,
                median(pairs.iter().map(|(ours, grep)| ours.seconds / grep).collect()),
            ),
            Verdict::new(
                "peak memory of the reading, MB",
                120.0,
                pairs.iter().map(|(ours, _)| ours.peak_mb).reduce(f64::max),
            ),
        ],
        raw: Json::object([("pairs", Json::List(raw.collect())), ("survey", told)]),
    }
}
