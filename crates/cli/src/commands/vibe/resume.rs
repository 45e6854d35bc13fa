//! `benchwright vibe resume`: goes on where an evaluation was cut off. What is done is not walked again.

use super::evaluate::{interrupted, score_bundle, scores_folder};
use crate::args::{VibePrinting, VibeResumeArguments};
use crate::commands::block_on;
use crate::exit::Failure;
use crate::vibe::job::{self, App};
use crate::vibe::outputs;
use crate::vibe::progress::Watch;
use crate::vibe::run_folder::{self, LiveRun, Replayed};
use crate::vibe::session::{self, Ended, Session};
use benchwright_domain::vibe::Evaluation;
use benchwright_sandbox::Scratch;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

/// Runs the command.
pub fn run(arguments: &VibeResumeArguments) -> Result<ExitCode, Failure> {
    outputs::check(&arguments.printing)?;
    let path = run_folder::locate(&arguments.run)?;
    let before = run_folder::read(&path)?;
    let folder = arguments.out.clone().unwrap_or_else(|| crate::run_folder::reports_folder(&path));
    let evaluation = if before.finished.is_some() {
        if !arguments.printing.quiet {
            eprintln!("benchwright: the evaluation is complete; nothing was left to walk");
        }
        let evaluation = before.evaluation();
        outputs::write(&evaluation, &path, &path, &arguments.printing)?;
        evaluation
    } else {
        block_on(go_on(arguments, before))??
    };
    outputs::write(&evaluation, &path, &folder, &arguments.printing)?;
    outputs::print(&evaluation, &folder, &arguments.printing);
    Ok(outputs::judge(&[evaluation], &arguments.printing))
}

async fn go_on(arguments: &VibeResumeArguments, mut before: Replayed) -> Result<Evaluation, Failure> {
    let plan = &mut before.frozen.plan;
    // Runs of before the rule may have begun with more.
    let has_one_app = plan.app.url.is_some() || plan.shared_state;
    if has_one_app || arguments.concurrency.is_some() {
        plan.concurrency = job::at_once(arguments.concurrency, &plan.app, plan.shared_state)?;
    }
    let session = Session::open(arguments.browser.as_deref(), &arguments.asking)?.for_plan(&before.frozen.plan)?;
    let watch = Watch::new(arguments.printing.quiet);
    let scores = scores_folder(&before.path);
    conduct(&session, &before, arguments.bundle.as_deref(), &scores, &arguments.printing, &watch).await
}

/// Conducts what a run lacks, from its folder and its bundle. Reports of the other track go to `scores`.
pub async fn conduct(
    session: &Session,
    before: &Replayed,
    bundle: Option<&Path>,
    scores: &Path,
    printing: &VibePrinting,
    watch: &Watch,
) -> Result<Evaluation, Failure> {
    let unpacked = Scratch::new(session.scratch_base(), "kept")?;
    let app = app(before, bundle, session, &unpacked)?;
    let run = LiveRun::reopen(&before.path)?;
    let deployed = session.deploy(&app, &before.plan_as_begun(), watch).await?;
    let conducted = session.conduct(run, &deployed, watch).await;
    deployed.finish().await;
    let (mut run, ended) = conducted?;
    if ended == Ended::Interrupted {
        return Err(interrupted(run.path()));
    }
    if let (true, None, App::Bundle(bundle, _)) = (before.frozen.score, &before.outcome.scored, &app) {
        score_bundle(&mut run, bundle.root(), scores, true).await?;
    }
    session::close(&mut run, printing)
}

/// The app as it was: named now, where it was, or as the run kept it.
fn app(before: &Replayed, named: Option<&Path>, session: &Session, unpacked: &Scratch) -> Result<App, Failure> {
    let Some(wanted) = &before.frozen.plan.app.bundle else {
        return App::address(before.frozen.plan.app.url.as_deref().unwrap_or_default());
    };
    let place = named.map(Path::to_owned).or_else(|| before.place().filter(|place| place.exists()));
    let path = match (place, &before.bundle) {
        (Some(place), _) => place,
        (None, Some(kept)) => {
            let file = unpacked.folder("bundle")?.join("app.zip");
            let bytes = benchwright_store::blob(&before.path, kept)?;
            fs::write(&file, bytes)
                .map_err(|error| Failure::Environment(format!("cannot unpack the bundle: {error}")))?;
            file
        }
        (None, None) => {
            return Err(Failure::BadInput("the bundle is not where it was; name it with --bundle".to_owned()));
        }
    };
    let app = App::bundle(&path, session.scratch_base())?;
    if app.hash() != Some(wanted.as_str()) {
        return Err(Failure::BadInput(format!(
            "{} is not the bundle this evaluation was begun with; name that one with --bundle, or begin a new evaluation",
            path.display()
        )));
    }
    Ok(app)
}
