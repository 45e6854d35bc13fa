//! The analysis behind the board: the newest evaluations that are shown, and what people said of the same apps.

use crate::pages::blocking;
use crate::problem::Problem;
use crate::site::Site;
use benchwright_domain::vibe::Evaluation;
use benchwright_domain::vibe::analysis::{Analysis, Settings};
use benchwright_domain::vibe::collection::Collection;
use benchwright_domain::vibe::study::Rating;
use benchwright_store::index::vibe::{EvaluatorSummary, IndexedApp};
use std::collections::{BTreeMap, BTreeSet};

/// An analysis, and what is no part of it.
pub struct Analysed {
    pub evaluator: String,
    pub analysis: Analysis,
    /// Evaluations that were left out, and why.
    pub left_out: Vec<String>,
}

/// Whose verdicts a page shows: those that are asked for, or those of the evaluator with most apps of the test split.
pub fn chosen(evaluators: &[EvaluatorSummary], asked: Option<&str>) -> Result<Option<String>, Problem> {
    match asked.filter(|asked| !asked.is_empty()) {
        None => Ok(evaluators.first().map(|first| first.evaluator.clone())),
        Some(asked) if evaluators.iter().any(|known| known.evaluator == asked) => Ok(Some(asked.to_owned())),
        Some(_) => Err(Problem::NotFound("No app was evaluated that way.".to_owned())),
    }
}

/// The analysis of one evaluator's verdicts.
pub async fn analysed(site: &Site, evaluator: String) -> Result<Analysed, Problem> {
    let apps = site.index.evaluations().await?;
    blocking(move || {
        let failed = |reason: String| Problem::Failed(format!("failed to {reason}"));
        let (apps, older) = newest_versions(apps);
        let evaluations: Vec<Evaluation> = apps.iter().map(|app| app.evaluation.clone()).collect();
        let Collection { mut study, mut left_out, .. } =
            Collection::of(&evaluations, &[], Some(&evaluator)).map_err(|error| failed(error.to_string()))?;
        left_out.extend(older);
        let rated = ratings(&apps, &study.ratings, &study.apps);
        study.ratings.extend(rated);
        let analysis = Analysis::of(&study, Settings::default()).map_err(|error| failed(error.to_string()))?;
        Ok(Analysed { evaluator, analysis, left_out })
    })
    .await
}

/// Of a task in several versions the newest counts. The list begins with the newest evaluation.
fn newest_versions(apps: Vec<IndexedApp>) -> (Vec<IndexedApp>, Vec<String>) {
    let mut newest: BTreeMap<String, String> = BTreeMap::new();
    for app in &apps {
        let evaluation = &app.evaluation;
        newest.entry(evaluation.task.id.clone()).or_insert_with(|| evaluation.task_hash.clone());
    }
    let is_newest = |app: &IndexedApp| newest.get(&app.evaluation.task.id) == Some(&app.evaluation.task_hash);
    let (kept, older): (Vec<_>, Vec<_>) = apps.into_iter().partition(is_newest);
    let told = |app: IndexedApp| format!("{}: of an older version of task {}", app.run, app.evaluation.task.id);
    (kept, older.into_iter().map(told).collect())
}

/// What people said of apps that are part of the study; who said something twice is heard once.
fn ratings(apps: &[IndexedApp], others: &[Rating], studied: &[benchwright_domain::vibe::AppResult]) -> Vec<Rating> {
    let known: BTreeSet<_> = studied.iter().map(|app| (&app.model, &app.task, app.run)).collect();
    let mut heard: BTreeSet<_> = others.iter().map(key).collect();
    let is_first = |app: &&IndexedApp| {
        let under_test = &app.evaluation.app;
        let named = (&under_test.model, &app.evaluation.task.id, under_test.run);
        under_test.evaluation == 0 && under_test.variant.is_empty() && known.contains(&named)
    };
    let said = apps.iter().filter(is_first).flat_map(|app| app.reviews.iter().map(move |review| (app, review)));
    let rating = |(app, review): (&IndexedApp, &benchwright_store::Review)| Rating {
        rater: review.by.clone(),
        human: true,
        model: app.evaluation.app.model.clone(),
        task: app.evaluation.task.id.clone(),
        run: app.evaluation.app.run,
        workflow: review.workflow.clone(),
        marks: review.marks.clone(),
    };
    said.map(rating).filter(|rating| heard.insert(key(rating))).collect()
}

fn key(rating: &Rating) -> (String, String, String, u32, String) {
    (rating.rater.clone(), rating.model.clone(), rating.task.clone(), rating.run, rating.workflow.clone())
}
