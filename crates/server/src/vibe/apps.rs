//! Evaluated apps, newest first.

use super::view::AppLine;
use crate::address::with_query;
use crate::encoding::Encoded;
use crate::pages::{html, kept};
use crate::problem::Problem;
use crate::shell::{Section, Shell};
use crate::site::Site;
use askama::Template;
use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use benchwright_report::text;
use benchwright_store::index::RunPlace;
use benchwright_store::index::vibe::{AppFilter, IndexedApp};
use serde::Deserialize;
use std::sync::Arc;

const ON_A_PAGE: u32 = 50;
/// Between the time and the id of a place; neither has one.
const BETWEEN: char = '~';

/// What the address asks for.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Asked {
    pub evaluator: Option<String>,
    pub task: Option<String>,
    pub model: Option<String>,
    pub after: Option<String>,
}

impl Asked {
    pub fn filter(&self) -> AppFilter {
        let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        AppFilter { evaluator: given(&self.evaluator), task: given(&self.task), model: given(&self.model) }
    }

    pub fn place(&self) -> Result<Option<RunPlace>, Problem> {
        let Some(after) = self.after.as_deref().filter(|after| !after.is_empty()) else { return Ok(None) };
        let wrong = || Problem::BadRequest("`after` is no place in the list.".to_owned());
        let (started_at, run) = after.split_once(BETWEEN).ok_or_else(wrong)?;
        Ok(Some(RunPlace { started_at: started_at.to_owned(), run: run.to_owned() }))
    }

    /// The address of the page after the given app.
    pub fn next(&self, path: &str, last: &IndexedApp) -> String {
        Self { after: Some(format!("{}{BETWEEN}{}", last.started_at, last.run)), ..self.clone() }.address(path)
    }

    pub fn address(&self, path: &str) -> String {
        let parts =
            [("evaluator", &self.evaluator), ("task", &self.task), ("model", &self.model), ("after", &self.after)];
        with_query(path, parts.map(|(name, value)| (name, value.as_deref())))
    }
}

/// A page of apps, and the last of them if there are more.
pub async fn listed(site: &Site, asked: &Asked) -> Result<(Vec<IndexedApp>, bool), Problem> {
    let mut apps = site.index.apps(&asked.filter(), asked.place()?.as_ref(), ON_A_PAGE + 1).await?;
    let has_more = apps.len() > ON_A_PAGE as usize;
    apps.truncate(ON_A_PAGE as usize);
    Ok((apps, has_more))
}

#[derive(Template)]
#[template(path = "vibe/apps.html")]
struct Page {
    shell: Shell,
    style: String,
    /// What the list is narrowed to, and the address without it.
    narrowed: Vec<(&'static str, String, String)>,
    lines: Vec<AppLine>,
    next: Option<String>,
    api: String,
}

pub async fn page(
    State(site): State<Arc<Site>>,
    Query(asked): Query<Asked>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    kept(&site, &headers, asked.address("/vibe/apps"), make(&site, &asked)).await
}

async fn make(site: &Site, asked: &Asked) -> Result<Encoded, Problem> {
    let (apps, has_more) = listed(site, asked).await?;
    let filter = asked.filter();
    let first = Asked { after: None, ..asked.clone() };
    let narrowed = [
        ("Evaluator", filter.evaluator, Asked { evaluator: None, ..first.clone() }),
        ("Task", filter.task, Asked { task: None, ..first.clone() }),
        ("Model", filter.model, Asked { model: None, ..first.clone() }),
    ];
    let shown = |(name, value, without): (&'static str, Option<String>, Asked)| {
        Some((name, text::line_within(&value?, 100), without.address("/vibe/apps")))
    };
    html(&Page {
        shell: site.shell(Section::Vibe),
        style: site.assets.vibe_style.path.clone(),
        narrowed: narrowed.into_iter().filter_map(shown).collect(),
        next: apps.last().filter(|_| has_more).map(|last| asked.next("/vibe/apps", last)),
        lines: apps.iter().map(AppLine::of).collect(),
        api: asked.address("/api/v1/vibe/apps"),
    })
}
