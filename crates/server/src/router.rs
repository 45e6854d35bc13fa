//! Which address leads where, and what surrounds every handler.

use crate::problem::{self, Problem};
use crate::security;
use crate::site::Site;
use crate::{api, pages, quiz, vibe};
use axum::Router;
use axum::extract::{DefaultBodyLimit, Path, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use std::any::Any;
use std::sync::Arc;
use std::time::Duration;
use tower_http::CompressionLevel;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::timeout::TimeoutLayer;

/// Reading needs no body at all; a route that takes one sets its own limit.
const LARGEST_BODY: usize = 64 * 1024;
const LONGEST_ADDRESS: usize = 4096;
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// All addresses of the site, and those of `joined`, which sets its own limits on bodies and on time.
pub fn router(site: Arc<Site>, joined: Router) -> Router {
    let behind_tls = site.settings.behind_tls;
    let reading = Router::new()
        .merge(pages::routes())
        .merge(api::routes())
        .merge(quiz::routes())
        .merge(vibe::routes())
        .route("/assets/{name}", get(asset))
        .layer(TimeoutLayer::with_status_code(StatusCode::SERVICE_UNAVAILABLE, LONGEST_WAIT))
        .layer(DefaultBodyLimit::max(LARGEST_BODY))
        .with_state(Arc::clone(&site));
    reading
        .merge(joined.layer(compressed()))
        .fallback(async || Problem::NotFound("There is no page under this address.".to_owned()))
        .layer(middleware::from_fn(short_address))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(middleware::from_fn_with_state(site, problem::show))
        .layer(middleware::from_fn(move |request, next| security::headers(behind_tls, request, next)))
}

/// Pages are kept compressed; what is made for one visitor is compressed on its way.
pub fn compressed() -> CompressionLayer {
    CompressionLayer::new().quality(CompressionLevel::Fastest)
}

async fn asset(
    State(site): State<Arc<Site>>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let found = site.assets.find(&name).ok_or_else(|| Problem::NotFound("There is no such file.".to_owned()))?;
    Ok(found.answer(&headers))
}

async fn short_address(request: Request, next: Next) -> Response {
    if request.uri().path().len() + request.uri().query().map_or(0, str::len) > LONGEST_ADDRESS {
        return Problem::BadRequest("The address is too long.".to_owned()).into_response();
    }
    next.run(request).await
}

/// The text of a panic stays here: it may name files and values.
fn panicked(_: Box<dyn Any + Send>) -> Response {
    Problem::Failed("Something went wrong on our side.".to_owned()).into_response()
}
