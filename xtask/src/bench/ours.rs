//! Our side of the bench.

use super::memory::{self, Watched};
use super::{Measured, SCORERS, best_of};
use crate::call::Call;
use crate::failure::{Failure, Naming};
use crate::json::Json;
use crate::project;
use std::path::PathBuf;

pub(crate) struct Ours {
    out: PathBuf,
}

impl Ours {
    pub fn new(out: PathBuf) -> Self {
        Self { out }
    }

    pub fn score(&self, url: &str) -> Result<Measured, Failure> {
        if self.out.exists() {
            std::fs::remove_dir_all(&self.out).naming("clear the last run")?;
        }
        let call = Call::new(project::release_binary()).arg("score").arg(url).words("--quiet --only").arg(SCORERS);
        let watched = memory::watch(call.arg("--out").arg(&self.out).into_command())?;
        let report = Json::read(&self.out.join("report.json"))?;
        measured(&watched, &report)
    }

    pub fn version_seconds(runs: usize) -> Result<f64, Failure> {
        best_of(runs, || Call::new(project::release_binary()).arg("--version").text().map(|_| ()))
    }
}

fn measured(watched: &Watched, report: &Json) -> Result<Measured, Failure> {
    if !watched.status.success() {
        return Err(Failure::check(format!("our own run ended with {}", watched.status)));
    }
    let total = report.number("scorers.c4.details.facts.run_seconds_total");
    let runs = report.number("scorers.c4.details.facts.runs").unwrap_or(0.0) as usize;
    let scores = SCORERS.split(',').map(|id| {
        let score = report.number(&format!("scorers.{id}.score")).map_or(Json::Null, Json::Number);
        (id.to_owned(), score)
    });
    let mut measured = Measured::new(watched, &[], Json::Object(scores.collect()));
    measured.lighthouse_seconds = total;
    measured.lighthouse_runs = runs;
    Ok(measured)
}
