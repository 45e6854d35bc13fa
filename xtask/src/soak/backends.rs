//! References of tasks on both backends: the same verdicts.

use super::Soak;
use super::diary::{Diary, is_as_expected};
use crate::failure::Failure;
use crate::json::Json;
use crate::results::{Outcome, Table};
use crate::verdict::Verdict;
use crate::{check, services};

pub(super) fn run(soak: &Soak) -> Result<Outcome, Failure> {
    services::install_missing();
    let diary = Diary::of("backends", soak)?;
    let passed = check::both_backends(diary.file(), &soak.tasks)?.run().is_ok();
    // Without Docker the test says so, passes and writes nothing: that is no result.
    let walked = diary
        .close(passed)
        .map_err(|failure| Failure { message: format!("{} (containers need Docker)", failure.message), ..failure })?;
    let differing = walked.iter().filter(|one| !is_as_expected(one)).count();
    let mut table = Table::new(["task", "app", "workflows", "substeps that differ", "native, s", "compose, s"]);
    for one in &walked {
        let word = |name: &str| one.text(name).unwrap_or_default().to_owned();
        let number = |name: &str| one.number(name).unwrap_or(f64::NAN);
        table.row([
            word("task").into(),
            word("app").into(),
            number("workflows").into(),
            number("differing").into(),
            number("native_seconds").into(),
            number("compose_seconds").into(),
        ]);
    }
    Ok(Outcome {
        kind: "backends",
        title: format!("{} in containers and behind walls", super::named(&soak.tasks)),
        about: "The reference and the first mutant of each task, every workflow, on the native backend and with Docker Compose. Walked \
                by the resolver, judged by rules, with the same seed; every mark of every substep is compared."
            .to_owned(),
        table,
        verdicts: vec![Verdict::none("apps with other verdicts in containers", differing)],
        raw: Json::List(walked),
    })
}
