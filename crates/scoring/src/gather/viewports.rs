//! The page at the two narrow viewports, each in a context of its own; the desktop one comes from the first load.

use super::desktop::viewport_facts;
use super::load::{keep_screenshot, open};
use super::{Desk, StepError};
use crate::evidence::viewports::{VERSION, VIEWPORTS, View, ViewportSpec};
use crate::evidence::{Absence, Viewports};
use crate::record::Lane;
use crate::request::{Access, Request, seconds};
use benchwright_browser::{Browser, NavigationOutcome, Shot, Viewport};

/// Loads the page at the narrow viewports. Most of a load is waiting for the network to fall silent, so the two wait together.
pub async fn narrow(
    desk: &Desk<'_>,
    browser: &Browser,
    request: &Request,
    access: &Access,
    wanted: bool,
) -> Vec<Result<View, StepError>> {
    if !wanted {
        return Vec::new();
    }
    let [mobile, tablet, _] = &VIEWPORTS;
    desk.step(Lane::Page, "loading the page at two narrow viewports");
    let mobile = look(desk, browser, request, access, mobile);
    let tablet = look(desk, browser, request, access, tablet);
    // Many apps end the session of a user who signs in elsewhere.
    if request.signed_in {
        return vec![mobile.await, tablet.await];
    }
    let (mobile, tablet) = tokio::join!(mobile, tablet);
    vec![mobile, tablet]
}

/// All views in the published order. A view that failed through the page's fault says so in the view; through ours, it fails the piece.
pub fn combine(
    desktop: Option<Result<View, StepError>>,
    narrow: Vec<Result<View, StepError>>,
) -> Result<Viewports, StepError> {
    let mut views = narrow.into_iter().chain(desktop).collect::<Result<Vec<_>, _>>()?;
    views.sort_by_key(|view| VIEWPORTS.iter().position(|spec| spec.name == view.name));
    Ok(Viewports { version: VERSION, views })
}

async fn look(
    desk: &Desk<'_>,
    browser: &Browser,
    request: &Request,
    access: &Access,
    spec: &ViewportSpec,
) -> Result<View, StepError> {
    let viewport = Viewport {
        width: spec.width,
        height: spec.height,
        device_scale_factor: 1.0,
        mobile: spec.mobile,
        touch: spec.mobile,
    };
    let opened = open(browser, request, access, viewport).await?;
    if let Some(reason) = opened.turned_away {
        return Err(StepError::Absent(Absence::NoInput { reason }));
    }
    let mut view = View { name: spec.name.to_owned(), width: spec.width, height: spec.height, ..View::default() };
    match &opened.navigation.outcome {
        NavigationOutcome::Responded { status, .. } if (200..300).contains(status) => {
            view.facts = Some(viewport_facts(&opened.page, request, spec.width, spec.mobile).await?);
            let limit = seconds(request.limits.screenshot_seconds);
            if let Ok(png) = opened.page.screenshot(Shot::Viewport, limit).await {
                view.screenshot = keep_screenshot(desk, spec.name, &png, 1.0)?;
            }
        }
        // The desktop load rendered a moment ago, so this is the server's doing, not the page's.
        outcome => {
            let reason = format!("the page did not load at {} × {}: {outcome:?}", spec.width, spec.height);
            return Err(StepError::Page(reason));
        }
    }
    let _ = opened.context.close().await;
    Ok(view)
}
