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
use benchwright_scoring::request::{Judge, Judging, Request};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// What every entry of a batch shares.
pub struct Batch<'a> {
    pub arguments: &'a BatchArguments,
    pub folder: PathBuf,
    /// Where the file with the entries stands.
    pub beside: PathBuf,
    /// When it was written, in nanoseconds since 1970.
    pub written: Option<u64>,
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
    let fingerprint = fingerprint(&settings.request);
    let key = entry.key();
    let known = batch.ledger.record(&key).filter(|record| record.fingerprint == fingerprint);
    let kept = known.as_ref().and_then(|record| Some(batch.folder.join(record.run.as_ref()?)));
    if let (Some(record @ Record { status: Status::Scored, .. }), Some(run)) = (&known, &kept)
        && !may_have_other_accounts(batch, record, run)
        && let Ok(report) = report(run, entry)
    {
        outputs::write(&report, run, &settings.out)?;
        return Ok(Done { report, status: Status::Scored, reason: None, was_there: true });
    }
    let continues = matches!(known, Some(Record { status: Status::Running | Status::Incomplete, .. }));
    let begun = Record {
        status: Status::Running,
        fingerprint,
        written: batch.written,
        run: None,
        composite: None,
        reason: None,
    };
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

/// Whether a password that kept a user out may have been corrected since. Nothing of it is kept to tell by, so a file that was written
/// again is all there is to go by.
fn may_have_other_accounts(batch: &Batch, record: &Record, run: &Path) -> bool {
    record.written != batch.written
        && run_folder::read(run).is_ok_and(|run| run.evidence.backend.value.is_ok_and(|it| it.refused_an_account()))
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
    let mut settings = config::settings_of_entry(&arguments)?;
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

/// Settings that the fingerprint holds by themselves, and who submitted the app, which changes nothing that is measured.
const SAID_APART: [&str; 8] =
    ["prompt", "source", "only", "routes", "access_names", "accounts", "judging", "submission"];

/// Stands for everything that changes what would be measured; passwords are no part of it.
fn fingerprint(request: &Request) -> String {
    let mut asked = json!({
        "url": request.url,
        "prompt": request.prompt.as_ref().map(Prompt::hash_input),
        "source": request.source.as_ref().map(|path| (path, modified(path))),
        "only": request.only,
        "routes": request.routes,
        "access": request.access_names,
    });
    // What older versions did not ask for is left out where there is none of it, so that what they scored stays scored.
    let judges = able_judges(&request.judging);
    if !judges.is_empty() {
        asked["judges"] = json!(judges);
    }
    let unusual = unusual(request);
    if !unusual.is_empty() {
        asked["settings"] = Value::Object(unusual);
    }
    // A folder that cannot be read is told by the run itself.
    if let Some(hash) = request.source.as_ref().filter(|path| path.is_dir()).map(|folder| source::hash_of(folder)) {
        asked["content"] = json!(hash.ok());
    }
    source::sha256(asked.to_string().as_bytes())
}

/// Every other setting that is not what it is when nobody says anything.
fn unusual(request: &Request) -> Map<String, Value> {
    let settings = |request: &Request| match serde_json::to_value(request) {
        Ok(Value::Object(settings)) => settings,
        _ => Map::new(),
    };
    let usual = settings(&Request::new(&request.url));
    let differs = |name: &String, value: &Value| {
        !SAID_APART.contains(&name.as_str()) && usual.get(name).is_none_or(|usual| usual != value)
    };
    settings(request).into_iter().filter(|(name, value)| differs(name, value)).collect()
}

/// Models that can be asked, and where: those whose key is there.
fn able_judges(judging: &Judging) -> Vec<(&str, &str)> {
    let has_key = |judge: &&Judge| !judging.missing_keys.contains(&judge.key_variable);
    judging.judges.iter().filter(has_key).map(|judge| (judge.model.as_str(), judge.base_url.as_str())).collect()
}

/// When a file was written, so that a newer one is scored anew. A folder's own time says nothing about what is in it; its hash does.
pub fn modified(path: &Path) -> Option<u64> {
    let found = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    found.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?.as_nanos().try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchwright_domain::Gate;
    use benchwright_scoring::request::{CommandScorer, Submission};

    fn request() -> Request {
        Request { judging: Judging::nobody(), ..Request::new("https://app.example/") }
    }

    #[test]
    fn every_setting_that_changes_what_is_measured_is_part_of_the_fingerprint() {
        type Change = fn(&mut Request);
        let changes: [(&str, Change); 7] = [
            ("allow_local", |request| request.allow_local = true),
            ("accept_invalid_certificates", |request| request.accept_invalid_certificates = true),
            ("lighthouse", |request| request.lighthouse.runs = 5),
            ("limits", |request| request.limits.navigation_seconds = 5.0),
            ("gate", |request| request.gate = Gate::Zero),
            ("signed_in", |request| request.signed_in = true),
            ("commands", |request| request.commands = vec![CommandScorer { id: "x".into(), command: vec![] }]),
        ];
        for (name, change) in changes {
            let mut changed = request();
            change(&mut changed);
            assert_ne!(fingerprint(&changed), fingerprint(&request()), "{name}");
        }
    }

    #[test]
    fn who_submitted_an_app_and_what_it_cost_are_no_part_of_it() {
        let submission = Submission { tool: "kiln".into(), cost_usd: Some(1.5), ..Submission::default() };
        let submitted = Request { submission: Some(submission), ..request() };
        assert_eq!(fingerprint(&submitted), fingerprint(&request()));
    }

    #[test]
    fn what_an_older_version_scored_with_the_usual_settings_stays_scored() {
        let asked = json!({
            "url": "https://app.example/", "prompt": null, "source": null, "only": null, "routes": [], "access": [],
        });
        assert_eq!(fingerprint(&request()), source::sha256(asked.to_string().as_bytes()));
    }

    #[test]
    fn a_file_that_changed_in_a_source_folder_is_scored_anew() {
        let folder = tempfile::tempdir().unwrap();
        let of_folder = Request { source: Some(folder.path().to_owned()), ..request() };
        std::fs::write(folder.path().join("main.ts"), "export const answer = 41;").unwrap();
        let before = fingerprint(&of_folder);
        assert_eq!(fingerprint(&of_folder), before);
        std::fs::write(folder.path().join("main.ts"), "export const answer = 42;").unwrap();
        assert_ne!(fingerprint(&of_folder), before);
    }
}
