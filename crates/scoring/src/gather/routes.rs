//! Loads further routes of the app, one after the other in one context, as somebody does who walks through it.

use super::load::{DESKTOP, Entered, FULL_SHOT_MAX_HEIGHT, arrived, enter, keep_screenshot, load_limits};
use super::{Desk, StepError, axe, listen};
use crate::evidence::routes::{Route, VERSION, screenshot_name};
use crate::evidence::{Absence, Routes};
use crate::record::Lane;
use crate::request::{Access, Request, seconds};
use benchwright_browser::{Browser, Page, Shot};
use benchwright_domain::report::Screenshot;

/// Loads every route of the request. `engine` is the text of axe-core, if it is to be run.
pub async fn visit(
    desk: &Desk<'_>,
    browser: &Browser,
    request: &Request,
    access: &Access,
    engine: Option<&str>,
) -> Result<Routes, StepError> {
    let Entered { context, page, turned_away } = enter(browser, request, access, DESKTOP).await?;
    if let Some(reason) = turned_away {
        return Err(StepError::Absent(Absence::NoInput { reason }));
    }
    let mut page = page;
    let mut routes = Vec::new();
    for path in &request.routes {
        desk.step(Lane::Page, &format!("loading {path}"));
        routes.push(match look(desk, request, &page, engine, path).await {
            Err(StepError::Browser(_)) if page.is_crashed() => {
                page = context.new_page().await?;
                let failure = Some("the tab crashed".to_owned());
                Route { path: path.clone(), failure, ..Route::default() }
            }
            looked => looked?,
        });
    }
    let _ = context.close().await;
    Ok(Routes { version: VERSION, routes })
}

async fn look(
    desk: &Desk<'_>,
    request: &Request,
    page: &Page,
    engine: Option<&str>,
    path: &str,
) -> Result<Route, StepError> {
    // A route that differs in its fragment alone would not be loaded.
    page.goto("about:blank", load_limits(&request.limits)).await?;
    page.clear_log();
    let navigation = page.goto(&address(request, path)?, load_limits(&request.limits)).await?;
    let mut route = Route { path: path.to_owned(), failure: arrived(&navigation.outcome).err(), ..Route::default() };
    if route.failure.is_none() {
        route.screenshot = picture(desk, request, page, path).await?;
        if let Some(engine) = engine {
            match axe::scan(page, engine, request).await {
                Ok(axe) => route.axe = Some(axe),
                Err(error) if page.is_crashed() => return Err(error),
                Err(error) => route.axe_failure = Some(error.to_string()),
            }
        }
    }
    route.visit = listen::visit(&[page.log()], Vec::new(), &[]);
    Ok(route)
}

/// A screenshot that fails is a picture less in the report.
async fn picture(desk: &Desk<'_>, request: &Request, page: &Page, path: &str) -> Result<Option<Screenshot>, StepError> {
    let shot = Shot::Full { max_height: FULL_SHOT_MAX_HEIGHT };
    match page.screenshot(shot, seconds(request.limits.screenshot_seconds)).await {
        Ok(png) => keep_screenshot(desk, &screenshot_name(path), &png, 1.0),
        Err(_) => Ok(None),
    }
}

fn address(request: &Request, path: &str) -> Result<String, StepError> {
    let joined = url::Url::parse(&request.url).and_then(|base| base.join(path));
    joined.map(String::from).map_err(|error| StepError::Page(format!("the route {path} is no address: {error}")))
}
