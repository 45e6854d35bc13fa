//! Evaluations of the vibe track in the index.

use crate::sample::{act, moment, read_run, record};
use benchwright_domain::vibe::evaluation::{AppUnderTest, EVALUATION_FORMAT, Evaluator, JudgedWorkflow, SecondOpinion};
use benchwright_domain::vibe::verdict::{Mark, WorkflowKind, WorkflowState};
use benchwright_domain::vibe::{
    AppDomain, Evaluation, Integration, ListPrice, Model, Split, SubstepVerdict, TaskFacts, WorkflowVerdict, Written,
};
use benchwright_store::index::vibe::{AppFilter, OPINION};
use benchwright_store::index::{Entry, Index, Recorded, RunPlace, State, entry_of, rebuild};
use benchwright_store::{Decision, Event, EventBody, Folder, Review, RunHeader, Storage, moderate, review};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;

fn evaluation(model: &str, task: &str, walker: &str) -> Evaluation {
    let substep = |(number, mark)| SubstepVerdict {
        reason: "because it is there".to_owned(),
        evidence: vec!["s1".to_owned()],
        ..SubstepVerdict::new(number, mark)
    };
    Evaluation {
        format: EVALUATION_FORMAT,
        started_at: moment(0),
        benchwright: "0.1.0".to_owned(),
        task: TaskFacts {
            id: task.to_owned(),
            domain: AppDomain::Individual,
            integration: Integration::None,
            judged_difficulty: None,
            split: if task == "open" { Split::Validation } else { Split::Test },
            written: Written::Before,
            workflow_substeps: vec![2],
        },
        task_title: "Diary".to_owned(),
        task_hash: "sha256:1".to_owned(),
        app: AppUnderTest {
            model: model.to_owned(),
            described: None,
            run: 0,
            evaluation: 0,
            variant: BTreeMap::new(),
            bundle: None,
            url: None,
            backend: "native".to_owned(),
        },
        evaluator: Evaluator { walker: walker.to_owned(), judge: "rules".to_owned(), settings: BTreeMap::new() },
        started: true,
        start_note: String::new(),
        held: BTreeMap::new(),
        log: None,
        workflows: vec![JudgedWorkflow {
            title: "Write an entry".to_owned(),
            verdict: WorkflowVerdict {
                workflow: "write".to_owned(),
                kind: WorkflowKind::Core,
                state: WorkflowState::Judged,
                substeps: [(1, Mark::Pass), (2, Mark::Pass)].map(substep).into(),
                evaluation_usd: None,
            },
            trace: None,
            others: Vec::new(),
            seconds: 1.0,
        }],
        generation: None,
        trajectory: None,
        scored: None,
        seconds: 2.0,
    }
}

fn entry(run: &str, at: u32, evaluation: Evaluation, acts: &[benchwright_store::Act]) -> Entry {
    let mut read = read_run(&record(run, "", "", 0.0), acts);
    read.header.started_at = moment(at);
    Entry::of_evaluation(&read, evaluation).unwrap()
}

pub async fn apps_are_listed_narrowed_and_moderated(index: Index) {
    let entries = [
        entry("a1", 1, evaluation("kiln", "diary", "hybrid"), &[]),
        entry("a2", 2, evaluation("anvil", "diary", "hybrid"), &[]),
        entry("a3", 3, evaluation("kiln", "open", "resolver"), &[act(Decision::Quarantine, 4)]),
    ];
    let before = index.generation().await.unwrap();
    index.take_in(&entries).await.unwrap();
    assert!(index.generation().await.unwrap() > before, "pages must be made again");
    let again = index.generation().await.unwrap();
    index.take_in(&entries).await.unwrap();
    assert_eq!(index.generation().await.unwrap(), again, "taking them in again changes nothing");
    assert_eq!(index.totals().await.unwrap().shown, 0, "they are no runs of the score track");

    let app = index.app("a1").await.unwrap().unwrap();
    assert_eq!((app.evaluation.app.model.as_str(), app.evaluation.passed()), ("kiln", 1));
    assert_eq!(app.evaluation.workflows[0].verdict.substeps[0].reason, "", "reasons stay in the run");
    assert_eq!(index.app("a3").await.unwrap().unwrap().state, State::Quarantined);

    let names = async |filter: &AppFilter, after: Option<&RunPlace>| {
        let found = index.apps(filter, after, 9).await.unwrap();
        found.into_iter().map(|app| app.run).collect::<Vec<_>>()
    };
    assert_eq!(names(&AppFilter::default(), None).await, ["a2", "a1"], "newest first, nothing in quarantine");
    let of_kiln = AppFilter { model: Some("kiln".to_owned()), ..AppFilter::default() };
    assert_eq!(names(&of_kiln, None).await, ["a1"]);
    let place = RunPlace { started_at: moment(2), run: "a2".to_owned() };
    assert_eq!(names(&AppFilter::default(), Some(&place)).await, ["a1"]);
    let evaluators = index.evaluators().await.unwrap();
    assert_eq!(evaluators.len(), 1);
    assert_eq!((evaluators[0].evaluator.as_str(), evaluators[0].apps, evaluators[0].test), ("hybrid/rules", 2, 2));
    let asked = ["a1", "a3", "new"].map(str::to_owned);
    assert_eq!(index.unknown(&asked).await.unwrap(), ["new"]);
}

pub async fn evaluations_that_cannot_be_right_are_refused(index: Index) {
    let read = read_run(&record("a1", "", "", 0.0), &[]);
    let mut nameless = evaluation("", "diary", "hybrid");
    let mut disordered = evaluation("kiln", "diary", "hybrid");
    disordered.workflows[0].verdict.substeps[1].number = 7;
    let mut endless = evaluation("kiln", "diary", "hybrid");
    endless.seconds = f64::NAN;
    let mut gifted = evaluation("kiln", "diary", "hybrid");
    let price =
        ListPrice { input: -1.0, output: 0.0, cache_read: None, cache_write: None, date: "2026-11-17".to_owned() };
    gifted.app.described = Some(Model { price: Some(price), ..Model::undescribed("kiln", "p") });
    "x".clone_into(&mut nameless.task_title);
    let broken = [(nameless, "names"), (disordered, "verdicts"), (endless, "cost or duration"), (gifted, "model")];
    for (broken, what) in broken {
        let error = Entry::of_evaluation(&read, broken).unwrap_err();
        assert!(error.to_string().contains(what), "{error}");
    }
    assert_eq!(index.app("a1").await.unwrap(), None);
}

/// A folder with three evaluated apps; the index that grew and the one made at once give the same answers.
pub async fn a_rebuilt_index_knows_the_same_apps(grown: Index) {
    let folder = tempfile::tempdir().unwrap();
    let storage: Arc<dyn Storage> = Arc::new(Folder::at(folder.path()));
    let recorded: Arc<Recorded> = Arc::new(|_, _| Err("no record".to_owned()));
    for (run, model) in [("b1", "kiln"), ("b2", "anvil"), ("b3", "loom")] {
        let header = RunHeader { started_at: moment(5), ..read_run(&record(run, "", "", 0.0), &[]).header };
        let mut writer = storage.create(&header).unwrap();
        writer.append(EventBody::Finished {}, 2).unwrap();
        writer.finish(&serde_json::to_value(evaluation(model, "diary", "hybrid")).unwrap()).unwrap();
    }
    // Another judge comes after the end, twice, and counts with the last word; what is no opinion harms nobody.
    let (mut writer, _) = storage.open("b3").unwrap();
    let opinion = |mark| {
        let mut verdict = evaluation("anvil", "diary", "hybrid").workflows.remove(0).verdict;
        verdict.substeps[1].mark = mark;
        serde_json::to_vec(&SecondOpinion { judge: "other".to_owned(), verdict }).unwrap()
    };
    for bytes in [opinion(Mark::Pass), opinion(Mark::Fail), b"no opinion".to_vec()] {
        let blob = writer.put_blob(&bytes).unwrap();
        let kind = format!("{OPINION}write");
        writer.append(EventBody::Evidence { kind, version: 1, blob, seconds: 0.0 }, 3).unwrap();
    }
    drop(writer);
    let take_in = async |run: &str| {
        let entry = entry_of(&*storage, run, &*recorded).unwrap();
        grown.take_in(entry.as_slice()).await.unwrap();
    };
    for run in ["b3", "b1", "b2"] {
        take_in(run).await;
    }
    let others = grown.app("b3").await.unwrap().unwrap().evaluation.workflows.remove(0).others;
    let said: Vec<_> = others.iter().map(|other| (other.judge.as_str(), other.verdict.substeps[1].mark)).collect();
    assert_eq!(said, [("other", Mark::Fail)]);
    let said = |by: &str, mark| Review {
        by: by.to_owned(),
        workflow: "write".to_owned(),
        marks: vec![Some(true), mark],
        at: moment(6),
    };
    for review_of in [said("Ada", Some(true)), said("Bob", None), said("Ada", Some(false))] {
        review(&*storage, "b1", &review_of).unwrap();
    }
    for refused in [
        Review { marks: Vec::new(), ..said("Ada", None) },
        Review { marks: vec![None; 3], ..said("Ada", None) },
        Review { workflow: "read".to_owned(), ..said("Ada", None) },
        Review { by: " ".to_owned(), ..said("Ada", None) },
    ] {
        assert!(review(&*storage, "b1", &refused).is_err(), "{refused:?}");
    }
    take_in("b1").await;
    let reviews = grown.app("b1").await.unwrap().unwrap().reviews;
    assert_eq!(reviews, [said("Ada", Some(false)), said("Bob", None)], "the last of each person counts");
    moderate(&*storage, "b2", act(Decision::TakeDown, 7)).unwrap();
    take_in("b2").await;
    assert_eq!(grown.app("b2").await.unwrap(), None);
    assert_eq!(grown.run("b2").await.unwrap().unwrap().state, State::TakenDown);

    let answers = async || {
        let apps = grown.evaluations().await.unwrap();
        let gone = grown.run("b2").await.unwrap();
        let acts = grown.moderation(None, 9).await.unwrap();
        json!([apps, gone, acts, grown.evaluators().await.unwrap()]).to_string()
    };
    let before = answers().await;
    let rebuilt = rebuild(Arc::clone(&storage), &grown, recorded, Arc::default(), |_, _| ()).await.unwrap();
    assert_eq!((rebuilt.indexed, rebuilt.bad), (3, Vec::new()));
    assert_eq!(answers().await, before);
    let written: Vec<Event> = storage.read("b1").unwrap().events;
    assert_eq!(written.iter().filter(|it| matches!(it.body, EventBody::Reviewed { .. })).count(), 3);
}
