//! One evaluator: how far others agree with it, how much its own verdicts move, and with which versions and settings it worked.

use super::analysis::{analysed, chosen};
use super::board::Asked;
use super::view::board_address;
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
use benchwright_domain::vibe::analysis::agreement::AgreementMatrix;
use benchwright_domain::vibe::analysis::failures::FailureTable;
use benchwright_domain::vibe::analysis::variance::VarianceRow;
use benchwright_domain::vibe::verdict::WorkflowState;
use benchwright_report::{number, text};
use benchwright_store::index::vibe::AppFilter;
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Template)]
#[template(path = "vibe/evaluator.html")]
struct Page {
    shell: Shell,
    style: String,
    name: String,
    board: String,
    apps: String,
    raters: Vec<Rater>,
    pairs: Vec<Pair>,
    people: Option<Reliable>,
    variance: Vec<Moved>,
    states: Vec<(&'static str, String)>,
    evaluator_failures: String,
    suspected: String,
    cost: String,
    settings: Vec<(String, Vec<(String, usize)>)>,
    evaluators: Vec<(String, String)>,
}

struct Rater {
    name: String,
    is_human: bool,
    rated: u64,
    passed: String,
    with_people: String,
}

struct Pair {
    a: String,
    b: String,
    percent: String,
    counted: String,
    kappa: String,
}

struct Reliable {
    substeps: u64,
    fleiss: String,
    alpha: String,
}

struct Moved {
    model: String,
    generation: String,
    evaluation: String,
    share: String,
}

pub async fn page(
    State(site): State<Arc<Site>>,
    Query(asked): Query<Asked>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    kept(&site, &headers, asked.address("/vibe/evaluator"), make(&site, &asked)).await
}

async fn make(site: &Site, asked: &Asked) -> Result<Encoded, Problem> {
    let evaluators = site.index.evaluators().await?;
    let none = || Problem::NotFound("No app was evaluated yet.".to_owned());
    let name = chosen(&evaluators, asked.evaluator.as_deref())?.ok_or_else(none)?;
    let analysed = analysed(site, name.clone()).await?;
    let splits = &analysed.analysis.splits;
    let split = splits.get(&Split::Test).or_else(|| splits.get(&Split::Validation));
    let overall = split.map(|split| &split.failures.overall);
    let matrix = analysed.analysis.agreement.as_ref();
    let apps = evaluators.iter().find(|known| known.evaluator == name).map_or(0, |known| known.apps);
    html(&Page {
        shell: site.shell(Section::Vibe),
        style: site.assets.vibe_style.path.clone(),
        board: board_address(&name),
        apps: view::counted(apps, "app", "apps"),
        raters: matrix.map(raters).unwrap_or_default(),
        pairs: matrix.map(pairs).unwrap_or_default(),
        people: matrix.filter(|matrix| matrix.humans.substeps > 0).map(|matrix| Reliable {
            substeps: matrix.humans.substeps,
            fleiss: coefficient(matrix.humans.fleiss_kappa),
            alpha: coefficient(matrix.humans.krippendorff_alpha),
        }),
        variance: split.iter().flat_map(|split| &split.variance).map(moved).collect(),
        states: overall.map(states).unwrap_or_default(),
        evaluator_failures: overall.map_or_else(dash, |it| share(it.evaluator_failures.percent)),
        suspected: overall.map_or_else(dash, |it| share(it.walker_suspected.percent)),
        cost: overall
            .and_then(|it| it.evaluation_usd_per_workflow)
            .map_or_else(|| "not known".to_owned(), number::dollars),
        settings: settings(site, &name).await?,
        evaluators: evaluators
            .iter()
            .filter(|known| known.evaluator != name)
            .map(|known| (text::line_within(&known.evaluator, 120), address(&known.evaluator)))
            .collect(),
        name: text::line_within(&name, 120),
    })
}

fn address(evaluator: &str) -> String {
    Asked { evaluator: Some(evaluator.to_owned()) }.address("/vibe/evaluator")
}

fn dash() -> String {
    "–".to_owned()
}

fn share(percent: Option<f64>) -> String {
    percent.map_or_else(dash, |percent| format!("{percent:.1} %"))
}

fn coefficient(value: Option<f64>) -> String {
    value.map_or_else(dash, |value| format!("{value:.2}"))
}

fn raters(matrix: &AgreementMatrix) -> Vec<Rater> {
    let rater = |row: &benchwright_domain::vibe::analysis::agreement::RaterRow| Rater {
        name: text::line_within(&row.rater, 100),
        is_human: row.human,
        rated: row.rated,
        passed: share(row.passed_percent),
        with_people: row.with_humans.as_ref().map_or_else(dash, |it| format!("{:.1} % of {}", it.percent, it.shared)),
    };
    matrix.raters.iter().map(rater).collect()
}

fn pairs(matrix: &AgreementMatrix) -> Vec<Pair> {
    let pair = |pair: &benchwright_domain::vibe::analysis::agreement::PairAgreement| Pair {
        a: text::line_within(&pair.a, 100),
        b: text::line_within(&pair.b, 100),
        percent: format!("{:.1} %", pair.agreement.percent),
        counted: format!("{} of {}", pair.agreement.agreed, pair.agreement.shared),
        kappa: coefficient(pair.kappa),
    };
    matrix.pairs.iter().map(pair).collect()
}

fn moved(row: &VarianceRow) -> Moved {
    let source = |source: &Option<benchwright_domain::vibe::analysis::variance::Source>| {
        source.as_ref().map_or_else(dash, |it| format!("{:.2} over {}", it.standard_error, it.panels))
    };
    Moved {
        model: text::line_within(&row.model, 80),
        generation: source(&row.generation),
        evaluation: source(&row.evaluation),
        share: share(row.generation_percent),
    }
}

fn states(table: &FailureTable) -> Vec<(&'static str, String)> {
    let told = |state: &WorkflowState| {
        let percent = table.states.get(state).map_or(Some(0.0), |it| it.percent);
        (benchwright_report::vibe::state_words(*state), share(percent))
    };
    WorkflowState::ALL.iter().map(told).collect()
}

/// Every setting with the values it had and on how many of the newest apps: versions of walker and judge are among them.
async fn settings(site: &Site, name: &str) -> Result<Vec<(String, Vec<(String, usize)>)>, Problem> {
    let filter = AppFilter { evaluator: Some(name.to_owned()), ..AppFilter::default() };
    let apps = site.index.apps(&filter, None, benchwright_store::index::MOST_ROWS).await?;
    let mut found: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    for app in &apps {
        for (setting, value) in &app.evaluation.evaluator.settings {
            let values = found.entry(text::line_within(setting, 80)).or_default();
            *values.entry(text::line_within(value, 120)).or_default() += 1;
        }
    }
    Ok(found.into_iter().map(|(setting, values)| (setting, values.into_iter().collect())).collect())
}
