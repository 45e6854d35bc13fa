//! The page lane: one load that feeds every scorer that can use it, and contexts of their own for what changes state.

use super::{LOCK_LIMIT, Run};
use crate::evidence::{Absence, Acceptance, Backend, Evidence, EvidenceKind, Piece};
use crate::gather::{Desk, GatherError, StepError, acceptance, backend, desktop, load, viewports};
use crate::record::Lane;
use crate::scorers::functional::f1_render_success::rendered;
use benchwright_browser::{Browser, BrowserError, EngineSource};
use benchwright_sandbox::chromium;
use benchwright_sandbox::quiet::QuietLock;
use std::collections::BTreeSet;
use std::time::Instant;

/// Evidence that needs a page that rendered.
const KINDS: [EvidenceKind; 7] = [
    EvidenceKind::Content,
    EvidenceKind::Design,
    EvidenceKind::Axe,
    EvidenceKind::Viewports,
    EvidenceKind::Scroll,
    EvidenceKind::Acceptance,
    EvidenceKind::Backend,
];

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
        let acts = left.contains(&EvidenceKind::Acceptance) || left.contains(&EvidenceKind::Backend);
        let engine = if acts { Some(EngineSource(bench.instruments.engine_source()?)) } else { None };
        let browser = Browser::connect(reader, writer, engine).await?;
        let result = session(run, &browser, &left, evidence).await;
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
    let Run { desk, request, access, bench, .. } = run;
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
    let pages: BTreeSet<_> = left.iter().copied().filter(|kind| KINDS.contains(kind)).collect();
    match &evidence.load.value {
        Ok(load) if rendered(load) => {}
        Ok(_) => return not_rendered(desk, &pages, evidence),
        Err(_) => return fail_all(desk, &pages, evidence, &StepError::Page("the page could not be loaded".into())),
    }
    let wants = |kind| pages.contains(&kind);
    let axe_source = if wants(EvidenceKind::Axe) { bench.instruments.axe_source()? } else { String::new() };
    // Criteria may sign in as the same users, so the backend is exercised after them, not beside them.
    let acting = async {
        let acceptance = walk_criteria(run, browser, wants(EvidenceKind::Acceptance)).await?;
        let backend = exercise_backend(run, browser, wants(EvidenceKind::Backend)).await?;
        Ok::<_, GatherError>((acceptance, backend))
    };
    let (desktop, narrow, acted) = tokio::join!(
        desktop::sequence(desk, request, &axe_source, &opened, evidence.load.value.as_ref().ok(), &pages),
        viewports::narrow(desk, browser, request, access, wants(EvidenceKind::Viewports)),
        acting,
    );
    let desktop = desktop?;
    let (acceptance, backend) = acted?;
    if let Some(acceptance) = acceptance {
        evidence.acceptance = acceptance;
    }
    if let Some(backend) = backend {
        evidence.backend = backend;
    }
    if let Some(content) = desktop.content {
        evidence.content = content;
    }
    if let Some(design) = desktop.design {
        evidence.design = design;
    }
    if let Some(axe) = desktop.axe {
        evidence.axe = axe;
    }
    if let Some(scroll) = desktop.scroll {
        evidence.scroll = scroll;
    }
    if wants(EvidenceKind::Viewports) {
        let combined = viewports::combine(desktop.viewport, narrow);
        evidence.viewports = desk.keep(Lane::Page, EvidenceKind::Viewports, begun, combined)?;
    }
    let _ = opened.context.close().await;
    Ok(())
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

fn not_rendered(desk: &Desk<'_>, kinds: &BTreeSet<EvidenceKind>, evidence: &mut Evidence) -> Result<(), GatherError> {
    for kind in kinds {
        evidence.set_absent(*kind, Absence::NotRendered);
        desk.absent::<()>(Lane::Page, *kind, Absence::NotRendered, 0.0)?;
    }
    Ok(())
}

fn fail_all(
    desk: &Desk<'_>,
    kinds: &BTreeSet<EvidenceKind>,
    evidence: &mut Evidence,
    error: &StepError,
) -> Result<(), GatherError> {
    for kind in kinds {
        let absence = Absence::Failed { reason: error.to_string() };
        evidence.set_absent(*kind, absence.clone());
        desk.absent::<()>(Lane::Page, *kind, absence, 0.0)?;
    }
    Ok(())
}
