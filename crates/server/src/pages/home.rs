//! The first page: where the doors are, who leads, what is new.

use super::board::{Row, overall};
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

/// Tools of each board.
const LEADERS: usize = 3;
/// Boards: all of a site with the prompts of the corpus and about as many of its own.
const BOARDS: usize = 24;
const NEWEST: u32 = 6;

#[derive(Template)]
#[template(path = "home.html")]
struct Page {
    shell: Shell,
    runs: String,
    ranked: String,
    prompts: usize,
    scorers: usize,
    tops: Vec<Top>,
    more_boards: usize,
    cards: Vec<Card>,
    takes_jobs: bool,
    quiz_runs: String,
    quiz_top: Option<crate::quiz::Top>,
    vibe_apps: String,
    vibe_leaders: Vec<crate::vibe::Row>,
}

/// The first rows of a board.
struct Top {
    name: String,
    about: String,
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
    let (quiz_runs, quiz_top) = crate::quiz::top(site).await?;
    let (vibe_apps, vibe_leaders) = crate::vibe::leaders(site).await?;
    html(&Page {
        shell: site.shell(Section::Home),
        runs: view::thousands(totals.shown),
        ranked: view::thousands(totals.ranked),
        prompts: prompts.iter().filter(|prompt| prompt.prompt.is_some()).count(),
        scorers: site.methodology.scorers.len(),
        tops: tops(site, &prompts).await?,
        more_boards: prompts.len().saturating_sub(BOARDS),
        cards: newest.iter().map(|run| Card::of(&run.record)).collect(),
        takes_jobs: site.settings.jobs.is_some(),
        quiz_runs: view::counted(quiz_runs.cast_signed(), "shared run", "shared runs"),
        quiz_top,
        vibe_apps: view::counted(vibe_apps, "evaluated app", "evaluated apps"),
        vibe_leaders,
    })
}

/// The mean over all prompts where there are several, then the boards with most runs.
async fn tops(site: &Site, prompts: &[PromptSummary]) -> Result<Vec<Top>, Problem> {
    let mut tops = Vec::new();
    let averaged = overall::averaged(prompts, None);
    if averaged.len() > 1 {
        let ranked = overall::rank(site, &averaged).await?;
        let rows = ranked.tools.iter().take(LEADERS).map(overall::Overall::shown).collect();
        let about = format!("mean over {}", overall::over(prompts, None));
        tops.extend(Top::of("All prompts".to_owned(), about, "/board".to_owned(), rows));
    }
    for summary in prompts.iter().take(BOARDS) {
        let prompt = summary.prompt.as_deref();
        let standings = site.index.standings(prompt, &summary.main_class).await?;
        let rows = standings.iter().take(LEADERS).map(|standing| Row::of(prompt, standing)).collect();
        let about = format!(
            "{}, {}",
            view::counted(summary.tools, "tool", "tools"),
            view::counted(summary.runs, "ranked run", "ranked runs")
        );
        tops.extend(Top::of(view::prompt_name(prompt), about, view::board_address(prompt), rows));
    }
    Ok(tops)
}

impl Top {
    /// Nothing where nobody leads.
    fn of(name: String, about: String, href: String, mut rows: Vec<Row>) -> Option<Self> {
        rows.truncate(LEADERS);
        (!rows.is_empty()).then_some(Self { name, about, href, rows })
    }
}
