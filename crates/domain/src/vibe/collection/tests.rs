use super::*;
use crate::vibe::analysis::{Analysis, Settings};
use crate::vibe::app::Generation;
use crate::vibe::evaluation::{AppUnderTest, EVALUATION_FORMAT, Evaluator, JudgedWorkflow, SecondOpinion};
use crate::vibe::model::{ListPrice, Tokens};
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
            described: None,
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
        held: BTreeMap::new(),
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
fn a_judge_that_gave_no_answer_says_nothing_of_the_app() {
    let silent = WorkflowVerdict { state: WorkflowState::NoAnswer, ..verdict("w0", Mark::Fail) };
    let mut first = evaluation("a", &[Mark::Pass, Mark::Pass]);
    first.workflows[0].others = vec![SecondOpinion { judge: "m".to_owned(), verdict: silent }];
    first.workflows[1].others = vec![SecondOpinion { judge: "m".to_owned(), verdict: verdict("w1", Mark::Pass) }];
    let mut hasty = by("agent", evaluation("a", &[Mark::Pass, Mark::Fail]));
    hasty.workflows[1].verdict.state = WorkflowState::TimedOut;
    let collected = Collection::of(&[first, hasty], &[], Some("resolver/rules")).unwrap();
    let raters: Vec<_> = collected.study.ratings.iter().map(|it| (it.rater.as_str(), it.workflow.as_str())).collect();
    assert_eq!(raters, [("agent/rules", "w0"), ("resolver/m", "w1")]);
    let agreement = Analysis::of(&collected.study, Settings::default()).unwrap().agreement.unwrap();
    assert!(agreement.pairs.iter().all(|pair| pair.agreement.agreed == pair.agreement.shared), "{agreement:?}");
}

#[test]
fn marks_of_a_bundle_that_was_replaced_or_of_another_version_of_the_task_are_not_compared() {
    let built = |bundle: &str, task_hash: &str| {
        let mut evaluation = evaluation("a", &[Mark::Pass, Mark::Pass]);
        evaluation.app.bundle = Some(bundle.to_owned());
        task_hash.clone_into(&mut evaluation.task_hash);
        evaluation
    };
    let mut now = built("new", "sha256:2");
    "2026-11-17T11:00:00Z".clone_into(&mut now.started_at);
    let others = [("old", "sha256:2", "agent"), ("new", "sha256:1", "hybrid"), ("new", "sha256:2", "replay")];
    let others = others.map(|(bundle, task_hash, walker)| by(walker, built(bundle, task_hash)));
    let mut repeat = built("old", "sha256:2");
    repeat.app.evaluation = 1;
    let all = [&[now, built("old", "sha256:2")], &others[..], &[repeat]].concat();
    let mut collected = Collection::of(&all, &[], Some("resolver/rules")).unwrap();
    let raters = |collected: &Collection| -> BTreeSet<String> {
        collected.study.ratings.iter().map(|rating| rating.rater.clone()).collect()
    };
    assert_eq!(raters(&collected), BTreeSet::from(["replay/rules".to_owned()]));
    let said = |evaluation, by| Said { evaluation, by, workflow: "w0", marks: &[Some(true), Some(true)] };
    collected.hear(vec![said(&all[0], "Ann"), said(&all[1], "Ben"), said(&all[2], "Cem"), said(&all[3], "Dora")]);
    assert_eq!(raters(&collected), ["Ann", "replay/rules"].map(str::to_owned).into());
}

/// A price by which ten tokens cost so many dollars.
fn price(dollars: f64) -> ListPrice {
    ListPrice { input: dollars * 1e5, output: 0.0, cache_read: None, cache_write: None, date: "2026-11-17".to_owned() }
}

#[test]
fn a_model_is_what_its_newest_evaluation_says_unless_somebody_knows_better() {
    let described = |run: u32, at: &str, name: &str, dollars| {
        let model = Model { name: Some(name.to_owned()), price: Some(price(dollars)), ..Model::undescribed("a", "p") };
        let mut evaluation = evaluation("a", &[Mark::Pass, Mark::Pass]);
        evaluation.app.run = run;
        evaluation.app.described = Some(model);
        at.clone_into(&mut evaluation.started_at);
        evaluation.generation =
            Some(Generation { tokens: Some(Tokens { input: 10, ..Tokens::default() }), ..Generation::default() });
        evaluation
    };
    let newer = described(0, "2026-11-18T10:00:00Z", "Newer", 2.0);
    let older = described(1, "2026-11-17T10:00:00Z", "Older", 1.0);
    let silent = Evaluation { app: AppUnderTest { run: 2, described: None, ..older.app.clone() }, ..older.clone() };
    let all = [newer.clone(), older, silent];
    let told = |models: &[Model]| {
        let Collection { study, undescribed, .. } = Collection::of(&all, models, None).unwrap();
        let costs: Vec<_> = study.apps.iter().map(|app| app.generation.as_ref().unwrap().cost_usd).collect();
        (study.models[0].name().to_owned(), costs, undescribed)
    };
    assert_eq!(told(&[]), ("Newer".to_owned(), vec![Some(2.0); 3], Vec::new()));
    let unpriced = Model::undescribed("a", "p");
    assert_eq!(told(&[unpriced]), ("a".to_owned(), vec![None; 3], Vec::new()), "the entry of today counts as a whole");
    let mut stranger = newer;
    "b".clone_into(&mut stranger.app.model);
    assert_eq!(Collection::of(&[stranger], &[], None).unwrap().undescribed, ["b"], "that is another model's entry");
}

#[test]
fn tokens_cost_what_the_list_says_where_nobody_wrote_the_sum_down() {
    let tokens = Tokens { input: 100_000, output: 10_000, cache_read: 2_000_000, cache_write: 200_000 };
    let built = |cost_usd, tokens| Some(Generation { cost_usd, tokens, ..Generation::default() });
    let price = ListPrice {
        input: 3.0,
        output: 15.0,
        cache_read: Some(0.3),
        cache_write: Some(3.75),
        date: "2026-11-17".to_owned(),
    };
    let priced = Model { price: Some(price), ..Model::undescribed("a", "p") };
    let unpriced = Model::undescribed("a", "p");
    let cost = |model: &Model, generation: Option<Generation>| {
        let app = Evaluation { generation, ..evaluation("a", &[Mark::Pass, Mark::Pass]) };
        let study = Collection::of(&[app], std::slice::from_ref(model), None).unwrap().study;
        study.apps[0].generation.as_ref().and_then(|generation| generation.cost_usd)
    };
    let by_list = cost(&priced, built(None, Some(tokens))).unwrap();
    assert!((by_list - 1.8).abs() < 1e-12, "{by_list}");
    assert_eq!(cost(&priced, built(Some(0.5), Some(tokens))), Some(0.5), "what was paid goes before");
    assert_eq!(cost(&unpriced, built(None, Some(tokens))), None);
    assert_eq!(cost(&priced, built(None, None)), None);
    assert_eq!(cost(&priced, built(None, Some(Tokens::default()))), None, "no tokens were counted");
    assert_eq!(cost(&priced, None), None);
}

#[test]
fn people_are_heard_once_on_apps_of_the_study() {
    let mut newer = by("agent", evaluation("a", &[Mark::Fail, Mark::Fail]));
    "2026-11-17T11:00:00Z".clone_into(&mut newer.started_at);
    let mut repeat = evaluation("a", &[Mark::Pass, Mark::Pass]);
    repeat.app.evaluation = 1;
    let stranger = evaluation("b", &[Mark::Pass]);
    let older = evaluation("a", &[Mark::Pass, Mark::Fail]);
    let all = [older, newer, repeat, stranger];
    let mut collected = Collection::of(&all, &[], Some("resolver/rules")).unwrap();
    let before = collected.study.ratings.len();
    let marks = [[Some(true), None], [Some(false), Some(true)]];
    let said = |evaluation, workflow, marks| Said { evaluation, by: "Ann", workflow, marks };
    collected.hear(vec![
        said(&all[0], "w0", &marks[0]),
        said(&all[1], "w0", &marks[1]),
        said(&all[0], "w1", &marks[0]),
        said(&all[2], "w1", &marks[1]),
        said(&all[3], "w0", &marks[1]),
    ]);
    let heard: Vec<_> =
        collected.study.ratings[before..].iter().map(|it| (it.workflow.as_str(), &it.marks[..])).collect();
    assert_eq!(heard, [("w0", &marks[1][..]), ("w1", &marks[0][..])]);
    assert!(collected.study.ratings[before..].iter().all(|it| it.human && it.rater == "Ann"));
    assert_eq!(collected.study.check(), Ok(()));
}

fn with(settings: &[(&str, &str)], mut evaluation: Evaluation) -> Evaluation {
    let settings = settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    evaluation.evaluator.settings.extend(settings);
    evaluation
}

#[test]
fn two_models_that_walk_are_two_evaluators() {
    let walked = |model: &str, mark| with(&[("model", model)], by("agent", evaluation("a", &[mark, mark])));
    let both = [walked("acme/one", Mark::Pass), walked("acme/two", Mark::Fail)];
    let several = Collection::of(&both, &[], Some("agent/rules")).unwrap_err();
    assert!(several.to_string().contains("agent:acme/one/rules, agent:acme/two/rules"), "{several}");
    let collected = Collection::of(&both, &[], Some("agent:acme/two/rules")).unwrap();
    assert_eq!((collected.study.apps.len(), collected.study.apps[0].accuracy()), (1, Some(0.0)));
    assert_eq!(collected.left_out, Vec::<String>::new());
    assert!(collected.study.ratings.iter().all(|it| it.rater == "agent:acme/one/rules"));
    assert_eq!(collected.study.ratings.len(), 2);
    let plain = Collection::of(&both[..1], &[], Some("agent/rules")).unwrap();
    assert_eq!(plain.study.evaluator, "agent:acme/one/rules");
    let resolved = with(&[("model", "acme/one")], evaluation("a", &[Mark::Pass, Mark::Pass]));
    assert_eq!(resolved.evaluator.name(), "resolver/rules");
}

#[test]
fn the_newest_version_of_an_evaluator_counts_and_older_ones_are_raters() {
    let judged = |version: &str, at: &str, mark| {
        let versions = [("walker.version", "4"), ("judge.version", version)];
        let mut evaluation = with(&versions, evaluation("a", &[mark, mark]));
        at.clone_into(&mut evaluation.started_at);
        evaluation
    };
    let new = judged("10", "2026-11-17T09:00:00Z", Mark::Pass);
    let old = judged("9", "2026-11-17T10:00:00Z", Mark::Fail);
    for order in [[new.clone(), old.clone()], [old, new]] {
        let collected = Collection::of(&order, &[], None).unwrap();
        assert_eq!(collected.study.apps[0].accuracy(), Some(100.0));
        assert_eq!(collected.study.ratings[0].rater, "resolver/rules 4.9");
        assert_eq!(collected.study.check(), Ok(()));
    }
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
