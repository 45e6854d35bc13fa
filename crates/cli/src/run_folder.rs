//! A run directory as the scoring track uses it: evidence goes in as it is gathered, and comes out again for rescoring.

use crate::exit::Failure;
use crate::places::{self, Places};
use benchwright_domain::report::Provenance;
use benchwright_domain::{BlobId, Report, RunRecord};
use benchwright_scoring::evidence::{Absence, Evidence, EvidenceKind, Piece};
use benchwright_scoring::record::{RecordError, Recorder};
use benchwright_scoring::request::Request;
use benchwright_store::{Event, EventBody, Folder, RUN_FORMAT, RunDir, RunHeader, RunWriter, Storage, StoreError};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What is frozen at the start of a run: the request, and the machine and instruments it meets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Frozen {
    /// What the user asked for.
    pub request: Request,
    /// Versions, fonts and machine at the start.
    pub provenance: Provenance,
}

/// A run that is being written.
pub struct LiveRun {
    writer: Box<dyn RunWriter>,
    path: PathBuf,
    begun: Instant,
    offset_ms: u64,
}

impl LiveRun {
    /// Begins a run below `out`, with what `resume` will need to find again.
    pub fn begin(out: &Path, frozen: &Frozen) -> Result<Self, Failure> {
        let path = out.join("runs").join(&frozen.provenance.run);
        let run = Self::begin_in(&Folder::at(out), path, frozen)?;
        Places::taken_from(&mut frozen.request.clone()).keep(run.path())?;
        Ok(run)
    }

    /// Begins a run wherever runs are kept; `path` is for messages. Its log has no paths of this machine.
    pub fn begin_in(storage: &dyn Storage, path: PathBuf, frozen: &Frozen) -> Result<Self, Failure> {
        let mut frozen = frozen.clone();
        Places::taken_from(&mut frozen.request);
        let header = RunHeader {
            format: RUN_FORMAT,
            id: frozen.provenance.run.clone(),
            started_at: frozen.provenance.started_at.clone(),
            benchwright: frozen.provenance.benchwright.clone(),
            request: serde_json::to_value(&frozen).map_err(|error| Failure::Bug(error.to_string()))?,
        };
        let writer = storage.create(&header)?;
        Ok(Self { writer, path, begun: Instant::now(), offset_ms: 0 })
    }

    /// Opens a run again and says that it goes on.
    pub fn reopen(path: &Path) -> Result<(Self, Vec<Event>), Failure> {
        let (folder, events) = RunDir::open(path)?;
        let run = Self::go_on(Box::new(folder), path.to_owned(), &events)?;
        Ok((run, events))
    }

    /// Goes on with a run that was opened, and says so in its log.
    pub fn go_on(writer: Box<dyn RunWriter>, path: PathBuf, events: &[Event]) -> Result<Self, Failure> {
        let offset_ms = events.last().map_or(0, |event| event.at_ms);
        let mut run = Self { writer, path, begun: Instant::now(), offset_ms };
        run.append(EventBody::Resumed { benchwright: env!("CARGO_PKG_VERSION").to_owned() })?;
        Ok(run)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes an event.
    pub fn append(&mut self, body: EventBody) -> Result<(), Failure> {
        let at_ms = self.at_ms();
        Ok(self.writer.append(body, at_ms)?)
    }

    /// Keeps the report and writes `run.json`, which says that the run is whole and what of it stands in lists.
    ///
    /// `verified` is for runs that the operator's own workers made from what was submitted.
    pub fn finish(&mut self, report: &Report, tier: Option<u8>, verified: bool) -> Result<(), Failure> {
        let blob = self.writer.put_blob(benchwright_report::json::render(report).as_bytes())?;
        let record = RunRecord { tier, report: Some(blob), verified, ..RunRecord::of(report) };
        self.append(EventBody::Finished {})?;
        Ok(self.writer.finish(&summary(report, &record))?)
    }

    fn at_ms(&self) -> u64 {
        self.offset_ms + self.begun.elapsed().as_millis() as u64
    }
}

impl Recorder for LiveRun {
    fn blob(&mut self, bytes: &[u8]) -> Result<BlobId, RecordError> {
        self.writer.put_blob(bytes).map_err(|error| RecordError(error.to_string()))
    }

    fn read(&self, id: &BlobId) -> Result<Vec<u8>, RecordError> {
        self.writer.blob(id).map_err(|error| RecordError(error.to_string()))
    }

    fn evidence(&mut self, kind: &str, version: u32, json: &[u8], seconds: f64) -> Result<(), RecordError> {
        let blob = self.blob(json)?;
        let at_ms = self.at_ms();
        self.writer
            .append(EventBody::Evidence { kind: kind.to_owned(), version, blob, seconds }, at_ms)
            .map_err(|error| RecordError(error.to_string()))
    }

    fn absent(&mut self, kind: EvidenceKind, absence: &Absence, seconds: f64) -> Result<(), RecordError> {
        let absence = serde_json::to_value(absence).map_err(|error| RecordError(error.to_string()))?;
        let at_ms = self.at_ms();
        self.writer
            .append(EventBody::Absent { kind: kind.key().to_owned(), absence, seconds }, at_ms)
            .map_err(|error| RecordError(error.to_string()))
    }
}

/// What a run's log says: everything needed to score it again or to go on.
pub struct Replayed {
    /// What was frozen at the start.
    pub frozen: Frozen,
    /// The evidence there is.
    pub evidence: Evidence,
    /// The kinds that need not be gathered again.
    pub settled: BTreeSet<EvidenceKind>,
    /// Whether `run.json` says that the run is whole.
    pub finished: bool,
}

/// Reads a run without writing to it.
pub fn read(path: &Path) -> Result<Replayed, Failure> {
    let run = RunDir::read(path)?;
    replay_folder(path, &run.events, run.run_json.is_some())
}

/// Folds the events of a run in a folder.
pub fn replay_folder(path: &Path, events: &[Event], finished: bool) -> Result<Replayed, Failure> {
    let mut replayed = replay(path, events, finished, &|id| benchwright_store::blob(path, id))?;
    places::restore(path, &mut replayed.frozen.request);
    Ok(replayed)
}

/// How the blobs of a run are read.
type Blobs<'a> = &'a dyn Fn(&BlobId) -> Result<Vec<u8>, StoreError>;

/// Folds a run's events; `path` is for messages. The last word on a kind counts.
pub fn replay(path: &Path, events: &[Event], finished: bool, blobs: Blobs) -> Result<Replayed, Failure> {
    let Some(EventBody::Started { header }) = events.first().map(|event| &event.body) else {
        return Err(Failure::BadInput(format!("{} has no beginning; it cannot be read", path.display())));
    };
    let path_text = path.display();
    let other_track = match header.request.get("track").and_then(serde_json::Value::as_str) {
        Some("quiz") => Some(format!(
            "{path_text} is a run of the quiz; use `benchwright quiz rescore {path_text}` or `benchwright quiz --resume {path_text}`"
        )),
        Some("vibe") => Some(format!(
            "{path_text} is an evaluation; use `benchwright vibe resume {path_text}` or `benchwright vibe rejudge {path_text}`"
        )),
        _ => None,
    };
    if let Some(text) = other_track {
        return Err(Failure::BadInput(text));
    }
    let frozen: Frozen = serde_json::from_value(header.request.clone()).map_err(|error| {
        Failure::BadInput(format!("{} holds a request this version cannot read: {error}", path.display()))
    })?;
    let mut replayed = Replayed { evidence: Evidence::default(), settled: BTreeSet::new(), finished, frozen };
    replayed.evidence.prompt.clone_from(&replayed.frozen.request.prompt);
    for event in events {
        replayed.apply(path, &event.body, blobs)?;
        // Only evidence counts as time: what is written after the last piece must not change the report.
        if matches!(event.body, EventBody::Evidence { .. } | EventBody::Absent { .. }) {
            replayed.frozen.provenance.seconds = event.at_ms as f64 / 1000.0;
        }
    }
    Ok(replayed)
}

impl Replayed {
    /// How hard the prompt is.
    pub fn tier(&self) -> Option<u8> {
        self.frozen.request.prompt.as_ref().map(|prompt| prompt.tier)
    }

    fn apply(&mut self, path: &Path, body: &EventBody, blobs: Blobs) -> Result<(), Failure> {
        let broken = |kind: &str, error: String| {
            Failure::BadInput(format!("the evidence `{kind}` of {} cannot be read: {error}", path.display()))
        };
        match body {
            EventBody::Evidence { kind, blob, seconds, .. } => {
                let bytes = blobs(blob)?;
                if let Some(known) = EvidenceKind::from_key(kind) {
                    let restored = self.evidence.restore(known, Ok(&bytes), *seconds);
                    restored.map_err(|error| broken(kind, error.to_string()))?;
                    self.settled.insert(known);
                    self.frozen.provenance.hashes.insert(format!("evidence {kind}"), blob.0.clone());
                } else if let Some(id) = kind.strip_prefix("command/") {
                    let answer = serde_json::from_slice(&bytes).map_err(|error| broken(kind, error.to_string()))?;
                    self.evidence.commands.insert(id.to_owned(), Piece::present(answer, *seconds));
                }
            }
            EventBody::Absent { kind, absence, seconds } => {
                let absence: Absence =
                    serde_json::from_value(absence.clone()).map_err(|error| broken(kind, error.to_string()))?;
                if let Some(known) = EvidenceKind::from_key(kind) {
                    if !absence.is_failure() {
                        self.settled.insert(known);
                    }
                    let restored = self.evidence.restore(known, Err(absence), *seconds);
                    restored.map_err(|error| broken(kind, error.to_string()))?;
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// The run folder a user means: the folder itself, or the newest run below a folder that `score` wrote to.
pub fn locate(path: &Path) -> Result<PathBuf, Failure> {
    if path.join("log").is_file() {
        return Ok(path.to_owned());
    }
    let runs = if path.join("runs").is_dir() { path.join("runs") } else { path.to_owned() };
    let newest = fs::read_dir(&runs)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|folder| folder.join("log").is_file())
        .max();
    newest.ok_or_else(|| {
        let problem = if path.exists() { "holds no run" } else { "is not there" };
        Failure::BadInput(format!("{} {problem}; name a folder that `benchwright score` wrote to", path.display()))
    })
}

/// Where the reports of a run go when the user does not say.
pub fn reports_folder(run: &Path) -> PathBuf {
    match run.parent() {
        Some(runs) if runs.file_name().is_some_and(|name| name == "runs") => {
            runs.parent().map_or_else(|| run.to_owned(), Path::to_owned)
        }
        _ => run.to_owned(),
    }
}

/// A fresh id that sorts by time.
pub fn fresh_id(now: jiff::Timestamp) -> String {
    let stamp = now.strftime("%Y%m%dT%H%M%SZ");
    let unique = std::process::id() ^ now.subsec_nanosecond().unsigned_abs();
    format!("{stamp}-{:04x}", unique & 0xffff)
}

/// What is kept in `run.json`.
fn summary(report: &Report, record: &RunRecord) -> serde_json::Value {
    serde_json::json!({
        "format": RUN_FORMAT,
        "id": report.provenance.run,
        "url": report.subject.url,
        "composite": report.composite,
        "rankable": report.rankable,
        "headline": report.headline,
        "methodology": report.methodology,
        "hashes": report.provenance.hashes,
        "record": record,
    })
}
