//! Every app of every task, not only a sample of them, walked without a model.

use super::Soak;
use crate::check;
use crate::failure::{Failure, Naming};
use crate::json::Json;
use crate::results::{Outcome, Table};
use crate::verdict::Verdict;
use std::fs;
use std::time::Instant;

pub(super) fn run(soak: &Soak) -> Result<Outcome, Failure> {
    let diary = soak.scratch.path().join("tasks.jsonl");
    let started = Instant::now();
    let passed = check::every_task_app(&diary)?.run().is_ok();
    let seconds = started.elapsed().as_secs_f64();
    let text = fs::read_to_string(&diary).naming("read the diary of the apps")?;
    let walked: Vec<Json> = text.lines().map(Json::parse).collect::<Result<_, _>>().naming("read the diary")?;
    let wrong = walked.iter().filter(|one| one.at("as_expected") != Some(&Json::Bool(true))).count();
    // A sweep that broke off without naming an app must not look like one that found none.
    let faults = wrong.max(usize::from(!passed));
    let mut table = Table::new(["apps", "not as expected", "seconds"]);
    table.row([walked.len().into(), wrong.into(), seconds.into()]);
    Ok(Outcome {
        kind: "tasks",
        title: "every app of every task, without a model".to_owned(),
        about: "References must pass every workflow of their task, cheats and the empty page must fail every one, mutants just those of \
                what is broken in them. Walked by the resolver, judged by rules, each workflow with its own copy of the app."
            .to_owned(),
        table,
        verdicts: vec![Verdict::none("apps that pass or fail other workflows than they must", faults)],
        raw: Json::object([("seconds", seconds.into()), ("walked", Json::List(walked))]),
    })
}
