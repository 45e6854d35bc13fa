//! SIGKILL at every boundary between two steps of a run's life.

use super::{Victim, block_on, header, open_index, record};
use benchwright_domain::BlobId;
use benchwright_store::index::{Recorded, RunFilter, entry_of, rebuild};
use benchwright_store::{Act, Decision, EventBody, Folder, Review, RunWriter, Storage, StoreError};
use serde_json::json;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// The file that says after how many steps the victim stops and waits to be killed.
const PART: &str = "stop-after";
const REACHED: &str = "reached";
const RUN: &str = "r1";

/// What happens in the life of a run, and how many events the log has afterwards.
const LIFE: [(Step, usize); 14] = [
    (Step::Create, 1),
    (Step::Blob, 1),
    (Step::Evidence, 2),
    (Step::Absent, 3),
    (Step::Interrupted, 4),
    (Step::Resumed, 5),
    (Step::Note, 6),
    (Step::Finished, 7),
    (Step::Result, 7),
    (Step::Index, 7),
    (Step::Reviewed, 8),
    (Step::Quarantined, 9),
    (Step::Released, 10),
    (Step::Index, 10),
];

#[derive(Debug, Clone, Copy, PartialEq)]
enum Step {
    Create,
    Blob,
    Evidence,
    Absent,
    Interrupted,
    Resumed,
    Note,
    Finished,
    Result,
    Index,
    Reviewed,
    Quarantined,
    Released,
}

impl Step {
    /// How many steps there are up to the first of this kind.
    fn place(self) -> usize {
        1 + LIFE.iter().position(|(step, _)| *step == self).unwrap()
    }
}

const EVIDENCE: &[u8] = b"{\"status\":200}";

fn no_records() -> Arc<Recorded> {
    Arc::new(|_, _| Err("every run of this test has a record".to_owned()))
}

/// Goes through the steps from `first` on, in the folder `root`.
fn live(root: &Path, steps: &[Step]) {
    let storage = Folder::at(root);
    let mut run: Option<Box<dyn RunWriter>> = None;
    for step in steps {
        if *step == Step::Index {
            drop(run.take());
            block_on(async {
                let index = open_index(&root.join("index.sqlite")).await;
                let entry = entry_of(&storage, RUN, &*no_records()).unwrap();
                index.take_in(entry.as_slice()).await.unwrap();
            });
            continue;
        }
        if run.is_none() {
            run = Some(match step {
                Step::Create => storage.create(&header(RUN)).unwrap(),
                _ => storage.open(RUN).unwrap().0,
            });
        }
        let Some(run) = &mut run else { continue };
        let blob = BlobId("3dd4a51c29b9332df6a8fffa6bcb24d7cdef8837b3fa0f7a39a9f9a1a8e1c9d2".to_owned());
        match step {
            Step::Create | Step::Index => {}
            Step::Blob => drop(run.put_blob(EVIDENCE).unwrap()),
            Step::Evidence => {
                let blob = run.put_blob(EVIDENCE).unwrap_or(blob);
                run.append(EventBody::Evidence { kind: "page".to_owned(), version: 1, blob, seconds: 1.0 }, 1).unwrap();
            }
            Step::Absent => {
                run.append(EventBody::Absent { kind: "x".to_owned(), absence: json!(null), seconds: 0.0 }, 2).unwrap();
            }
            Step::Interrupted => run.append(EventBody::Interrupted { reason: "r".to_owned() }, 3).unwrap(),
            Step::Resumed => run.append(EventBody::Resumed { benchwright: "0.1.0".to_owned() }, 3).unwrap(),
            Step::Note => run.append(EventBody::Note { text: "n".to_owned() }, 3).unwrap(),
            Step::Finished => run.append(EventBody::Finished {}, 4).unwrap(),
            Step::Result => run.finish(&json!({ "record": record(RUN) })).unwrap(),
            Step::Reviewed => run.append(EventBody::Reviewed { review: review() }, 5).unwrap(),
            Step::Quarantined => run.append(EventBody::Moderated { act: act(Decision::Quarantine) }, 6).unwrap(),
            Step::Released => run.append(EventBody::Moderated { act: act(Decision::Release) }, 7).unwrap(),
        }
    }
}

fn review() -> Review {
    let (by, workflow, at) = ("ada".to_owned(), "w".to_owned(), "2026-11-16T09:00:00Z".to_owned());
    Review { by, workflow, marks: vec![Some(true), None], at }
}

fn act(decision: Decision) -> Act {
    let (reason, by, at) = ("r".to_owned(), "ada".to_owned(), "2026-11-16T09:00:00Z".to_owned());
    Act { decision, reason, by, at }
}

fn steps() -> Vec<Step> {
    LIFE.iter().map(|(step, _)| *step).collect()
}

#[test]
fn boundary_victim_lives_a_whole_life() {
    if let Ok(count) = fs::read_to_string(PART) {
        // The lock must be held when the kill comes, so the writer is not dropped before.
        live_until_killed(count.parse().unwrap());
    }
    let folder = tempfile::tempdir().unwrap();
    live(folder.path(), &steps());
    assert_eq!(Folder::at(folder.path()).read(RUN).unwrap().events.len(), LIFE[LIFE.len() - 1].1);
}

fn live_until_killed(count: usize) -> ! {
    live(Path::new("data"), &steps()[..count]);
    fs::write(REACHED, "").unwrap();
    loop {
        std::thread::park();
    }
}

#[test]
fn a_run_killed_at_any_boundary_is_whole_up_to_there_and_goes_on_to_the_same_end() {
    for killed_after in 1..=LIFE.len() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(PART), killed_after.to_string()).unwrap();
        let mut victim = Victim::playing("boundaries::boundary_victim_lives_a_whole_life", folder.path());
        victim.wait_until("it reached its end", || folder.path().join(REACHED).exists());
        drop(victim);

        let data = folder.path().join("data");
        let storage = Folder::at(&data);
        let (step, events) = LIFE[killed_after - 1];
        let read = storage.read(RUN).unwrap();
        assert_eq!((read.events.len(), read.torn, read.damage), (events, false, None), "killed after {step:?}");
        assert_eq!(read.run_json.is_some(), killed_after >= Step::Result.place(), "killed after {step:?}");
        for event in &read.events {
            if let EventBody::Evidence { blob, .. } = &event.body {
                assert_eq!(storage.blob(RUN, blob).unwrap(), EVIDENCE, "killed after {step:?}");
            }
        }
        if killed_after >= Step::Index.place() {
            let shown = block_on(async { open_index(&data.join("index.sqlite")).await.run(RUN).await.unwrap() });
            assert!(shown.is_some(), "an acknowledged run is in the index");
        }
        assert!(matches!(storage.create(&header(RUN)).err().unwrap(), StoreError::HoldsRun { .. }));

        live(&data, &steps()[killed_after..]);
        assert_shown_once(&data, &format!("killed after {step:?}"));
    }
}

/// Also after everything was taken in again.
fn assert_shown_once(data: &Path, when: &str) {
    block_on(async {
        let index = open_index(&data.join("index.sqlite")).await;
        for _ in 0..2 {
            assert_eq!(index.totals().await.unwrap().ranked, 1, "{when}");
            assert_eq!(index.runs(&RunFilter::default(), None, 9).await.unwrap().len(), 1, "{when}");
            let rebuilt =
                rebuild(Arc::new(Folder::at(data)), &index, no_records(), Arc::default(), |_, _| ()).await.unwrap();
            assert_eq!((rebuilt.indexed, rebuilt.bad.len()), (1, 0), "{when}");
        }
    });
}

/// The last frame cut at every byte: what was acknowledged before it is there, and the run goes on.
#[test]
fn a_run_torn_at_any_byte_of_its_last_frame_is_shown_once() {
    let (note, end) = (Step::Note.place(), Step::Result.place());
    let whole = tempfile::tempdir().unwrap();
    live(whole.path(), &steps()[..note]);
    let log = fs::read(whole.path().join("runs/r1/log")).unwrap();
    let last = log[..log.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
    for cut in last..log.len() {
        let folder = tempfile::tempdir().unwrap();
        live(folder.path(), &steps()[..note - 1]);
        fs::write(folder.path().join("runs/r1/log"), &log[..cut]).unwrap();
        live(folder.path(), &steps()[note - 1..end]);
        let read = Folder::at(folder.path()).read(RUN).unwrap();
        assert_eq!((read.events.len(), read.torn), (LIFE[end - 1].1, false), "cut at {cut}");
        assert!(read.run_json.is_some(), "cut at {cut}");
    }
}
