//! The first page: where the doors are, who leads, what is new.

use super::board::Row;
use super::{html, kept};
use crate::encoding::Encoded;
use crate::problem::Problem;
use crate::shell::{Section, Shell};
use crate::site::Site;
use crate::view::{self, Card};
use askama::Template;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use benchwright_store::index::{PromptSummary, RunFilter};
use std::sync::Arc;

const LEADERS: usize = 5;
const NEWEST: u32 = 6;
const PROMPT_LINKS: usize = 6;

#[derive(Template)]
#[template(path = "home.html")]
struct Page {
    shell: Shell,
    runs: String,
    ranked: String,
    prompts: usize,
    scorers: usize,
    links: Vec<(String, String)>,
    top: Option<Top>,
    cards: Vec<Card>,
    takes_jobs: bool,
    quiz_runs: String,
}

/// The first rows of the board with most runs.
struct Top {
    name: String,
    href: String,
    rows: Vec<Row>,
}

pub async fn page(State(site): State<Arc<Site>>, headers: HeaderMap) -> Result<Response, Problem> {
    kept(&site, &headers, "/".to_owned(), make(&site)).await
}

async fn make(site: &Site) -> Result<Encoded, Problem> {
    let totals = site.index.totals().await?;
    let mut prompts = site.index.prompts().await?;
    prompts.sort_by_key(|prompt| std::cmp::Reverse(prompt.runs));
    let newest = site.index.runs(&RunFilter::default(), None, NEWEST).await?;
    let quiz_runs: u64 = site.index.pools().await?.iter().map(|pool| pool.runs + pool.others).sum();
    let link = |prompt: &PromptSummary| {
        (view::prompt_name(prompt.prompt.as_deref()), view::board_address(prompt.prompt.as_deref()))
    };
    html(&Page {
        shell: site.shell(Section::Home),
        runs: view::thousands(totals.shown),
        ranked: view::thousands(totals.ranked),
        prompts: prompts.iter().filter(|prompt| prompt.prompt.is_some()).count(),
        scorers: site.methodology.scorers.len(),
        links: prompts.iter().take(PROMPT_LINKS).map(link).collect(),
        top: top(site, prompts.first()).await?,
        cards: newest.iter().map(|run| Card::of(&run.record)).collect(),
        takes_jobs: site.settings.jobs.is_some(),
        quiz_runs: view::counted(quiz_runs.cast_signed(), "shared run", "shared runs"),
    })
}

async fn top(site: &Site, prompt: Option<&PromptSummary>) -> Result<Option<Top>, Problem> {
    let Some(summary) = prompt else { return Ok(None) };
    let prompt = summary.prompt.as_deref();
    let standings = site.index.standings(prompt, &summary.main_class).await?;
    let rows = standings.iter().take(LEADERS).map(|standing| Row::of(prompt, standing)).collect();
    Ok(Some(Top { name: view::prompt_name(prompt), href: view::board_address(prompt), rows }))
}
