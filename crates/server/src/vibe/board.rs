//! The board: which models build apps that work, by one evaluator's verdicts, on the test split.

use super::analysis::{Analysed, analysed, chosen};
use super::view::board_address;
use crate::address::with_query;
use crate::encoding::Encoded;
use crate::pages::{html, kept};
use crate::problem::Problem;
use crate::shell::{Section, Shell};
use crate::site::Site;
use crate::view;
use askama::Template;
use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use benchwright_domain::vibe::Split;
use benchwright_domain::vibe::analysis::SplitAnalysis;
use benchwright_domain::vibe::analysis::standing::{Measured, Standing};
use benchwright_report::{number, text};
use benchwright_store::index::vibe::EvaluatorSummary;
use serde::Deserialize;
use std::sync::Arc;

/// Models that the home page shows.
const LEADERS: usize = 3;

/// What the address asks for.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Asked {
    pub evaluator: Option<String>,
}

impl Asked {
    pub fn address(&self, path: &str) -> String {
        with_query(path, [("evaluator", self.evaluator.as_deref())])
    }
}

/// A model on the board.
pub struct Row {
    pub rank: String,
    pub model: String,
    pub href: String,
    pub accuracy: String,
    pub mean: String,
    /// From and width on the scale of 100.
    pub interval: Option<(String, String)>,
    pub words: String,
    pub strict: String,
    pub cost: Option<String>,
    pub time: Option<String>,
    pub apps: usize,
    pub missing: String,
}

impl Row {
    fn of(standing: &Standing, evaluator: &str) -> Self {
        let interval = standing.accuracy.interval;
        let on_scale = |value: f64| number::finite(value).clamp(0.0, 100.0);
        let model = text::line_within(&standing.name, 80);
        Self {
            rank: standing.rank.map_or_else(|| "–".to_owned(), benchwright_report::vibe::rank),
            href: with_query("/vibe/apps", [("evaluator", Some(evaluator)), ("model", Some(&standing.model))]),
            model,
            accuracy: number::score(standing.accuracy.mean),
            mean: number::points(on_scale(standing.accuracy.mean)),
            interval: interval
                .map(|it| (number::points(on_scale(it.low)), number::points(on_scale(it.high) - on_scale(it.low)))),
            words: interval.map_or_else(
                || "one app, no interval".to_owned(),
                |it| format!("{} to {}", number::score(it.low), number::score(it.high)),
            ),
            strict: number::score(standing.strict_accuracy.mean),
            cost: known(&standing.cost_usd, number::dollars),
            time: known(&standing.seconds, number::seconds),
            apps: standing.accuracy.apps,
            missing: standing.missing_tasks.iter().map(|it| text::line_within(it, 60)).collect::<Vec<_>>().join(", "),
        }
    }
}

/// A mean over some apps would look like a mean over all of them.
fn known(measured: &Measured, shown: fn(f64) -> String) -> Option<String> {
    measured.complete().map(shown)
}

fn rows(split: Option<&SplitAnalysis>, evaluator: &str) -> Vec<Row> {
    split.iter().flat_map(|split| &split.models).map(|standing| Row::of(standing, evaluator)).collect()
}

/// The top of the board, for the home page.
pub(crate) async fn leaders(site: &Site) -> Result<(i64, Vec<Row>), Problem> {
    let evaluators = site.index.evaluators().await?;
    let apps = evaluators.iter().map(|evaluator| evaluator.apps).sum();
    let Some(evaluator) = chosen(&evaluators, None)? else { return Ok((0, Vec::new())) };
    let analysed = analysed(site, evaluator).await?;
    let mut rows = rows(analysed.analysis.splits.get(&Split::Test), &analysed.evaluator);
    rows.truncate(LEADERS);
    Ok((apps, rows))
}

#[derive(Template)]
#[template(path = "vibe/board.html")]
struct Page {
    shell: Shell,
    style: String,
    /// Name, address, whether it is chosen, how many apps.
    evaluators: Vec<(String, String, bool, String)>,
    tables: Vec<Table>,
    sizes: Vec<(&'static str, String)>,
    analysis: String,
    evaluator: Option<(String, String)>,
    left_out: Vec<String>,
    api: String,
}

/// A split.
struct Table {
    anchor: &'static str,
    title: &'static str,
    about: &'static str,
    rows: Vec<Row>,
}

pub async fn page(
    State(site): State<Arc<Site>>,
    Query(asked): Query<Asked>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    kept(&site, &headers, asked.address("/vibe"), make(&site, &asked)).await
}

async fn make(site: &Site, asked: &Asked) -> Result<Encoded, Problem> {
    let evaluators = site.index.evaluators().await?;
    let chosen = chosen(&evaluators, asked.evaluator.as_deref())?;
    let analysed = match chosen {
        Some(evaluator) => Some(analysed(site, evaluator).await?),
        None => None,
    };
    let named = analysed.as_ref().map(|it| it.evaluator.clone());
    let query = [("evaluator", named.as_deref())];
    html(&Page {
        shell: site.shell(Section::Vibe),
        style: site.assets.vibe_style.path.clone(),
        evaluators: evaluators.iter().map(|it| choice(it, named.as_deref())).collect(),
        tables: analysed.as_ref().map(tables).unwrap_or_default(),
        sizes: analysed.as_ref().map(sizes).unwrap_or_default(),
        analysis: with_query("/vibe/analysis", query),
        evaluator: named.as_deref().map(|name| (text::line_within(name, 120), with_query("/vibe/evaluator", query))),
        left_out: analysed.iter().flat_map(|it| &it.left_out).map(|it| text::line_within(it, 200)).take(50).collect(),
        api: with_query("/api/v1/vibe/board", query),
    })
}

fn choice(known: &EvaluatorSummary, chosen: Option<&str>) -> (String, String, bool, String) {
    (
        text::line_within(&known.evaluator, 120),
        board_address(&known.evaluator),
        chosen == Some(&known.evaluator),
        view::counted(known.apps, "app", "apps"),
    )
}

fn tables(analysed: &Analysed) -> Vec<Table> {
    let table = |split, anchor, title, about| Table {
        anchor,
        title,
        about,
        rows: rows(analysed.analysis.splits.get(&split), &analysed.evaluator),
    };
    let test = table(Split::Test, "test", "Test split", "Held back from whoever builds models. This is the score.");
    let validation = "In the open, for developing. No part of any score.";
    let validation = table(Split::Validation, "validation", "Validation split", validation);
    [test, validation].into_iter().filter(|table| !table.rows.is_empty()).collect()
}

fn sizes(analysed: &Analysed) -> Vec<(&'static str, String)> {
    let told = |(split, size): (&Split, &benchwright_domain::vibe::study::SplitSize)| {
        let name = if *split == Split::Test { "Test split" } else { "Validation split" };
        (name, format!("{} tasks, {} workflows, {} substeps", size.tasks, size.workflows, size.substeps))
    };
    analysed.analysis.sizes.iter().map(told).collect()
}

#[derive(Template)]
#[template(path = "vibe/framed.html")]
struct Framed {
    shell: Shell,
    style: String,
    script: Option<String>,
    title: String,
    description: String,
    tools: Vec<(String, String)>,
    body: String,
}

/// A page whose body the renderer of offline files made.
pub fn framed(
    site: &Site,
    body: benchwright_report::Body,
    description: &str,
    tools: Vec<(String, String)>,
    with_script: bool,
) -> Result<Encoded, Problem> {
    html(&Framed {
        shell: site.shell(Section::Vibe),
        style: site.assets.vibe_style.path.clone(),
        script: with_script.then(|| site.assets.replay_script.path.clone()),
        title: body.title,
        description: description.to_owned(),
        tools,
        body: body.html,
    })
}

/// Every table and figure.
pub async fn analysis(
    State(site): State<Arc<Site>>,
    Query(asked): Query<Asked>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    kept(&site, &headers, asked.address("/vibe/analysis"), make_analysis(&site, &asked)).await
}

async fn make_analysis(site: &Site, asked: &Asked) -> Result<Encoded, Problem> {
    let evaluators = site.index.evaluators().await?;
    let none = || Problem::NotFound("No app was evaluated yet.".to_owned());
    let evaluator = chosen(&evaluators, asked.evaluator.as_deref())?.ok_or_else(none)?;
    let analysed = analysed(site, evaluator).await?;
    let tools = vec![
        ("Board".to_owned(), board_address(&analysed.evaluator)),
        ("JSON".to_owned(), with_query("/api/v1/vibe/analysis", [("evaluator", Some(analysed.evaluator.as_str()))])),
    ];
    let body = benchwright_report::vibe::analysis::body(&analysed.analysis);
    framed(site, body, "Every table and figure of the vibe bench.", tools, false)
}
