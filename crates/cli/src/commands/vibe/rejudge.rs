//! `benchwright vibe rejudge`: judges stored traces again. No browser, and no change to the verdicts that count.

use crate::args::RejudgeArguments;
use crate::commands::{block_on, counted};
use crate::exit::Failure;
use crate::models;
use crate::outputs::say;
use crate::vibe::run_folder::{self, LiveRun, Replayed, same_verdict};
use crate::vibe::session;
use benchwright_domain::BlobId;
use benchwright_domain::vibe::Trace;
use benchwright_domain::vibe::evaluation::{JudgedWorkflow, SecondOpinion};
use benchwright_domain::vibe::trace::{Sight, SightRef};
use benchwright_llm::Client;
use benchwright_vibe::evaluate::Grading;
use benchwright_vibe::task::Limits;
use benchwright_vibe::walk::Archive;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Format version of what `--json` prints.
const FORMAT: u32 = 1;

/// What a run keeps, for a judge.
struct Kept(PathBuf);

impl Archive for Kept {
    fn sight(&self, reference: &SightRef) -> Option<Sight> {
        serde_json::from_slice(&benchwright_store::blob(&self.0, &reference.blob).ok()?).ok()
    }

    fn picture(&self, id: &BlobId) -> Option<Vec<u8>> {
        benchwright_store::blob(&self.0, id).ok()
    }
}

/// Runs the command.
pub fn run(arguments: &RejudgeArguments) -> Result<ExitCode, Failure> {
    let client = || {
        let budget = models::budget(&arguments.asking)?;
        Ok(Arc::new(Client::new(benchwright_vibe::llm::settings(&Limits::default(), budget))))
    };
    let grading = session::grading(&arguments.judge, &arguments.asking, client)?;
    let mut told = Vec::new();
    for path in run_folder::locate_all(&arguments.runs)? {
        let run = run_folder::read(&path)?;
        if run.finished.is_none() {
            return Err(Failure::BadInput(format!(
                "{0} is not finished; go on with it first: benchwright vibe resume {0}",
                path.display()
            )));
        }
        let name = name_of(&grading, &run, arguments.repeat);
        let (opinions, stopped) = block_on(rejudged(&run, &grading, &name))??;
        told.push(kept(&path, &run, &name, &opinions, arguments.quiet || arguments.json)?);
        if let Some(failure) = stopped {
            return Err(failure);
        }
    }
    if arguments.json {
        say(&benchwright_report::json::pretty(&json!({ "format": FORMAT, "judge": arguments.judge, "runs": told })));
    }
    Ok(ExitCode::SUCCESS)
}

/// What a judge is called beside the one whose verdicts count: a newer version of the same one has its version in its name.
fn name_of(grading: &Grading, run: &Replayed, repeat: u32) -> String {
    let evaluator = &run.frozen.plan.evaluator;
    let version = grading.version();
    let mut name = grading.name().to_owned();
    if evaluator.judge == name {
        name = format!("{name} {version}");
    }
    if repeat > 0 {
        name = format!("{name} #{repeat}");
    }
    name
}

/// What a judge says of a run, and what stopped it before it was through. One that was stopped goes on where it was: an opinion that was paid
/// for is not asked for again.
async fn rejudged(
    run: &Replayed,
    grading: &Grading,
    name: &str,
) -> Result<(Vec<SecondOpinion>, Option<Failure>), Failure> {
    let mut opinions = Vec::new();
    let archive = Kept(run.path.clone());
    let workflows = run.evaluation().workflows;
    let known = |judged: &JudgedWorkflow| judged.others.iter().find(|opinion| opinion.judge == name).cloned();
    let was_stopped = workflows.iter().any(|judged| judged.trace.is_some() && known(judged).is_none());
    for judged in &workflows {
        let Some(trace) = trace_of(&run.path, judged)? else { continue };
        let kind = run.task.workflows.iter().find(|it| it.id == judged.verdict.workflow).map(|workflow| workflow.kind);
        let Some(kind) = kind else { continue };
        if let Some(opinion) = known(judged).filter(|_| was_stopped) {
            opinions.push(opinion);
            continue;
        }
        match grading.judge(&trace, kind, &archive).await {
            Ok(verdict) => opinions.push(SecondOpinion { judge: name.to_owned(), verdict }),
            Err(error) => {
                let next = "\n  what was judged is kept, and the same command goes on";
                return Ok((opinions, Some(Failure::Environment(format!("failed to {error}{next}")))));
            }
        }
    }
    Ok((opinions, None))
}

fn trace_of(path: &Path, judged: &JudgedWorkflow) -> Result<Option<Trace>, Failure> {
    let Some(blob) = &judged.trace else { return Ok(None) };
    let bytes = benchwright_store::blob(path, blob)?;
    let trace = serde_json::from_slice(&bytes);
    trace.map(Some).map_err(|error| Failure::BadInput(format!("a trace of {} cannot be read: {error}", path.display())))
}

/// Keeps opinions that say something new, and tells how far they agree with the verdicts that count.
fn kept(path: &Path, run: &Replayed, name: &str, opinions: &[SecondOpinion], quiet: bool) -> Result<Value, Failure> {
    let before = run.evaluation();
    let verdict_of = |id: &str| before.workflows.iter().find(|it| it.verdict.workflow == id).map(|it| &it.verdict);
    let (mut equal, mut shared, mut changed) = (0, 0, Vec::new());
    for opinion in opinions {
        let Some(verdict) = verdict_of(&opinion.verdict.workflow) else { continue };
        let pairs = verdict.substeps.iter().zip(&opinion.verdict.substeps);
        equal += pairs.clone().filter(|(one, other)| one.passed() == other.passed()).count();
        shared += pairs.count();
        if !same_verdict(verdict, &opinion.verdict) {
            changed.push(opinion.verdict.workflow.clone());
        }
    }
    let same_judge = run.frozen.plan.evaluator.judge == name.split(' ').next().unwrap_or_default();
    if !(same_judge && changed.is_empty()) {
        let mut run = LiveRun::append_to(path)?;
        opinions.iter().try_for_each(|opinion| run.opinion(opinion))?;
    }
    if !quiet {
        let words = if changed.is_empty() {
            "the same verdicts".to_owned()
        } else {
            format!("another verdict on {}", changed.join(", "))
        };
        say(&format!(
            "{}: {name} judged {}: {equal} of {shared} substeps alike, {words}\n",
            run.id,
            counted(opinions.len(), "workflow")
        ));
    }
    Ok(
        json!({ "run": run.id, "judge": name, "workflows": opinions.len(), "agreed": equal, "shared": shared, "changed": changed }),
    )
}
