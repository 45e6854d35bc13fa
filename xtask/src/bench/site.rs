//! Pages of the site beside nginx serving the same bytes as files.

use super::load::{self, CONNECTIONS, Fastest, Steady, Target};
use super::measured::alternate;
use super::nginx::Nginx;
use super::{Bench, scale};
use crate::failure::Failure;
use crate::json::Json;
use crate::results::{Outcome, Table};
use crate::running::{self, Running};
use crate::verdict::{Verdict, median};
use std::path::Path;

/// Each turn, as fast as it goes and at a rate.
const SECONDS: usize = 5;
const ROWS: usize = 1000;

/// A page, and what nginx calls the file with its bytes.
struct Page {
    name: &'static str,
    path: &'static str,
    file: &'static str,
}

const PAGES: [Page; 2] = [
    Page { name: "board", path: "/board?prompt=prompt-0", file: "/board.html" },
    Page { name: "report", path: "/runs/e20-0", file: "/report.html" },
];

/// As a browser asks, and as a simple program does.
const CODINGS: [(&str, &str); 2] = [("gzip", "gzip"), ("plain", "identity")];

/// One page in one form, measured on both sides.
struct Compared {
    name: String,
    bytes: usize,
    fastest: Vec<(Fastest, Fastest)>,
    /// At half of our median rate.
    steady: Vec<(Steady, Steady)>,
}

pub(super) fn run(bench: &Bench) -> Result<Outcome, Failure> {
    load::install()?;
    scale::build()?;
    let folder = bench.scratch.path().join("site");
    make_data(&folder)?;
    let site = Running::start(&folder.join("data"), "")?;
    let nginx = Nginx::start(&folder.join("nginx"))?;
    let mut compared = Vec::new();
    for page in &PAGES {
        let bytes = publish(&site, &nginx, page)?;
        for ((coding, accepted), bytes) in CODINGS.into_iter().zip(bytes) {
            let name = format!("{}, {coding}", page.name);
            println!("bench: {name}, {bytes} bytes");
            compared.push(compare(bench, &site, &nginx, page, accepted, name, bytes)?);
        }
    }
    Ok(outcome(&compared, &nginx.version()))
}

fn make_data(folder: &Path) -> Result<(), Failure> {
    let report = scale::report(&folder.join("report"))?;
    scale::make(&folder.join("data"), &format!("index {} {ROWS} 1", 3 * ROWS))?;
    scale::make_events(&folder.join("data"), 1, 20, &report)
}

/// Gives nginx the very bytes the site sends, and makes sure that it sends them too.
fn publish(site: &Running, nginx: &Nginx, page: &Page) -> Result<[usize; 2], Failure> {
    let ask = |host: &str, path: &str, accepted: &str| {
        let answer = running::get(host, path, &format!("accept-encoding: {accepted}\r\n"))?;
        match answer.status {
            200 => Ok(answer.body),
            status => Err(Failure::check(format!("{path} was answered with {status}"))),
        }
    };
    let [gzip, plain] = CODINGS.map(|(_, accepted)| ask(site.host(), page.path, accepted));
    let (gzip, plain) = (gzip?, plain?);
    if page.name == "board" && String::from_utf8_lossy(&plain).matches("<tr>").count() != ROWS + 1 {
        return Err(Failure::check(format!("the board has not {ROWS} rows")));
    }
    nginx.put(page.file.trim_start_matches('/'), &plain, &gzip)?;
    for (accepted, bytes) in [("gzip", &gzip), ("identity", &plain)] {
        if ask(&nginx.host(), page.file, accepted)? != *bytes {
            return Err(Failure::check(format!("nginx does not send the same bytes for {}", page.path)));
        }
    }
    Ok([gzip.len(), plain.len()])
}

fn compare(
    bench: &Bench,
    site: &Running,
    nginx: &Nginx,
    page: &Page,
    coding: &str,
    name: String,
    bytes: usize,
) -> Result<Compared, Failure> {
    let host = nginx.host();
    let ours = Target { host: site.host(), path: page.path, coding };
    let theirs = Target { host: &host, path: page.file, coding };
    for target in [ours, theirs] {
        load::fastest(target, 1)?;
    }
    let said = |number: usize, ours: &Fastest, theirs: &Fastest| {
        let (ours, theirs) = (ours.per_second, theirs.per_second);
        println!("bench: pair {number}: ours {ours:.0}/s, nginx {theirs:.0}/s, ratio {:.2}", ours / theirs);
    };
    let fastest = alternate(bench.pairs, || load::fastest(ours, SECONDS), || load::fastest(theirs, SECONDS), said)?;
    let rate = median(fastest.iter().map(|(ours, _)| ours.per_second / 2.0).collect());
    let rate = rate.ok_or_else(|| Failure::check("no rate was measured"))?;
    let said = |number: usize, ours: &Steady, theirs: &Steady| {
        let (at, ours, theirs) = (ours.per_second, ours.p99_ms, theirs.p99_ms);
        println!("bench: pair {number} at {at:.0}/s: p99 ours {ours:.2} ms, nginx {theirs:.2} ms");
    };
    let seconds = SECONDS as f64;
    let steady =
        alternate(bench.pairs, || load::steady(ours, rate, seconds), || load::steady(theirs, rate, seconds), said)?;
    Ok(Compared { name, bytes, fastest, steady })
}

impl Compared {
    fn rate_ratio(&self) -> Option<f64> {
        median(self.fastest.iter().map(|(ours, theirs)| ours.per_second / theirs.per_second).collect())
    }

    fn p99_ratio(&self) -> Option<f64> {
        median(self.steady.iter().map(|(ours, theirs)| ours.p99_ms / theirs.p99_ms).collect())
    }

    fn verdicts(&self) -> [Verdict; 2] {
        [
            Verdict::at_least(format!("{}: requests a second, ours / nginx", self.name), 0.7, self.rate_ratio()),
            Verdict::new(
                format!("{}: p99 at half of our largest rate, ours / nginx", self.name),
                3.0,
                self.p99_ratio(),
            ),
        ]
    }

    fn to_json(&self) -> Json {
        let fastest =
            |side: &Fastest| Json::object([("per_second", side.per_second.into()), ("p99_ms", side.p99_ms.into())]);
        let steady = |side: &Steady| {
            Json::object([
                ("per_second", side.per_second.into()),
                ("p50_ms", side.p50_ms.into()),
                ("p99_ms", side.p99_ms.into()),
            ])
        };
        let pairs = |pairs: Vec<(Json, Json)>| {
            Json::List(
                pairs.into_iter().map(|(ours, nginx)| Json::object([("ours", ours), ("nginx", nginx)])).collect(),
            )
        };
        Json::object([
            ("page", self.name.as_str().into()),
            ("bytes", self.bytes.into()),
            ("fastest", pairs(self.fastest.iter().map(|(ours, theirs)| (fastest(ours), fastest(theirs))).collect())),
            ("steady", pairs(self.steady.iter().map(|(ours, theirs)| (steady(ours), steady(theirs))).collect())),
        ])
    }
}

fn outcome(compared: &[Compared], nginx: &str) -> Outcome {
    let mut table = Table::new([
        "page",
        "KB",
        "ours, requests/s",
        "nginx, requests/s",
        "at a rate of",
        "ours, p50 ms",
        "nginx, p50 ms",
        "ours, p99 ms",
        "nginx, p99 ms",
    ]);
    for one in compared {
        let fastest = |of: fn(&(Fastest, Fastest)) -> f64| median(one.fastest.iter().map(of).collect());
        let steady = |of: fn(&(Steady, Steady)) -> f64| median(one.steady.iter().map(of).collect());
        let whole = |value: Option<f64>| value.map_or(Json::Null, |value| value.round().into());
        let optional = super::measured::optional;
        table.row([
            one.name.as_str().into(),
            (one.bytes as f64 / 1000.0).into(),
            whole(fastest(|pair| pair.0.per_second)),
            whole(fastest(|pair| pair.1.per_second)),
            whole(steady(|pair| pair.0.per_second)),
            optional(steady(|pair| pair.0.p50_ms)),
            optional(steady(|pair| pair.1.p50_ms)),
            optional(steady(|pair| pair.0.p99_ms)),
            optional(steady(|pair| pair.1.p99_ms)),
        ]);
    }
    Outcome {
        kind: "site",
        title: format!("pages of the site, beside {nginx}"),
        about: format!(
            "A board of {ROWS} rows and a report page, served by `benchwright serve` and, as files with the same bytes, by {nginx} with two \
             workers, sendfile, open files kept and `gzip_static`. Client on the same machine, alternating, {CONNECTIONS} connections, \
             {SECONDS} s each: wrk for the largest rate; for the p99 a client whose requests have their moments whatever becomes of the \
             answers. Medians.",
        ),
        table,
        verdicts: compared.iter().flat_map(Compared::verdicts).collect(),
        raw: Json::List(compared.iter().map(Compared::to_json).collect()),
    }
}
