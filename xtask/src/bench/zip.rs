//! A whole run with the app's source, beside the peer.

use super::measured::{Job, Pair, most, unscored, wall_ratio};
use super::{Bench, page, peer};
use crate::failure::{Failure, Naming};
use crate::json::Json;
use crate::results::Outcome;
use crate::verdict::Verdict;
use benchwright_fixtures::{Server, Site};

/// Everything but judges and the backend track.
pub(super) const SCORERS: &str = "f1,f2,f5,f6,c1,c2,c3,c4,c5,c6,c8,c9,v2,v4,s1,s2,s3";

pub(super) fn run(bench: &Bench) -> Result<Outcome, Failure> {
    let sample = bench.sample()?;
    let server = Server::start(Site::folder(&sample.built)).naming("serve the built app")?;
    let pairs = bench.beside_the_peer(&Job {
        url: &server.url(),
        scorers: SCORERS,
        prompt: &sample.prompt,
        source: Some(&sample.zip),
        accounts: None,
    })?;
    Ok(Outcome {
        kind: "zip",
        title: format!("a whole run with the source, beside {}", peer::VERSION),
        about: format!(
            "{} interleaved pairs on the built sample app `{}` with its source as a ZIP and its prompt, scorers {SCORERS}, three Lighthouse \
             runs each, no judges. Both run on the same Node, npm and Chromium, each with a package cache that one uncounted run has \
             filled from the same registry. {}",
            pairs.len(),
            super::sample::NAME,
            unscored(&pairs)
        ),
        table: page::table(&pairs),
        verdicts: vec![
            Verdict::new("wall time with source, ours / peer", 0.5, wall_ratio(&pairs)),
            Verdict::new("peak memory of our process, MB", 120.0, most(&pairs, |pair| pair.ours.own_peak_mb)),
        ],
        raw: Json::object([
            ("peer", peer::VERSION.into()),
            ("pairs", Json::List(pairs.iter().map(Pair::to_json).collect())),
        ]),
    })
}
