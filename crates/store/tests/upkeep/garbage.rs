use super::{act, fresh, header, write_sample};
use benchwright_domain::Order;
use benchwright_store::index::{Durability, Index};
use benchwright_store::jobs::{Ending, Job, NewJob, News, Priority, Queue, SubmitLimits};
use benchwright_store::quiz::{moderate_shared, put_shared};
use benchwright_store::{Decision, EventBody, Folder, Storage as _, garbage, moderate};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

const SHARED: &str = "20261116-0123456789abcdef";

fn tomorrow() -> SystemTime {
    SystemTime::now() + garbage::GRACE + Duration::from_mins(1)
}

#[test]
fn only_what_nothing_names_is_removed() {
    let (_folder, storage) = fresh();
    let sample = write_sample(&storage, "r1");
    let unnamed = garbage::unnamed(&storage, "r1", tomorrow()).unwrap();
    assert_eq!(unnamed.iter().map(|blob| &blob.id).collect::<Vec<_>>(), [&sample.unnamed]);
    assert_eq!(storage.blobs("r1").unwrap().len(), 4, "looking removes nothing");
    assert_eq!(garbage::collect(&storage, "r1", tomorrow()).unwrap(), unnamed);
    for named in [&sample.evidence, &sample.screenshot, &sample.report] {
        storage.blob("r1", named).unwrap();
    }
    assert_eq!(garbage::collect(&storage, "r1", tomorrow()).unwrap(), []);
}

#[test]
fn what_is_young_or_from_the_future_is_left_alone() {
    let (_folder, storage) = fresh();
    write_sample(&storage, "r1");
    for now in [SystemTime::now(), SystemTime::now() - Duration::from_hours(24 * 365)] {
        assert_eq!(garbage::collect(&storage, "r1", now).unwrap(), []);
    }
}

#[test]
fn a_run_that_is_not_finished_has_no_garbage() {
    let (_folder, storage) = fresh();
    let mut run = storage.create(&header("r1")).unwrap();
    run.put_blob(b"an event will name it soon").unwrap();
    assert_eq!(garbage::collect(&storage, "r1", tomorrow()).unwrap(), []);
    run.append(EventBody::Finished {}, 1).unwrap();
    assert_eq!(garbage::collect(&storage, "r1", tomorrow()).unwrap(), [], "run.json may still come");
}

/// Killed between the decision and the removal: the blobs and the result are still there.
#[test]
fn a_take_down_that_was_interrupted_is_completed() {
    let (folder, storage) = fresh();
    write_sample(&storage, "r1");
    let result = storage.result("r1").unwrap().unwrap();
    moderate(&storage, "r1", act(Decision::TakeDown)).unwrap();
    storage.put_blob("r1", b"left over").unwrap();
    std::fs::write(folder.path().join("runs/r1/run.json"), result).unwrap();
    assert_eq!(garbage::collect(&storage, "r1", SystemTime::now()).unwrap().len(), 1);
    assert_eq!((storage.blobs("r1").unwrap(), storage.result("r1").unwrap()), (Vec::new(), None));
}

/// A job with a source, taken so often that it failed, or still waiting; its worker never began the run, or died in it.
async fn job_with_source(queue: &Queue, storage: &Folder, id: &str, is_over: bool) -> Job {
    let order =
        Order { source: Some(storage.put_blob(id, b"PK a source").unwrap()), ..Order::of("https://app.example/") };
    let (priority, submitter) = (Priority::Normal, "ada".to_owned());
    let new = NewJob { id: id.to_owned(), order, priority, submitter, once: None };
    queue.submit(&new, SubmitLimits { waiting: 9, per_hour: 9 }).await.unwrap().unwrap();
    if is_over {
        let held = queue.take("w").await.unwrap().unwrap().held;
        let news = News { held, events: Vec::new(), cost_micros: 0 };
        assert!(queue.end(&news, &Ending::Again("its worker gave no sign of life".to_owned()), 1).await.unwrap());
    }
    queue.job(id).await.unwrap().unwrap()
}

async fn queue(folder: &Path) -> Queue {
    Queue::of(Arc::new(Index::sqlite(&folder.join("index.sqlite"), Durability::Process).await.unwrap()))
}

/// Its last worker died, or could not do it: nobody was left to remove what was submitted.
#[tokio::test]
async fn the_source_of_a_job_that_is_over_goes_and_what_was_gathered_stays() {
    let (folder, storage) = fresh();
    let job = job_with_source(&queue(folder.path()).await, &storage, "job1", true).await;
    let mut run = storage.create(&header("job1")).unwrap();
    let evidence = run.put_blob(b"evidence").unwrap();
    let abandoned = garbage::abandoned(&storage, "job1", Some(&job), SystemTime::now()).unwrap();
    assert_eq!(abandoned.iter().map(|blob| Some(&blob.id)).collect::<Vec<_>>(), [job.order.source.as_ref()]);
    garbage::remove(&storage, "job1", &abandoned).unwrap();
    assert_eq!(storage.blobs("job1").unwrap().iter().map(|blob| &blob.id).collect::<Vec<_>>(), [&evidence]);
}

#[tokio::test]
async fn the_source_of_a_job_that_waits_stays_however_long_it_waits() {
    let (folder, storage) = fresh();
    let job = job_with_source(&queue(folder.path()).await, &storage, "job1", false).await;
    assert_eq!(garbage::collect(&storage, "job1", tomorrow()).unwrap(), [], "a job that waits is no damaged run");
    assert_eq!(garbage::abandoned(&storage, "job1", Some(&job), tomorrow()).unwrap(), []);
}

/// A server was killed between the source and the job; or a person scores into the folder, without any job.
#[test]
fn a_source_that_no_job_names_goes_when_it_is_old_and_a_run_without_a_job_is_left_alone() {
    let (_folder, storage) = fresh();
    storage.put_blob("job1", b"PK a source").unwrap();
    assert_eq!(garbage::abandoned(&storage, "job1", None, SystemTime::now()).unwrap(), []);
    assert_eq!(garbage::abandoned(&storage, "job1", None, tomorrow()).unwrap().len(), 1);
    storage.create(&header("r1")).unwrap().put_blob(b"evidence").unwrap();
    assert_eq!(garbage::abandoned(&storage, "r1", None, tomorrow()).unwrap(), []);
}

/// The source of a job that was refused or called off is all there was of it.
#[test]
fn nothing_is_left_of_a_job_whose_source_is_removed() {
    let (_folder, storage) = fresh();
    let source = storage.put_blob("job1", b"PK a source").unwrap();
    storage.remove_blob("job1", &source).unwrap();
    assert_eq!(storage.runs().unwrap(), Vec::<String>::new());
    let sample = write_sample(&storage, "r1");
    storage.remove_blob("r1", &sample.unnamed).unwrap();
    assert_eq!(storage.blobs("r1").unwrap().len(), 3, "what else a run has stays");
}

/// Killed in the middle of a blob, or between a blob and the folder it was in.
#[test]
fn what_killed_writers_left_goes_when_it_is_old() {
    let (folder, storage) = fresh();
    write_sample(&storage, "r1");
    let runs = folder.path().join("runs");
    let half = runs.join("r1/blobs/part-1-0");
    std::fs::write(&half, "half a blob").unwrap();
    std::fs::create_dir_all(runs.join("job1/blobs/0a")).unwrap();
    std::fs::create_dir(runs.join("job2")).unwrap();
    for run in ["r1", "job1", "job2"] {
        assert!(garbage::sweep(&storage, run, SystemTime::now()).unwrap(), "somebody may be writing {run}");
    }
    assert!(half.exists() && runs.join("job1/blobs/0a").exists());
    let left = ["r1", "job1", "job2"].map(|run| garbage::sweep(&storage, run, tomorrow()).unwrap());
    assert_eq!((left, half.exists()), ([true, false, false], false));
    assert_eq!(storage.runs().unwrap(), ["r1"]);
    assert_eq!(storage.blobs("r1").unwrap().len(), 4);
}

/// Killed before a shared run had its name, or between its name and the removal of the other one.
#[test]
fn what_killed_writers_left_of_shared_runs_goes_when_it_is_old() {
    let (folder, storage) = fresh();
    put_shared(&storage, vec![(SHARED.to_owned(), b"{}".to_vec())]).unwrap();
    let day = folder.path().join("quiz/20261116");
    let (half, second_name) = (day.join(".part-1-0"), day.join(".part-1-1"));
    std::fs::write(&half, "half a run").unwrap();
    std::fs::hard_link(day.join(format!("{SHARED}.json")), &second_name).unwrap();
    assert_eq!(garbage::sweep_shared(&storage, SystemTime::now()).unwrap(), 0, "somebody may be writing");
    assert!(half.exists() && second_name.exists());
    assert_eq!(garbage::sweep_shared(&storage, tomorrow()).unwrap(), 2);
    assert!(!half.exists() && !second_name.exists());
    assert_eq!(std::fs::read(day.join(format!("{SHARED}.json"))).unwrap(), b"{}");
}

/// Killed between the decision and the removal.
#[test]
fn a_removal_of_a_shared_run_that_was_interrupted_is_completed() {
    let (folder, storage) = fresh();
    let other = "20261116-ffffffffffffffff";
    put_shared(&storage, [SHARED, other].map(|id| (id.to_owned(), b"{}".to_vec())).to_vec()).unwrap();
    moderate_shared(&storage, other, act(Decision::Quarantine)).unwrap();
    moderate_shared(&storage, SHARED, act(Decision::TakeDown)).unwrap();
    let document = |id: &str| folder.path().join(format!("quiz/20261116/{id}.json"));
    std::fs::write(document(SHARED), "{}").unwrap();
    assert_eq!(garbage::sweep_shared(&storage, SystemTime::now()).unwrap(), 1);
    assert!(!document(SHARED).exists() && document(other).exists());
}
