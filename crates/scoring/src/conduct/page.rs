//! The page lane: one load that feeds every scorer that can use it, and contexts of their own for what changes state.

use super::{LOCK_LIMIT, Run};
use crate::evidence::{Absence, Acceptance, Backend, Evidence, EvidenceKind, Load, Piece, Routes, Viewports};
use crate::gather::desktop::Desktop;
use crate::gather::load::Opened;
use crate::gather::{Desk, GatherError, StepError, acceptance, backend, desktop, load, routes, viewports};
use crate::plan::Plan;
use crate::record::Lane;
use crate::scorers::functional::f1_render_success::rendered;
use benchwright_browser::{Browser, BrowserError, EngineSource};
use benchwright_sandbox::chromium;
use benchwright_sandbox::quiet::QuietLock;
use std::collections::BTreeSet;
use std::time::Instant;

/// Evidence that needs a page that rendered.
const KINDS: [EvidenceKind; 8] = [
    EvidenceKind::Content,
    EvidenceKind::Design,
    EvidenceKind::Axe,
    EvidenceKind::Viewports,
    EvidenceKind::Scroll,
    EvidenceKind::Routes,
    EvidenceKind::Acceptance,
    EvidenceKind::Backend,
];

/// Evidence that is gathered by doing something to the app, in contexts that sign in for themselves where they have to.
const ACTS: [EvidenceKind; 2] = [EvidenceKind::Acceptance, EvidenceKind::Backend];

/// Gathers what a browser is needed for.
pub async fn lane(run: Run<'_>, evidence: &mut Evidence) -> Result<(), GatherError> {
    let Run { desk, request, bench, scratch, .. } = run;
    let mut left: BTreeSet<_> =
        run.todo.iter().copied().filter(|kind| *kind == EvidenceKind::Load || KINDS.contains(kind)).collect();
    if left.is_empty() {
        return Ok(());
    }
    let _busy = QuietLock::shared(&bench.quiet_lock, LOCK_LIMIT).await?;
    // A browser that dies is our fault, not the page's: what it took with it is gathered once more.
    for _ in 0..2 {
        desk.step(Lane::Page, "starting the browser");
        let mut running = chromium::launch(bench.launch(scratch, false, request, run.egress)).await?;
        let (reader, writer) = running.take_pipe().ok_or(BrowserError::Disconnected)?;
        let acts = ACTS.iter().any(|kind| left.contains(kind));
        let engine = if acts { Some(EngineSource(bench.instruments.engine_source()?)) } else { None };
        let browser = Browser::connect(reader, writer, engine).await?;
        let result = Box::pin(session(run, &browser, &left, evidence)).await;
        let died = !browser.is_connected();
        running.close().await;
        result?;
        left.retain(|kind| evidence.has_failed(*kind));
        if left.is_empty() || !died {
            break;
        }
    }
    desk.done(Lane::Page);
    Ok(())
}

async fn session(
    run: Run<'_>,
    browser: &Browser,
    left: &BTreeSet<EvidenceKind>,
    evidence: &mut Evidence,
) -> Result<(), GatherError> {
    let Run { desk, request, access, .. } = run;
    let version = browser.version().await?;
    desk.step(Lane::Page, "loading the page");
    let begun = Instant::now();
    let opened = match load::open(browser, request, access, load::DESKTOP).await {
        Ok(opened) => opened,
        Err(error) => return fail_all(desk, left, evidence, &error),
    };
    if left.contains(&EvidenceKind::Load) {
        let described = load::describe(desk, request, &opened, &version, run.egress).await;
        evidence.load = desk.keep(Lane::Page, EvidenceKind::Load, begun, described)?;
    }
    let mut pages: BTreeSet<_> = left.iter().copied().filter(|kind| KINDS.contains(kind)).collect();
    match &evidence.load.value {
        Ok(load) if rendered(load) => {}
        Ok(_) => return set_absent(desk, &pages, evidence, &Absence::NotRendered),
        Err(_) => return fail_all(desk, &pages, evidence, &StepError::Page("the page could not be loaded".into())),
    }
    if let Some(reason) = &opened.turned_away {
        let (acted, looked) = pages.into_iter().partition(|kind| ACTS.contains(kind));
        set_absent(desk, &looked, evidence, &Absence::NoInput { reason: reason.clone() })?;
        pages = acted;
    }
    let wants = |kind| pages.contains(&kind);
    let looking = Box::pin(look_around(run, browser, &opened, evidence.load.value.as_ref().ok(), &pages));
    // Criteria may sign in as the same users, so the backend is exercised after them, not beside them.
    let acting = async {
        let acceptance = walk_criteria(run, browser, wants(EvidenceKind::Acceptance)).await?;
        let backend = exercise_backend(run, browser, wants(EvidenceKind::Backend)).await?;
        Ok::<_, GatherError>((acceptance, backend))
    };
    // Whoever is signed in must not be signed out by a log-in elsewhere.
    let (looked, acted) = if request.signed_in { (looking.await, acting.await) } else { tokio::join!(looking, acting) };
    let (acceptance, backend) = acted?;
    looked?.settle(evidence);
    settle(&mut evidence.acceptance, acceptance);
    settle(&mut evidence.backend, backend);
    let _ = opened.context.close().await;
    Ok(())
}

/// What was seen of the page, without doing anything to it.
struct Looked {
    desktop: Desktop,
    viewports: Option<Piece<Viewports>>,
    routes: Option<Piece<Routes>>,
}

impl Looked {
    fn settle(self, evidence: &mut Evidence) {
        settle(&mut evidence.content, self.desktop.content);
        settle(&mut evidence.design, self.desktop.design);
        settle(&mut evidence.axe, self.desktop.axe);
        settle(&mut evidence.scroll, self.desktop.scroll);
        settle(&mut evidence.viewports, self.viewports);
        settle(&mut evidence.routes, self.routes);
    }
}

fn settle<T>(place: &mut Piece<T>, found: Option<Piece<T>>) {
    if let Some(found) = found {
        *place = found;
    }
}

/// Looks at the page on a desktop, at the narrow viewports and on its further routes.
async fn look_around(
    run: Run<'_>,
    browser: &Browser,
    opened: &Opened,
    load: Option<&Load>,
    pages: &BTreeSet<EvidenceKind>,
) -> Result<Looked, GatherError> {
    let Run { desk, request, access, bench, .. } = run;
    let begun = Instant::now();
    let scans = Plan::of(request).evidence.contains(&EvidenceKind::Axe);
    let axe = if scans { Some(bench.instruments.axe_source()?) } else { None };
    let wants = |kind| pages.contains(&kind);
    let desktop = desktop::sequence(desk, request, axe.as_deref().unwrap_or_default(), opened, load, pages);
    let narrow = viewports::narrow(desk, browser, request, access, wants(EvidenceKind::Viewports));
    let further = walk_routes(run, browser, axe.as_deref(), wants(EvidenceKind::Routes));
    let (desktop, narrow, routes) = if request.signed_in {
        (desktop.await, narrow.await, further.await)
    } else {
        tokio::join!(desktop, narrow, further)
    };
    let mut desktop = desktop?;
    let viewports = if wants(EvidenceKind::Viewports) {
        let combined = viewports::combine(desktop.viewport.take(), narrow);
        Some(desk.keep(Lane::Page, EvidenceKind::Viewports, begun, combined)?)
    } else {
        None
    };
    Ok(Looked { desktop, viewports, routes: routes? })
}

async fn walk_routes(
    run: Run<'_>,
    browser: &Browser,
    axe: Option<&str>,
    wanted: bool,
) -> Result<Option<Piece<Routes>>, GatherError> {
    if !wanted {
        return Ok(None);
    }
    let begun = Instant::now();
    let result = routes::visit(run.desk, browser, run.request, run.access, axe).await;
    Ok(Some(run.desk.keep(Lane::Page, EvidenceKind::Routes, begun, result)?))
}

/// Criteria and backend have contexts of their own, so they share nothing in the browser with what is measured beside them.
async fn walk_criteria(
    run: Run<'_>,
    browser: &Browser,
    wanted: bool,
) -> Result<Option<Piece<Acceptance>>, GatherError> {
    let Some(prompt) = run.request.prompt.as_ref().filter(|_| wanted) else { return Ok(None) };
    run.desk.step(Lane::Page, "walking the acceptance criteria");
    let begun = Instant::now();
    let result = acceptance::walk(run.desk, browser, run.request, run.access, prompt).await;
    Ok(Some(run.desk.keep(Lane::Page, EvidenceKind::Acceptance, begun, result)?))
}

async fn exercise_backend(
    run: Run<'_>,
    browser: &Browser,
    wanted: bool,
) -> Result<Option<Piece<Backend>>, GatherError> {
    let Some(accounts) = run.access.accounts.as_ref().filter(|_| wanted) else { return Ok(None) };
    run.desk.step(Lane::Page, "exercising the backend with two accounts");
    let begun = Instant::now();
    let result = backend::exercise(run.desk, browser, run.request, run.access, accounts).await;
    Ok(Some(run.desk.keep(Lane::Page, EvidenceKind::Backend, begun, result)?))
}

fn fail_all(
    desk: &Desk<'_>,
    kinds: &BTreeSet<EvidenceKind>,
    evidence: &mut Evidence,
    error: &StepError,
) -> Result<(), GatherError> {
    set_absent(desk, kinds, evidence, &Absence::Failed { reason: error.to_string() })
}

fn set_absent(
    desk: &Desk<'_>,
    kinds: &BTreeSet<EvidenceKind>,
    evidence: &mut Evidence,
    absence: &Absence,
) -> Result<(), GatherError> {
    for kind in kinds {
        evidence.set_absent(*kind, absence.clone());
        desk.absent::<()>(Lane::Page, *kind, absence.clone(), 0.0)?;
    }
    Ok(())
}
