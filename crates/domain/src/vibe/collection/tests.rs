use super::*;
use crate::vibe::analysis::{Analysis, Settings};
use crate::vibe::evaluation::{AppUnderTest, EVALUATION_FORMAT, Evaluator, JudgedWorkflow, SecondOpinion};
use crate::vibe::verdict::{Mark, SubstepVerdict, WorkflowKind, WorkflowState};
use crate::vibe::{AppDomain, Integration, Split, Written};

fn verdict(workflow: &str, mark: Mark) -> WorkflowVerdict {
    WorkflowVerdict {
        workflow: workflow.to_owned(),
        kind: WorkflowKind::Core,
        state: WorkflowState::Judged,
        substeps: vec![SubstepVerdict::new(1, mark), SubstepVerdict::new(2, Mark::Pass)],
        evaluation_usd: None,
    }
}

fn evaluation(model: &str, marks: &[Mark]) -> Evaluation {
    let workflow = |(number, mark): (usize, &Mark)| JudgedWorkflow {
        title: format!("W{number}"),
        verdict: verdict(&format!("w{number}"), *mark),
        trace: None,
        others: Vec::new(),
        seconds: 1.0,
    };
    Evaluation {
        format: EVALUATION_FORMAT,
        started_at: "2026-11-17T10:00:00Z".to_owned(),
        benchwright: "0".to_owned(),
        task: TaskFacts {
            id: "diary".to_owned(),
            domain: AppDomain::Individual,
            integration: Integration::None,
            judged_difficulty: None,
            split: Split::Test,
            written: Written::Before,
            workflow_substeps: vec![2, 2],
        },
        task_title: "Diary".to_owned(),
        task_hash: "sha256:1".to_owned(),
        app: AppUnderTest {
            model: model.to_owned(),
            run: 0,
            evaluation: 0,
            variant: BTreeMap::new(),
            bundle: None,
            url: None,
            backend: "none".to_owned(),
        },
        evaluator: Evaluator { walker: "resolver".to_owned(), judge: "rules".to_owned(), settings: BTreeMap::new() },
        started: true,
        start_note: String::new(),
        log: None,
        workflows: marks.iter().enumerate().map(workflow).collect(),
        generation: None,
        trajectory: None,
        scored: None,
        seconds: 2.0,
    }
}

fn by(walker: &str, mut evaluation: Evaluation) -> Evaluation {
    walker.clone_into(&mut evaluation.evaluator.walker);
    evaluation
}

#[test]
fn evaluations_become_a_study_that_can_be_analysed() {
    let both = [evaluation("a", &[Mark::Pass, Mark::Fail]), evaluation("b", &[Mark::Pass, Mark::Pass])];
    let collected = Collection::of(&both, &[], None).unwrap();
    assert_eq!(collected.undescribed, ["a", "b"]);
    assert_eq!(collected.left_out, Vec::<String>::new());
    let analysis = Analysis::of(&collected.study, Settings::default()).unwrap();
    let models = &analysis.splits[&Split::Test].models;
    assert_eq!(
        models.iter().map(|row| (row.model.as_str(), row.accuracy.mean)).collect::<Vec<_>>(),
        [("b", 100.0), ("a", 50.0)]
    );
}

#[test]
fn the_later_of_two_evaluations_counts_and_half_ones_do_not() {
    let mut later = evaluation("a", &[Mark::Pass, Mark::Pass]);
    "2026-11-17T11:00:00Z".clone_into(&mut later.started_at);
    let earlier = evaluation("a", &[Mark::Fail, Mark::Fail]);
    let half = evaluation("b", &[Mark::Pass]);
    for order in [[later.clone(), earlier.clone(), half.clone()], [half, earlier, later]] {
        let collected = Collection::of(&order, &[], None).unwrap();
        assert_eq!(collected.study.apps.len(), 1);
        assert_eq!(collected.study.apps[0].accuracy(), Some(100.0));
        assert_eq!(collected.left_out.len(), 2);
    }
}

#[test]
fn other_evaluators_and_second_opinions_are_ratings() {
    let mut first = evaluation("a", &[Mark::Pass, Mark::Fail]);
    first.workflows[0].others = vec![SecondOpinion { judge: "m".to_owned(), verdict: verdict("w0", Mark::Fail) }];
    let both = [first, by("agent", evaluation("a", &[Mark::Fail, Mark::Fail]))];
    let several = Collection::of(&both, &[], None).unwrap_err();
    assert!(several.to_string().contains("agent/rules, resolver/rules"), "{several}");
    let collected = Collection::of(&both, &[], Some("resolver/rules")).unwrap();
    let raters: Vec<_> = collected.study.ratings.iter().map(|it| (it.rater.as_str(), it.workflow.as_str())).collect();
    assert_eq!(raters, [("agent/rules", "w0"), ("agent/rules", "w1"), ("resolver/m", "w0")]);
    assert_eq!(collected.study.ratings[2].marks, [Some(false), Some(true)]);
    assert_eq!(collected.study.check(), Ok(()));
}

#[test]
fn what_cannot_be_one_study_is_refused() {
    assert!(matches!(Collection::of(&[], &[], None), Err(CollectionError::Nothing(_))));
    let half = [evaluation("a", &[Mark::Pass])];
    assert!(matches!(Collection::of(&half, &[], None), Err(CollectionError::Nothing(_))));
    let mut other = evaluation("b", &[Mark::Pass, Mark::Pass]);
    "sha256:2".clone_into(&mut other.task_hash);
    let both = [evaluation("a", &[Mark::Pass, Mark::Pass]), other];
    let refused = Collection::of(&both, &[], None).unwrap_err();
    assert_eq!(refused, CollectionError::TwoVersions { task: "diary".to_owned() });
}
