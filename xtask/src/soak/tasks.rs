//! Every app of every task, not only a sample of them, walked without a model.

use super::Soak;
use crate::check;
use crate::failure::{Failure, Naming};
use crate::json::Json;
use crate::results::{Outcome, Table};
use crate::verdict::Verdict;
use std::fs;
use std::path::Path;
use std::time::Instant;

pub(super) fn run(soak: &Soak) -> Result<Outcome, Failure> {
    let diary = soak.scratch.path().join("tasks.jsonl");
    let started = Instant::now();
    let passed = check::every_task_app(&diary, &soak.tasks)?.run().is_ok();
    let seconds = started.elapsed().as_secs_f64();
    let walked = read(&diary)?;
    let wrong = walked.iter().filter(|one| !is_as_expected(one)).count();
    // A sweep that broke off without naming an app must not look like one that found none.
    let faults = wrong.max(usize::from(!passed));
    let mut table =
        Table::new(["tasks written", "apps", "not as expected", "workflows of references", "of those pass", "seconds"]);
    for written in ["before", "afterwards"] {
        let own: Vec<&Json> = walked.iter().filter(|one| one.text("written") == Some(written)).collect();
        let references = || own.iter().filter(|one| one.text("app") == Some("reference"));
        let sum = |name: &str| references().filter_map(|one| one.number(name)).sum::<f64>();
        let wrong = own.iter().filter(|one| !is_as_expected(one)).count();
        let took: f64 = own.iter().filter_map(|one| one.number("seconds")).sum();
        let pass = sum("workflows") - sum("failed");
        table.row([written.into(), own.len().into(), wrong.into(), sum("workflows").into(), pass.into(), took.into()]);
    }
    Ok(Outcome {
        kind: "tasks",
        title: format!("every app of {}, without a model", super::named(&soak.tasks)),
        about: "References must pass every workflow of their task, cheats and the empty page must fail every one, mutants just those of \
                what is broken in them. Walked by the resolver, judged by rules, each workflow with its own copy of the app. Tasks written \
                after the resolver was finished stand apart."
            .to_owned(),
        table,
        verdicts: vec![Verdict::none("apps that pass or fail other workflows than they must", faults)],
        raw: Json::object([("seconds", seconds.into()), ("walked", Json::List(walked))]),
    })
}

/// What a test wrote down, one line of JSON for each app.
pub(super) fn read(diary: &Path) -> Result<Vec<Json>, Failure> {
    let text = fs::read_to_string(diary).naming("read the diary of the apps")?;
    text.lines().map(Json::parse).collect::<Result<_, _>>().naming("read the diary")
}

pub(super) fn is_as_expected(one: &Json) -> bool {
    one.at("as_expected") == Some(&Json::Bool(true))
}
