//! One entry of a batch: begun, continued, or already done.

use super::ledger::{Ledger, Record, Status};
use crate::args::{BatchArguments, Printing, ScoreArguments};
use crate::commands::{block_on, close, conduct, nothing_answered, report_of, score};
use crate::config::{self, Settings};
use crate::exit::Failure;
use crate::interruption::Interruption;
use crate::outputs::{self, Destination};
use crate::progress::Display;
use crate::run_folder::{self, LiveRun};
use crate::submissions::Entry;
use benchwright_domain::Report;
use benchwright_domain::report::OutcomeKind;
use benchwright_scoring::conduct::Workbench;
use benchwright_scoring::gather::source;
use benchwright_scoring::prompt::Prompt;
use benchwright_scoring::request::{Judge, Judging};
use serde_json::json;
use std::path::{Path, PathBuf};

/// What every entry of a batch shares.
pub struct Batch<'a> {
    pub arguments: &'a BatchArguments,
    pub folder: PathBuf,
    /// Where the file with the entries stands.
    pub beside: PathBuf,
    pub bench: Workbench,
    pub ledger: Ledger,
}

/// What came of an entry.
pub struct Done {
    pub report: Report,
    pub status: Status,
    pub reason: Option<String>,
    /// Nothing was left to do.
    pub was_there: bool,
}

/// Scores an entry, or what is left of it.
pub fn score(batch: &Batch, entry: &Entry, display: &Display) -> Result<Done, Failure> {
    let settings = settings(batch, entry)?;
    let fingerprint = fingerprint(&settings);
    let key = entry.key();
    let known = batch.ledger.record(&key).filter(|record| record.fingerprint == fingerprint);
    let kept = known.as_ref().and_then(|record| Some(batch.folder.join(record.run.as_ref()?)));
    if let (Some(Record { status: Status::Scored, .. }), Some(run)) = (&known, &kept)
        && let Ok(report) = report(run, entry)
    {
        outputs::write(&report, run, &settings.out)?;
        return Ok(Done { report, status: Status::Scored, reason: None, was_there: true });
    }
    let continues = matches!(known, Some(Record { status: Status::Running | Status::Incomplete, .. }));
    let begun = Record { status: Status::Running, fingerprint, run: None, composite: None, reason: None };
    let live = block_on(gather(batch, &settings, kept.filter(|_| continues), begun.clone(), &key, display))?;
    let path = match live {
        Ok(mut run) => {
            close(&mut run)?;
            run.path().to_owned()
        }
        Err(failure @ Failure::Interrupted(_)) => return Err(failure),
        Err(failure) => {
            batch.ledger.write(&key, Record { status: Status::Failed, reason: Some(failure.to_string()), ..begun })?;
            return Err(failure);
        }
    };
    let done = judged(report(&path, entry)?, &path)?;
    outputs::write(&done.report, &path, &settings.out)?;
    let record = Record {
        status: done.status,
        run: path.strip_prefix(&batch.folder).ok().map(Path::to_owned),
        composite: done.report.composite,
        reason: done.reason.clone(),
        ..begun
    };
    batch.ledger.write(&key, record)?;
    Ok(done)
}

/// Goes on with the run that is there, or begins one; the ledger knows it before anything is gathered.
async fn gather(
    batch: &Batch<'_>,
    settings: &Settings,
    kept: Option<PathBuf>,
    begun: Record,
    key: &str,
    display: &Display,
) -> Result<LiveRun, Failure> {
    let mut interruption = Interruption::listen();
    let mut run = match kept.and_then(|path| LiveRun::reopen(&path).ok()) {
        Some((run, _)) => run,
        None => score::begin(&settings.request, &settings.out.folder, &batch.bench).await?,
    };
    let path = run.path().strip_prefix(&batch.folder).map(Path::to_owned).ok();
    batch.ledger.write(key, Record { run: path, ..begun })?;
    let replayed = run_folder::read(run.path())?;
    Box::pin(conduct(&mut run, replayed, &settings.access, &batch.bench, display, &mut interruption)).await?;
    Ok(run)
}

/// The report of a run, with what the file says now about tool and cost: those change without scoring anew.
fn report(run: &Path, entry: &Entry) -> Result<Report, Failure> {
    let mut replayed = run_folder::read(run)?;
    replayed.frozen.request.submission = Some(entry.submission.clone());
    Ok(report_of(replayed))
}

fn judged(report: Report, run: &Path) -> Result<Done, Failure> {
    let errored: Vec<_> = report
        .scorers
        .iter()
        .filter(|(_, scorer)| scorer.outcome == OutcomeKind::Errored)
        .map(|(key, _)| key.to_uppercase())
        .collect();
    let (status, reason) = match nothing_answered(run)? {
        Some(why) => (Status::Failed, Some(format!("nothing to score there: {why}"))),
        None if !errored.is_empty() => {
            (Status::Incomplete, Some(format!("{} could not be measured", errored.join(", "))))
        }
        None => (Status::Scored, None),
    };
    Ok(Done { report, status, reason, was_there: false })
}

/// The settings of one entry: those of `score`, with what the entry says.
fn settings(batch: &Batch, entry: &Entry) -> Result<Settings, Failure> {
    let shared = batch.arguments;
    let arguments = ScoreArguments {
        url: Some(entry.url.clone()),
        routes: Some(entry.routes.clone()),
        measuring: shared.measuring.clone(),
        printing: Printing { quiet: shared.quiet, format: shared.format.clone(), ..Printing::default() },
        ..ScoreArguments::default()
    };
    let mut settings = config::settings(&arguments)?;
    // What the settings file says about one app is not true of the others.
    settings.request.prompt = Some(prompt(shared.prompts.as_deref(), &entry.prompt)?);
    settings.request.source = entry.source.as_deref().map(|path| source_of(batch, path)).transpose()?;
    settings.request.submission = Some(entry.submission.clone());
    // Repeats must be judged anew, not answered from the cache of the first.
    settings.request.judging.repeat = entry.submission.run_index;
    settings.request.accounts = entry.accounts.is_some();
    settings.access.accounts.clone_from(&entry.accounts);
    settings.request.access_names = settings.access.names();
    let folder = batch.folder.join("entries").join(entry.key());
    settings.out = Destination { file: None, folder, ..settings.out };
    Ok(settings)
}

/// A source is seen from the file that names it, and from where the command was called.
fn source_of(batch: &Batch, path: &Path) -> Result<PathBuf, Failure> {
    let beside = batch.beside.join(path);
    config::existing_source(if beside.exists() || !path.exists() { &beside } else { path })
}

/// A prompt by its id: of the user's own, or of the corpus.
fn prompt(folder: Option<&Path>, id: &str) -> Result<Prompt, Failure> {
    let own = folder.map(|folder| folder.join(format!("{id}.yaml"))).filter(|path| path.is_file());
    let prompt = config::read_prompt(&own.map_or_else(|| id.to_owned(), |path| path.display().to_string()))?;
    if prompt.id == id {
        return Ok(prompt);
    }
    Err(Failure::BadInput(format!("the prompt in {id}.yaml has the id `{}`; they must be the same", prompt.id)))
}

/// Stands for everything that changes what would be measured; passwords are no part of it.
fn fingerprint(settings: &Settings) -> String {
    let request = &settings.request;
    let mut asked = json!({
        "url": request.url,
        "prompt": request.prompt.as_ref().map(Prompt::hash_input),
        "source": request.source.as_ref().map(|path| (path, modified(path))),
        "only": request.only,
        "routes": request.routes,
        "access": request.access_names,
    });
    let judges = able_judges(&request.judging);
    // Left out when there are none, so that what older versions scored without judges stays scored.
    if !judges.is_empty() {
        asked["judges"] = json!(judges);
    }
    source::sha256(asked.to_string().as_bytes())
}

/// Models that can be asked, and where: those whose key is there.
fn able_judges(judging: &Judging) -> Vec<(&str, &str)> {
    let has_key = |judge: &&Judge| !judging.missing_keys.contains(&judge.key_variable);
    judging.judges.iter().filter(has_key).map(|judge| (judge.model.as_str(), judge.base_url.as_str())).collect()
}

/// When a ZIP was written, so that a newer one is scored anew. A folder's own time says nothing about what is in it.
fn modified(path: &Path) -> Option<u128> {
    let found = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    found.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok().map(|since| since.as_nanos())
}
