//! How the vibe bench works.

use crate::pages::{html, kept};
use crate::problem::Problem;
use crate::shell::{Section, Shell};
use crate::site::Site;
use askama::Template;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use benchwright_domain::vibe::analysis::Settings;
use benchwright_domain::vibe::verdict::FailureCategory;
use benchwright_store::index::vibe::MOST_EVALUATIONS;
use std::sync::Arc;

#[derive(Template)]
#[template(path = "vibe/methodology.html")]
struct Page {
    shell: Shell,
    style: String,
    categories: Vec<&'static str>,
    power: f64,
    significance: f64,
    most: u32,
}

pub async fn page(State(site): State<Arc<Site>>, headers: HeaderMap) -> Result<Response, Problem> {
    kept(&site, &headers, "/vibe/methodology".to_owned(), async {
        let plan = Settings::default().plan;
        html(&Page {
            shell: site.shell(Section::Vibe),
            style: site.assets.vibe_style.path.clone(),
            categories: FailureCategory::ALL.map(benchwright_report::vibe::category_words).to_vec(),
            power: plan.power,
            significance: plan.significance,
            most: MOST_EVALUATIONS,
        })
    })
    .await
}
