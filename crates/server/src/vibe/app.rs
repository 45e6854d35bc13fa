//! One app: its workflows as rows of substep squares, by the renderer that makes the offline file.

use super::board::framed;
use super::view::{self, Kept, app_address};
use crate::address::with_query;
use crate::encoding::Encoded;
use crate::pages::{blocking, kept};
use crate::problem::Problem;
use crate::site::Site;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use benchwright_domain::vibe::Evaluation;
use std::sync::Arc;

pub async fn page(
    State(site): State<Arc<Site>>,
    Path(run): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    kept(&site, &headers, app_address(&run), Box::pin(make(&site, &run))).await
}

async fn make(site: &Arc<Site>, run: &str) -> Result<Encoded, Problem> {
    let (app, evaluation) = view::opened(site, run).await?;
    let base = app_address(&app.run);
    let tools = tools(&evaluation, &base);
    let storage = Arc::clone(&site.storage);
    let body = blocking(move || {
        let kept = Kept { storage: &*storage, run: &app.run };
        Ok(benchwright_report::vibe::evaluation::body(&evaluation, &kept, &app_address(&app.run)))
    })
    .await?;
    framed(site, body, "Which workflows of a task an app passes, substep by substep.", tools, false)
}

fn tools(evaluation: &Evaluation, base: &str) -> Vec<(String, String)> {
    let evaluator = evaluation.evaluator.name();
    let of = |name: &str, value: &str| with_query("/vibe/apps", [(name, Some(value)), ("evaluator", Some(&evaluator))]);
    let mut tools = vec![
        ("Board".to_owned(), view::board_address(&evaluator)),
        ("Apps for this task".to_owned(), of("task", &evaluation.task.id)),
        ("Apps of this model".to_owned(), of("model", &evaluation.app.model)),
    ];
    if evaluation.trajectory.is_some() {
        tools.push(("How it was built".to_owned(), format!("{base}/trajectory")));
    }
    tools.push(("Evaluator".to_owned(), with_query("/vibe/evaluator", [("evaluator", Some(evaluator.as_str()))])));
    tools.push(("JSON".to_owned(), format!("{base}/evaluation.json")));
    tools.push(("Offline file".to_owned(), format!("{base}/report.html")));
    tools
}
