//! How much C4 varies from run to run on this machine.

use super::Soak;
use crate::bench::Sample;
use crate::call::Call;
use crate::failure::{Failure, Naming};
use crate::json::Json;
use crate::project;
use crate::results::{Outcome, Table};
use crate::verdict::median;
use benchwright_fixtures::{Server, Site};
use std::path::Path;

pub(super) fn run(soak: &Soak) -> Result<Outcome, Failure> {
    let sample = Sample::build(&soak.scratch.path().join("sample-c4"))?;
    let pages = [("slipway", Site::folder(&sample.built)), ("laden", laden())];
    let mut table = Table::new(["page", "runs", "5 %", "median", "95 %"]);
    let mut raw = Vec::new();
    for (name, site) in pages {
        let server = Server::start(site).naming("serve a page for Lighthouse")?;
        let scores = scores(soak, name, &server.url())?;
        let points = |share: f64| quantile(&scores, share).map_or(Json::Null, |score| (score * 100.0).into());
        let middle = median(scores.clone()).map_or(Json::Null, |score| (score * 100.0).into());
        table.row([name.into(), scores.len().into(), points(0.05), middle, points(0.95)]);
        raw.push(Json::object([("page", name.into()), ("scores", scores.into())]));
    }
    Ok(Outcome {
        kind: "c4",
        title: "how much C4 varies".to_owned(),
        about: format!(
            "C4 of two pages, {} times each, of three Lighthouse runs a time, in points of 100: `slipway`, a small app made with React, \
             and `laden`, a page whose script blocks it and whose layout shifts.",
            soak.repeats
        ),
        table,
        verdicts: Vec::new(),
        raw: Json::List(raw),
    })
}

fn scores(soak: &Soak, name: &str, url: &str) -> Result<Vec<f64>, Failure> {
    let out = soak.scratch.path().join("c4");
    let mut scores = Vec::new();
    for number in 1..=soak.repeats {
        score(url, &out).run()?;
        let report = Json::read(&out.join("report.json"))?;
        let _ = std::fs::remove_dir_all(&out);
        let score = report.number("scorers.c4.score");
        println!("soak: C4 of {name} {number} of {}: {score:?}", soak.repeats);
        scores.push(score.ok_or_else(|| {
            let reason = report.text("scorers.c4.reason").unwrap_or("it does not say why");
            Failure::check(format!("a run came to no C4: {reason}"))
        })?);
    }
    Ok(scores)
}

fn score(url: &str, out: &Path) -> Call {
    let call = Call::new(project::release_binary()).arg("score").arg(url);
    call.words("--quiet --no-judges --only c4 --out").arg(out)
}

/// The value below which this share of the values lies, between neighbours where it falls between them.
fn quantile(values: &[f64], share: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = share * (sorted.len().checked_sub(1)? as f64);
    let (below, above) = (place.floor() as usize, place.ceil() as usize);
    Some(sorted[below] + (sorted[above] - sorted[below]) * place.fract())
}

/// A page in the middle of the scale: half a megabyte of script, long tasks, and a banner that pushes the text down.
fn laden() -> Site {
    let page = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
        <title>A laden page for Lighthouse</title><script src=\"/laden.js\"></script></head><body><h1>Laden</h1>\
        <p>Everything on this page waits for its script.</p></body></html>";
    let work = "const until = performance.now() + 180; while (performance.now() < until) Math.sqrt(until);\
        setTimeout(() => { const end = performance.now() + 120; while (performance.now() < end) Math.sqrt(end);\
        const banner = document.createElement('div'); banner.style.height = '160px'; banner.textContent = 'A banner';\
        document.body.prepend(banner); }, 400);\n";
    let ballast = "/* A line of ballast, which nobody needs but the parser. */ void 'ballast';\n".repeat(7000);
    Site::html(page).page("/laden.js", "text/javascript; charset=utf-8", ballast + work)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_neighbours() {
        let values: Vec<f64> = (0..21).rev().map(f64::from).collect();
        assert_eq!(quantile(&values, 0.05), Some(1.0));
        assert_eq!(quantile(&values, 0.95), Some(19.0));
        assert_eq!(quantile(&[1.0, 2.0], 0.25), Some(1.25));
        assert_eq!(quantile(&[], 0.5), None);
    }
}
