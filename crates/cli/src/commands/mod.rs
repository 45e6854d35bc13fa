//! One file per command.

pub mod batch;
pub mod compare;
pub mod data;
pub mod doctor;
pub mod explain;
pub mod gather;
pub mod index;
pub mod leaderboard;
pub mod prompts;
pub mod quiz;
pub mod rescore;
pub mod resume;
pub mod score;
pub mod serve;
pub mod tasks;
pub mod token;
pub mod vibe;
pub mod work;

use crate::exit::Failure;
use crate::interruption::Interruption;
use crate::progress::Display;
use crate::run_folder::{self, LiveRun, Replayed};
use benchwright_domain::Report;
use benchwright_scoring::assemble;
use benchwright_scoring::conduct::{self, Workbench};
use benchwright_scoring::evidence::load::NavigationOutcome;
use benchwright_scoring::record::Listener;
use benchwright_scoring::request::Access;
use benchwright_store::EventBody;
use std::path::Path;

/// A number with its noun.
pub fn counted(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// Runs async work on a runtime of its own.
pub fn block_on<T>(work: impl Future<Output = T>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Failure::Environment(format!("cannot start the runtime: {error}")))?;
    let result = runtime.block_on(work);
    // A blocking read that hangs (a dead network share) must not keep a finished run from ending.
    runtime.shutdown_timeout(std::time::Duration::from_secs(2));
    Ok(result)
}

/// Gathers what a run still lacks, until it is done or the user presses ctrl-C.
pub async fn conduct(
    run: &mut LiveRun,
    replayed: Replayed,
    access: &Access,
    bench: &Workbench,
    display: &Display,
    interruption: &mut Interruption,
) -> Result<(), Failure> {
    let listener = |event| display.show(&event);
    let ctrl_c = async {
        interruption.arrives().await;
        "ctrl-C"
    };
    let outcome = Box::pin(gather_until(run, replayed, access, bench, &listener, ctrl_c)).await;
    display.clear();
    if outcome? {
        return Ok(());
    }
    let path = run.path().display();
    Err(Failure::Interrupted(format!(
        "interrupted; what was gathered is kept\n  continue: benchwright resume {path}\n  look at it: benchwright rescore {path}"
    )))
}

/// Gathers what a run still lacks, and says whether it came to an end before `stop`, which says why.
pub async fn gather_until(
    run: &mut LiveRun,
    replayed: Replayed,
    access: &Access,
    bench: &Workbench,
    listener: Listener<'_>,
    stop: impl Future<Output = &'static str>,
) -> Result<bool, Failure> {
    let request = &replayed.frozen.request;
    let gathering = conduct::gather(request, access, bench, replayed.evidence, &replayed.settled, run, listener);
    let outcome = tokio::select! {
        result = gathering => Ok(result),
        reason = stop => Err(reason),
    };
    match outcome {
        Ok(Ok(_)) => Ok(true),
        Ok(Err(error)) => {
            let _ = run.append(EventBody::Interrupted { reason: error.to_string() });
            Err(error.into())
        }
        Err(reason) => {
            run.append(EventBody::Interrupted { reason: reason.to_owned() })?;
            Ok(false)
        }
    }
}

/// The report of a run, from its directory alone.
pub fn report_of(mut replayed: Replayed) -> Report {
    assemble::mark_missing(&mut replayed.evidence, &replayed.frozen.request, &replayed.settled);
    assemble::report(&replayed.frozen.request, &replayed.evidence, replayed.frozen.provenance)
}

/// Closes a run that lacks nothing. A run with a piece that failed stays open, so that `resume` can repair it.
pub fn close(run: &mut LiveRun) -> Result<Report, Failure> {
    let path = run.path().to_owned();
    let replayed = run_folder::read(&path)?;
    let was_finished = replayed.finished;
    let tier = replayed.tier();
    let report = report_of(replayed);
    let errored = report.scorers.values().any(|s| s.outcome == benchwright_domain::report::OutcomeKind::Errored);
    if !errored && !was_finished {
        run.finish(&report, tier, false)?;
    }
    Ok(report)
}

/// Why an address gave nothing to score at all, if so.
pub fn nothing_answered(run: &Path) -> Result<Option<String>, Failure> {
    Ok(why_nothing_answered(&run_folder::read(run)?))
}

/// Why an address gave nothing to score at all, if so.
pub fn why_nothing_answered(replayed: &Replayed) -> Option<String> {
    let load = replayed.evidence.load.value.as_ref().ok()?;
    match &load.outcome {
        NavigationOutcome::Failed { .. } | NavigationOutcome::TimedOut { .. } => {
            benchwright_scoring::scorers::functional::f1_render_success::why_not_rendered(load)
        }
        _ => None,
    }
}
