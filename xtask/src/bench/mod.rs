//! `cargo xtask bench`: our program beside the peer's, or beside the bare tools it is made of, run in turn on the same input.

mod analysis;
mod archive;
mod backend;
mod index;
mod load;
mod measured;
mod memory;
mod nginx;
mod observation;
mod ours;
mod page;
mod peer;
mod quiz_extraction;
mod quiz_page;
mod quiz_server;
mod rescore;
mod sample;
mod scale;
mod scan;
mod site;
mod source;
mod tree;
mod turnover;
mod walks;
mod zip;

pub(crate) use sample::Sample;

use crate::arguments::Arguments;
use crate::failure::{Done, Failure, Naming};
use crate::project::Scratch;
use crate::results::Outcome;
use crate::{demo, machine, setup};
use measured::{Job, Pair};
use std::cell::OnceCell;
use std::path::PathBuf;

struct Scenario {
    name: &'static str,
    /// Whether it runs the program itself, which takes long to build.
    needs_program: bool,
    run: fn(&Bench) -> Result<Outcome, Failure>,
}

const SCENARIOS: [Scenario; 15] = [
    Scenario { name: "page", needs_program: true, run: page::run },
    Scenario { name: "zip", needs_program: true, run: zip::run },
    Scenario { name: "backend", needs_program: true, run: backend::run },
    Scenario { name: "source", needs_program: true, run: source::run },
    Scenario { name: "scan", needs_program: true, run: scan::run },
    Scenario { name: "rescore", needs_program: true, run: rescore::run },
    Scenario { name: "analysis", needs_program: false, run: analysis::run },
    Scenario { name: "observation", needs_program: false, run: observation::run },
    Scenario { name: "walks", needs_program: true, run: walks::run },
    Scenario { name: "turnover", needs_program: false, run: turnover::run },
    Scenario { name: "site", needs_program: true, run: site::run },
    Scenario { name: "index", needs_program: true, run: index::run },
    Scenario { name: "quiz-extraction", needs_program: true, run: quiz_extraction::run },
    Scenario { name: "quiz-page", needs_program: true, run: quiz_page::run },
    Scenario { name: "quiz-server", needs_program: true, run: quiz_server::run },
];

pub fn run(mut arguments: Arguments) -> Done {
    let pairs = arguments.number("--pairs", 3)?.max(1);
    let names = SCENARIOS.map(|scenario| scenario.name);
    let chosen = arguments.choice("--only", &names)?;
    arguments.finish()?;
    if !cfg!(target_os = "linux") {
        return Err(Failure::environment("the bench reads /proc and runs on Linux only"));
    }
    // Before anything is built, so that the load is the machine's own.
    let machine = machine::describe();
    let chosen: Vec<&Scenario> = SCENARIOS.iter().filter(|scenario| chosen.contains(&scenario.name)).collect();
    if chosen.iter().any(|scenario| scenario.needs_program) {
        setup::install_missing()?;
        demo::build_release()?;
    }
    let bench = Bench::new(pairs)?;
    for scenario in chosen {
        println!("bench: {}", scenario.name);
        (scenario.run)(&bench)?.keep(&machine)?;
    }
    Ok(())
}

/// What the scenarios share; what only some of them need is made when the first of them asks for it.
struct Bench {
    scratch: Scratch,
    pairs: usize,
    ours: ours::Ours,
    peer: OnceCell<peer::Peer>,
    sample: OnceCell<Sample>,
}

impl Bench {
    fn new(pairs: usize) -> Result<Self, Failure> {
        let scratch = Scratch::new("bench")?;
        let ours = ours::Ours::new(scratch.path().join("ours"))?;
        Ok(Self { scratch, pairs, ours, peer: OnceCell::new(), sample: OnceCell::new() })
    }

    fn peer(&self) -> Result<&peer::Peer, Failure> {
        made(&self.peer, || peer::Peer::install(&self.scratch.path().join("peer")))
    }

    fn sample(&self) -> Result<&Sample, Failure> {
        made(&self.sample, || Sample::build(&self.scratch.path().join("sample")))
    }

    fn file(&self, name: &str, text: &str) -> Result<PathBuf, Failure> {
        let file = self.scratch.path().join(name);
        std::fs::write(&file, text).naming("write a file for the bench")?;
        Ok(file)
    }

    /// Both systems on the same job: one run of each to warm caches, then the pairs that count.
    fn beside_the_peer(&self, job: &Job<'_>) -> Result<Vec<Pair>, Failure> {
        let peer = self.peer()?;
        println!("bench: one run of each to warm the caches, not counted");
        self.ours.score(job)?;
        peer.score(job)?;
        let said = |number: usize, ours: &measured::Measured, peer: &measured::Measured| {
            let (ours, peer, pairs) = (ours.wall_seconds, peer.wall_seconds, self.pairs);
            println!("bench: pair {number} of {pairs}: ours {ours:.1} s, peer {peer:.1} s");
        };
        let pairs = measured::alternate(self.pairs, || self.ours.score(job), || peer.score(job), said)?;
        Ok(pairs.into_iter().map(|(ours, peer)| Pair { ours, peer }).collect())
    }
}

fn made<T>(cell: &OnceCell<T>, make: impl FnOnce() -> Result<T, Failure>) -> Result<&T, Failure> {
    if let Some(value) = cell.get() {
        return Ok(value);
    }
    let value = make()?;
    Ok(cell.get_or_init(|| value))
}

/// The shortest of several runs, in seconds.
fn best_of(runs: usize, mut run: impl FnMut() -> Done) -> Result<f64, Failure> {
    let mut best = f64::INFINITY;
    for _ in 0..runs {
        let started = std::time::Instant::now();
        run()?;
        best = best.min(started.elapsed().as_secs_f64());
    }
    Ok(best)
}
