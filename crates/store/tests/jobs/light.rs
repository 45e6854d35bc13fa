//! A job without a browser: it leaves evidence step by step, as a real one does, and goes on from what is there.

use crate::sample;
use benchwright_domain::RunRecord;
use benchwright_store::index::entry_of;
use benchwright_store::jobs::{Executed, Executor, JobDesk, Taken};
use benchwright_store::{Event, EventBody, Folder, RUN_FORMAT, ReadRun, RunHeader, RunWriter, Storage, StoreError};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

pub const STEPS: usize = 12;
/// A job with this note takes its time.
pub const LONG: &str = "long";

pub struct Light {
    pub storage: Folder,
    /// How long a long job takes.
    pub long: Duration,
}

/// A run to go on with, and its events so far.
type Opened = (Box<dyn RunWriter>, Vec<Event>);

impl Executor for Light {
    fn execute(&self, job: &Taken, desk: &JobDesk) -> Executed {
        match self.finish(job, desk) {
            Ok(true) => Executed::Done(Box::new(
                entry_of(&self.storage, &job.held.job, &|_: &str, _: &ReadRun| Err("no record".to_owned()))
                    .unwrap()
                    .unwrap(),
            )),
            Ok(false) => Executed::Stopped,
            Err(error) => Executed::Again(error.to_string()),
        }
    }
}

impl Light {
    /// Whether it came to an end.
    fn finish(&self, job: &Taken, desk: &JobDesk) -> Result<bool, StoreError> {
        let id = &job.held.job;
        let Some((mut run, events)) = self.open(id, desk)? else { return Ok(false) };
        if self.storage.result(id)?.is_some() {
            return Ok(true);
        }
        let kinds: BTreeSet<&str> = events.iter().filter_map(kind).collect();
        for step in (0..STEPS).map(|step| format!("step-{step:02}")) {
            if kinds.contains(step.as_str()) {
                continue;
            }
            if desk.stop().is_some() {
                run.append(EventBody::Interrupted { reason: "told to stop".to_owned() }, 0)?;
                return Ok(false);
            }
            let blob = run.put_blob(format!("{id} {step}").as_bytes())?;
            run.append(EventBody::Evidence { kind: step.clone(), version: 1, blob, seconds: 0.0 }, 0)?;
            desk.tell("page", &step);
        }
        if job.order.note.as_deref() == Some(LONG) {
            let begun = Instant::now();
            while begun.elapsed() < self.long && desk.stop().is_none() {
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        if !events.iter().any(|event| event.body == EventBody::Finished {}) {
            run.append(EventBody::Finished {}, 0)?;
        }
        run.finish(&result(id))?;
        Ok(true)
    }

    /// Waits while a worker that was given up, but is not dead, still has the run.
    fn open(&self, id: &str, desk: &JobDesk) -> Result<Option<Opened>, StoreError> {
        while desk.stop().is_none() {
            match self.storage.open(id) {
                Err(StoreError::NotARun { .. } | StoreError::NeverStarted { .. }) => {}
                Err(StoreError::AlreadyRunning { .. }) => {
                    std::thread::sleep(Duration::from_millis(20));
                    continue;
                }
                opened => return opened.map(Some),
            }
            match self.storage.create(&header(id)) {
                Err(StoreError::AlreadyRunning { .. } | StoreError::HoldsRun { .. }) => {}
                created => return Ok(Some((created?, Vec::new()))),
            }
        }
        Ok(None)
    }
}

fn kind(event: &Event) -> Option<&str> {
    match &event.body {
        EventBody::Evidence { kind, .. } => Some(kind),
        _ => None,
    }
}

fn header(id: &str) -> RunHeader {
    RunHeader {
        format: RUN_FORMAT,
        id: id.to_owned(),
        started_at: sample::moment(0),
        benchwright: "0.1.0".to_owned(),
        request: Value::Null,
    }
}

fn result(id: &str) -> Value {
    let record: RunRecord = sample::record(id, "kiln", "todo", 80.0);
    json!({ "format": RUN_FORMAT, "id": id, "record": record })
}

/// Asserts that every run has each piece of evidence once and one end.
pub fn verify(storage: &Folder, jobs: &[String]) {
    assert_eq!(storage.runs().unwrap(), jobs);
    for job in jobs {
        let run = storage.read(job).unwrap();
        let kinds: Vec<&str> = run.events.iter().filter_map(kind).collect();
        assert_eq!(kinds.len(), STEPS, "{job}: {kinds:?}");
        assert_eq!(kinds.iter().collect::<BTreeSet<_>>().len(), STEPS, "{job}: {kinds:?}");
        let ends = run.events.iter().filter(|event| event.body == EventBody::Finished {}).count();
        assert_eq!((ends, run.run_json.is_some()), (1, true), "{job}");
    }
}
