//! The analysis of a large study of models, from its file to its end.

use super::Bench;
use crate::call::Call;
use crate::failure::{Failure, Naming};
use crate::json::Json;
use crate::project;
use crate::results::{Outcome, Table};
use crate::verdict::{Verdict, median};
use std::time::Instant;

const APPS: f64 = 1_000.0;
const SUBSTEPS: f64 = APPS * 20.0 * 12.0;

pub(super) fn run(bench: &Bench) -> Result<Outcome, Failure> {
    Call::cargo("build --release --quiet --package benchwright-domain --example analysis").run()?;
    let program = project::release_binary().with_file_name("examples").join("analysis");
    let study = bench.scratch.path().join("study.json");
    Call::new(&program).arg("--make").arg(&study).run()?;
    let mut table = Table::new(["run", "seconds", "peak, MB"]);
    let (mut seconds, mut peaks) = (Vec::new(), Vec::new());
    let mut told = Json::Null;
    for number in 1..=bench.pairs * 3 {
        let started = Instant::now();
        let text = Call::new(&program).arg(&study).text()?;
        let took = started.elapsed().as_secs_f64();
        told = Json::parse(&text).naming("read what the analysis says")?;
        if told.number("apps") != Some(APPS) || told.number("substeps") != Some(SUBSTEPS) {
            return Err(Failure::check(format!("it did not analyse the whole study: {}", told.pretty())));
        }
        let peak = told.number("peak_mb").ok_or_else(|| Failure::check("it did not tell its peak"))?;
        table.row([number.into(), took.into(), peak.into()]);
        seconds.push(took);
        peaks.push(peak);
    }
    Ok(Outcome {
        kind: "analysis",
        title: "analysing a study of models".to_owned(),
        about: format!(
            "A generated study of {APPS} apps (20 models, 50 tasks) × 20 workflows × 12 substeps, every verdict with its reason and evidence, \
             a second judge for all substeps and people for 18 apps: a process that reads the file ({:.0} MB), makes the whole analysis and \
             writes it as JSON. File in the page cache.",
            told.number("study_bytes").unwrap_or_default() / 1e6
        ),
        table,
        verdicts: vec![
            Verdict::new("analysis of 1,000 apps, seconds (median)", 2.0, median(seconds.clone())),
            Verdict::new("peak memory of the analysis, MB", 300.0, peaks.iter().copied().reduce(f64::max)),
        ],
        raw: Json::object([("seconds", seconds.into()), ("peak_mb", peaks.into()), ("told", told)]),
    })
}
