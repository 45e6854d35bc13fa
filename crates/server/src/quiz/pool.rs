//! A row of the board, opened: how letters were found, which were chosen, how fast it is where, every question, the newest runs.

use super::board::{Pooled, Row};
use super::view::{self, RunLine, Speed};
use crate::address::with_query;
use crate::encoding::Encoded;
use crate::pages::{html, kept};
use crate::problem::Problem;
use crate::shell::{Section, Shell};
use crate::site::Site;
use askama::Template;
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use benchwright_quiz::{Letter, LetterCounts};
use benchwright_report::{number, text};
use benchwright_store::index::quiz::{PoolQuestion, ShareFilter};
use serde::Deserialize;
use std::sync::Arc;

/// Questions on a page.
const QUESTIONS: u32 = 400;
const RUNS: u32 = 20;

#[derive(Template)]
#[template(path = "quiz/pool.html")]
struct Page {
    shell: Shell,
    style: String,
    row: Row,
    source: &'static str,
    protocol: String,
    spread: Option<String>,
    speeds: Vec<Speed>,
    questions: Vec<QuestionLine>,
    /// The pages of questions before and after this one.
    harder: Option<String>,
    easier: Option<String>,
    lines: Vec<RunLine>,
    all_runs: String,
    none_chosen: u64,
}

struct QuestionLine {
    text: String,
    subject: String,
    gold: char,
    share: String,
    runs: u64,
    /// Letter, count, whether it is the right one.
    chosen: Vec<(char, u64, bool)>,
    none: u64,
    /// The runs that count and asked it.
    href: String,
}

/// What the address asks for.
#[derive(Debug, Default, Deserialize)]
pub struct Asked {
    /// Which page of questions, from 1.
    page: Option<u32>,
}

impl Asked {
    fn page(&self) -> u32 {
        self.page.unwrap_or(1).clamp(1, 1000)
    }

    fn address(pool: &str, page: u32) -> String {
        let page = (page > 1).then(|| page.to_string());
        with_query(&view::pool_address(pool), [("page", page.as_deref())])
    }
}

pub async fn page(
    State(site): State<Arc<Site>>,
    Path(pool): Path<String>,
    Query(asked): Query<Asked>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let page = asked.page();
    kept(&site, &headers, Asked::address(&pool, page), make(&site, &pool, page)).await
}

async fn make(site: &Site, pool: &str, page: u32) -> Result<Encoded, Problem> {
    let none = || Problem::NotFound("There is no such row on the board.".to_owned());
    let sums = site.index.pool(pool).await?.ok_or_else(none)?;
    let pooled = Pooled::of(site, sums).await?;
    let questions = site.index.pool_questions(pool, (page - 1) * QUESTIONS, QUESTIONS + 1).await?;
    let filter = ShareFilter { pool: Some(pool.to_owned()), ..ShareFilter::default() };
    let newest = site.index.shared_runs(&filter, None, RUNS).await?;
    let asked_in = |question: &str| with_query("/quiz/runs", [("pool", Some(pool)), ("question", Some(question))]);
    let questions_on = |page: u32| format!("{}#questions", Asked::address(pool, page));
    let line = |question: &PoolQuestion| {
        let known = site.quiz.library.question(&question.question)?;
        Some(QuestionLine {
            text: text::line_within(&known.question, 160),
            subject: known.subject.replace('_', " "),
            gold: known.answer.as_char(),
            share: number::percent(question.share),
            runs: question.runs,
            chosen: Letter::ALL
                .map(|letter| (letter.as_char(), count(&question.chosen, letter), letter == known.answer))
                .into(),
            none: question.chosen.none,
            href: asked_in(&question.question),
        })
    };
    let key = &pooled.sums.key;
    let spread = pooled.between_runs.interval.map(|_| {
        let values = &pooled.between_runs.values;
        let (low, high) = values.iter().fold((100.0_f64, 0.0_f64), |(low, high), v| (low.min(*v), high.max(*v)));
        format!(
            "{} to {} over the newest {} runs",
            number::percent(low / 100.0),
            number::percent(high / 100.0),
            values.len()
        )
    });
    let thinking = if key.thinking { ", thinking on" } else { "" };
    html(&Page {
        shell: site.shell(Section::Quiz),
        style: site.assets.quiz_style.path.clone(),
        source: view::source_name(key.source),
        protocol: format!("{}{thinking}", key.protocol.as_str()),
        spread,
        speeds: pooled.speeds.iter().map(Speed::of).collect(),
        harder: (page > 1).then(|| questions_on(page - 1)),
        easier: (questions.len() > QUESTIONS as usize).then(|| questions_on(page + 1)),
        questions: questions.iter().take(QUESTIONS as usize).filter_map(line).collect(),
        lines: newest.iter().map(|share| RunLine::of(&site.quiz.catalogue, share)).collect(),
        all_runs: with_query("/quiz/runs", [("pool", Some(pool))]),
        none_chosen: pooled.sums.chosen.none,
        row: Row::of(site, &pooled),
    })
}

fn count(counts: &LetterCounts, letter: Letter) -> u64 {
    [counts.a, counts.b, counts.c, counts.d][letter.index()]
}
