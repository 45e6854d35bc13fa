//! What people say of the substeps of an evaluated app. A review is an event of the run, so it cannot be lost apart from it.

use crate::error::StoreError;
use crate::event::{Event, EventBody, Review};
use crate::index::vibe::evaluation_in;
use crate::run_dir::ReadRun;
use crate::storage::Storage;
use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

const LONGEST_NAME: usize = 100;
const MOST_MARKS: usize = 200;
/// Two reviewers may save at the same moment, and the log of a run has one writer.
const TRIES: u32 = 50;
const BETWEEN: Duration = Duration::from_millis(100);

/// Writes a review down. It is on the disk when this returns.
pub fn review(storage: &dyn Storage, run: &str, review: &Review) -> Result<(), StoreError> {
    check(run, review)?;
    check_against(&storage.read(run)?, review)?;
    let (mut writer, events) = opened(storage, run)?;
    let at_ms = events.last().map_or(0, |event| event.at_ms);
    writer.append(EventBody::Reviewed { review: review.clone() }, at_ms)
}

type Opened = (Box<dyn crate::storage::RunWriter>, Vec<Event>);

fn opened(storage: &dyn Storage, run: &str) -> Result<Opened, StoreError> {
    for _ in 1..TRIES {
        match storage.open(run) {
            Err(StoreError::AlreadyRunning { .. }) => thread::sleep(BETWEEN),
            done => return done,
        }
    }
    storage.open(run)
}

fn check(run: &str, review: &Review) -> Result<(), StoreError> {
    let refused = |reason: &str| Err(StoreError::Refused { run: run.to_owned(), reason: reason.to_owned() });
    let is_name = |name: &str| !name.trim().is_empty() && name.len() <= LONGEST_NAME;
    if !is_name(&review.by) || !is_name(&review.workflow) {
        return refused("it needs the name of who reviews and of the workflow, of at most 100 bytes each");
    }
    if review.marks.is_empty() || review.marks.len() > MOST_MARKS {
        return refused("it needs one mark for each substep, at most 200");
    }
    Ok(())
}

/// Marks are of the substeps of a workflow that was evaluated, one each.
fn check_against(run: &ReadRun, review: &Review) -> Result<(), StoreError> {
    let refused = |reason: String| StoreError::Refused { run: run.header.id.clone(), reason };
    let evaluation = run.run_json.as_ref().map_or(Ok(None), evaluation_in).map_err(refused)?;
    let evaluation = evaluation.ok_or_else(|| refused("it is no finished evaluation of an app".to_owned()))?;
    let judged = evaluation.workflows.iter().find(|judged| judged.verdict.workflow == review.workflow);
    let judged = judged.ok_or_else(|| refused("it has no such workflow".to_owned()))?;
    let substeps = judged.verdict.substeps.len();
    if review.marks.len() == substeps {
        Ok(())
    } else {
        Err(refused(format!("its workflow has {substeps} substeps, and there are {} marks", review.marks.len())))
    }
}

/// What counts of a run's reviews: the last of each reviewer on each workflow.
pub fn reviews(events: &[Event]) -> Vec<Review> {
    let mut last: BTreeMap<(&str, &str), &Review> = BTreeMap::new();
    for event in events {
        if let EventBody::Reviewed { review } = &event.body {
            last.insert((&review.by, &review.workflow), review);
        }
    }
    last.into_values().cloned().collect()
}
