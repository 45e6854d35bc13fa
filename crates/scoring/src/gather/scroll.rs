//! The page scrolled half-way down, for the judges.

use super::load::{Opened, keep_screenshot};
use super::{Desk, StepError, scripts};
use crate::evidence::Scroll;
use crate::evidence::scroll::VERSION;
use crate::request::{Request, seconds};
use benchwright_browser::{Page, Shot};
use serde::Deserialize;
use serde_json::json;
use std::time::{Duration, Instant};

/// A page that grows while it is scrolled is followed this far.
const MAX_STEPS: u32 = 40;
/// What cannot be scrolled further than this looks the same half-way down.
const WORTH_SCROLLING: f64 = 100.0;
/// How long pictures and fonts that scrolling asked for may take.
const NETWORK_QUIET: Duration = Duration::from_millis(300);
const NETWORK_CAP: Duration = Duration::from_secs(4);
/// How long animations may take to come to rest.
const REST_CAP: Duration = Duration::from_secs(4);

/// Where the page is, as `scripts/scroll.js` says.
#[derive(Debug, Default, Deserialize)]
struct Position {
    top: f64,
    height: f64,
    room: f64,
    view: f64,
}

/// Scrolls half-way down, takes a screenshot and scrolls back.
pub async fn middle(desk: &Desk<'_>, request: &Request, opened: &Opened) -> Result<Scroll, StepError> {
    let page = &opened.page;
    let limit = seconds(request.limits.script_seconds);
    let mut at = move_to(page, None, limit).await?;
    let begun_at = at.top;
    let mut scroll = Scroll { version: VERSION, height: at.height, stable: true, ..Scroll::default() };
    if at.room < WORTH_SCROLLING {
        return Ok(scroll);
    }
    // Step by step, as a visitor would: what is loaded when it comes into view gets its chance, and may make the page longer.
    while at.top + 1.0 < (at.room / 2.0).floor() && scroll.steps < MAX_STEPS {
        let before = at.top;
        let target = (before + at.view.max(100.0)).min(at.room / 2.0);
        at = move_to(page, Some(target), limit).await?;
        scroll.steps += 1;
        if at.top <= before {
            break;
        }
    }
    page.wait_for_network_idle(NETWORK_QUIET, NETWORK_CAP).await;
    let (png, stable) = at_rest(page, seconds(request.limits.screenshot_seconds)).await?;
    scroll.stable = stable;
    (scroll.position, scroll.height) = (at.top.round(), at.height.round());
    scroll.screenshot = keep_screenshot(desk, "mid-scroll", &png, 1.0)?;
    move_to(page, Some(begun_at), limit).await?;
    Ok(scroll)
}

/// Moves, or only looks, and says where the page is after the next frames.
async fn move_to(page: &Page, top: Option<f64>, limit: Duration) -> Result<Position, StepError> {
    Ok(page.evaluate(scripts::SCROLL, &json!({ "top": top }), limit).await?)
}

/// The first screenshot that equals the one before it, or the last one within the limit.
async fn at_rest(page: &Page, limit: Duration) -> Result<(Vec<u8>, bool), StepError> {
    let begun = Instant::now();
    let mut last = page.screenshot(Shot::Viewport, limit).await?;
    while begun.elapsed() < REST_CAP {
        let next = page.screenshot(Shot::Viewport, limit).await?;
        if next == last {
            return Ok((next, true));
        }
        last = next;
    }
    Ok((last, false))
}
