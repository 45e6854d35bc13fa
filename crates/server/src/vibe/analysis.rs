//! The analysis behind the board: the newest evaluations that are shown, and what people said of the same apps.

use crate::pages::blocking;
use crate::problem::Problem;
use crate::site::Site;
use benchwright_domain::vibe::Evaluation;
use benchwright_domain::vibe::analysis::{Analysis, Settings};
use benchwright_domain::vibe::collection::{Collection, Said};
use benchwright_store::index::vibe::{EvaluatorSummary, IndexedApp};
use std::collections::BTreeMap;

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
        let mut collection =
            Collection::of(&evaluations, &[], Some(&evaluator)).map_err(|error| failed(error.to_string()))?;
        collection.hear(apps.iter().flat_map(said).collect());
        let Collection { study, mut left_out, .. } = collection;
        left_out.extend(older);
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

/// What people said of an app.
fn said(app: &IndexedApp) -> impl Iterator<Item = Said<'_>> {
    let evaluation = &app.evaluation;
    app.reviews.iter().map(move |it| Said { evaluation, by: &it.by, workflow: &it.workflow, marks: &it.marks })
}
