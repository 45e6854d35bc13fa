//! The analysis of a large study, for measuring it as a process of its own: `--make FILE` writes such a study, `FILE` reads and analyses it.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is a command-line program")]

use benchwright_domain::statistics::SplitMix64;
use benchwright_domain::vibe::analysis::{Analysis, Settings};
use benchwright_domain::vibe::study::{Rating, STUDY_FORMAT};
use benchwright_domain::vibe::trajectory::CategoryCounts;
use benchwright_domain::vibe::verdict::WorkflowKind;
use benchwright_domain::vibe::{
    AppDomain, AppResult, Difficulty, FailureCategory, Generation, Integration, Mark, Model, Split, Study,
    SubstepVerdict, TaskFacts, Tokens, WorkflowState, WorkflowVerdict, Written,
};
use std::collections::BTreeMap;
use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::process::ExitCode;

const MODELS: usize = 20;
const TASKS: usize = 50;
const WORKFLOWS: usize = 20;
const SUBSTEPS: usize = 12;
/// Apps that people looked at as well.
const REVIEWED: usize = 18;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let done = match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--make", file] => make(file),
        [file] => analyse(file),
        _ => return ExitCode::from(2),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn make(file: &str) -> Result<(), Box<dyn Error>> {
    let mut out = BufWriter::new(File::create(file)?);
    serde_json::to_writer(&mut out, &study())?;
    Ok(out.flush()?)
}

fn analyse(file: &str) -> Result<(), Box<dyn Error>> {
    let text = fs::read(file)?;
    let study: Study = serde_json::from_slice(&text)?;
    let size = text.len();
    drop(text);
    let analysis = Analysis::of(&study, Settings::default())?;
    let told = serde_json::to_string(&analysis)?;
    let substeps: usize =
        study.apps.iter().flat_map(|app| &app.workflows).map(|workflow| workflow.substeps.len()).sum();
    println!(
        r#"{{"apps": {}, "substeps": {substeps}, "study_bytes": {size}, "analysis_bytes": {}, "peak_mb": {}}}"#,
        study.apps.len(),
        told.len(),
        peak_mb()?
    );
    Ok(())
}

/// The kernel's own high-water mark.
fn peak_mb() -> Result<f64, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("the kernel tells no peak")?;
    Ok(line.trim().trim_end_matches(" kB").parse::<f64>()? / 1024.0)
}

fn study() -> Study {
    let mut random = SplitMix64::new(6);
    let apps: Vec<AppResult> = (0..MODELS)
        .flat_map(|model| (0..TASKS).map(move |task| (model, task)))
        .map(|(model, task)| app(model, task, &mut random))
        .collect();
    let second = apps.iter().flat_map(|app| ratings(app, "second judge", false, 9, 1)).collect::<Vec<_>>();
    let reviewed = apps.iter().take(REVIEWED).enumerate().flat_map(|(at, app)| {
        // Two of three people see each app.
        (0..3)
            .filter(move |person| at % 3 != *person)
            .flat_map(|person| ratings(app, "ABC".get(person..=person).unwrap_or_default(), true, 13, person))
    });
    let ratings = second.iter().cloned().chain(reviewed).collect();
    Study {
        format: STUDY_FORMAT,
        evaluator: "first judge".to_owned(),
        tasks: (0..TASKS).map(task).collect(),
        models: (0..MODELS).map(model).collect(),
        apps,
        ratings,
    }
}

fn task(at: usize) -> TaskFacts {
    TaskFacts {
        id: format!("task-{at}"),
        domain: AppDomain::ALL[at % 3],
        integration: Integration::ALL[at % 4],
        judged_difficulty: Some(Difficulty::ALL[at % 3]),
        split: Split::Test,
        written: Written::Before,
        workflow_substeps: vec![SUBSTEPS as u32; WORKFLOWS],
    }
}

fn model(at: usize) -> Model {
    Model {
        id: format!("provider/model-{at}"),
        name: None,
        provider: "provider".to_owned(),
        endpoint: None,
        temperature: Some(1.0),
        top_p: None,
        reasoning_effort: None,
        vision: true,
        open_weights: at.is_multiple_of(3),
        price: None,
    }
}

fn app(model: usize, task: usize, random: &mut SplitMix64) -> AppResult {
    // Better models and easier tasks, and every app a little different.
    let skill = 0.999 - 0.004 * model as f64 - 0.002 * (task % 10) as f64;
    let started = random.next_unit() < 0.97;
    AppResult {
        model: format!("provider/model-{model}"),
        task: format!("task-{task}"),
        run: 0,
        evaluation: 0,
        variant: BTreeMap::new(),
        started,
        workflows: (0..WORKFLOWS).map(|number| workflow(number, skill, random)).collect(),
        generation: Some(generation(model, random)),
        composite: Some(100.0 * random.next_unit()),
    }
}

fn workflow(number: usize, skill: f64, random: &mut SplitMix64) -> WorkflowVerdict {
    let states = [WorkflowState::Judged, WorkflowState::TimedOut, WorkflowState::EvaluatorStuck];
    let state = if random.next_unit() < 0.97 { 0 } else { random.next_index(states.len()) };
    WorkflowVerdict {
        workflow: format!("workflow-{number}"),
        kind: WorkflowKind::Core,
        state: states[state],
        substeps: (1..=SUBSTEPS as u32).map(|number| substep(number, skill, random)).collect(),
        evaluation_usd: Some(random.next_unit()),
    }
}

fn substep(number: u32, skill: f64, random: &mut SplitMix64) -> SubstepVerdict {
    let passed = random.next_unit() < skill;
    SubstepVerdict {
        critical: number == 1,
        reason: format!(
            "The list shows the entry {number} that was made, under its name and with its date, after a reload."
        ),
        evidence: vec![format!("tree-{number}-after"), format!("shot-{number}")],
        category: (!passed).then(|| FailureCategory::ALL[random.next_index(6)]),
        ..SubstepVerdict::new(number, if passed { Mark::Pass } else { Mark::Fail })
    }
}

fn generation(model: usize, random: &mut SplitMix64) -> Generation {
    let tools = ["execute_bash", "str_replace_editor", "browser", "execute_sql", "apply_migration", "think", "finish"];
    let mut count = |most: usize| random.next_index(most) as u64;
    Generation {
        cost_usd: Some(count(2_000) as f64 / 100.0),
        seconds: Some(count(10_000) as f64),
        turns: Some(count(300)),
        tokens: Some(Tokens {
            input: count(1 << 20),
            output: count(1 << 16),
            cache_read: count(1 << 23),
            cache_write: 0,
        }),
        calls: Some(tools.iter().map(|tool| ((*tool).to_owned(), count(60 - model))).collect()),
        phases: Some(std::array::from_fn(|_| CategoryCounts {
            bash: count(9),
            edit: count(9),
            browser: count(9),
            ..CategoryCounts::default()
        })),
    }
}

/// A rater who differs from the verdicts at every so many substeps.
fn ratings(app: &AppResult, rater: &str, human: bool, every: usize, offset: usize) -> Vec<Rating> {
    let of_workflow = |(at, workflow): (usize, &WorkflowVerdict)| Rating {
        rater: rater.to_owned(),
        human,
        model: app.model.clone(),
        task: app.task.clone(),
        run: app.run,
        workflow: workflow.workflow.clone(),
        marks: workflow
            .substeps
            .iter()
            .enumerate()
            .map(|(number, substep)| Some(substep.passed() ^ ((at + number + offset).is_multiple_of(every))))
            .collect(),
    };
    app.workflows.iter().enumerate().map(of_workflow).collect()
}
