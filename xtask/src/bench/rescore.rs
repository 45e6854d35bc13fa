//! The report again, from evidence alone.

use super::measured::Job;
use super::{Bench, zip};
use crate::call::Call;
use crate::failure::{Failure, Naming};
use crate::json::Json;
use crate::project;
use crate::results::{Outcome, Table};
use crate::verdict::{Verdict, median};
use benchwright_fixtures::{Server, Site};
use std::time::Instant;

const TIMES: usize = 20;

pub(super) fn run(bench: &Bench) -> Result<Outcome, Failure> {
    let sample = bench.sample()?;
    let server = Server::start(Site::folder(&sample.built)).naming("serve the built app")?;
    println!("bench: one whole run to score again");
    bench.ours.score(&Job {
        url: &server.url(),
        scorers: zip::SCORERS,
        prompt: &sample.prompt,
        source: Some(&sample.zip),
        accounts: None,
    })?;
    drop(server);
    let mut seconds = Vec::new();
    for _ in 0..TIMES {
        let started = Instant::now();
        Call::new(project::release_binary()).arg("rescore").arg(bench.ours.out()).arg("--quiet").run()?;
        seconds.push(started.elapsed().as_secs_f64());
    }
    let milliseconds = median(seconds.clone()).map(|seconds| seconds * 1000.0);
    Ok(Outcome {
        kind: "rescore",
        title: "scoring a run again".to_owned(),
        about: format!(
            "`benchwright rescore` {TIMES} times on a whole run of the sample app `{}` with source and prompt: the whole process, three \
             reports written.",
            super::sample::NAME
        ),
        table: Table::default(),
        verdicts: vec![Verdict::new("rescore, milliseconds (median)", 100.0, milliseconds)],
        raw: Json::object([("seconds", seconds.into())]),
    })
}
