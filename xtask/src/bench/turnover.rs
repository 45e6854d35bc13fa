//! What lies between two workflows, beside the start of an app.

use super::Bench;
use crate::call::Call;
use crate::failure::{Failure, Naming};
use crate::json::Json;
use crate::project;
use crate::results::{Outcome, Table};
use crate::verdict::{Verdict, median};

/// An app with a server and a database, which is installed and built before it starts.
const TASK: &str = "leave-desk";
const ROUNDS: usize = 5;

pub(super) fn run(bench: &Bench) -> Result<Outcome, Failure> {
    let bundle = bench.scratch.path().join(TASK);
    project::task_app(TASK, "reference", &bundle)?;
    Call::cargo("build --release --quiet --package benchwright-vibe --example turnover").run()?;
    let program = project::release_binary().with_file_name("examples").join("turnover");
    let mut table = Table::new(["run", "app start, s", "turnover, s (median)", "ratio"]);
    let (mut ratios, mut raw) = (Vec::new(), Vec::new());
    for number in 1..=bench.pairs {
        let text = Call::new(&program).arg(&bundle).arg(ROUNDS.to_string()).text()?;
        let told = Json::parse(&text).naming("read what the turnover says")?;
        let seconds = |one: &Json| if let Json::Number(seconds) = one { Some(*seconds) } else { None };
        let turnovers: Vec<f64> = told.list("turnovers").iter().filter_map(seconds).collect();
        let turnover = median(turnovers.clone()).filter(|_| turnovers.len() == ROUNDS);
        let (Some(turnover), Some(start)) = (turnover, told.number("start")) else {
            return Err(Failure::check(format!("not everything was measured: {}", told.pretty())));
        };
        table.row([number.into(), start.into(), turnover.into(), (turnover / start).into()]);
        ratios.push(turnover / start);
        raw.push(told);
    }
    Ok(Outcome {
        kind: "turnover",
        title: "from one workflow to the next".to_owned(),
        about: format!(
            "The reference app of `{TASK}` (Node, PostgreSQL in the process) on the native backend, {} runs of {ROUNDS} turnovers. An app start is \
             everything from the bundle to the first answer: packages, build, database. A turnover is the old browser context closed, the \
             instance gone with its data, one with the submitted data in its place (made ready while the workflow before was walked) and a fresh \
             context opened.",
            bench.pairs
        ),
        table,
        verdicts: vec![Verdict::new("context, restored data and teardown / app start (median)", 0.1, median(ratios))],
        raw: Json::List(raw),
    })
}
