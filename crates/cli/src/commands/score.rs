//! `benchwright score`: gather, score, report.

use super::{block_on, close, conduct, counted, nothing_answered};
use crate::args::ScoreArguments;
use crate::config::{self, Settings};
use crate::exit::Failure;
use crate::interruption::Interruption;
use crate::loaded::RUNS_FILE;
use crate::outputs::Destination;
use crate::progress::Display;
use crate::run_folder::{self, Frozen, LiveRun};
use crate::{calibration, environment, outputs, serving};
use benchwright_domain::Report;
use benchwright_domain::repeats::{Repeats, representative};
use benchwright_domain::report::Provenance;
use benchwright_report::{json, repeats};
use benchwright_sandbox::machine;
use benchwright_scoring::conduct::Workbench;
use benchwright_scoring::gather::source;
use benchwright_scoring::request::{Judging, LighthouseSettings, Limits, Request};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Runs the command.
pub fn run(arguments: &ScoreArguments) -> Result<ExitCode, Failure> {
    let mut settings = config::settings(arguments)?;
    let bench = environment::workbench(settings.browser.as_deref(), &settings.request.judging)?;
    // Before anything is gathered: whoever reads the folder of a run that was cut off must not find the series before it.
    forget_series(&settings.out)?;
    let mut made = Vec::new();
    for number in 1..=settings.runs {
        if settings.runs > 1 && !settings.printing.quiet {
            eprintln!("run {number} of {}", settings.runs);
        }
        let display = Display::new(settings.printing.quiet);
        let gathered = block_on(gather(&settings, &bench, &display))?;
        let mut run = gathered.map_err(|failure| of_series(failure, number, settings.runs))?;
        made.push((close(&mut run)?, run.path().to_owned()));
        if nothing_answered(run.path())?.is_some() {
            break;
        }
        // What a judge said of the last run is not what it would say of the next: that is what repeating is for.
        settings.request.judging.repeat += 1;
    }
    finish(&settings, made)
}

/// What an interruption means for a series: `resume` knows one run.
fn of_series(failure: Failure, number: usize, runs: usize) -> Failure {
    match failure {
        Failure::Interrupted(text) if runs > 1 => {
            let missing = match runs - number {
                0 => "the series is not summed up".to_owned(),
                missing => format!("the series lacks {}", counted(missing, "more run")),
            };
            Failure::Interrupted(format!(
                "{text}\n  this was run {number} of {runs}: `resume` ends it alone, and {missing}\n  make the series: the same `benchwright score` with `--runs {runs}` again"
            ))
        }
        failure => failure,
    }
}

/// Writes and prints what came of the runs.
fn finish(settings: &Settings, made: Vec<(Report, PathBuf)>) -> Result<ExitCode, Failure> {
    let (reports, paths): (Vec<Report>, Vec<PathBuf>) = made.into_iter().unzip();
    let index = representative(&reports).ok_or_else(|| Failure::Bug("no run was made".to_owned()))?;
    let (report, path) = (&reports[index], &paths[index]);
    outputs::write(report, path, &settings.out)?;
    outputs::print(report, &settings.out, &settings.printing);
    let repeats: &[Report] = if reports.len() > 1 { &reports } else { &[] };
    if !repeats.is_empty() {
        keep_series(settings, &reports, &paths)?;
    }
    let code = settings.expectations.judge(report, repeats, settings.printing.quiet);
    match nothing_answered(path)? {
        Some(why) => Err(Failure::BadInput(format!("nothing to score at {}: {why}", report.subject.url))),
        None => Ok(code),
    }
}

/// Keeps every run's own report beside its evidence, and says what they have in common.
fn keep_series(settings: &Settings, reports: &[Report], paths: &[PathBuf]) -> Result<(), Failure> {
    for (report, path) in reports.iter().zip(paths) {
        outputs::write(report, path, &Destination::folder(path))?;
    }
    let repeats = Repeats::of(reports);
    let folder = &settings.out.folder;
    outputs::replace(&folder.join(RUNS_FILE), json::pretty(&repeats).as_bytes())?;
    outputs::replace(&folder.join("runs.md"), repeats::markdown(&repeats).as_bytes())?;
    if !settings.printing.quiet && !settings.printing.json {
        outputs::say(&repeats::terminal(&repeats, outputs::style()));
    }
    Ok(())
}

/// A run into the folder of an earlier series: what stood for that one no longer does.
fn forget_series(to: &Destination) -> Result<(), Failure> {
    for name in [RUNS_FILE, "runs.md"] {
        let file = to.folder.join(name);
        match std::fs::remove_file(&file) {
            // What is wrong with a folder that is none is said when the run begins.
            Err(error) if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Err(Failure::Environment(format!("cannot remove the old {}: {error}", file.display())));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Begins a run and gathers its evidence. A folder is served anew for every run, so that none inherits what another left.
pub async fn gather(settings: &Settings, bench: &Workbench, display: &Display) -> Result<LiveRun, Failure> {
    let mut interruption = Interruption::listen();
    let serving = serving::open(&settings.request, None, bench, display, &mut interruption).await?;
    let request = serving::address(&settings.request, serving.as_ref());
    let mut run = begin(&request, &settings.out.folder, bench).await?;
    let replayed = run_folder::read(run.path())?;
    let outcome = Box::pin(conduct(&mut run, replayed, &settings.access, bench, display, &mut interruption)).await;
    serving::close(serving, run.path()).await;
    outcome.map(|()| run)
}

/// Begins a run: its folder says what was asked, and nothing is gathered yet.
pub async fn begin(request: &Request, out: &Path, bench: &Workbench) -> Result<LiveRun, Failure> {
    let now = jiff::Timestamp::now();
    let frozen = freeze(request, bench, run_folder::fresh_id(now), now).await;
    LiveRun::begin(out, &frozen)
}

/// What is frozen at the start of a run with this id.
pub async fn freeze(request: &Request, bench: &Workbench, run: String, now: jiff::Timestamp) -> Frozen {
    let mut request = request.clone();
    request.lighthouse.calibrated_index = calibration::read().map(|calibration| calibration.benchmark_index);
    let facts = machine::facts();
    let provenance = Provenance {
        benchwright: env!("CARGO_PKG_VERSION").to_owned(),
        run,
        started_at: now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        seconds: 0.0,
        versions: bench.instruments.versions().clone(),
        hashes: prompt_hash(&request),
        fonts: machine::fonts(200).await,
        machine: BTreeMap::from([
            ("cores".to_owned(), serde_json::json!(facts.cores)),
            ("memory_mb".to_owned(), serde_json::json!(facts.memory_mb)),
            ("cpu".to_owned(), serde_json::json!(facts.cpu_model)),
            ("os".to_owned(), serde_json::json!(facts.os)),
        ]),
        settings: notable_settings(&request),
    };
    Frozen { request, provenance }
}

fn prompt_hash(request: &Request) -> BTreeMap<String, String> {
    let Some(prompt) = &request.prompt else { return BTreeMap::new() };
    BTreeMap::from([("prompt".to_owned(), source::sha256(prompt.hash_input().as_bytes()))])
}

/// Settings that differ from the defaults and influence a number.
fn notable_settings(request: &Request) -> BTreeMap<String, Value> {
    let mut notable = BTreeMap::new();
    let mut note = |name: &str, value: Value| {
        notable.insert(name.to_owned(), value);
    };
    if let Some(only) = &request.only {
        note("only", serde_json::json!(only.iter().map(|id| id.key()).collect::<Vec<_>>().join(",")));
    }
    if request.gate != benchwright_domain::Gate::default() {
        note("gate", serde_json::json!("zero"));
    }
    if let Some(serve) = &request.serve {
        note("serve", json!(serve.name()));
    }
    if !request.routes.is_empty() {
        note("routes", serde_json::json!(request.routes.join(", ")));
    }
    if request.signed_in {
        note("signed_in", serde_json::json!(true));
    }
    if request.allow_local {
        note("allow_local", serde_json::json!(true));
    }
    if request.accept_invalid_certificates {
        note("accept_invalid_certificates", serde_json::json!(true));
    }
    if !request.access_names.is_empty() {
        note("access", serde_json::json!(request.access_names.join(", ")));
    }
    if request.limits.navigation_seconds != Limits::default().navigation_seconds {
        note("timeout_seconds", serde_json::json!(request.limits.navigation_seconds));
    }
    let usual = LighthouseSettings::default();
    if request.lighthouse.runs != usual.runs {
        note("lighthouse_runs", serde_json::json!(request.lighthouse.runs));
    }
    let (judging, usual) = (&request.judging, Judging::default());
    if judging.judges != usual.judges {
        note("judges", json!(judging.judges.iter().map(|judge| judge.model.as_str()).collect::<Vec<_>>().join(", ")));
    }
    if judging.repeat != usual.repeat {
        note("judge_repeat", json!(judging.repeat));
    }
    if let Some(index) = request.lighthouse.calibrated_index {
        note("calibrated_benchmark_index", serde_json::json!(index));
    }
    notable
}
