//! From evaluations to one study: which of them count, which only rate what others evaluated, and which are left out and why.

mod people;

pub use people::Said;

use super::app::AppResult;
use super::evaluation::Evaluation;
use super::model::Model;
use super::study::{Rating, STUDY_FORMAT, Study};
use super::task::TaskFacts;
use super::verdict::WorkflowVerdict;
use std::collections::{BTreeMap, BTreeSet};

/// What a model without an entry is offered by, as far as anybody knows.
const NOBODY_KNOWS: &str = "unknown";

/// A study, and what did not become part of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Collection {
    /// The study.
    pub study: Study,
    /// Evaluations that are no part of it, and why, in words.
    pub left_out: Vec<String>,
    /// Models that nobody described: whether they see and whether their weights can be had is shown as no.
    pub undescribed: Vec<String>,
    /// The apps that are rated.
    studied: BTreeSet<Built>,
}

/// Why evaluations make no study. The message completes "failed to …".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CollectionError {
    /// There is nothing to collect.
    #[error("make a study: {0}")]
    Nothing(&'static str),
    /// Several evaluators, and nobody said whose verdicts count.
    #[error("make a study: the verdicts are of several evaluators ({}); choose one with --evaluator", .0.join(", "))]
    SeveralEvaluators(Vec<String>),
    /// One task in two versions.
    #[error("make a study: the evaluations of {task} are of different versions of the task; leave one version out")]
    TwoVersions {
        /// The task.
        task: String,
    },
}

impl Collection {
    /// Collects evaluations. The verdicts of one evaluator count; those of others, of its own older versions, and second opinions
    /// are ratings of the same substeps. Of two evaluations of the same app with the same number the later one counts. What `models`
    /// does not describe is taken as the evaluations describe it.
    pub fn of(evaluations: &[Evaluation], models: &[Model], evaluator: Option<&str>) -> Result<Self, CollectionError> {
        let evaluator = chosen(evaluations, evaluator)?;
        let mut left_out = Vec::new();
        let mut counted: BTreeMap<_, &Evaluation> = BTreeMap::new();
        for evaluation in evaluations {
            if !evaluation.is_whole() {
                left_out.push(format!("{}: only some workflows were tried", name(evaluation)));
                continue;
            }
            let earlier = counted.get(&key(evaluation)).copied();
            let (kept, dropped) = match earlier {
                Some(other) if other.started_at > evaluation.started_at => (other, Some(evaluation)),
                other => (evaluation, other),
            };
            counted.insert(key(kept), kept);
            left_out.extend(dropped.map(|it| format!("{} of {}: there is a later one", name(it), it.started_at)));
        }
        let (apps, others) = counting(counted.into_values(), &evaluator);
        if apps.is_empty() {
            return Err(CollectionError::Nothing("no app was evaluated as a whole"));
        }
        let (models, undescribed) = described(&apps, models);
        let studied = rated(&apps);
        let study = Study {
            format: STUDY_FORMAT,
            tasks: tasks(&apps)?,
            apps: apps.iter().map(|evaluation| priced(evaluation.result(), &models)).collect(),
            models,
            ratings: ratings(&evaluator, &apps, &others, &studied),
            evaluator,
        };
        Ok(Self { study, left_out, undescribed, studied })
    }
}

/// Whose verdicts count. The model that walks need not be named where there is but one.
fn chosen(evaluations: &[Evaluation], wanted: Option<&str>) -> Result<String, CollectionError> {
    let names: BTreeSet<String> = evaluations.iter().map(|evaluation| evaluation.evaluator.name()).collect();
    if names.is_empty() {
        return Err(CollectionError::Nothing("there is no finished evaluation"));
    }
    let is_meant = |evaluation: &&Evaluation| wanted.is_none_or(|wanted| evaluation.evaluator.plain_name() == wanted);
    let meant: BTreeSet<String> = evaluations.iter().filter(is_meant).map(|it| it.evaluator.name()).collect();
    match (wanted.filter(|wanted| names.contains(*wanted)), meant.first()) {
        (Some(wanted), _) => Ok(wanted.to_owned()),
        (None, Some(only)) if meant.len() == 1 => Ok(only.clone()),
        _ => Err(CollectionError::SeveralEvaluators(names.into_iter().collect())),
    }
}

/// What a model handed in for a task. What was replaced since, or was built for another version of the task, is another app.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Built {
    model: String,
    task: String,
    task_hash: String,
    run: u32,
    bundle: Option<String>,
}

impl Built {
    fn of(evaluation: &Evaluation) -> Self {
        let Evaluation { app, task, task_hash, .. } = evaluation;
        Self {
            model: app.model.clone(),
            task: task.id.clone(),
            task_hash: task_hash.clone(),
            run: app.run,
            bundle: app.bundle.clone(),
        }
    }
}

type AppKey<'a> = (&'a str, &'a str, u32, u32, &'a BTreeMap<String, String>);

fn app_key(evaluation: &Evaluation) -> AppKey<'_> {
    let app = &evaluation.app;
    (&app.model, &evaluation.task.id, app.run, app.evaluation, &app.variant)
}

/// An app and who evaluated it; of one evaluator newer versions come last.
fn key(evaluation: &Evaluation) -> (AppKey<'_>, String, (u32, u32)) {
    (app_key(evaluation), evaluation.evaluator.name(), evaluation.evaluator.versions())
}

/// The evaluations that count, one for each app, by the newest version of the evaluator; and the others.
fn counting<'a>(
    evaluations: impl Iterator<Item = &'a Evaluation>,
    evaluator: &str,
) -> (Vec<&'a Evaluation>, Vec<&'a Evaluation>) {
    let (mut apps, mut others) = (BTreeMap::new(), Vec::new());
    for evaluation in evaluations {
        if evaluation.evaluator.name() == evaluator {
            others.extend(apps.insert(app_key(evaluation), evaluation));
        } else {
            others.push(evaluation);
        }
    }
    (apps.into_values().collect(), others)
}

fn name(evaluation: &Evaluation) -> String {
    let app = &evaluation.app;
    format!("{} by {}, run {}, evaluation {}", evaluation.task.id, app.model, app.run, app.evaluation)
}

fn tasks(apps: &[&Evaluation]) -> Result<Vec<TaskFacts>, CollectionError> {
    let mut tasks: BTreeMap<&str, &Evaluation> = BTreeMap::new();
    for evaluation in apps {
        let first = tasks.entry(&evaluation.task.id).or_insert(evaluation);
        if first.task_hash != evaluation.task_hash {
            return Err(CollectionError::TwoVersions { task: evaluation.task.id.clone() });
        }
    }
    Ok(tasks.into_values().map(|evaluation| evaluation.task.clone()).collect())
}

/// The models of these apps as somebody described them, now or when the newest of their apps was evaluated, and those that nobody did.
fn described(apps: &[&Evaluation], models: &[Model]) -> (Vec<Model>, Vec<String>) {
    let ids: BTreeSet<&str> = apps.iter().map(|evaluation| evaluation.app.model.as_str()).collect();
    let mut undescribed = Vec::new();
    let found = ids.into_iter().map(|id| {
        let now = models.iter().find(|model| model.id == id);
        now.or_else(|| description(apps, id)).cloned().unwrap_or_else(|| {
            undescribed.push(id.to_owned());
            Model::undescribed(id, NOBODY_KNOWS)
        })
    });
    (found.collect(), undescribed)
}

/// What the newest evaluation that describes a model says of it.
fn description<'a>(apps: &[&'a Evaluation], id: &str) -> Option<&'a Model> {
    let described = apps.iter().filter_map(|it| Some((&it.started_at, it.app.described.as_ref()?)));
    described.filter(|(_, model)| model.id == id).max_by_key(|(at, _)| *at).map(|(_, model)| model)
}

/// What building the app cost, by the list price of its model where nobody wrote the sum down.
fn priced(mut app: AppResult, models: &[Model]) -> AppResult {
    let model = models.iter().find(|model| model.id == app.model);
    if let (Some(model), Some(generation)) = (model, &mut app.generation)
        && generation.cost_usd.is_none()
        && let Some(tokens) = generation.tokens.filter(|tokens| tokens.total() > 0)
    {
        generation.cost_usd = model.cost(&tokens);
    }
    app
}

/// The apps that are rated: what was handed in for the first evaluation of each, because that is what ratings are compared with.
fn rated(apps: &[&Evaluation]) -> BTreeSet<Built> {
    apps.iter().filter(|evaluation| is_first(evaluation)).map(|evaluation| Built::of(evaluation)).collect()
}

/// What others said of apps whose verdicts count: other evaluators, and judges who were asked for a second opinion. Only the first
/// evaluation of each app is rated.
fn ratings(evaluator: &str, apps: &[&Evaluation], others: &[&Evaluation], studied: &BTreeSet<Built>) -> Vec<Rating> {
    let first = |evaluation: &&&Evaluation| is_first(evaluation);
    let mut ratings = BTreeMap::new();
    let mut add = |rater: &str, evaluation: &Evaluation, verdict: &WorkflowVerdict| {
        let Some(rating) = rating(rater, evaluation, verdict) else { return };
        let key = (rater.to_owned(), rating.model.clone(), rating.task.clone(), rating.run, rating.workflow.clone());
        ratings.entry(key).or_insert(rating);
    };
    // Newer versions of an evaluator stand behind older ones, and speak first.
    for evaluation in others.iter().rev().filter(first) {
        let is_known = studied.contains(&Built::of(evaluation));
        let rater = rater(evaluation, evaluator);
        for workflow in evaluation.workflows.iter().filter(|_| is_known) {
            add(&rater, evaluation, &workflow.verdict);
        }
    }
    for evaluation in apps.iter().filter(first) {
        for workflow in &evaluation.workflows {
            for opinion in &workflow.others {
                add(&evaluation.evaluator.name_with(&opinion.judge), evaluation, &opinion.verdict);
            }
        }
    }
    ratings.into_values().collect()
}

/// Whether ratings are compared with it.
fn is_first(evaluation: &Evaluation) -> bool {
    evaluation.app.evaluation == 0 && evaluation.app.variant.is_empty()
}

/// What an evaluator is called among raters; older versions of the one that counts are told by their numbers.
fn rater(evaluation: &Evaluation, counts: &str) -> String {
    let name = evaluation.evaluator.name();
    let (walker, judge) = evaluation.evaluator.versions();
    if name == counts { format!("{name} {walker}.{judge}") } else { name }
}

/// Absent where the rater failed, whatever became of the app.
fn rating(rater: &str, evaluation: &Evaluation, verdict: &WorkflowVerdict) -> Option<Rating> {
    Some(Rating {
        rater: rater.to_owned(),
        human: false,
        model: evaluation.app.model.clone(),
        task: evaluation.task.id.clone(),
        run: evaluation.app.run,
        workflow: verdict.workflow.clone(),
        marks: verdict.marks()?,
    })
}

#[cfg(test)]
mod tests;
