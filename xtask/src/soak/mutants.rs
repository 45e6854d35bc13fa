//! Every mutant of the corpus, not only a sample of them.

use super::Soak;
use crate::check;
use crate::failure::{Failure, Naming};
use crate::json::Json;
use crate::results::{Outcome, Table};
use crate::verdict::Verdict;
use std::fs;
use std::time::Instant;

pub(super) fn run(soak: &Soak) -> Result<Outcome, Failure> {
    let diary = soak.scratch.path().join("mutants.jsonl");
    let started = Instant::now();
    let passed = check::every_mutant(&diary)?.run().is_ok();
    let seconds = started.elapsed().as_secs_f64();
    let text = fs::read_to_string(&diary).naming("read the diary of the mutants")?;
    let walked: Vec<Json> = text.lines().map(Json::parse).collect::<Result<_, _>>().naming("read the diary")?;
    let wrong: Vec<Json> =
        walked.iter().filter(|one| one.at("as_expected") != Some(&Json::Bool(true))).cloned().collect();
    // A sweep that broke off without naming a mutant must not look like one that found none.
    let faults = wrong.len().max(usize::from(!passed));
    let mut table = Table::new(["mutants", "wrong", "seconds"]);
    table.row([walked.len().into(), wrong.len().into(), seconds.into()]);
    Ok(Outcome {
        kind: "mutants",
        title: "every mutant of the corpus".to_owned(),
        about: "Every app of the corpus with one thing broken, once for each criterion of its prompt: it must fail that criterion and no \
                other."
            .to_owned(),
        table,
        verdicts: vec![Verdict::none("mutants that fail another criterion than their own, or none", faults)],
        raw: Json::object([("seconds", seconds.into()), ("walked", Json::List(walked))]),
    })
}
