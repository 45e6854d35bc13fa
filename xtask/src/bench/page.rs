//! A page alone, beside the peer.

use super::measured::{Job, Pair, most, ratio, wall_ratio};
use super::ours::Ours;
use super::{Bench, peer};
use crate::failure::{Failure, Naming};
use crate::json::Json;
use crate::results::{Outcome, Table};
use crate::verdict::Verdict;
use benchwright_fixtures::{Server, Site};

const SCORERS: &str = "f1,f5,c3,c4,c5,c9,v2,v4,s1";
const SAMPLE: &str = "harbor-coffee";
const PROMPT: &str = "id: bench-page
tier: 1
prompt: A landing page for a small coffee roaster by the water.
seo_applicable: [title, meta_description, lang, heading_hierarchy]
";

pub(super) fn run(bench: &Bench) -> Result<Outcome, Failure> {
    let server = Server::start(Site::app(SAMPLE)).naming("serve the sample page")?;
    let prompt = bench.file("bench-page.yaml", PROMPT)?;
    let job = Job { url: &server.url(), scorers: SCORERS, prompt: &prompt, source: None, accounts: None };
    let pairs = bench.beside_the_peer(&job)?;
    let ours_version = Ours::version_seconds(10)?;
    let peer_version = bench.peer()?.version_seconds(3)?;
    Ok(Outcome {
        kind: "page",
        title: format!("scoring a page, beside {}", peer::VERSION),
        about: format!(
            "{} interleaved pairs on the sample page `{SAMPLE}`, scorers {SCORERS}, three Lighthouse runs each, on the same Node \
             and Chromium, after one uncounted run of each. Our Lighthouse runs compute the performance category only and take no \
             full-page screenshot; the peer's compute four categories.",
            pairs.len()
        ),
        table: table(&pairs),
        verdicts: verdicts(&pairs, ours_version),
        raw: Json::object([
            ("peer", peer::VERSION.into()),
            ("version_seconds", Json::object([("ours", ours_version.into()), ("peer", peer_version.into())])),
            ("pairs", Json::List(pairs.iter().map(Pair::to_json).collect())),
        ]),
    })
}

/// Time and memory of both, pair by pair.
pub(super) fn table(pairs: &[Pair]) -> Table {
    let mut table = Table::new([
        "pair",
        "ours, wall s",
        "peer, wall s",
        "ours outside Lighthouse s",
        "peer outside Lighthouse s",
        "ours, own MB",
        "ours with Node MB",
        "peer's Node MB",
    ]);
    for (number, Pair { ours, peer }) in (1_usize..).zip(pairs) {
        table.row([
            number.into(),
            ours.wall_seconds.into(),
            peer.wall_seconds.into(),
            super::measured::optional(ours.outside_lighthouse()),
            super::measured::optional(peer.outside_lighthouse()),
            ours.own_peak_mb.into(),
            ours.with_node_peak_mb.into(),
            peer.own_peak_mb.into(),
        ]);
    }
    table
}

fn verdicts(pairs: &[Pair], our_version_seconds: f64) -> Vec<Verdict> {
    let outside = |pair: &Pair| Some(pair.ours.outside_lighthouse()? / pair.peer.outside_lighthouse()?);
    let memory = |pair: &Pair| Some(pair.ours.with_node_peak_mb / pair.peer.own_peak_mb);
    vec![
        Verdict::new("wall time, ours / peer", 0.6, wall_ratio(pairs)),
        Verdict::new("time outside Lighthouse, ours / peer", 0.35, ratio(pairs, outside)),
        Verdict::new("peak memory of our process, MB", 60.0, most(pairs, |pair| pair.ours.own_peak_mb)),
        Verdict::new("peak memory with Node, ours / peer", 0.7, ratio(pairs, memory)),
        Verdict::new("`--version`, seconds", 0.03, Some(our_version_seconds)),
    ]
}
