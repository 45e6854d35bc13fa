//! Everything that is read from the one desktop load, in an order in which no reading disturbs the next.

use super::load::Opened;
use super::{Desk, StepError, axe, content, pixels, scripts, scroll};
use crate::evidence::viewports::{View, ViewportFacts};
use crate::evidence::{Axe, Content, Design, EvidenceKind, Load, Piece, Scroll};
use crate::record::{Lane, RecordError};
use crate::request::{Request, seconds};
use benchwright_browser::{Page, Shot};
use serde_json::json;
use std::collections::BTreeSet;
use std::time::Instant;

/// What the desktop load gave. The viewport facts are a third of another piece, so they are not recorded here.
#[derive(Default)]
pub struct Desktop {
    /// Document facts.
    pub content: Option<Piece<Content>>,
    /// Design facts.
    pub design: Option<Piece<Design>>,
    /// axe-core result.
    pub axe: Option<Piece<Axe>>,
    /// The page half-way down.
    pub scroll: Option<Piece<Scroll>>,
    /// The desktop viewport of V4.
    pub viewport: Option<Result<View, StepError>>,
}

/// Reads what `wanted` asks for.
pub async fn sequence(
    desk: &Desk<'_>,
    request: &Request,
    axe_source: &str,
    opened: &Opened,
    load: Option<&Load>,
    wanted: &BTreeSet<EvidenceKind>,
) -> Result<Desktop, RecordError> {
    let mut found = Desktop::default();
    let page = &opened.page;
    if wanted.contains(&EvidenceKind::Content) {
        desk.step(Lane::Page, "reading the document");
        let begun = Instant::now();
        let result = content::read(&opened.context, page, request).await;
        found.content = Some(desk.keep(Lane::Page, EvidenceKind::Content, begun, result)?);
    }
    if wanted.contains(&EvidenceKind::Viewports) {
        let screenshot = load.and_then(|load| load.screenshots.iter().find(|shot| shot.name == "desktop").cloned());
        let facts = viewport_facts(page, request, 1440, false).await;
        found.viewport = Some(facts.map(|facts| View {
            name: "desktop".to_owned(),
            width: 1440,
            height: 900,
            facts: Some(facts),
            failure: None,
            screenshot,
        }));
    }
    if wanted.contains(&EvidenceKind::Design) {
        desk.step(Lane::Page, "measuring the design");
        let begun = Instant::now();
        let result = design(page, request).await;
        found.design = Some(desk.keep(Lane::Page, EvidenceKind::Design, begun, result)?);
    }
    if wanted.contains(&EvidenceKind::Axe) {
        desk.step(Lane::Page, "running axe-core");
        let begun = Instant::now();
        let result = axe::scan(page, axe_source, request).await;
        found.axe = Some(desk.keep(Lane::Page, EvidenceKind::Axe, begun, result)?);
    }
    // Last, because a page may look different for good once it has been scrolled.
    if wanted.contains(&EvidenceKind::Scroll) {
        desk.step(Lane::Page, "scrolling");
        let begun = Instant::now();
        let result = scroll::middle(desk, request, opened).await;
        found.scroll = Some(desk.keep(Lane::Page, EvidenceKind::Scroll, begun, result)?);
    }
    Ok(found)
}

/// Runs the viewport script at whatever size the page has.
pub async fn viewport_facts(
    page: &Page,
    request: &Request,
    width: u32,
    touch: bool,
) -> Result<ViewportFacts, StepError> {
    let argument = json!({ "width": width, "touch": touch });
    Ok(page.evaluate(scripts::VIEWPORT, &argument, seconds(request.limits.script_seconds)).await?)
}

async fn design(page: &Page, request: &Request) -> Result<Design, StepError> {
    let mut design: Design = page.evaluate(scripts::DESIGN, &json!({}), seconds(request.limits.script_seconds)).await?;
    let png = page.screenshot(Shot::Viewport, seconds(request.limits.screenshot_seconds)).await?;
    design.whitespace_share = pixels::whitespace_share(&png, &design.backdrop).ok();
    Ok(design)
}
