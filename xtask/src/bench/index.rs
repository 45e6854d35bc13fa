//! The index: how it grows, what it costs, what survives.

use super::measured::alternate;
use super::{Bench, scale};
use crate::call::Call;
use crate::check;
use crate::failure::{Failure, Naming};
use crate::json::Json;
use crate::results::{Outcome, Table};
use crate::running::{self, Running};
use crate::verdict::{Verdict, median};
use crate::{machine, project, services};
use std::fs;
use std::path::Path;
use std::time::Instant;

const FEW: usize = 1000;
const MANY: usize = 1_000_000;
const FOLDERS: usize = 5000;
/// How often each page is asked for.
const ASKED: usize = 60;
/// Runs of each length; the first answer of a page is what counts, so every run is good for one.
const RUNS: usize = 15;
const SHORT: usize = 100;
const LONG: usize = 10_000;

/// Pages whose cost must not grow with the number of runs. What is searched for is never kept in memory, so each answer is made anew.
const GROWING: [(&str, &str); 2] = [("a board", "/board?prompt=prompt-3&q=tool"), ("all prompts", "/board?q=tool")];
/// Pages of a run that has many events.
const OF_A_RUN: [(&str, &str); 2] = [("report", ""), ("evidence and log", "/evidence")];

pub(super) fn run(bench: &Bench) -> Result<Outcome, Failure> {
    scale::build()?;
    let folder = bench.scratch.path().join("index");
    let indexing = Indexing::measure(bench.pairs, &folder.join("folders"))?;
    let growth = Growth::measure(&folder)?;
    let long_runs = LongRuns::measure(&folder.join("events"))?;
    println!("bench: runs are killed, and the power fails");
    services::install_missing();
    let lost = usize::from(check::crashes()?.run().is_err());
    Ok(outcome(&indexing, &growth, &long_runs, lost))
}

/// The milliseconds of a page on a small and on a large scale.
struct Sides {
    page: &'static str,
    small: Vec<f64>,
    large: Vec<f64>,
}

impl Sides {
    /// Both in turn, so often.
    fn measure(
        page: &'static str,
        times: usize,
        small: impl FnMut() -> Result<f64, Failure>,
        large: impl FnMut() -> Result<f64, Failure>,
    ) -> Result<Self, Failure> {
        let (small, large) = alternate(times, small, large, |_, _, _| {})?.into_iter().unzip();
        let sides = Self { page, small, large };
        println!("bench: {page}: {:.2?} ms, then {:.2?} ms", median_of(&sides.small), median_of(&sides.large));
        Ok(sides)
    }

    fn verdict(&self, what: &str, at_most: f64) -> Verdict {
        let ratio = median_of(&self.large).zip(median_of(&self.small)).map(|(large, small)| large / small);
        Verdict::new(format!("{}, {what}", self.page), at_most, ratio)
    }

    fn to_json(&self) -> Json {
        Json::object([
            ("page", self.page.into()),
            ("small_ms", self.small.clone().into()),
            ("large_ms", self.large.clone().into()),
        ])
    }
}

/// Run folders that are there already, taken into an index, every commit on the disk.
struct Indexing {
    rebuilt: Vec<f64>,
    /// By a site that starts with an empty index.
    taken_in: Vec<f64>,
}

impl Indexing {
    fn measure(times: usize, folder: &Path) -> Result<Self, Failure> {
        scale::make(folder, &format!("folders {FOLDERS}"))?;
        let mut indexing = Self { rebuilt: Vec::new(), taken_in: Vec::new() };
        for _ in 0..times {
            let begun = Instant::now();
            let call = Call::new(project::release_binary()).words("index rebuild --quiet --fsync --data").arg(folder);
            call.run()?;
            indexing.rebuilt.push(FOLDERS as f64 / begun.elapsed().as_secs_f64());
            forget_index(folder)?;
            let site = Running::start(folder, "--fsync")?;
            indexing.taken_in.push(FOLDERS as f64 / site.began_after.as_secs_f64());
            drop(site);
            forget_index(folder)?;
        }
        println!("bench: folders a second: rebuilt {:.0?}, by a site {:.0?}", indexing.rebuilt, indexing.taken_in);
        fs::remove_dir_all(folder).naming("remove the run folders")?;
        Ok(indexing)
    }
}

fn forget_index(folder: &Path) -> Result<(), Failure> {
    for name in ["index.sqlite", "index.sqlite-wal", "index.sqlite-shm"] {
        match fs::remove_file(folder.join(name)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error).naming("remove the index"),
            _ => {}
        }
    }
    Ok(())
}

/// The same pages with few and with many runs.
struct Growth {
    pages: Vec<Sides>,
    /// After the start, before anybody asked.
    idle_mb: f64,
    /// After all pages were asked for, with few and with many.
    used_mb: (f64, f64),
    many_idle_mb: f64,
    many_began_after: f64,
}

impl Growth {
    fn measure(folder: &Path) -> Result<Self, Failure> {
        let (few, many) = (folder.join("few"), folder.join("many"));
        scale::make(&few, &format!("index {FEW} 40 25"))?;
        scale::make(&many, &format!("index {MANY} 40 25"))?;
        let (few_site, many_site) = (Running::start(&few, "")?, Running::start(&many, "")?);
        let memory = |site: &Running| machine::memory_mb(site.pid(), "VmRSS").unwrap_or(f64::INFINITY);
        let (idle_mb, many_idle_mb) = (memory(&few_site), memory(&many_site));
        let mut pages = Vec::new();
        for (name, path) in GROWING {
            let (few, many) = (|| milliseconds(&few_site, path), || milliseconds(&many_site, path));
            pages.push(Sides::measure(name, ASKED, few, many)?);
        }
        for path in ["/", "/runs", "/board", "/methodology/c3", "/apps?url=https%3A%2F%2Fapp-7.example%2F", "/status"] {
            milliseconds(&few_site, path)?;
            milliseconds(&many_site, path)?;
        }
        let used_mb = (memory(&few_site), memory(&many_site));
        println!("bench: memory: idle {idle_mb:.1} MB and {many_idle_mb:.1} MB, then {used_mb:.1?} MB");
        let many_began_after = many_site.began_after.as_secs_f64();
        drop((few_site, many_site));
        for folder in [few, many] {
            fs::remove_dir_all(folder).naming("remove the runs")?;
        }
        Ok(Self { pages, idle_mb, used_mb, many_idle_mb, many_began_after })
    }
}

fn milliseconds(site: &Running, path: &str) -> Result<f64, Failure> {
    let answer = running::get(site.host(), path, "accept-encoding: gzip\r\n")?;
    match answer.status {
        200 => Ok(answer.until_first_screen.as_secs_f64() * 1000.0),
        status => Err(Failure::check(format!("{path} was answered with {status}"))),
    }
}

/// Pages of runs with few and with many events, each asked for once, so that nothing is in memory.
struct LongRuns {
    pages: Vec<Sides>,
}

impl LongRuns {
    fn measure(folder: &Path) -> Result<Self, Failure> {
        let report = scale::report(&folder.join("report"))?;
        let data = folder.join("data");
        scale::make_events(&data, RUNS, SHORT, &report)?;
        scale::make_events(&data, RUNS, LONG, &report)?;
        let site = Running::start(&data, "")?;
        // The first page of a process pays for what all of them need.
        for path in ["/", "/data", "/methodology"] {
            milliseconds(&site, path)?;
        }
        let mut pages = Vec::new();
        for (name, ending) in OF_A_RUN {
            let ask = |events: usize| {
                let (site, mut numbers) = (&site, 0..RUNS);
                move || {
                    let number = numbers.next().ok_or_else(|| Failure::check("every run is asked for once"))?;
                    milliseconds(site, &format!("/runs/e{events}-{number}{ending}"))
                }
            };
            pages.push(Sides::measure(name, RUNS, ask(SHORT), ask(LONG))?);
        }
        Ok(Self { pages })
    }
}

fn median_of(values: &[f64]) -> Option<f64> {
    median(values.to_vec())
}

fn outcome(indexing: &Indexing, growth: &Growth, long_runs: &LongRuns, lost: usize) -> Outcome {
    let mut table = Table::new(["page", "of", "ms", "of", "ms"]);
    let rows = [(&growth.pages, FEW, MANY, "runs"), (&long_runs.pages, SHORT, LONG, "events")];
    for (pages, small, large, what) in rows {
        for sides in pages {
            table.row([
                sides.page.into(),
                format!("{small} {what}").into(),
                super::measured::optional(median_of(&sides.small)),
                format!("{large} {what}").into(),
                super::measured::optional(median_of(&sides.large)),
            ]);
        }
    }
    let mut verdicts = vec![
        Verdict::at_least("run folders indexed a second, by a rebuild", 1000.0, median_of(&indexing.rebuilt)),
        Verdict::at_least("run folders indexed a second, by a site that starts", 1000.0, median_of(&indexing.taken_in)),
        Verdict::none("suites of kills and power losses in which an acknowledged run was lost", lost),
        Verdict::new("idle memory, MB", 60.0, Some(growth.idle_mb)),
        Verdict::new(
            format!("memory with {MANY} runs, idle or used, MB"),
            300.0,
            Some(growth.many_idle_mb.max(growth.used_mb.1)),
        ),
    ];
    let growing = format!("time with {MANY} runs / with {FEW}");
    verdicts.extend(growth.pages.iter().map(|sides| sides.verdict(&growing, 2.0)));
    let lengthening = format!("first screen with {LONG} events / with {SHORT}");
    verdicts.extend(long_runs.pages.iter().map(|sides| sides.verdict(&lengthening, 5.0)));
    Outcome {
        kind: "index",
        title: format!("an index of {MANY} runs"),
        about: format!(
            "Served by `benchwright serve`, asked by one client on the same machine; SQLite. The runs are spread over 40 tools and 25 prompts, \
             and boards are asked for with a search, so that every answer is made anew. {FOLDERS} run folders are indexed with `--fsync`. Pages of \
             runs with {SHORT} and {LONG} events are asked for once per run. A site with {MANY} runs began after {:.1} s.",
            growth.many_began_after
        ),
        table,
        verdicts,
        raw: Json::object([
            ("rebuilt_per_second", indexing.rebuilt.clone().into()),
            ("taken_in_per_second", indexing.taken_in.clone().into()),
            ("idle_mb", growth.idle_mb.into()),
            ("used_mb", growth.used_mb.0.into()),
            ("many_idle_mb", growth.many_idle_mb.into()),
            ("many_used_mb", growth.used_mb.1.into()),
            ("many_began_after_seconds", growth.many_began_after.into()),
            ("pages", Json::List(growth.pages.iter().map(Sides::to_json).collect())),
            ("long_runs", Json::List(long_runs.pages.iter().map(Sides::to_json).collect())),
        ]),
    }
}
