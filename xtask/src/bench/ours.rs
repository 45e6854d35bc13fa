//! Our side of the bench.

use super::best_of;
use super::measured::{Job, Measured};
use super::memory;
use crate::call::Call;
use crate::failure::{Failure, Naming};
use crate::json::Json;
use crate::project;
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) struct Ours {
    folder: PathBuf,
}

impl Ours {
    /// `folder` holds reports, accounts and the cache of packages, so that nothing is taken over from earlier days.
    pub fn new(folder: PathBuf) -> Result<Self, Failure> {
        fs::create_dir_all(&folder).naming("make a folder for our runs")?;
        Ok(Self { folder })
    }

    /// Where the last run is.
    pub fn out(&self) -> PathBuf {
        self.folder.join("out")
    }

    pub fn score(&self, job: &Job<'_>) -> Result<Measured, Failure> {
        if self.out().exists() {
            fs::remove_dir_all(self.out()).naming("clear the last run")?;
        }
        let mut call = Call::new(project::release_binary())
            .arg("score")
            .arg(job.url)
            .words("--quiet --no-judges --only")
            .arg(job.scorers)
            .arg("--prompt")
            .arg(job.prompt)
            .arg("--out")
            .arg(self.out())
            .env("XDG_CACHE_HOME", self.folder.join("cache"));
        if let Some(source) = job.source {
            call = call.arg("--source").arg(source);
        }
        if let Some(accounts) = job.accounts {
            let file = self.folder.join("accounts.yaml");
            fs::write(&file, accounts.yaml(0)).naming("write the accounts")?;
            call = call.arg("--accounts").arg(file);
        }
        let watched = memory::watch(call.into_command())?;
        if !watched.status.success() {
            return Err(Failure::check(format!("our own run ended with {}", watched.status)));
        }
        let report = Json::read(&self.out().join("report.json"))?;
        let score_of = |id: &str| report.number(&format!("scorers.{id}.score"));
        let mut measured = Measured::new(&watched, job.scorers, score_of);
        measured.lighthouse_seconds = report.number("scorers.c4.details.facts.run_seconds_total");
        measured.lighthouse_runs = report.number("scorers.c4.details.facts.runs").unwrap_or(0.0) as usize;
        Ok(measured)
    }

    /// When the last run had these kinds of evidence, in seconds from its start.
    pub fn gathered_after(&self, kinds: &[&str]) -> Result<f64, Failure> {
        let mut runs = fs::read_dir(self.out().join("runs")).naming("find the last run")?.flatten();
        let run = runs.next().ok_or_else(|| Failure::check("there is no run"))?.path();
        last_of(&run.join("log"), kinds)
    }

    pub fn version_seconds(runs: usize) -> Result<f64, Failure> {
        best_of(runs, || Call::new(project::release_binary()).arg("--version").text().map(|_| ()))
    }
}

/// The latest moment at which one of these kinds of evidence was logged; all of them must be there.
fn last_of(log: &Path, kinds: &[&str]) -> Result<f64, Failure> {
    let text = fs::read_to_string(log).naming("read the log of the run")?;
    // A frame is a checksum, a length and the event.
    let events = text.lines().filter_map(|line| Json::parse(line.splitn(3, ' ').nth(2)?).ok());
    let evidence: Vec<Json> = events.filter(|event| event.text("body.event") == Some("evidence")).collect();
    let mut latest: f64 = 0.0;
    for kind in kinds {
        let found = evidence.iter().find(|event| event.text("body.kind") == Some(kind));
        let at = found.and_then(|event| event.number("at_ms"));
        latest = latest.max(at.ok_or_else(|| Failure::check(format!("the run has no evidence of {kind}")))?);
    }
    Ok(latest / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_of_the_kinds_counts_and_none_may_be_missing() {
        let scratch = project::Scratch::new("log").unwrap();
        let log = scratch.path().join("log");
        let event = |kind: &str, at: u32| {
            format!(r#"0 0 {{"at_ms":{at},"body":{{"event":"evidence","kind":"{kind}"}}}}"#) + "\n"
        };
        fs::write(&log, event("lint", 1200) + &event("types", 2400) + &event("axe", 9000)).unwrap();
        assert_eq!(last_of(&log, &["lint", "types"]).unwrap(), 2.4);
        assert!(last_of(&log, &["lint", "patterns"]).unwrap_err().message.contains("patterns"));
    }
}
