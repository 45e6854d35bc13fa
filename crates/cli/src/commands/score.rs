//! `benchwright score`: gather, score, report.

use super::{block_on, close, conduct, nothing_answered};
use crate::args::ScoreArguments;
use crate::config::{self, Settings};
use crate::exit::Failure;
use crate::progress::Display;
use crate::run_folder::{self, Frozen, LiveRun};
use crate::{calibration, environment, outputs};
use benchwright_domain::report::Provenance;
use benchwright_sandbox::machine;
use benchwright_scoring::conduct::Workbench;
use benchwright_scoring::gather::source;
use benchwright_scoring::request::{Judging, LighthouseSettings, Limits, Request};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::ExitCode;

/// Runs the command.
pub fn run(arguments: &ScoreArguments) -> Result<ExitCode, Failure> {
    let settings = config::settings(arguments)?;
    let bench = environment::workbench(settings.browser.as_deref(), &settings.request.judging)?;
    let display = Display::new(settings.printing.quiet);
    let run = block_on(gather(&settings, &bench, &display))??;
    let (report, path) = {
        let mut run = run;
        (close(&mut run)?, run.path().to_owned())
    };
    outputs::write(&report, &path, &settings.out)?;
    let code = outputs::print(&report, &settings.out, &settings.printing);
    match nothing_answered(&path)? {
        Some(why) => Err(Failure::BadInput(format!("nothing to score at {}: {why}", settings.request.url))),
        None => Ok(code),
    }
}

/// Begins a run and gathers its evidence.
pub async fn gather(settings: &Settings, bench: &Workbench, display: &Display) -> Result<LiveRun, Failure> {
    let frozen = freeze(&settings.request, bench).await;
    let mut run = LiveRun::begin(&settings.out, &frozen)?;
    let replayed = run_folder::read(run.path())?;
    Box::pin(conduct(&mut run, replayed, &settings.access, bench, display)).await?;
    Ok(run)
}

async fn freeze(request: &Request, bench: &Workbench) -> Frozen {
    let mut request = request.clone();
    request.lighthouse.calibrated_index = calibration::read().map(|calibration| calibration.benchmark_index);
    let now = jiff::Timestamp::now();
    let facts = machine::facts();
    let provenance = Provenance {
        benchwright: env!("CARGO_PKG_VERSION").to_owned(),
        run: run_folder::fresh_id(now),
        started_at: now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        seconds: 0.0,
        versions: bench.instruments.versions().clone(),
        hashes: prompt_hash(&request),
        fonts: machine::fonts(200).await,
        machine: BTreeMap::from([
            ("cores".to_owned(), json!(facts.cores)),
            ("memory_mb".to_owned(), json!(facts.memory_mb)),
            ("cpu".to_owned(), json!(facts.cpu_model)),
            ("os".to_owned(), json!(facts.os)),
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
        note("only", json!(only.iter().map(|id| id.key()).collect::<Vec<_>>().join(",")));
    }
    if request.gate != benchwright_domain::Gate::default() {
        note("gate", json!("zero"));
    }
    if request.accept_invalid_certificates {
        note("accept_invalid_certificates", json!(true));
    }
    if !request.access_names.is_empty() {
        note("access", json!(request.access_names.join(", ")));
    }
    if request.limits.navigation_seconds != Limits::default().navigation_seconds {
        note("timeout_seconds", json!(request.limits.navigation_seconds));
    }
    let usual = LighthouseSettings::default();
    if request.lighthouse.runs != usual.runs {
        note("lighthouse_runs", json!(request.lighthouse.runs));
    }
    let (judging, usual) = (&request.judging, Judging::default());
    if judging.judges != usual.judges {
        note("judges", json!(judging.judges.iter().map(|judge| judge.model.as_str()).collect::<Vec<_>>().join(", ")));
    }
    if judging.repeat != usual.repeat {
        note("judge_repeat", json!(judging.repeat));
    }
    if let Some(index) = request.lighthouse.calibrated_index {
        note("calibrated_benchmark_index", json!(index));
    }
    notable
}
