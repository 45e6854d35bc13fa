//! The folder of an evaluation: what was planned, frozen; every walk and verdict as it came; and the document made from both.
//!
//! ```text
//! <out>/runs/<id>/log          one checksummed line per event
//! <out>/runs/<id>/blobs/       bundle, trajectory, traces, sights, screenshots and verdicts by SHA-256
//! <out>/runs/<id>/run.json     written last, when no workflow is left
//! <out>/runs/<id>/places.json  where this machine has the bundle, for resume; no part of the run
//! ```
//!
//! Opinions of further judges are events after the end: verdicts that count never change.

use crate::exit::Failure;
use crate::outputs;
use crate::run_folder::fresh_id;
use benchwright_domain::BlobId;
use benchwright_domain::vibe::evaluation::{Evaluation, JudgedWorkflow, ScoredRun, SecondOpinion};
use benchwright_domain::vibe::{Generation, WorkflowVerdict};
use benchwright_store::index::vibe::OPINION;
use benchwright_store::{Event, EventBody, RUN_FORMAT, ReadRun, Review, RunDir, RunHeader};
use benchwright_vibe::evaluate::{Outcome, Plan, RecordError, Recorder, Start};
use benchwright_vibe::task::{self, Files, Task};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Says that a run is one of this track.
pub const TRACK: &str = "vibe";
const FORMAT: u32 = 1;
const VERSION: u32 = 1;
pub const TASK: &str = "task";
pub const BUNDLE: &str = "bundle";
pub const TRAJECTORY: &str = "trajectory";
const GENERATION: &str = "generation";
pub const START: &str = "start";
const SCORED: &str = "scored";
const WORKFLOW: &str = "workflow/";
const PLACES: &str = "places.json";

/// What is frozen at the start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Frozen {
    track: String,
    format: u32,
    /// Id of the task, for lists.
    pub task: String,
    /// What is done and how.
    pub plan: Plan,
    /// Whether the scorers of the other track look at the app, too.
    #[serde(default)]
    pub score: bool,
}

/// The files of the task, as they were.
#[derive(Serialize, Deserialize)]
pub struct KeptTask {
    pub task: String,
    pub spec: String,
    pub workflows: String,
}

/// What was known before the first walk.
#[derive(Debug, Clone, Default)]
pub struct Inputs {
    /// The bundle, packed.
    pub bundle: Option<Vec<u8>>,
    /// Where this machine has it.
    pub place: Option<PathBuf>,
    /// What the model did while it built the app, and what that took.
    pub trajectory: Option<(Vec<u8>, Generation)>,
}

/// An evaluation that is being written.
pub struct LiveRun {
    folder: RunDir,
    begun: Instant,
    offset_ms: u64,
}

impl LiveRun {
    /// Begins one below `out`.
    pub fn begin(out: &Path, files: &Files, plan: &Plan, score: bool, inputs: &Inputs) -> Result<Self, Failure> {
        let now = jiff::Timestamp::now();
        let id = fresh_id(now);
        let task = plan_task(files)?;
        let frozen = Frozen { track: TRACK.to_owned(), format: FORMAT, task: task.id, plan: plan.clone(), score };
        let header = RunHeader {
            format: RUN_FORMAT,
            id: id.clone(),
            started_at: now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            benchwright: env!("CARGO_PKG_VERSION").to_owned(),
            request: serde_json::to_value(&frozen).map_err(|error| Failure::Bug(error.to_string()))?,
        };
        let folder = RunDir::create(&out.join("runs").join(id), &header)?;
        let mut run = Self { folder, begun: Instant::now(), offset_ms: 0 };
        run.keep_inputs(files, inputs)?;
        Ok(run)
    }

    fn keep_inputs(&mut self, files: &Files, inputs: &Inputs) -> Result<(), Failure> {
        let Files { task, spec, workflows, .. } = files.clone();
        self.keep(TASK, &KeptTask { task, spec, workflows })?;
        if let Some(bundle) = &inputs.bundle {
            self.evidence(BUNDLE, bundle, 0.0)?;
        }
        if let Some((trajectory, generation)) = &inputs.trajectory {
            self.evidence(TRAJECTORY, trajectory, 0.0)?;
            self.keep(GENERATION, generation)?;
        }
        if let Some(place) = &inputs.place {
            let text = json!({ "bundle": fs::canonicalize(place).unwrap_or_else(|_| place.clone()) }).to_string();
            outputs::replace(&self.path().join(PLACES), text.as_bytes())?;
        }
        Ok(())
    }

    /// Opens one again and says that it goes on.
    pub fn reopen(path: &Path) -> Result<Self, Failure> {
        let mut run = Self::append_to(path)?;
        run.append(EventBody::Resumed { benchwright: env!("CARGO_PKG_VERSION").to_owned() })?;
        Ok(run)
    }

    /// Opens one to add something to it.
    pub fn append_to(path: &Path) -> Result<Self, Failure> {
        let (folder, events) = RunDir::open(path)?;
        let offset_ms = events.last().map_or(0, |event| event.at_ms);
        Ok(Self { folder, begun: Instant::now(), offset_ms })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Says why it stops before its end.
    pub fn interrupted(&mut self, reason: &str) -> Result<(), Failure> {
        self.append(EventBody::Interrupted { reason: reason.to_owned() })
    }

    /// Keeps what the scorers of the other track say.
    pub fn scored(&mut self, scored: &ScoredRun) -> Result<(), Failure> {
        self.keep(SCORED, scored)
    }

    /// Keeps what another judge says of a workflow.
    pub fn opinion(&mut self, opinion: &SecondOpinion) -> Result<(), Failure> {
        let kind = format!("{OPINION}{}", opinion.verdict.workflow);
        self.keep(&kind, opinion)
    }

    /// Writes `run.json`, which says that no workflow is left.
    pub fn finish(&mut self, evaluation: &Evaluation) -> Result<(), Failure> {
        self.append(EventBody::Finished {})?;
        let id = self.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
        let document = json!({ "format": RUN_FORMAT, "track": TRACK, "id": id, "evaluation": evaluation });
        Ok(self.folder.finish(&document)?)
    }

    fn keep(&mut self, kind: &str, value: &impl Serialize) -> Result<(), Failure> {
        let bytes = serde_json::to_vec(value).map_err(|error| Failure::Bug(error.to_string()))?;
        self.evidence(kind, &bytes, 0.0)
    }

    fn evidence(&mut self, kind: &str, bytes: &[u8], seconds: f64) -> Result<(), Failure> {
        let blob = self.folder.put_blob(bytes)?;
        self.append(EventBody::Evidence { kind: kind.to_owned(), version: VERSION, blob, seconds })
    }

    fn append(&mut self, body: EventBody) -> Result<(), Failure> {
        let at_ms = self.offset_ms + self.begun.elapsed().as_millis() as u64;
        Ok(self.folder.append(body, at_ms)?)
    }
}

impl Recorder for LiveRun {
    fn blob(&mut self, bytes: &[u8]) -> Result<BlobId, RecordError> {
        self.folder.put_blob(bytes).map_err(|error| RecordError(error.to_string()))
    }

    fn read(&self, id: &BlobId) -> Result<Vec<u8>, RecordError> {
        benchwright_store::blob(self.path(), id).map_err(|error| RecordError(error.to_string()))
    }

    fn start(&mut self, start: &Start) -> Result<(), RecordError> {
        self.keep(START, start).map_err(|failure| RecordError(failure.to_string()))
    }

    fn judged(&mut self, workflow: &JudgedWorkflow) -> Result<(), RecordError> {
        let bytes = serde_json::to_vec(workflow).map_err(|error| RecordError(error.to_string()))?;
        let kind = format!("{WORKFLOW}{}", workflow.verdict.workflow);
        self.evidence(&kind, &bytes, workflow.seconds).map_err(|failure| RecordError(failure.to_string()))
    }
}

/// The task of files that were checked when the run was begun.
fn plan_task(files: &Files) -> Result<Task, Failure> {
    task::load(files).map_err(|error| Failure::BadInput(format!("failed to {error}")))
}

/// What the folder of an evaluation says.
pub struct Replayed {
    /// Where it is.
    pub path: PathBuf,
    /// Its id.
    pub id: String,
    /// What was frozen at the start.
    pub frozen: Frozen,
    /// The files of the task.
    pub files: Files,
    /// The task.
    pub task: Task,
    /// The bundle as it is kept in the run.
    pub bundle: Option<BlobId>,
    /// Everything that was recorded.
    pub outcome: Outcome,
    /// The document, if no workflow is left.
    pub finished: Option<Evaluation>,
    /// What people said of it.
    pub reviews: Vec<Review>,
    opinions: Vec<SecondOpinion>,
}

/// Whether a run is one of this track.
pub fn is_ours(run: &ReadRun) -> bool {
    run.header.request.get("track").and_then(Value::as_str) == Some(TRACK)
}

/// Reads an evaluation without writing to it. The last word on a workflow counts.
pub fn read(path: &Path) -> Result<Replayed, Failure> {
    let run = RunDir::read(path)?;
    if !is_ours(&run) {
        return Err(wrong(path, "is no evaluation; name a folder that `benchwright vibe evaluate` wrote to"));
    }
    let frozen: Frozen = serde_json::from_value(run.header.request.clone())
        .map_err(|error| wrong(path, &format!("was begun by a version this one cannot follow: {error}")))?;
    let kinds = last_words(&run.events);
    let kept = kinds.get(TASK).ok_or_else(|| wrong(path, "was killed before anything was kept; begin a new one"))?;
    let kept: KeptTask = restored(path, TASK, &kept.0)?;
    let KeptTask { task, spec, workflows } = kept;
    let files = Files { folder: frozen.task.clone(), task, spec, workflows };
    let outcome = Outcome {
        started_at: run.header.started_at.clone(),
        benchwright: run.header.benchwright.clone(),
        plan: frozen.plan.clone(),
        start: of_kind(path, &kinds, START)?,
        workflows: workflows_in(path, &kinds)?,
        generation: of_kind(path, &kinds, GENERATION)?,
        trajectory: kinds.get(TRAJECTORY).map(|(blob, _)| blob.clone()),
        scored: of_kind(path, &kinds, SCORED)?,
        seconds: kinds.values().map(|(_, at_ms)| *at_ms).max().unwrap_or_default() as f64 / 1000.0,
    };
    let finished = run.run_json.map(|document| document_of(path, &document)).transpose()?;
    let opinions = opinions_in(path, &run.events)?;
    Ok(Replayed {
        path: path.to_owned(),
        id: run.header.id,
        task: plan_task(&files)?,
        files,
        bundle: kinds.get(BUNDLE).map(|(blob, _)| blob.clone()),
        outcome,
        finished: finished.map(|evaluation| with_opinions(evaluation, &opinions)),
        frozen,
        reviews: benchwright_store::reviews(&run.events),
        opinions,
    })
}

impl Replayed {
    /// Hash of the task's files.
    pub fn task_hash(&self) -> String {
        task::hash(&self.files)
    }

    /// The document from what was recorded, finished or not.
    pub fn evaluation(&self) -> Evaluation {
        match &self.finished {
            Some(evaluation) => evaluation.clone(),
            None => with_opinions(self.outcome.evaluation(&self.task, &self.task_hash()), &self.opinions),
        }
    }

    /// The plan with the backend that the run began with, whatever would be chosen for its bundle by now.
    pub fn plan_as_begun(&self) -> Plan {
        as_begun(&self.frozen.plan, self.outcome.start.as_ref())
    }

    /// Where this machine had the bundle.
    pub fn place(&self) -> Option<PathBuf> {
        let text = fs::read(self.path.join(PLACES)).ok()?;
        let places: Value = serde_json::from_slice(&text).ok()?;
        places.get("bundle").and_then(Value::as_str).map(PathBuf::from)
    }
}

fn as_begun(plan: &Plan, start: Option<&Start>) -> Plan {
    let mut plan = plan.clone();
    if let Some(start) = start {
        plan.evaluator.settings.entry("backend".to_owned()).or_insert_with(|| start.backend.clone());
    }
    plan
}

/// By kind of evidence: its blob, and when it came. Opinions, of which there may be several, are read apart.
fn last_words(events: &[Event]) -> BTreeMap<String, (BlobId, u64)> {
    let mut kinds = BTreeMap::new();
    for event in events {
        if let EventBody::Evidence { kind, blob, .. } = &event.body
            && !kind.starts_with(OPINION)
        {
            kinds.insert(kind.clone(), (blob.clone(), event.at_ms));
        }
    }
    kinds
}

fn of_kind<T: DeserializeOwned>(
    path: &Path,
    kinds: &BTreeMap<String, (BlobId, u64)>,
    kind: &str,
) -> Result<Option<T>, Failure> {
    kinds.get(kind).map(|(blob, _)| restored(path, kind, blob)).transpose()
}

fn workflows_in(
    path: &Path,
    kinds: &BTreeMap<String, (BlobId, u64)>,
) -> Result<BTreeMap<String, JudgedWorkflow>, Failure> {
    let ours = kinds.iter().filter_map(|(kind, (blob, _))| Some((kind.strip_prefix(WORKFLOW)?, kind, blob)));
    ours.map(|(id, kind, blob)| Ok((id.to_owned(), restored(path, kind, blob)?))).collect()
}

fn opinions_in(path: &Path, events: &[Event]) -> Result<Vec<SecondOpinion>, Failure> {
    let bodies = events.iter().map(|event| &event.body);
    let ours = bodies.filter_map(|body| match body {
        EventBody::Evidence { kind, blob, .. } if kind.starts_with(OPINION) => Some((kind, blob)),
        _ => None,
    });
    ours.map(|(kind, blob)| restored(path, kind, blob)).collect()
}

/// The last opinion of each judge on each workflow.
fn with_opinions(mut evaluation: Evaluation, opinions: &[SecondOpinion]) -> Evaluation {
    for opinion in opinions {
        evaluation.add_opinion(opinion.clone(), usize::MAX);
    }
    evaluation
}

fn document_of(path: &Path, document: &Value) -> Result<Evaluation, Failure> {
    let evaluation = document.get("evaluation").cloned().unwrap_or_default();
    serde_json::from_value(evaluation)
        .map_err(|error| wrong(path, &format!("has a result that cannot be read: {error}")))
}

fn restored<T: DeserializeOwned>(path: &Path, kind: &str, blob: &BlobId) -> Result<T, Failure> {
    let bytes = benchwright_store::blob(path, blob)?;
    serde_json::from_slice(&bytes).map_err(|error| wrong(path, &format!("has `{kind}` that cannot be read: {error}")))
}

fn wrong(path: &Path, what: &str) -> Failure {
    Failure::BadInput(format!("{} {what}", path.display()))
}

/// The runs that a user names: a run, or all evaluations in folders that hold some, in ascending order.
pub fn locate_all(named: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for path in named {
        if path.join("log").is_file() {
            found.push(path.clone());
            continue;
        }
        let runs = if path.join("runs").is_dir() { path.join("runs") } else { path.clone() };
        let entries = fs::read_dir(&runs).map_err(|error| wrong(path, &format!("cannot be read: {error}")))?;
        let mut here: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        here.retain(|folder| RunDir::read(folder).is_ok_and(|run| is_ours(&run)));
        here.sort();
        found.extend(here);
    }
    found.dedup();
    if found.is_empty() {
        return Err(Failure::BadInput(
            "there is no evaluation; name folders that `benchwright vibe evaluate` wrote to".to_owned(),
        ));
    }
    Ok(found)
}

/// The newest run that a user means.
pub fn locate(named: &Path) -> Result<PathBuf, Failure> {
    let all = locate_all(&[named.to_owned()])?;
    all.into_iter().max().ok_or_else(|| wrong(named, "holds no evaluation"))
}

/// A verdict with what can be compared of it: whatever it cost.
pub fn same_verdict(one: &WorkflowVerdict, other: &WorkflowVerdict) -> bool {
    let bare = |verdict: &WorkflowVerdict| WorkflowVerdict { evaluation_usd: None, ..verdict.clone() };
    bare(one) == bare(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchwright_domain::vibe::evaluation::{AppUnderTest, Evaluator};
    use benchwright_vibe::deploy::Allowance;
    use benchwright_vibe::evaluate::Order;
    use benchwright_vibe::task::Limits;

    fn plan(backend: Option<&str>) -> Plan {
        Plan {
            format: 1,
            app: AppUnderTest {
                model: "m".to_owned(),
                described: None,
                run: 0,
                evaluation: 0,
                variant: BTreeMap::new(),
                bundle: None,
                url: None,
                backend: String::new(),
            },
            workflows: Vec::new(),
            order: Order::AsWritten,
            seed: String::new(),
            today: jiff::civil::date(2026, 11, 18),
            evaluator: Evaluator {
                walker: "resolver".to_owned(),
                judge: "rules".to_owned(),
                settings: backend.map(|name| ("backend".to_owned(), name.to_owned())).into_iter().collect(),
            },
            limits: Limits::default(),
            allowance: Allowance::default(),
            concurrency: 1,
            shared_state: false,
        }
    }

    #[test]
    fn a_run_goes_on_with_the_backend_it_began_with() {
        let start = Start { backend: "native".to_owned(), ..Start::default() };
        let backend = |plan: &Plan, start: Option<&Start>| {
            as_begun(plan, start).evaluator.settings.get("backend").cloned().unwrap_or_default()
        };
        assert_eq!(backend(&plan(None), Some(&start)), "native", "whatever would be chosen by now");
        assert_eq!(backend(&plan(Some("compose")), Some(&start)), "compose", "what was asked for");
        assert_eq!(backend(&plan(None), None), "", "it never began");
    }
}
