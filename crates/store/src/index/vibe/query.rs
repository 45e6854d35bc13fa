//! What pages of the vibe track ask.

use super::super::Index;
use super::super::database::Cell;
use super::super::entry::State;
use super::super::error::IndexError;
use super::super::query::{MOST_ROWS, RunPlace};
use super::row::{self, IndexedApp};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// Evaluations that a board is made from: the newest. An analysis of so many takes seconds, and is kept until something changes.
pub const MOST_EVALUATIONS: u32 = 5000;

/// Which apps a list is narrowed to. Everything that is set must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AppFilter {
    /// By one evaluator.
    pub evaluator: Option<String>,
    /// For one task.
    pub task: Option<String>,
    /// Of one model.
    pub model: Option<String>,
}

/// An evaluator whose verdicts are here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvaluatorSummary {
    /// Walker and judge.
    pub evaluator: String,
    /// Apps that it evaluated and that are shown.
    pub apps: i64,
    /// Those of tasks of the test split.
    pub test: i64,
}

impl Index {
    /// An evaluated app by the id of its run, whatever its state; none once it was taken down.
    pub async fn app(&self, run: &str) -> Result<Option<IndexedApp>, IndexError> {
        let sql = format!("{} WHERE run = $1", row::SELECT);
        self.database.query(&sql, vec![run.into()]).await?.into_iter().next().map(row::read).transpose()
    }

    /// Evaluated apps that are shown, newest first.
    pub async fn apps(
        &self,
        filter: &AppFilter,
        after: Option<&RunPlace>,
        limit: u32,
    ) -> Result<Vec<IndexedApp>, IndexError> {
        self.newest_apps(filter, after, limit.min(MOST_ROWS)).await
    }

    /// What a board is made from: the newest evaluations that are shown.
    pub async fn evaluations(&self) -> Result<Vec<IndexedApp>, IndexError> {
        self.newest_apps(&AppFilter::default(), None, MOST_EVALUATIONS).await
    }

    async fn newest_apps(
        &self,
        filter: &AppFilter,
        after: Option<&RunPlace>,
        limit: u32,
    ) -> Result<Vec<IndexedApp>, IndexError> {
        let mut sql = format!("{} WHERE state = $1", row::SELECT);
        let mut cells = vec![Cell::from(State::Shown.key())];
        let wanted = [("evaluator", &filter.evaluator), ("task", &filter.task), ("model", &filter.model)];
        for (column, value) in wanted.into_iter().filter_map(|(column, value)| Some((column, value.as_ref()?))) {
            cells.push(Cell::from(value));
            // Writing to a string cannot fail.
            let _ = write!(sql, " AND {column} = ${}", cells.len());
        }
        if let Some(after) = after {
            cells.extend([Cell::from(&after.started_at), Cell::from(&after.run)]);
            let _ = write!(sql, " AND (started_at, run) < (${}, ${})", cells.len() - 1, cells.len());
        }
        let _ = write!(sql, " ORDER BY started_at DESC, run DESC LIMIT {limit}");
        self.database.query(&sql, cells).await?.into_iter().map(row::read).collect()
    }

    /// The evaluators whose verdicts are shown, the one with most apps first.
    pub async fn evaluators(&self) -> Result<Vec<EvaluatorSummary>, IndexError> {
        let sql = "SELECT evaluator, COUNT(*), CAST(SUM(CASE WHEN split = 'test' THEN 1 ELSE 0 END) AS BIGINT) \
                   FROM vibe_runs WHERE state = $1 GROUP BY evaluator ORDER BY 3 DESC, 2 DESC, evaluator";
        let rows = self.database.query(sql, vec![State::Shown.key().into()]).await?;
        let summary = |mut row: super::super::database::Row| {
            Ok(EvaluatorSummary { evaluator: row.text()?, apps: row.integer()?, test: row.integer()? })
        };
        rows.into_iter().map(summary).collect()
    }
}
