//! The same app evaluated five times: the same verdicts.

use super::Soak;
use crate::call::Call;
use crate::failure::{Failure, Naming};
use crate::json::Json;
use crate::project;
use crate::results::{Outcome, Table};
use crate::verdict::Verdict;
use std::fs;
use std::path::Path;
use std::time::Instant;

const REPEATS: usize = 5;
/// One that lives in the browser, one with a server.
const USUAL: [&str; 2] = ["plant-diary", "leave-desk"];

pub(super) fn run(soak: &Soak) -> Result<Outcome, Failure> {
    let usual = USUAL.map(str::to_owned).to_vec();
    let tasks = if soak.tasks.is_empty() { &usual } else { &soak.tasks };
    let mut table = Table::new(["task", "app", "evaluations", "workflows", "differing", "seconds"]);
    let mut differing = 0;
    for task in tasks {
        for app in ["reference".to_owned(), first_mutant(task)?] {
            let folder = soak.scratch.path().join(format!("{task}-{app}"));
            project::task_app(task, &app, &folder.join("app"))?;
            let started = Instant::now();
            let reports = evaluated(task, &folder)?;
            let apart = others_than_the_first(&reports)?;
            let (took, workflows) = (started.elapsed().as_secs_f64(), reports[0].list("evaluation.workflows").len());
            println!("soak: {task} {app}: {apart} workflows differ, {took:.0} s");
            differing += apart;
            table.row([
                task.as_str().into(),
                app.as_str().into(),
                reports.len().into(),
                workflows.into(),
                apart.into(),
                took.into(),
            ]);
        }
    }
    Ok(Outcome {
        kind: "evaluations",
        title: "the same app evaluated five times".to_owned(),
        about: format!(
            "The reference and the first mutant of {}, evaluated {REPEATS} times each by resolver and rules, every time with other values. Every mark \
             of every substep and every state is compared with the first evaluation.",
            tasks.join(", ")
        ),
        table,
        verdicts: vec![Verdict::none("workflows with other verdicts than the first time", differing)],
        raw: Json::object([("repeats", REPEATS.into()), ("differing", differing.into())]),
    })
}

fn first_mutant(task: &str) -> Result<String, Failure> {
    let file = project::root().join("fixtures/tasks").join(task).join("mutants.yaml");
    let text = fs::read_to_string(file).naming(&format!("read the mutants of {task}"))?;
    let name = text.lines().next().and_then(|line| line.strip_suffix(':'));
    name.map(str::to_owned).ok_or_else(|| Failure::check(format!("{task} has no mutant")))
}

/// The documents of all evaluations of the app in a folder.
fn evaluated(task: &str, folder: &Path) -> Result<Vec<Json>, Failure> {
    let out = folder.join("out");
    Call::new(project::release_binary())
        .words("vibe evaluate --evaluator resolver --judge rules --concurrency 2 --format json --quiet --repeat")
        .arg(REPEATS.to_string())
        .arg("--task")
        .arg(task)
        .arg("--bundle")
        .arg(folder.join("app"))
        .arg("--out")
        .arg(&out)
        .dir(&project::root())
        .run()?;
    let runs = fs::read_dir(out.join("runs")).naming("read the evaluations")?.flatten();
    let reports: Vec<Json> = runs.map(|run| Json::read(&run.path().join("run.json"))).collect::<Result<_, _>>()?;
    if reports.len() == REPEATS { Ok(reports) } else { Err(Failure::check(format!("{} evaluations", reports.len()))) }
}

fn others_than_the_first(reports: &[Json]) -> Result<usize, Failure> {
    let said = |report: &Json| -> Vec<String> {
        let workflows = report.list("evaluation.workflows").iter();
        let mut words: Vec<String> = workflows.map(verdict).collect();
        words.sort();
        words
    };
    let Some((first, others)) = reports.split_first() else { return Err(Failure::check("nothing was evaluated")) };
    let first = said(first);
    if first.is_empty() {
        return Err(Failure::check("an evaluation without workflows"));
    }
    let differ = |index: &usize| others.iter().any(|other| said(other).get(*index) != first.get(*index));
    Ok((0..first.len()).filter(differ).count())
}

/// A workflow with its state and marks, in one line.
fn verdict(workflow: &Json) -> String {
    let word = |path: &str| workflow.text(path).unwrap_or_default();
    let marks: Vec<&str> = workflow.list("verdict.substeps").iter().filter_map(|it| it.text("mark")).collect();
    format!("{} {} {}", word("verdict.workflow"), word("verdict.state"), marks.join(" "))
}
