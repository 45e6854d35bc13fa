//! A small study from end to end.
#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

use benchwright_domain::vibe::analysis::association::Feature;
use benchwright_domain::vibe::analysis::frontier::Axis;
use benchwright_domain::vibe::analysis::{Analysis, Settings};
use benchwright_domain::vibe::study::{Rating, STUDY_FORMAT, StudyError};
use benchwright_domain::vibe::verdict::WorkflowKind;
use benchwright_domain::vibe::{
    AppDomain, AppResult, Difficulty, FailureCategory, Generation, Integration, Mark, Model, Split, Study,
    SubstepVerdict, TaskFacts, WorkflowState, WorkflowVerdict, Written,
};
use std::collections::BTreeMap;

const WORKFLOWS: usize = 4;
const TASKS: [(&str, Split); 4] =
    [("alpha", Split::Test), ("beta", Split::Test), ("gamma", Split::Test), ("open", Split::Validation)];

fn task((id, split): (&str, Split)) -> TaskFacts {
    TaskFacts {
        id: id.to_owned(),
        domain: if id == "gamma" { AppDomain::Enterprise } else { AppDomain::Individual },
        integration: Integration::of(id == "beta", false),
        judged_difficulty: Some(Difficulty::Medium),
        split,
        written: if id == "beta" { Written::Afterwards } else { Written::Before },
        workflow_substeps: vec![2; WORKFLOWS],
    }
}

fn model(id: &str) -> Model {
    Model {
        id: id.to_owned(),
        name: Some(id.to_uppercase()),
        provider: "p".to_owned(),
        endpoint: None,
        temperature: None,
        top_p: None,
        reasoning_effort: None,
        vision: true,
        open_weights: id == "c",
        price: None,
    }
}

fn workflow(number: usize, passes: bool) -> WorkflowVerdict {
    let failed =
        SubstepVerdict { category: Some(FailureCategory::MissingFeature), ..SubstepVerdict::new(2, Mark::Fail) };
    let second = if passes { SubstepVerdict::new(2, Mark::Pass) } else { failed };
    WorkflowVerdict {
        workflow: format!("w{number}"),
        kind: WorkflowKind::Core,
        state: WorkflowState::Judged,
        substeps: vec![SubstepVerdict::new(1, Mark::Pass), second],
        evaluation_usd: None,
    }
}

/// An app that passes the first so many of its four workflows.
fn app(model: &str, task: &str, run: u32, passed: usize) -> AppResult {
    AppResult {
        model: model.to_owned(),
        task: task.to_owned(),
        run,
        evaluation: 0,
        variant: BTreeMap::new(),
        started: true,
        workflows: (0..WORKFLOWS).map(|number| workflow(number, number < passed)).collect(),
        generation: None,
        composite: Some(50.0 + 10.0 * passed as f64),
    }
}

fn study() -> Study {
    let with_cost = |cost: Option<f64>, app: AppResult| AppResult {
        generation: Some(Generation { cost_usd: cost, seconds: Some(60.0), ..Generation::default() }),
        ..app
    };
    let mut late = app("b", "beta", 0, 4);
    late.workflows[3].state = WorkflowState::TimedOut;
    let apps = vec![
        with_cost(Some(1.0), app("a", "alpha", 0, 4)),
        with_cost(Some(2.0), app("a", "beta", 0, 3)),
        with_cost(Some(3.0), app("a", "gamma", 0, 2)),
        with_cost(Some(1.0), app("b", "alpha", 0, 2)),
        with_cost(None, late),
        with_cost(Some(1.0), AppResult { started: false, workflows: Vec::new(), ..app("b", "gamma", 0, 0) }),
        app("c", "alpha", 0, 1),
        app("c", "open", 0, 4),
        AppResult { variant: BTreeMap::from([("effort".to_owned(), "low".to_owned())]), ..app("a", "alpha", 0, 1) },
        // The same task again, and the same app evaluated again.
        with_cost(Some(1.0), app("a", "alpha", 1, 2)),
        AppResult { evaluation: 1, ..app("a", "alpha", 1, 0) },
    ];
    Study {
        format: STUDY_FORMAT,
        evaluator: "judge".to_owned(),
        tasks: TASKS.map(task).to_vec(),
        models: ["a", "b", "c", "never-run"].map(model).to_vec(),
        apps,
        ratings: Vec::new(),
    }
}

fn rating(rater: &str, human: bool, workflow: usize, marks: [Option<bool>; 2]) -> Rating {
    Rating {
        rater: rater.to_owned(),
        human,
        model: "a".to_owned(),
        task: "beta".to_owned(),
        run: 0,
        workflow: format!("w{workflow}"),
        marks: marks.to_vec(),
    }
}

#[test]
fn standings() {
    let analysis = Analysis::of(&study(), Settings::default()).unwrap();
    let test = &analysis.splits[&Split::Test];
    let told: Vec<_> =
        test.models.iter().map(|row| (row.name.as_str(), row.accuracy.mean, row.accuracy.apps)).collect();
    // a: 100 and 25 (the mean of 50 and 0) on alpha, 75, 50. b: 50, 75 (one timed out), 0 (did not start). c: alpha alone.
    assert_eq!(told, [("A", 62.5, 4), ("B", 125.0 / 3.0, 3), ("C", 25.0, 1)]);
    let [a, b, c] = &test.models[..] else { panic!("{told:?}") };
    // s² of 100, 75, 50, 25 is 1041.67, and SE = s / √4; clustered, alpha's residuals 37.5 and −37.5 cancel.
    assert!((a.accuracy.standard_error.unwrap() - (3125.0_f64 / 3.0 / 4.0).sqrt()).abs() < 1e-9);
    let clustered = (1.5 * (12.5_f64.powi(2) + 12.5_f64.powi(2)) / 16.0).sqrt();
    assert!((a.clustered_standard_error.unwrap() - clustered).abs() < 1e-9);
    assert_eq!(c.accuracy.standard_error, None);
    assert_eq!((c.missing_tasks.len(), c.rank, c.open_weights), (2, None, true));
    assert_eq!(a.rank.map(|rank| (rank.best, rank.worst)), Some((1, 2)));
    assert_eq!((a.cost_usd.complete(), b.cost_usd.complete(), c.cost_usd.mean), (Some(1.75), None, None));
    assert_eq!((b.cost_usd.known, b.cost_usd.of), (2, 3));
    let cost = test.frontiers.iter().find(|frontier| frontier.axis == Axis::CostUsd).unwrap();
    assert_eq!((cost.points.len(), cost.unknown.as_slice()), (1, &["b".to_owned(), "c".to_owned()][..]));
    assert_eq!(analysis.splits[&Split::Validation].models[0].accuracy.mean, 100.0);
}

#[test]
fn breakdowns_failures_and_repeats() {
    let analysis = Analysis::of(&study(), Settings::default()).unwrap();
    let test = &analysis.splits[&Split::Test];
    let groups = |table: &benchwright_domain::vibe::analysis::breakdown::Breakdown| {
        table.groups.iter().map(|group| format!("{} {}", group.name, group.tasks)).collect::<Vec<_>>()
    };
    assert_eq!(groups(&test.by_domain), ["individual 2", "enterprise 1"]);
    assert_eq!(groups(&test.by_integration), ["none 2", "email 1"]);
    assert_eq!(groups(&test.by_written), ["before 2", "afterwards 1"]);
    assert_eq!(groups(&test.by_judged_difficulty), ["medium 3"]);
    // Of three tasks, 46 % are one and 16 % are none: alpha 45.8, beta 75, gamma 25.
    assert_eq!(groups(&test.by_difficulty), ["easy 1", "medium 2"]);
    assert_eq!(test.tiers[0].tasks[0].task, "beta");
    assert_eq!(test.by_domain.rows[0].cells[1].unwrap().mean, 50.0);
    let failures = &test.failures.overall;
    assert_eq!((failures.evaluator_failures.count, failures.states[&WorkflowState::TimedOut].count), (1, 1));
    // a: 1 + 2 and 2 in the second run of alpha; b: 2; c: 3. The one that timed out is the evaluator's.
    assert_eq!(failures.categories[&FailureCategory::MissingFeature].count, 10);
    assert_eq!(failures.categories[&FailureCategory::MissingFeature].percent, Some(100.0));
    assert_eq!(test.distribution.models[1].not_started.count, 1);
    let [repeated] = &test.repetition[..] else { panic!("{:?}", test.repetition) };
    // Alpha's workflows passed 2, 2, 1 and 1 times in two runs.
    let tries: Vec<_> = repeated.tries.iter().map(|tries| (tries.k, tries.any, tries.all)).collect();
    assert_eq!((repeated.tasks, tries), (1, vec![(1, 75.0, 75.0), (2, 100.0, 50.0)]));
    let [variance] = &test.variance[..] else { panic!("{:?}", test.variance) };
    assert_eq!((variance.generation.unwrap().mean, variance.evaluation.unwrap().mean), (62.5, 25.0));
    let [ablation] = &test.ablations[..] else { panic!("{:?}", test.ablations) };
    assert_eq!((ablation.rows[0].score.mean, ablation.rows[0].usual.unwrap().mean), (25.0, 62.5));
    let composite = test.associations.iter().find(|it| it.with == Feature::Composite).unwrap();
    assert_eq!(composite.correlation.pairs, 8);
    assert!(composite.correlation.r > 0.8, "{composite:?}");
}

#[test]
fn agreement() {
    let mut study = study();
    assert_eq!(Analysis::of(&study, Settings::default()).unwrap().agreement, None);
    // The judge passes w0 to w2 wholly and fails the second substep of w3.
    let (yes, no) = (Some(true), Some(false));
    study.ratings = vec![
        rating("ann", true, 0, [yes, yes]),
        rating("ann", true, 3, [yes, no]),
        rating("bob", true, 0, [yes, no]),
        rating("bob", true, 3, [yes, None]),
        rating("other", false, 0, [no, no]),
    ];
    let matrix = Analysis::of(&study, Settings::default()).unwrap().agreement.unwrap();
    let raters: Vec<_> = matrix.raters.iter().map(|row| (row.rater.as_str(), row.human, row.rated)).collect();
    assert_eq!(raters, [("judge", false, 4), ("other", false, 2), ("ann", true, 4), ("bob", true, 3)]);
    let pair = |a: &str, b: &str| matrix.pairs.iter().find(|pair| pair.a == a && pair.b == b).unwrap();
    let told = |a, b| (pair(a, b).agreement.agreed, pair(a, b).agreement.shared);
    assert_eq!((told("judge", "ann"), told("judge", "bob"), told("ann", "bob")), ((4, 4), (2, 3), (2, 3)));
    assert_eq!(told("other", "bob"), (1, 2));
    // 6 of 7 pooled, where the mean of percentages would be 83.
    let pooled = matrix.raters[0].with_humans.unwrap();
    assert_eq!((pooled.agreed, pooled.shared), (6, 7));
    assert_eq!(matrix.raters[2].with_humans.unwrap().shared, 3, "people are not held against themselves");
    assert_eq!(pair("judge", "ann").kappa, Some(1.0));
    assert_eq!(matrix.raters[0].passed_percent, Some(75.0));
    // ann and bob: yes yes, yes no, yes yes. Observed 2/3, expected (25 + 1) / 36.
    let fleiss = (2.0 / 3.0 - 26.0 / 36.0) / (10.0 / 36.0);
    assert!((matrix.humans.fleiss_kappa.unwrap() - fleiss).abs() < 1e-12);
    assert_eq!((matrix.humans.substeps, matrix.everybody.substeps), (3, 4));
    assert_eq!(matrix.everybody.fleiss_kappa, None, "substeps have different numbers of ratings");
    assert!(matrix.everybody.krippendorff_alpha.is_some());
}

#[test]
fn documents_are_read_back_as_they_were_written() {
    let mut study = study();
    study.ratings.push(rating("ann", true, 0, [Some(true), None]));
    let read: Study = serde_json::from_str(&serde_json::to_string(&study).unwrap()).unwrap();
    assert_eq!(read, study);
    let analysis = Analysis::of(&study, Settings::default()).unwrap();
    let text = serde_json::to_string(&analysis).unwrap();
    assert_eq!(serde_json::from_str::<Analysis>(&text).unwrap(), analysis);
    assert!(!text.contains("NaN"), "{text}");
    assert_eq!(analysis, Analysis::of(&study, Settings::default()).unwrap(), "equal studies give equal analyses");
}

#[test]
fn a_study_that_does_not_hang_together_is_refused() {
    let wrong = |change: fn(&mut Study)| {
        let mut study = study();
        change(&mut study);
        Analysis::of(&study, Settings::default()).unwrap_err()
    };
    assert_eq!(wrong(|study| study.format = 9), StudyError::Format(9));
    assert!(matches!(wrong(|study| study.apps.push(app("a", "alpha", 0, 1))), StudyError::Twice(_)));
    assert!(matches!(wrong(|study| study.models.push(model("a"))), StudyError::Twice(_)));
    assert!(matches!(wrong(|study| study.apps[0].task = "omega".to_owned()), StudyError::Unknown(_)));
    assert!(matches!(wrong(|study| study.apps[0].model = "nobody".to_owned()), StudyError::Unknown(_)));
    let lacks = wrong(|study| {
        study.apps[0].workflows.pop();
    });
    assert!(lacks.to_string().contains("one verdict for each workflow"), "{lacks}");
    let costs = wrong(|study| study.apps[0].generation.as_mut().unwrap().cost_usd = Some(f64::NAN));
    assert!(costs.to_string().contains("no number"), "{costs}");
    assert!(wrong(|study| study.apps[0].workflows[0].substeps.swap(0, 1)).to_string().contains("out of order"));
    let twice = wrong(|study| {
        study.ratings = vec![rating("ann", true, 0, [None, None]), rating("ann", true, 0, [None, None])];
    });
    assert!(twice.to_string().contains("the rating of w0 by ann"), "{twice}");
}

#[test]
fn nothing_to_analyse_is_no_analysis_of_models() {
    let empty = Study { apps: Vec::new(), ..study() };
    let analysis = Analysis::of(&empty, Settings::default()).unwrap();
    assert!(analysis.splits.is_empty());
    assert_eq!(analysis.sizes[&Split::Test].workflows, 12);
}
