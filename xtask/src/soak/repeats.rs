//! The deterministic scorers, bit for bit the same every time.

use super::subject::Subject;
use super::{Soak, difference, verdicts};
use crate::failure::Failure;
use crate::json::Json;
use crate::results::{Outcome, Table};
use crate::verdict::Verdict;
use std::path::Path;
use std::time::{Duration, Instant};

/// What several undisturbed runs of one app said.
pub(super) struct Repeated {
    pub first: Json,
    pub differing: Vec<String>,
    /// The longest of the runs: kills are spread over this time.
    pub longest: Duration,
}

pub(super) fn run(soak: &Soak) -> Result<Outcome, Failure> {
    let mut table = Table::new(["app", "runs", "differing", "longest, s"]);
    let (mut verdicts, mut raw, mut about) = (Vec::new(), Vec::new(), Vec::new());
    for mut subject in [Subject::with_packages(soak)?, Subject::with_accounts()?] {
        let repeated = repeat(soak.repeats, &mut subject, soak.scratch.path())?;
        let (count, longest) = (repeated.differing.len(), repeated.longest.as_secs_f64());
        table.row([subject.name.into(), soak.repeats.into(), count.into(), longest.into()]);
        verdicts.push(Verdict::none(format!("runs of {} that differ from the first", subject.name), count));
        about.push(format!("`{}` with {}", subject.name, subject.scorers));
        raw.push(Json::object([
            ("app", subject.name.into()),
            ("scorers", subject.scorers.into()),
            ("differing", repeated.differing.into()),
            ("longest_seconds", longest.into()),
        ]));
    }
    Ok(Outcome {
        kind: "repeats",
        title: "the same app many times".to_owned(),
        about: format!(
            "Each app scored {} times with source and prompt, the second also with accounts and started anew for every run: {}. All that a scorer says is compared, with \
             every detail; only the seconds it took are not.",
            soak.repeats,
            about.join("; ")
        ),
        table,
        verdicts,
        raw: Json::List(raw),
    })
}

/// Scores an app several times and compares every run with the first.
pub(super) fn repeat(count: usize, subject: &mut Subject, scratch: &Path) -> Result<Repeated, Failure> {
    let mut repeated = Repeated { first: Json::Null, differing: Vec::new(), longest: Duration::ZERO };
    for number in 1..=count {
        let out = scratch.join(format!("repeat-{number}"));
        subject.begin_anew()?;
        let started = Instant::now();
        subject.score(&out, scratch).run()?;
        repeated.longest = repeated.longest.max(started.elapsed());
        let said = verdicts(&Json::read(&out.join("report.json"))?, subject.scorers)?;
        let _ = std::fs::remove_dir_all(&out);
        println!("soak: {} {number} of {count}: {:.1} s", subject.name, started.elapsed().as_secs_f64());
        if number == 1 {
            repeated.first = said;
        } else if let Some(place) = difference(&repeated.first, &said, "") {
            println!("soak: run {number} of {} differs at {place}", subject.name);
            repeated.differing.push(place);
        }
    }
    Ok(repeated)
}
