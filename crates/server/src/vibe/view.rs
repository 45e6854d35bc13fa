//! What several pages of the vibe track show alike.

use crate::address::{encode, with_query};
use crate::pages::{blocking, run::shown as shown_run};
use crate::problem::Problem;
use crate::site::Site;
use crate::view::minutes;
use benchwright_domain::BlobId;
use benchwright_domain::vibe::{Evaluation, Split};
use benchwright_report::{Blobs, number, text};
use benchwright_store::Storage;
use benchwright_store::index::State as Shown;
use benchwright_store::index::vibe::{IndexedApp, evaluation_of};
use std::sync::Arc;

/// Where the page of an app is.
pub fn app_address(run: &str) -> String {
    format!("/vibe/apps/{}", encode(run))
}

/// Where the board of an evaluator is.
pub fn board_address(evaluator: &str) -> String {
    with_query("/vibe", [("evaluator", Some(evaluator))])
}

/// An app in a list.
pub struct AppLine {
    pub href: String,
    pub task: String,
    pub model: String,
    pub evaluator: String,
    pub split: &'static str,
    pub share: String,
    pub counted: String,
    pub started: bool,
    pub started_at: String,
    /// One sign for each workflow: class, sign, words.
    pub workflows: Vec<(&'static str, &'static str, String)>,
}

impl AppLine {
    pub fn of(app: &IndexedApp) -> Self {
        let evaluation = &app.evaluation;
        let all = evaluation.workflows.len();
        let workflow = |judged: &benchwright_domain::vibe::evaluation::JudgedWorkflow| {
            let passes = evaluation.started && judged.verdict.passes();
            let title = text::line_within(&judged.title, 120);
            if passes {
                ("pass", "✓", format!("{title}: passed"))
            } else {
                ("fail", "✗", format!("{title}: failed"))
            }
        };
        Self {
            href: app_address(&app.run),
            task: text::line_within(&evaluation.task_title, 90),
            model: text::line_within(&evaluation.app.model, 80),
            evaluator: text::line_within(&evaluation.evaluator.name(), 80),
            split: split_name(evaluation.task.split),
            share: evaluation.accuracy().map_or_else(|| "–".to_owned(), |percent| number::percent(percent / 100.0)),
            counted: format!("{} of {all}", evaluation.passed()),
            started: evaluation.started,
            started_at: minutes(&app.started_at),
            workflows: evaluation.workflows.iter().map(workflow).collect(),
        }
    }
}

pub fn split_name(split: Split) -> &'static str {
    match split {
        Split::Test => "test",
        Split::Validation => "validation",
    }
}

/// What the index says of an app, if it may be shown. What was taken down is no app any more, but a run without anything.
pub async fn shown(site: &Site, run: &str) -> Result<IndexedApp, Problem> {
    let Some(app) = site.index.app(run).await? else {
        shown_run(site, run).await?;
        return Err(Problem::NotFound("There is no such app. The run is of another track.".to_owned()));
    };
    let reason = app.state_reason.as_deref().map(|reason| text::line_within(reason, 300)).unwrap_or_default();
    match app.state {
        Shown::Shown => Ok(app),
        Shown::Quarantined => Err(Problem::Gone(format!("This app is in quarantine: {reason}"))),
        Shown::TakenDown => Err(Problem::Gone(format!("This app was taken down: {reason}"))),
    }
}

/// The whole evaluation, as the run keeps it.
pub async fn opened(site: &Arc<Site>, run: &str) -> Result<(IndexedApp, Evaluation), Problem> {
    let app = shown(site, run).await?;
    let (site, id) = (Arc::clone(site), app.run.clone());
    let evaluation = blocking(move || {
        let unreadable = |reason: String| Problem::Failed(format!("failed to read run {id}: {reason}"));
        let run = site.storage.read(&id)?;
        let found = evaluation_of(&*site.storage, &run).map_err(unreadable)?;
        found.ok_or_else(|| Problem::NotFound("There is no such app.".to_owned()))
    })
    .await?;
    Ok((app, evaluation))
}

/// Traces and logs of a run are read; its pictures are addresses of this site.
pub struct Kept<'a> {
    pub storage: &'a dyn Storage,
    pub run: &'a str,
}

impl Blobs for Kept<'_> {
    fn bytes(&self, id: &BlobId) -> Option<Vec<u8>> {
        self.storage.blob(self.run, id).ok()
    }

    fn address(&self, id: &BlobId) -> Option<String> {
        Some(format!("{}/pictures/{}", app_address(self.run), encode(&id.0)))
    }
}
