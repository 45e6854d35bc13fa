//! An evaluated app as a row: the columns in one order, written and read in the same place.

use super::super::database::{Cell, Row};
use super::super::entry::{Entry, State};
use super::super::error::IndexError;
use super::super::row::{json, parse, unreadable};
use crate::event::Review;
use benchwright_domain::vibe::{Evaluation, Split};
use serde::{Deserialize, Serialize};

/// The columns of `vibe_runs`, as [`cells`] writes them.
pub(super) const COLUMNS: [&str; 12] = [
    "run",
    "state",
    "state_reason",
    "started_at",
    "task",
    "model",
    "evaluator",
    "split",
    "passed",
    "workflows",
    "document",
    "reviews",
];

/// What [`read`] expects.
pub(super) const SELECT: &str = "SELECT run, state, state_reason, started_at, document, reviews FROM vibe_runs";

/// An evaluated app as the index knows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IndexedApp {
    /// Id of the run.
    pub run: String,
    /// What may be shown of it.
    pub state: State,
    /// Why it is not shown.
    pub state_reason: Option<String>,
    /// RFC 3339, UTC: when the run began, as its log says.
    pub started_at: String,
    /// The evaluation without reasons and evidence.
    pub evaluation: Evaluation,
    /// What people said of it.
    pub reviews: Vec<Review>,
}

impl IndexedApp {
    /// Nothing for an entry that is no evaluation.
    pub(super) fn of(entry: &Entry) -> Option<Self> {
        Some(Self {
            run: entry.run.clone(),
            state: entry.state(),
            state_reason: entry.state_reason().map(str::to_owned),
            started_at: entry.started_at.clone(),
            evaluation: entry.evaluation.clone()?,
            reviews: entry.reviews.clone(),
        })
    }
}

/// The values of an app, in the order of [`COLUMNS`].
pub(super) fn cells(app: &IndexedApp) -> Vec<Cell> {
    let evaluation = &app.evaluation;
    vec![
        (&app.run).into(),
        app.state.key().into(),
        app.state_reason.as_ref().into(),
        (&app.started_at).into(),
        (&evaluation.task.id).into(),
        (&evaluation.app.model).into(),
        evaluation.evaluator.name().into(),
        split(evaluation.task.split).into(),
        (evaluation.passed() as i64).into(),
        (evaluation.workflows.len() as i64).into(),
        json(evaluation).into(),
        json(&app.reviews).into(),
    ]
}

fn split(split: Split) -> &'static str {
    match split {
        Split::Test => "test",
        Split::Validation => "validation",
    }
}

/// The app of a row of [`SELECT`].
pub(super) fn read(mut row: Row) -> Result<IndexedApp, IndexError> {
    Ok(IndexedApp {
        run: row.text()?,
        state: State::of_key(&row.text()?).ok_or_else(|| unreadable("state"))?,
        state_reason: row.optional_text()?,
        started_at: row.text()?,
        evaluation: parse(&row.text()?, "evaluation")?,
        reviews: parse(&row.text()?, "review")?,
    })
}
