//! What a reviewer says of a workflow, and where it goes.

use super::assigned;
use super::entrance::{Fields, Reviewer, reviews};
use crate::refusal::Refused;
use crate::state::Intake;
use benchwright_domain::vibe::review::{Calibration, SheetWorkflow};
use benchwright_store::index::entry_of;
use benchwright_store::{Review, StoreError, review};
use jiff::Timestamp;
use std::sync::Arc;

const UNFINISHED: &str = "Mark every substep: pass, fail, or not attempted.";

/// What was marked, substep by substep; nothing where nothing was.
pub fn marked(fields: &Fields, substeps: usize) -> Vec<Option<&str>> {
    let mark = |place: usize| match fields.get(&format!("mark-{place}")).map(String::as_str) {
        known @ Some("pass" | "fail" | "none") => known,
        _ => None,
    };
    (0..substeps).map(mark).collect()
}

/// The marks of a form in which every substep has one.
pub fn complete(fields: &Fields, workflow: &SheetWorkflow) -> Result<Vec<Option<bool>>, Refused> {
    let marks = marked(fields, workflow.substeps.len()).into_iter();
    let marks = marks.map(|mark| match mark? {
        "pass" => Some(Some(true)),
        "fail" => Some(Some(false)),
        _ => Some(None),
    });
    marks.collect::<Option<_>>().ok_or_else(|| Refused::field("marks", UNFINISHED))
}

/// Keeps what a reviewer says of a workflow of an app, as an event of its run.
pub async fn of_app(
    intake: &Arc<Intake>,
    reviewer: &Reviewer,
    run: &str,
    workflow: &str,
    marks: Vec<Option<bool>>,
) -> Result<(), Refused> {
    let said = Review { by: reviewer.name.clone(), workflow: workflow.to_owned(), marks, at: now() };
    let (storage, run) = (Arc::clone(&intake.storage), run.to_owned());
    let kept = move || {
        review(&*storage, &run, &said)?;
        Ok::<_, StoreError>(entry_of(&*storage, &run, &|_, _| Err("it is no evaluation".to_owned())))
    };
    let kept = tokio::task::spawn_blocking(kept).await;
    let entry = kept.map_err(|error| Refused::Failed(error.to_string()))??;
    intake.queue.index().take_in(entry?.as_slice()).await?;
    assigned::forget(reviews(intake)?);
    Ok(())
}

/// Keeps what a reviewer says of a workflow of the item everybody begins with.
pub async fn of_calibration(
    intake: &Intake,
    reviewer: &Reviewer,
    workflow: &str,
    marks: Vec<Option<bool>>,
) -> Result<(), Refused> {
    let (_, key) = &*reviews(intake)?.calibration;
    let before = reviewer.calibration.clone().filter(|before| before.item == key.item);
    let mut said = before.unwrap_or_else(|| Calibration::begun(key, ""));
    said.marks.insert(workflow.to_owned(), marks);
    said.at = now();
    Ok(intake.queue.index().calibrate(&reviewer.id, &said).await?)
}

fn now() -> String {
    Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
