//! The vibe track on the site: which models build apps that work, one app with its workflows, and every moment of every walk.

mod analysis;
mod api;
mod app;
mod apps;
mod board;
mod evaluator;
mod files;
mod methodology;
mod replay;
mod trajectory;
mod view;

pub(crate) use api::OPERATIONS;
pub(crate) use board::{Row, leaders};

use crate::router::compressed;
use crate::site::Site;
use axum::Router;
use axum::routing::get;
use std::sync::Arc;

pub fn routes() -> Router<Arc<Site>> {
    Router::new()
        .route("/vibe", get(board::page))
        .route("/vibe/analysis", get(board::analysis))
        .route("/vibe/evaluator", get(evaluator::page))
        .route("/vibe/methodology", get(methodology::page))
        .route("/vibe/apps", get(apps::page))
        .route("/vibe/apps/{run}", get(app::page))
        .route("/vibe/apps/{run}/workflows/{number}", get(replay::page))
        .route("/vibe/apps/{run}/trajectory", get(trajectory::page))
        .route("/vibe/apps/{run}/evaluation.json", get(files::document))
        .route("/vibe/apps/{run}/report.html", get(files::offline).layer(compressed()))
        .route("/vibe/apps/{run}/pictures/{name}", get(files::picture))
        .merge(api::routes())
}
