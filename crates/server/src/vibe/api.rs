//! The vibe track as JSON: everything its pages show can be had without them.

use super::analysis::{analysed, chosen};
use super::apps::{Asked as List, listed};
use super::board::Asked;
use super::view::{self, app_address};
use crate::api::{Operation, Parameter, json, of};
use crate::pages::kept;
use crate::problem::Problem;
use crate::site::Site;
use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::get;
use benchwright_domain::vibe::Evaluation;
use benchwright_domain::vibe::analysis::Analysis;
use benchwright_domain::vibe::analysis::standing::Standing;
use benchwright_domain::vibe::{Split, TaskFacts};
use benchwright_store::index::vibe::IndexedApp;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

pub fn routes() -> Router<Arc<Site>> {
    Router::new()
        .route("/api/v1/vibe/evaluators", get(evaluators))
        .route("/api/v1/vibe/board", get(board))
        .route("/api/v1/vibe/analysis", get(analysis))
        .route("/api/v1/vibe/apps", get(apps))
        .route("/api/v1/vibe/apps/{run}", get(app))
}

/// An evaluator whose verdicts are here.
#[derive(Serialize, JsonSchema)]
struct EvaluatorAnswer {
    /// Walker and judge.
    evaluator: String,
    /// Apps that it evaluated.
    apps: i64,
    /// Those of tasks of the test split.
    test: i64,
}

/// The board of one evaluator.
#[derive(Serialize, JsonSchema)]
struct BoardAnswer {
    /// Whose verdicts it is made of.
    evaluator: String,
    /// The models by split, best first. Only the test split is a score.
    splits: BTreeMap<Split, Vec<Standing>>,
    /// Evaluations that are no part of it, and why.
    left_out: Vec<String>,
}

/// A page of evaluated apps, newest first.
#[derive(Serialize, JsonSchema)]
struct AppList {
    /// The apps.
    apps: Vec<AppAnswer>,
    /// The address of the next page; absent on the last one.
    next: Option<String>,
}

/// An evaluated app in short.
#[derive(Serialize, JsonSchema)]
struct AppAnswer {
    /// Id of the run.
    run: String,
    /// When it began.
    started_at: String,
    /// The task.
    task: TaskFacts,
    /// What built the app.
    model: String,
    /// Whose verdicts.
    evaluator: String,
    /// Whether it could be reached.
    started: bool,
    /// Workflows that pass.
    passed: usize,
    /// Of how many.
    workflows: usize,
}

impl AppAnswer {
    fn of(app: &IndexedApp) -> Self {
        let evaluation = &app.evaluation;
        Self {
            run: app.run.clone(),
            started_at: app.started_at.clone(),
            task: evaluation.task.clone(),
            model: evaluation.app.model.clone(),
            evaluator: evaluation.evaluator.name(),
            started: evaluation.started,
            passed: evaluation.passed(),
            workflows: evaluation.workflows.len(),
        }
    }
}

const EVALUATOR: Parameter =
    ("evaluator", "query", false, "hybrid/rules", "Walker and judge; without it, the evaluator with most apps.");

pub(crate) const OPERATIONS: [Operation; 5] = [
    Operation {
        path: "/api/v1/vibe/evaluators",
        id: "listVibeEvaluators",
        summary: "Who evaluated apps, the one with most apps of the test split first.",
        parameters: &[],
        schema: of::<Vec<EvaluatorAnswer>>,
    },
    Operation {
        path: "/api/v1/vibe/board",
        id: "getVibeBoard",
        summary: "Where models stand by one evaluator’s verdicts.",
        parameters: &[EVALUATOR],
        schema: of::<BoardAnswer>,
    },
    Operation {
        path: "/api/v1/vibe/analysis",
        id: "getVibeAnalysis",
        summary: "Every table and figure behind the board.",
        parameters: &[EVALUATOR],
        schema: of::<Analysis>,
    },
    Operation {
        path: "/api/v1/vibe/apps",
        id: "listVibeApps",
        summary: "Evaluated apps that are shown, newest first.",
        parameters: &[
            EVALUATOR,
            ("task", "query", false, "shopping-list", "Id of a task."),
            ("model", "query", false, "kiln-2", "Id of a model."),
            (
                "after",
                "query",
                false,
                "2026-11-16T10:15:00Z~20261116T101500Z-3f9a",
                "Where the page begins; `next` has it.",
            ),
        ],
        schema: of::<AppList>,
    },
    Operation {
        path: "/api/v1/vibe/apps/{run}",
        id: "getVibeApp",
        summary: "One evaluation with every verdict, reason and the names of its evidence.",
        parameters: &[("run", "path", true, "20261116T101500Z-3f9a", "Id of a run.")],
        schema: of::<Evaluation>,
    },
];

async fn evaluators(State(site): State<Arc<Site>>, headers: HeaderMap) -> Result<Response, Problem> {
    kept(&site, &headers, "/api/v1/vibe/evaluators".to_owned(), async {
        let known = site.index.evaluators().await?;
        let answer = |it: benchwright_store::index::vibe::EvaluatorSummary| EvaluatorAnswer {
            evaluator: it.evaluator,
            apps: it.apps,
            test: it.test,
        };
        json(&known.into_iter().map(answer).collect::<Vec<_>>())
    })
    .await
}

async fn found(site: &Site, asked: &Asked) -> Result<super::analysis::Analysed, Problem> {
    let evaluators = site.index.evaluators().await?;
    let none = || Problem::NotFound("No app was evaluated yet.".to_owned());
    analysed(site, chosen(&evaluators, asked.evaluator.as_deref())?.ok_or_else(none)?).await
}

async fn board(
    State(site): State<Arc<Site>>,
    Query(asked): Query<Asked>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    kept(&site, &headers, asked.address("/api/v1/vibe/board"), async {
        let found = found(&site, &asked).await?;
        let splits = found.analysis.splits.into_iter().map(|(split, it)| (split, it.models)).collect();
        json(&BoardAnswer { evaluator: found.evaluator, splits, left_out: found.left_out })
    })
    .await
}

async fn analysis(
    State(site): State<Arc<Site>>,
    Query(asked): Query<Asked>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    kept(&site, &headers, asked.address("/api/v1/vibe/analysis"), async { json(&found(&site, &asked).await?.analysis) })
        .await
}

async fn apps(
    State(site): State<Arc<Site>>,
    Query(asked): Query<List>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    kept(&site, &headers, asked.address("/api/v1/vibe/apps"), async {
        let (apps, has_more) = listed(&site, &asked).await?;
        let next = apps.last().filter(|_| has_more).map(|last| asked.next("/api/v1/vibe/apps", last));
        json(&AppList { apps: apps.iter().map(AppAnswer::of).collect(), next })
    })
    .await
}

async fn app(State(site): State<Arc<Site>>, Path(run): Path<String>, headers: HeaderMap) -> Result<Response, Problem> {
    kept(&site, &headers, format!("/api/v1{}", app_address(&run)), async { json(&view::opened(&site, &run).await?.1) })
        .await
}
