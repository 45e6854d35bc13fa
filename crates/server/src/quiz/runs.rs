//! Shared runs, newest day first.

use super::view::{self, RunLine};
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
use benchwright_store::index::quiz::{IndexedShare, ShareFilter, SharePlace};
use serde::Deserialize;
use std::sync::Arc;

const ON_A_PAGE: u32 = 50;
/// Between the day and the id of a place; neither has one.
const BETWEEN: char = '~';
const STATES: [&str; 4] = ["reference", "confirmed", "unconfirmed", "flagged"];

/// What the address asks for.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Asked {
    pub pool: Option<String>,
    pub state: Option<String>,
    pub question: Option<String>,
    pub after: Option<String>,
}

impl Asked {
    /// The runs it asks for.
    pub async fn runs(&self, site: &Site, limit: u32) -> Result<Vec<IndexedShare>, Problem> {
        let (filter, place) = (self.filter()?, self.place()?);
        let runs = match (given(self.question.as_ref()), filter) {
            (None, filter) => site.index.shared_runs(&filter, place.as_ref(), limit).await?,
            (Some(question), ShareFilter { pool: Some(pool), standing: None, .. }) => {
                site.index.runs_that_asked(&pool, &question, place.as_ref(), limit).await?
            }
            _ => {
                return Err(Problem::BadRequest(
                    "`question` lists the runs of a `pool` that count, and takes no `state`.".to_owned(),
                ));
            }
        };
        Ok(runs)
    }

    /// What of it narrows the list.
    pub fn filter(&self) -> Result<ShareFilter, Problem> {
        let standing = given(self.state.as_ref());
        if standing.as_deref().is_some_and(|state| !STATES.contains(&state)) {
            return Err(Problem::BadRequest("`state` is reference, confirmed, unconfirmed or flagged.".to_owned()));
        }
        Ok(ShareFilter { pool: given(self.pool.as_ref()), standing, ..ShareFilter::default() })
    }

    /// Where the page begins.
    pub fn place(&self) -> Result<Option<SharePlace>, Problem> {
        let Some(after) = self.after.as_deref().filter(|after| !after.is_empty()) else { return Ok(None) };
        let (day, run) = after
            .split_once(BETWEEN)
            .ok_or_else(|| Problem::BadRequest("`after` is no place in the list.".to_owned()))?;
        Ok(Some(SharePlace { day: day.to_owned(), run: run.to_owned() }))
    }

    /// The address of the page after the given run.
    pub fn next(&self, path: &str, last: &SharePlace) -> String {
        Self { after: Some(format!("{}{BETWEEN}{}", last.day, last.run)), ..self.clone() }.address(path)
    }

    pub fn address(&self, path: &str) -> String {
        let parts =
            [("pool", &self.pool), ("state", &self.state), ("question", &self.question), ("after", &self.after)];
        with_query(path, parts.map(|(name, value)| (name, value.as_deref())))
    }
}

fn given(text: Option<&String>) -> Option<String> {
    text.filter(|text| !text.is_empty()).cloned()
}

#[derive(Template)]
#[template(path = "quiz/runs.html")]
struct Page {
    shell: Shell,
    style: String,
    /// The model the list is narrowed to, and where its row is.
    of_model: Option<(String, String)>,
    /// The question it is narrowed to.
    of_question: Option<String>,
    /// Text, address, whether it is chosen; none where all runs count.
    states: Vec<(&'static str, String, bool)>,
    lines: Vec<RunLine>,
    is_first: bool,
    next: Option<String>,
    api: String,
}

pub async fn page(
    State(site): State<Arc<Site>>,
    Query(asked): Query<Asked>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    kept(&site, &headers, asked.address("/quiz/runs"), make(&site, &asked)).await
}

async fn make(site: &Site, asked: &Asked) -> Result<Encoded, Problem> {
    let filter = asked.filter()?;
    let runs = asked.runs(site, ON_A_PAGE + 1).await?;
    let shown = &runs[..runs.len().min(ON_A_PAGE as usize)];
    let pool = match &filter.pool {
        Some(pool) => site.index.pool(pool).await?,
        None => None,
    };
    let state = |text, value: Option<&str>| {
        let address = Asked { state: value.map(str::to_owned), after: None, ..asked.clone() }.address("/quiz/runs");
        (text, address, filter.standing.as_deref() == value)
    };
    let question = given(asked.question.as_ref());
    let line = |share: &IndexedShare| {
        let line = RunLine::of(&site.quiz.catalogue, share);
        match &question {
            Some(question) => line.at(share, question),
            None => line,
        }
    };
    html(&Page {
        shell: site.shell(Section::Quiz),
        style: site.assets.quiz_style.path.clone(),
        of_model: pool.map(|sums| (view::model_name(&site.quiz.catalogue, &sums.key), view::pool_address(&sums.pool))),
        of_question: question.as_ref().map(|id| {
            let known = site.quiz.library.question(id);
            text::line_within(known.map_or(id.as_str(), |known| known.question.as_str()), 400)
        }),
        states: if question.is_some() {
            Vec::new()
        } else {
            vec![
                state("All", None),
                state("Reference", Some("reference")),
                state("Confirmed", Some("confirmed")),
                state("Unconfirmed", Some("unconfirmed")),
                state("Flagged", Some("flagged")),
            ]
        },
        lines: shown.iter().map(line).collect(),
        is_first: asked.after.is_none(),
        next: shown
            .last()
            .filter(|_| runs.len() > shown.len())
            .map(|last| asked.next("/quiz/runs", &SharePlace::from(last))),
        api: asked.address("/api/v1/quiz/runs"),
    })
}
