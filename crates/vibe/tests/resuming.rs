//! Evaluations that go on where they were, on whatever day that is.
#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

use benchwright_domain::BlobId;
use benchwright_domain::vibe::Trace;
use benchwright_domain::vibe::evaluation::JudgedWorkflow;
use benchwright_domain::vibe::verdict::WorkflowState;
use benchwright_fixtures::{Server, Site};
use benchwright_sandbox::{Instruments, chromium};
use benchwright_vibe::deploy::{DeployError, Prepared};
use benchwright_vibe::evaluate::{
    Arena, Calendar, Conduct, Deployed, Grading, Plan, Plans, RecordError, Recorder, SharedRecorder, Start,
    Surroundings, Walking,
};
use benchwright_vibe::task::{self, Files, Task};
use benchwright_vibe::walk::{InMemory, Keeper as _};
use jiff::civil::date;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What was kept, in order.
#[derive(Default)]
struct Kept {
    starts: Vec<Start>,
    judged: Vec<JudgedWorkflow>,
    blobs: InMemory,
}

impl Kept {
    fn traces(&self) -> Vec<Trace> {
        let blobs = self.judged.iter().map(|judged| judged.trace.as_ref().unwrap());
        blobs.map(|blob| serde_json::from_slice(self.blobs.get(blob).unwrap()).unwrap()).collect()
    }
}

impl Recorder for Kept {
    fn blob(&mut self, bytes: &[u8]) -> Result<BlobId, RecordError> {
        self.blobs.keep(bytes).map_err(|error| RecordError(error.to_string()))
    }

    fn read(&self, id: &BlobId) -> Result<Vec<u8>, RecordError> {
        self.blobs.get(id).map(<[u8]>::to_vec).ok_or_else(|| RecordError("there is no such blob".to_owned()))
    }

    fn start(&mut self, start: &Start) -> Result<(), RecordError> {
        self.starts.push(start.clone());
        Ok(())
    }

    fn judged(&mut self, workflow: &JudgedWorkflow) -> Result<(), RecordError> {
        self.judged.push(workflow.clone());
        Ok(())
    }
}

fn plan(task: &Task) -> Plan {
    let ids: Vec<&str> = task.workflows.iter().map(|workflow| workflow.id.as_str()).collect();
    serde_json::from_value(json!({
        "format": 1, "workflows": ids, "order": "as_written", "seed": "", "today": "2026-11-18",
        "app": { "model": "m", "bundle": "ab12", "backend": "" }, "limits": task.limits, "concurrency": 1, "shared_state": false,
        "evaluator": { "walker": "resolver", "judge": "rules", "settings": {} },
    }))
    .unwrap()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What is kept of an app when these workflows are left.
async fn conducted(task: &Task, app: &Deployed, left: &[String], plans: &Plans, today: Calendar<'_>) -> Kept {
    let scratch = tempfile::tempdir().unwrap();
    let surroundings = Surroundings {
        chromium: chromium::find(None, std::env::var_os("PATH").as_deref()).unwrap(),
        instruments: Instruments::locate(&root().join("instruments")).unwrap(),
        scratch_base: scratch.path().to_owned(),
        as_root: true,
    };
    let arena = Arena::new(surroundings, None).await.unwrap();
    let kept = Arc::new(Mutex::new(Kept::default()));
    let conduct = Conduct {
        task,
        task_hash: "0",
        plan: &plan(task),
        app,
        arena: &arena,
        walking: &Walking::Resolver,
        plans: Some(plans.clone()),
        grading: &Grading::Rules,
        recorder: SharedRecorder::new(kept.clone()),
        listener: &|_| (),
        quiet_lock: scratch.path().join("lock"),
        today,
    };
    conduct.go(left, Duration::ZERO).await.unwrap();
    drop(conduct);
    arena.close().await;
    Arc::into_inner(kept).unwrap().into_inner().unwrap()
}

/// What is kept of an app that does not start.
async fn kept_of(task: &Task, left: &[String]) -> Kept {
    let app = Deployed::Broken(DeployError::Bundle("open the bundle: it is gone".to_owned()));
    conducted(task, &app, left, &Plans::at("/nowhere".into(), 0), &|| date(2026, 11, 18)).await
}

#[tokio::test]
async fn an_app_that_does_not_start_again_keeps_what_was_judged_before() {
    let pack = root().join("fixtures/vibe/pack/jam-shelf");
    let task = task::load(&Files::read(&pack).unwrap()).unwrap();
    let all: Vec<String> = task.workflows.iter().map(|workflow| workflow.id.clone()).collect();
    let kept = kept_of(&task, &all[2..]).await;
    assert_eq!(kept.starts, [], "the first word stands: it started for the others");
    let judged: Vec<&str> = kept.judged.iter().map(|judged| judged.verdict.workflow.as_str()).collect();
    assert_eq!(judged, all[2..]);
    let is_down = |judged: &JudgedWorkflow| {
        judged.verdict.state == WorkflowState::AppDown && judged.verdict.substeps[0].reason.contains("it is gone")
    };
    assert!(kept.judged.iter().all(is_down), "{:?}", kept.judged);

    let kept = kept_of(&task, &all).await;
    assert_eq!((kept.starts.len(), kept.judged.len()), (1, all.len()));
    assert!(!kept.starts[0].started && kept.starts[0].note.contains("it is gone"), "{:?}", kept.starts);
}

/// The task with a date where two of its workflows type a name.
fn dated() -> Task {
    let files = Files::read(&root().join("fixtures/vibe/pack/jam-shelf")).unwrap();
    let workflows = files.workflows.replace("Plum {unique}", "{day}").replace("Cherry {unique}", "{day+7}");
    assert_eq!(workflows.matches("{day").count(), 2);
    task::load(&Files { workflows, ..files }).unwrap()
}

#[tokio::test]
async fn a_day_that_begins_between_two_walks_is_the_day_of_the_second() {
    let task = dated();
    let page = std::fs::read_to_string(root().join("fixtures/vibe/jam-shelf/index.html")).unwrap();
    let server = Server::start(Site::html(&page)).unwrap();
    let url = server.url();
    let app = Deployed::Ready(Prepared::at(url.trim_end_matches('/')));
    let asked = AtomicUsize::new(0);
    let today = || match asked.fetch_add(1, Ordering::SeqCst) {
        0 => date(2026, 12, 31),
        _ => date(2027, 1, 1),
    };
    let folder = tempfile::tempdir().unwrap();
    let plans = Plans::at(folder.path().to_owned(), 0);
    let left = ["put-jam-on-the-shelf", "eat-a-jar"].map(str::to_owned);
    let kept = conducted(&task, &app, &left, &plans, &today).await;
    assert!(kept.judged.iter().all(|judged| judged.verdict.passes()), "{:?}", kept.judged);
    let traces = kept.traces();
    let days: Vec<&str> = traces.iter().filter_map(|trace| trace.day.as_deref()).collect();
    assert_eq!(days, ["2026-12-31", "2027-01-01"], "whatever day the plan was made on");
    for (trace, (workflow, typed)) in traces.iter().zip(task.workflows.iter().zip(["2026-12-31", "2027-01-08"])) {
        let sentences: String = trace.substeps.iter().map(|substep| substep.text.as_str()).collect();
        assert!(sentences.contains(typed), "{sentences}");
        let recorded = serde_json::to_string(&plans.find("ab12", workflow).unwrap()).unwrap();
        assert!(recorded.contains("⟦jam⟧") && !recorded.contains(typed), "{recorded}");
    }
}
