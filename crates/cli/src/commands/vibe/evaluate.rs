//! `benchwright vibe evaluate`: deploys an app, walks it through the workflows of a task, judges every substep.

use super::DEFAULT_OUT;
use crate::args::{EvaluateArguments, ScoreArguments};
use crate::commands::{block_on, close as close_scored, score};
use crate::config::{self, between};
use crate::exit::Failure;
use crate::models;
use crate::outputs::{Destination, say};
use crate::progress::Display;
use crate::vibe::job::{self, App, Maker, Tried};
use crate::vibe::progress::Watch;
use crate::vibe::run_folder::LiveRun;
use crate::vibe::session::{self, Ended, Session};
use crate::vibe::{outputs, run_folder};
use benchwright_domain::vibe::Evaluation;
use benchwright_domain::vibe::evaluation::ScoredRun;
use benchwright_vibe::evaluate::{Deployed, Plan};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const MOST_REPEATS: usize = 50;

/// Runs the command.
pub fn run(arguments: &EvaluateArguments) -> Result<ExitCode, Failure> {
    outputs::check(&arguments.printing)?;
    let repeats = between("--repeat", arguments.repeat, 1, MOST_REPEATS)?;
    let tried = job::find_task(&arguments.evaluator.tasks, &arguments.task)?;
    let out = arguments.out.clone().unwrap_or_else(|| PathBuf::from(DEFAULT_OUT));
    let evaluations = block_on(evaluate(arguments, &tried, &out, repeats))??;
    let (last, path) = evaluations.last().ok_or_else(|| Failure::Bug("nothing was evaluated".to_owned()))?;
    outputs::write(last, path, &out, &arguments.printing)?;
    outputs::print(last, &out, &arguments.printing);
    let all: Vec<Evaluation> = evaluations.into_iter().map(|(evaluation, _)| evaluation).collect();
    if repeats > 1 && !arguments.printing.json && !arguments.printing.quiet {
        say(&spread(&all));
    }
    Ok(outputs::judge(&all, &arguments.printing))
}

async fn evaluate(
    arguments: &EvaluateArguments,
    tried: &Tried,
    out: &Path,
    repeats: usize,
) -> Result<Vec<(Evaluation, PathBuf)>, Failure> {
    let session = Session::open(arguments.evaluator.browser.as_deref(), &arguments.evaluator.asking)?;
    let app = match (&arguments.bundle, &arguments.url) {
        (Some(path), _) => App::bundle(path, session.scratch_base())?,
        (None, Some(url)) => App::address(url)?,
        (None, None) => return Err(Failure::BadInput("name the app: --bundle DIR|ZIP or --url URL".to_owned())),
    };
    let model = arguments.model.clone().unwrap_or_else(|| "unknown".to_owned());
    let described = models::described(&model, &arguments.evaluator.asking)?;
    let maker = Maker { model, described, run: arguments.run, ..Maker::default() };
    let plans = (0..repeats as u32)
        .map(|evaluation| job::plan(tried, &app, &maker, &arguments.workflows, &arguments.evaluator, evaluation))
        .collect::<Result<Vec<Plan>, Failure>>()?;
    plans.iter().try_for_each(|plan| session.for_plan(plan).map(drop))?;
    let inputs = app.inputs(arguments.trajectory.as_deref())?;
    let watch = Watch::new(arguments.printing.quiet);
    let mut made = Vec::new();
    let Some(first) = plans.first() else { return Ok(made) };
    let deployed = session.deploy(&app, first, &watch).await?;
    let outcome = async {
        for plan in &plans {
            let run = LiveRun::begin(out, &tried.files, plan, arguments.score, &inputs)?;
            made.push(finish(&session, run, &app, &deployed, &watch, arguments).await?);
        }
        Ok(())
    }
    .await;
    deployed.finish().await;
    outcome.map(|()| made)
}

/// Conducts one evaluation to its end.
async fn finish(
    session: &Session,
    run: LiveRun,
    app: &App,
    deployed: &Deployed,
    watch: &Watch,
    arguments: &EvaluateArguments,
) -> Result<(Evaluation, PathBuf), Failure> {
    let (mut run, ended) = session.conduct(run, deployed, watch).await?;
    if ended == Ended::Interrupted {
        return Err(interrupted(run.path()));
    }
    if let (true, App::Bundle(bundle, _)) = (arguments.score, app) {
        let to = scores_folder(run.path());
        score_bundle(&mut run, bundle.root(), &to, arguments.printing.quiet).await?;
    }
    let evaluation = session::close(&mut run, &arguments.printing)?;
    Ok((evaluation, run.path().to_owned()))
}

/// What is said when somebody pressed ctrl-C.
pub fn interrupted(path: &Path) -> Failure {
    let path = path.display();
    Failure::Interrupted(format!("interrupted; what was walked is kept\n  continue: benchwright vibe resume {path}"))
}

/// Where the reports of the other track go, beside the runs.
pub fn scores_folder(run: &Path) -> PathBuf {
    crate::run_folder::reports_folder(run).join("score")
}

/// Runs the scorers of the other track on the same bundle; their reports go `to` a folder. That they cannot is said, and costs the
/// evaluation nothing.
pub async fn score_bundle(run: &mut LiveRun, root: &Path, to: &Path, quiet: bool) -> Result<(), Failure> {
    let out = crate::run_folder::reports_folder(run.path());
    let arguments = ScoreArguments { serve: Some(root.to_owned()), out: Some(out), ..ScoreArguments::default() };
    let scored = async {
        let settings = config::settings(&arguments)?;
        let bench = crate::environment::workbench(settings.browser.as_deref(), &settings.request.judging)?;
        let display = Display::new(quiet);
        let mut scored = Box::pin(score::gather(&settings, &bench, &display)).await?;
        let report = close_scored(&mut scored)?;
        crate::outputs::write(&report, scored.path(), &Destination::folder(to))?;
        Ok::<_, Failure>(report)
    };
    match scored.await {
        Ok(report) => {
            if let Some(composite) = report.composite {
                return run.scored(&ScoredRun { run: report.provenance.run, composite });
            }
            eprintln!("benchwright: the scorers found nothing to score: {}", report.headline);
            Ok(())
        }
        Err(failure @ Failure::Interrupted(_)) => Err(failure),
        Err(failure) => {
            eprintln!("benchwright: the scorers could not look at the bundle: {failure}");
            Ok(())
        }
    }
}

/// What several evaluations of the same app have in common.
fn spread(evaluations: &[Evaluation]) -> String {
    let shares: Vec<String> =
        evaluations.iter().filter_map(Evaluation::accuracy).map(|share| format!("{share:.1} %")).collect();
    let Some(first) = evaluations.first() else { return String::new() };
    let differing: Vec<&str> = first
        .workflows
        .iter()
        .enumerate()
        .filter(|(index, workflow)| {
            let same = |other: &Evaluation| {
                other.workflows.get(*index).is_some_and(|it| run_folder::same_verdict(&it.verdict, &workflow.verdict))
            };
            !evaluations.iter().all(same)
        })
        .map(|(_, workflow)| workflow.verdict.workflow.as_str())
        .collect();
    let differences = if differing.is_empty() {
        "every verdict is the same".to_owned()
    } else {
        format!("verdicts differ on {}", differing.join(", "))
    };
    format!("{} evaluations: {}; {differences}\n", evaluations.len(), shares.join(", "))
}
