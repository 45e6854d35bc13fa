//! Every app of every task, not only a sample of them, walked without a model.

use super::Soak;
use super::diary::{Diary, is_as_expected};
use crate::check;
use crate::failure::Failure;
use crate::json::Json;
use crate::results::{Outcome, Table};
use crate::verdict::Verdict;

pub(super) fn run(soak: &Soak) -> Result<Outcome, Failure> {
    let diary = Diary::of("tasks", soak)?;
    let passed = check::every_task_app(diary.file(), &soak.tasks)?.run().is_ok();
    let walked = diary.close(passed)?;
    let wrong = walked.iter().filter(|one| !is_as_expected(one)).count();
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
        verdicts: vec![Verdict::none("apps that pass or fail other workflows than they must", wrong)],
        raw: Json::List(walked),
    })
}
