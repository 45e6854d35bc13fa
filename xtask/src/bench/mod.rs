//! `cargo xtask bench`: our `score` beside the peer's, on the same page, with the same scorers, run in turn.

mod memory;
mod ours;
mod peer;
mod targets;

use crate::arguments::Arguments;
use crate::failure::{Done, Failure, Naming};
use crate::json::Json;
use crate::project::{self, Scratch};
use crate::{calendar, demo, machine, results, setup};
use benchwright_fixtures::{Server, Site};
use memory::Watched;
use targets::Pair;

pub(crate) const SCORERS: &str = "f1,f5,c3,c4,c5,c9,v2,v4,s1";
const SAMPLE: &str = "harbor-coffee";

/// One run of one system.
#[derive(Debug, Clone)]
pub(crate) struct Measured {
    wall_seconds: f64,
    lighthouse_seconds: Option<f64>,
    lighthouse_runs: usize,
    own_peak_mb: f64,
    with_node_peak_mb: f64,
    scores: Json,
}

impl Measured {
    fn new(watched: &Watched, lighthouse: &[f64], scores: Json) -> Self {
        Self {
            wall_seconds: watched.seconds,
            lighthouse_seconds: (!lighthouse.is_empty()).then(|| lighthouse.iter().sum()),
            lighthouse_runs: lighthouse.len(),
            own_peak_mb: watched.own_peak_mb,
            with_node_peak_mb: watched.with_node_peak_mb,
            scores,
        }
    }

    /// Wall time minus the sum of the Lighthouse runs.
    fn outside_lighthouse(&self) -> Option<f64> {
        self.lighthouse_seconds.map(|seconds| self.wall_seconds - seconds)
    }

    fn to_json(&self) -> Json {
        Json::object([
            ("wall_seconds", self.wall_seconds.into()),
            ("lighthouse_seconds", self.lighthouse_seconds.map_or(Json::Null, Json::from)),
            ("lighthouse_runs", self.lighthouse_runs.into()),
            ("outside_lighthouse_seconds", self.outside_lighthouse().map_or(Json::Null, Json::from)),
            ("own_peak_mb", self.own_peak_mb.into()),
            ("with_node_peak_mb", self.with_node_peak_mb.into()),
            ("scores", self.scores.clone()),
        ])
    }
}

pub fn run(mut arguments: Arguments) -> Done {
    let pairs = arguments.number("--pairs", 3)?.max(1);
    arguments.finish()?;
    if !cfg!(target_os = "linux") {
        return Err(Failure::environment("the bench reads /proc and runs on Linux only"));
    }
    // Before anything is built, so that the load is the machine's own.
    let machine = machine::describe();
    setup::install_missing()?;
    demo::build_release()?;
    let scratch = Scratch::new("bench")?;
    let peer = peer::Peer::install(&scratch.path().join("peer"))?;
    let server = Server::start(Site::app(SAMPLE)).naming("serve the sample app")?;
    let ours = ours::Ours::new(scratch.path().join("ours"));
    println!("bench: one run of each to warm the file cache, not counted");
    ours.score(&server.url())?;
    peer.score(&server.url())?;
    let measured = measure(pairs, &ours, &peer, &server.url())?;
    let versions = [("ours", ours::Ours::version_seconds(10)?), ("peer", peer.version_seconds(3)?)];
    let verdicts = targets::judge(&measured, versions[0].1);
    for verdict in &verdicts {
        println!("bench: {verdict}");
    }
    let result = Json::object([
        ("kind", "score".into()),
        ("date", calendar::today().into()),
        ("benchwright", project::version()?.into()),
        ("peer", peer::VERSION.into()),
        ("page", SAMPLE.into()),
        ("scorers", SCORERS.into()),
        ("machine", machine),
        ("version_seconds", Json::object(versions.map(|(name, seconds)| (name, seconds.into())))),
        ("pairs", Json::List(measured.iter().map(Pair::to_json).collect())),
        ("targets", Json::List(verdicts.iter().map(targets::Verdict::to_json).collect())),
    ]);
    results::keep("score", &result)
}

/// Pairs with the order turned round each time, so that neither system always runs on the warmer machine.
fn measure(pairs: usize, ours: &ours::Ours, peer: &peer::Peer, url: &str) -> Result<Vec<Pair>, Failure> {
    let mut measured = Vec::new();
    for number in 0..pairs {
        let pair = if number % 2 == 0 {
            let ours = ours.score(url)?;
            Pair { peer: peer.score(url)?, ours }
        } else {
            let peer = peer.score(url)?;
            Pair { ours: ours.score(url)?, peer }
        };
        println!(
            "bench: pair {} of {pairs}: ours {:.1} s, peer {:.1} s",
            number + 1,
            pair.ours.wall_seconds,
            pair.peer.wall_seconds
        );
        measured.push(pair);
    }
    Ok(measured)
}

/// The shortest of several runs of `--version`, in seconds.
pub(crate) fn best_of(runs: usize, mut run: impl FnMut() -> Done) -> Result<f64, Failure> {
    let mut best = f64::INFINITY;
    for _ in 0..runs {
        let started = std::time::Instant::now();
        run()?;
        best = best.min(started.elapsed().as_secs_f64());
    }
    Ok(best)
}
