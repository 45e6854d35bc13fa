//! What people who review apps are shown: the sheet of a run's task, its bundle, and the practice app that comes with Benchwright.

use crate::exit::Failure;
use crate::vibe::run_folder::{BUNDLE, KeptTask, START, TASK};
use benchwright_domain::BlobId;
use benchwright_domain::vibe::review::{Key, Sheet, SheetWorkflow};
use benchwright_store::{EventBody, ReadRun, Storage};
use benchwright_vibe::deploy::Backend;
use benchwright_vibe::evaluate::Start;
use benchwright_vibe::task::{self, Files, Occasion};
use serde::Deserialize;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

const PRACTICE: &str = include_str!("../../../corpus/review/practice.yaml");
const PRACTICE_APP: &str = include_str!("../../../corpus/review/app/index.html");
/// Format version of the practice file.
const FORMAT: u32 = 1;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Practice {
    format: u32,
    id: String,
    version: u32,
    title: String,
    spec: String,
    workflows: Vec<PracticeWorkflow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PracticeWorkflow {
    id: String,
    title: String,
    purpose: String,
    substeps: Vec<PracticeSubstep>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PracticeSubstep {
    #[serde(rename = "do")]
    text: String,
    passes: bool,
}

/// What a reviewer reads of the practice app, and the right marks.
pub fn calibration() -> Result<(Sheet, Key), Failure> {
    let bug = |why: String| Failure::Bug(format!("the practice app cannot be read: {why}"));
    let practice: Practice = serde_saphyr::from_str(PRACTICE).map_err(|error| bug(error.to_string()))?;
    if practice.format != FORMAT {
        return Err(bug(format!("format {}", practice.format)));
    }
    let key = Key {
        item: format!("{}/{}", practice.id, practice.version),
        marks: practice
            .workflows
            .iter()
            .map(|it| (it.id.clone(), it.substeps.iter().map(|it| it.passes).collect()))
            .collect(),
    };
    let workflow = |it: PracticeWorkflow| SheetWorkflow {
        id: it.id,
        title: it.title,
        purpose: it.purpose,
        substeps: it.substeps.into_iter().map(|substep| substep.text).collect(),
    };
    let workflows = practice.workflows.into_iter().map(workflow).collect();
    Ok((Sheet { title: practice.title, spec: practice.spec, workflows }, key))
}

/// Writes the practice app into a folder.
pub fn practice_app(folder: &Path) -> Result<PathBuf, Failure> {
    fs::write(folder.join("index.html"), PRACTICE_APP)
        .map_err(|error| Failure::Environment(format!("cannot write the practice app: {error}")))?;
    Ok(folder.to_owned())
}

/// What a reviewer reads of the app in a run, with values that no other occasion has.
pub fn sheet(storage: &dyn Storage, run: &str, seed: &str, day: &str) -> Result<Sheet, Failure> {
    let wrong = |why: String| Failure::BadInput(format!("the task of run {run} cannot be read: {why}"));
    let read = storage.read(run)?;
    let blob = last(&read, TASK).ok_or_else(|| wrong("the run keeps none".to_owned()))?;
    let bytes = storage.blob(run, blob)?;
    let KeptTask { task, spec, workflows } =
        serde_json::from_slice(&bytes).map_err(|error| wrong(error.to_string()))?;
    // The name of the folder must be the task's id, which the run says.
    let folder = read.header.request.get("task").and_then(Value::as_str).unwrap_or_default().to_owned();
    let files = Files { folder, task, spec, workflows };
    let task = task::load(&files).map_err(|error| wrong(error.to_string()))?;
    let today = day.parse().map_err(|error| wrong(format!("{day} is no day: {error}")))?;
    let occasion = Occasion { seed: seed.to_owned(), today };
    let workflow = |workflow: &task::Workflow| SheetWorkflow {
        id: workflow.id.clone(),
        title: workflow.title.clone(),
        purpose: workflow.purpose.clone(),
        substeps: workflow.on(&task.id, &occasion).substeps.into_iter().map(|substep| substep.text).collect(),
    };
    Ok(Sheet {
        workflows: task.workflows.iter().map(workflow).collect(),
        title: task.title.clone(),
        spec: task.spec.clone(),
    })
}

/// The bundle that a run keeps, packed.
pub fn bundle(storage: &dyn Storage, run: &str) -> Result<Option<Vec<u8>>, Failure> {
    let read = storage.read(run)?;
    Ok(last(&read, BUNDLE).map(|blob| storage.blob(run, blob)).transpose()?)
}

/// What deployed the bundle of a run: people see the app as the walker did.
pub fn backend(storage: &dyn Storage, run: &str) -> Result<Backend, Failure> {
    let wrong = |error| Failure::BadInput(format!("the start of run {run} cannot be read: {error}"));
    let read = storage.read(run)?;
    let kept = last(&read, START).map(|blob| storage.blob(run, blob)).transpose()?;
    let start: Option<Start> = kept.map(|bytes| serde_json::from_slice(&bytes)).transpose().map_err(wrong)?;
    Ok(start.map_or(Backend::Auto, |start| Backend::named(&start.backend)))
}

/// The last evidence of a kind.
fn last<'a>(read: &'a ReadRun, wanted: &str) -> Option<&'a BlobId> {
    read.events.iter().rev().find_map(|event| match &event.body {
        EventBody::Evidence { kind, blob, .. } if kind == wanted => Some(blob),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchwright_store::{Folder, RUN_FORMAT, RunDir, RunHeader};

    #[test]
    fn people_see_an_app_as_it_was_deployed_for_the_walker() {
        let data = tempfile::tempdir().unwrap();
        let header = RunHeader {
            format: RUN_FORMAT,
            id: "r1".to_owned(),
            started_at: "2026-11-17T12:00:00Z".to_owned(),
            benchwright: "0.1.0".to_owned(),
            request: serde_json::Value::Null,
        };
        let mut run = RunDir::create(&data.path().join("runs/r1"), &header).unwrap();
        let storage = Folder::at(data.path());
        assert_eq!(backend(&storage, "r1").unwrap(), Backend::Auto, "it was never started");
        let start = Start { started: true, backend: "compose".to_owned(), ..Start::default() };
        let blob = run.put_blob(&serde_json::to_vec(&start).unwrap()).unwrap();
        run.append(EventBody::Evidence { kind: START.to_owned(), version: 1, blob, seconds: 0.0 }, 0).unwrap();
        assert_eq!(backend(&storage, "r1").unwrap(), Backend::Compose);
    }

    /// As the README shows how to write one: with a word behind the id.
    #[test]
    fn a_task_with_a_comment_behind_its_id_has_a_sheet() {
        let pack = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/vibe/pack/jam-shelf");
        let Files { task, spec, workflows, .. } = Files::read(&pack).unwrap();
        let commented = task.replacen("id: jam-shelf", "id: jam-shelf   # the name of its folder", 1);
        assert_ne!(commented, task);
        let data = tempfile::tempdir().unwrap();
        let header = RunHeader {
            format: RUN_FORMAT,
            id: "r1".to_owned(),
            started_at: "2026-11-17T12:00:00Z".to_owned(),
            benchwright: "0".to_owned(),
            request: serde_json::json!({ "track": "vibe", "task": "jam-shelf" }),
        };
        let mut run = RunDir::create(&data.path().join("runs/r1"), &header).unwrap();
        let kept = KeptTask { task: commented, spec, workflows };
        let blob = run.put_blob(&serde_json::to_vec(&kept).unwrap()).unwrap();
        run.append(EventBody::Evidence { kind: TASK.to_owned(), version: 1, blob, seconds: 0.0 }, 0).unwrap();
        let sheet = sheet(&Folder::at(data.path()), "r1", "seed", "2026-11-17").unwrap();
        assert_eq!((sheet.title.as_str(), sheet.workflows.len()), ("Jam shelf", 6));
    }

    #[test]
    fn the_practice_app_has_things_that_work_and_things_that_do_not() {
        let (sheet, key) = calibration().unwrap();
        let marks: Vec<bool> = key.marks.values().flatten().copied().collect();
        assert!(
            marks.iter().filter(|passes| **passes).count() >= 8 && marks.iter().filter(|passes| !**passes).count() >= 3
        );
        for workflow in &sheet.workflows {
            assert_eq!(key.marks[&workflow.id].len(), workflow.substeps.len());
        }
    }
}
