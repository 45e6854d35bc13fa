//! Two runs of the same questions, question by question.

use super::run::{Opened, opened};
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
use benchwright_quiz::{Comparison, DerivedQuestion, Letter, compare};
use benchwright_report::text;
use benchwright_store::index::quiz::ShareFilter;
use serde::Deserialize;
use std::sync::Arc;

const TO_CHOOSE_FROM: u32 = 40;

/// Which two runs.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Asked {
    pub a: Option<String>,
    pub b: Option<String>,
}

impl Asked {
    pub fn address(&self, path: &str) -> String {
        with_query(path, [("a", self.a.as_deref()), ("b", self.b.as_deref())])
    }

    fn both(&self) -> Option<(&str, &str)> {
        let a = self.a.as_deref().filter(|text| !text.is_empty())?;
        let b = self.b.as_deref().filter(|text| !text.is_empty())?;
        Some((a, b))
    }
}

#[derive(Template)]
#[template(path = "quiz/compare-choose.html")]
struct Choose {
    shell: Shell,
    style: String,
    a: String,
    lines: Vec<RunLine>,
}

#[derive(Template)]
#[template(path = "quiz/compare.html")]
struct Two {
    shell: Shell,
    style: String,
    a: RunLine,
    b: RunLine,
    comparison: Comparison,
    questions: usize,
    agreement: String,
    p: String,
    verdict: &'static str,
    rows: Vec<Row>,
    swapped: String,
    api: String,
}

struct Row {
    number: usize,
    question: String,
    gold: char,
    a: Cell,
    b: Cell,
    differs: bool,
}

struct Cell {
    letter: char,
    correct: bool,
    tier: u8,
    href: String,
}

pub async fn page(
    State(site): State<Arc<Site>>,
    Query(asked): Query<Asked>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    Box::pin(kept(&site, &headers, asked.address("/quiz/compare"), make(&site, &asked))).await
}

async fn make(site: &Arc<Site>, asked: &Asked) -> Result<Encoded, Problem> {
    match asked.both() {
        Some((a, b)) => {
            let (a, b, comparison) = compared(site, a, b).await?;
            html(&two(site, &a, &b, comparison))
        }
        None => choose(site, asked).await,
    }
}

/// Two runs and how they compare.
pub async fn compared(site: &Arc<Site>, a: &str, b: &str) -> Result<(Opened, Opened, Comparison), Problem> {
    let (a, b) = (opened(site, a).await?, opened(site, b).await?);
    let different = || {
        Problem::BadRequest(
            "These runs did not answer the same questions. Compare two runs of the same set.".to_owned(),
        )
    };
    let asked = |run: &Opened| run.report.questions.iter().map(|question| question.id.clone()).collect::<Vec<_>>();
    let comparison = compare(&a.report.derived, &b.report.derived).filter(|_| asked(&a) == asked(&b));
    Ok((a, b, comparison.ok_or_else(different)?))
}

async fn choose(site: &Site, asked: &Asked) -> Result<Encoded, Problem> {
    let first = asked.a.clone().filter(|a| !a.is_empty());
    let selection = match &first {
        Some(a) => Some(super::run::shown(site, a).await?.selection),
        None => None,
    };
    let filter = ShareFilter { selection, ..ShareFilter::default() };
    // The first run may be among them.
    let mut newest = site.index.shared_runs(&filter, None, TO_CHOOSE_FROM + 1).await?;
    newest.retain(|run| first.as_ref() != Some(&run.run));
    newest.truncate(TO_CHOOSE_FROM as usize);
    html(&Choose {
        shell: site.shell(Section::Quiz),
        style: site.assets.quiz_style.path.clone(),
        a: first.unwrap_or_default(),
        lines: newest.iter().map(|run| RunLine::of(&site.quiz.catalogue, run)).collect(),
    })
}

fn two(site: &Site, a: &Opened, b: &Opened, comparison: Comparison) -> Two {
    let questions = a.report.questions.len();
    let rows = a.report.questions.iter().zip(&a.report.derived.questions).zip(&b.report.derived.questions).enumerate();
    let ids = Asked { a: Some(b.share.run.clone()), b: Some(a.share.run.clone()) };
    let forth = Asked { a: ids.b.clone(), b: ids.a.clone() };
    Two {
        shell: site.shell(Section::Quiz),
        style: site.assets.quiz_style.path.clone(),
        a: RunLine::of(&site.quiz.catalogue, &a.share),
        b: RunLine::of(&site.quiz.catalogue, &b.share),
        questions,
        agreement: view::share(comparison.same_letter, questions as u64),
        p: if comparison.p < 0.0001 { "below 0.0001".to_owned() } else { format!("{:.4}", comparison.p) },
        verdict: verdict(&comparison),
        rows: rows
            .map(|(place, ((question, one), other))| Row {
                number: place + 1,
                question: text::line_within(&question.question, 160),
                gold: one.gold.as_char(),
                a: Cell::of(one, &a.share.run, place),
                b: Cell::of(other, &b.share.run, place),
                differs: one.correct != other.correct,
            })
            .collect(),
        swapped: ids.address("/quiz/compare"),
        api: forth.address("/api/v1/quiz/compare"),
        comparison,
    }
}

fn verdict(comparison: &Comparison) -> &'static str {
    match () {
        () if comparison.only_a == comparison.only_b => "Neither is better on these questions.",
        () if comparison.p >= 0.05 => "Chance alone would explain the difference.",
        () if comparison.only_a > comparison.only_b => "The first run is better, beyond what chance explains.",
        () => "The second run is better, beyond what chance explains.",
    }
}

impl Cell {
    fn of(question: &DerivedQuestion, run: &str, place: usize) -> Self {
        Self {
            letter: question.extraction.letter.map_or('–', Letter::as_char),
            correct: question.correct,
            tier: question.extraction.tier,
            href: format!("{}#q{}", view::run_address(run), place + 1),
        }
    }
}
