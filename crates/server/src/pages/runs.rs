//! Runs, newest first.

use super::{html, kept};
use crate::address::with_query;
use crate::encoding::Encoded;
use crate::problem::Problem;
use crate::shell::{Section, Shell};
use crate::site::Site;
use crate::view::{self, Card};
use askama::Template;
use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use benchwright_report::text;
use benchwright_store::index::{RunFilter, RunPlace};
use serde::Deserialize;
use std::sync::Arc;

const ON_A_PAGE: u32 = 24;
/// Between the parts of a place in a list, a moment, an id or a number; none has one.
pub const BETWEEN: char = '~';

/// What the address asks for.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Asked {
    pub prompt: Option<String>,
    pub tool: Option<String>,
    pub url: Option<String>,
    pub ranked: Option<String>,
    pub after: Option<String>,
}

#[derive(Template)]
#[template(path = "runs.html")]
struct Page {
    shell: Shell,
    /// What the list is narrowed to: name and value.
    narrowed: Vec<(&'static str, String)>,
    cards: Vec<Card>,
    is_first: bool,
    next: Option<String>,
    api: String,
}

impl Asked {
    /// What of it narrows the list. An empty prompt means runs without one.
    pub fn filter(&self) -> RunFilter {
        let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        RunFilter {
            prompt: self.prompt.clone(),
            tool: given(&self.tool),
            url: given(&self.url),
            ranked: match self.ranked.as_deref() {
                Some("yes" | "true") => Some(true),
                Some("no" | "false") => Some(false),
                _ => None,
            },
            ..RunFilter::default()
        }
    }

    /// Where the page begins.
    pub fn place(&self) -> Result<Option<RunPlace>, Problem> {
        let Some(after) = self.after.as_deref().filter(|after| !after.is_empty()) else { return Ok(None) };
        let (started_at, run) = after
            .split_once(BETWEEN)
            .ok_or_else(|| Problem::BadRequest("`after` is no place in the list.".to_owned()))?;
        Ok(Some(RunPlace { started_at: started_at.to_owned(), run: run.to_owned() }))
    }

    /// The address of the page after the given run.
    pub fn next(&self, path: &str, last: &RunPlace) -> String {
        let after = format!("{}{BETWEEN}{}", last.started_at, last.run);
        Self { after: Some(after), ..self.clone() }.address(path)
    }

    pub fn address(&self, path: &str) -> String {
        let parts = [
            ("prompt", &self.prompt),
            ("tool", &self.tool),
            ("url", &self.url),
            ("ranked", &self.ranked),
            ("after", &self.after),
        ];
        with_query(path, parts.map(|(name, value)| (name, value.as_deref())))
    }
}

pub async fn page(
    State(site): State<Arc<Site>>,
    Query(asked): Query<Asked>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    kept(&site, &headers, asked.address("/runs"), make(&site, &asked)).await
}

async fn make(site: &Site, asked: &Asked) -> Result<Encoded, Problem> {
    let filter = asked.filter();
    let runs = site.index.runs(&filter, asked.place()?.as_ref(), ON_A_PAGE + 1).await?;
    let shown = &runs[..runs.len().min(ON_A_PAGE as usize)];
    let more = runs.len() > shown.len();
    let prompt = filter.prompt.as_deref().map(|prompt| view::prompt_name(Some(prompt).filter(|id| !id.is_empty())));
    let ranked = filter.ranked.map(|ranked| if ranked { "yes" } else { "no" }.to_owned());
    let line = |text: &String| text::line_within(text, 120);
    let narrowed = [
        ("Prompt", prompt),
        ("Tool", filter.tool.as_ref().map(line)),
        ("Address", filter.url.as_ref().map(line)),
        ("Ranked", ranked),
    ];
    html(&Page {
        shell: site.shell(Section::Runs),
        narrowed: narrowed.into_iter().filter_map(|(name, value)| Some((name, value?))).collect(),
        cards: shown.iter().map(|run| Card::of(&run.record)).collect(),
        is_first: asked.after.is_none(),
        next: shown.last().filter(|_| more).map(|last| asked.next("/runs", &RunPlace::from(last))),
        api: asked.address("/api/v1/runs"),
    })
}
