//! A reading that somebody disagrees with, as a line of the golden file that the next extractor is held against.

use super::run::opened;
use crate::problem::Problem;
use crate::site::Site;
use axum::extract::{Path, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};
use benchwright_report::text;
use serde_json::json;
use std::sync::Arc;

/// `GET /quiz/runs/{id}/cases/{number}.json`: what the extractor found. Whoever disagrees writes down what a person finds, and why.
pub async fn case(
    State(site): State<Arc<Site>>,
    Path((id, name)): Path<(String, String)>,
) -> Result<Response, Problem> {
    let none = || Problem::NotFound("This run has no such question.".to_owned());
    let number: usize = name.strip_suffix(".json").and_then(|number| number.parse().ok()).ok_or_else(none)?;
    let opened = opened(&site, &id).await?;
    let place = number.checked_sub(1).ok_or_else(none)?;
    let report = &opened.report;
    let answer = report.submission.answers.get(place).ok_or_else(none)?;
    let found = &report.derived.questions.get(place).ok_or_else(none)?.extraction;
    let question = report.questions.get(place).ok_or_else(none)?;
    let model = &report.submission.model;
    let from = model.catalogue_id.as_deref().or(model.custom_name.as_deref()).unwrap_or("a model");
    let quote = found.span.and_then(|[start, end]| answer.output.get(start..end));
    let line = json!({
        "from": text::line_within(from, 100),
        "output": answer.output,
        "choices": question.choices,
        "letter": found.letter,
        "tier": found.tier,
        "rule": found.rule,
        "flags": found.flags,
        "quote": quote,
        "why": format!(
            "run {}, question {number}, extractor {}: set letter and tier to what a person reads, and say why here",
            opened.share.run, report.derived.extractor
        ),
    });
    let headers = [
        (CONTENT_TYPE, "application/json".to_owned()),
        (CACHE_CONTROL, "no-cache".to_owned()),
        (CONTENT_DISPOSITION, format!("attachment; filename=\"case-{}-{number}.json\"", opened.share.run)),
    ];
    Ok((headers, line.to_string() + "\n").into_response())
}
