//! Evaluations that go on where they were.
#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

use benchwright_domain::BlobId;
use benchwright_domain::vibe::evaluation::JudgedWorkflow;
use benchwright_domain::vibe::verdict::WorkflowState;
use benchwright_sandbox::Instruments;
use benchwright_vibe::deploy::DeployError;
use benchwright_vibe::evaluate::{
    Arena, Conduct, Deployed, Grading, Plan, RecordError, Recorder, SharedRecorder, Start, Surroundings, Walking,
};
use benchwright_vibe::task::{self, Files, Task};
use serde_json::json;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What was kept, in order.
#[derive(Default)]
struct Kept {
    starts: Vec<Start>,
    judged: Vec<JudgedWorkflow>,
}

impl Recorder for Kept {
    fn blob(&mut self, _: &[u8]) -> Result<BlobId, RecordError> {
        Ok(BlobId(String::new()))
    }

    fn read(&self, _: &BlobId) -> Result<Vec<u8>, RecordError> {
        Err(RecordError("nothing is read".to_owned()))
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
        "app": { "model": "m", "backend": "" }, "limits": task.limits, "concurrency": 1, "shared_state": false,
        "evaluator": { "walker": "resolver", "judge": "rules", "settings": {} },
    }))
    .unwrap()
}

/// What is kept of an app that does not start when these workflows are left.
async fn kept_of(task: &Task, left: &[String]) -> Kept {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let scratch = tempfile::tempdir().unwrap();
    let surroundings = Surroundings {
        chromium: "/nowhere/chromium".into(),
        instruments: Instruments::locate(&root.join("instruments")).unwrap(),
        scratch_base: scratch.path().to_owned(),
        as_root: true,
    };
    let arena = Arena::new(surroundings, None).await.unwrap();
    let kept = Arc::new(Mutex::new(Kept::default()));
    let app = Deployed::Broken(DeployError::Bundle("open the bundle: it is gone".to_owned()));
    let conduct = Conduct {
        task,
        task_hash: "0",
        plan: &plan(task),
        app: &app,
        arena: &arena,
        walking: &Walking::Resolver,
        plans: None,
        grading: &Grading::Rules,
        recorder: SharedRecorder::new(kept.clone()),
        listener: &|_| (),
        quiet_lock: scratch.path().join("lock"),
    };
    conduct.go(left, Duration::ZERO).await.unwrap();
    drop(conduct);
    arena.close().await;
    Arc::into_inner(kept).unwrap().into_inner().unwrap()
}

#[tokio::test]
async fn an_app_that_does_not_start_again_keeps_what_was_judged_before() {
    let pack = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/vibe/pack/jam-shelf");
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
