//! Conducts a run: lanes side by side, then the quiet lane, then the user's own scorers. Every piece is recorded as soon as it is
//! there, so a run that is killed continues from what it has.

use crate::evidence::{Absence, Evidence, EvidenceKind, Piece, Source};
use crate::gather::{Desk, GatherError, StepError, commands, desktop, lighthouse, load, source, viewports};
use crate::plan::Plan;
use crate::record::{Lane, Listener, Recorder};
use crate::request::{Access, Request};
use crate::scorers::functional::f1_render_success::rendered;
use benchwright_browser::{Browser, BrowserError};
use benchwright_sandbox::Scratch;
use benchwright_sandbox::chromium::{self, Launch};
use benchwright_sandbox::instrument::{Instrument, Instruments, Role};
use benchwright_sandbox::quiet::QuietLock;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What a run works with. The command line finds it; libraries do not look around.
#[derive(Debug, Clone)]
pub struct Workbench {
    /// The browser.
    pub chromium: PathBuf,
    /// The pinned npm instruments.
    pub instruments: Instruments,
    /// Where temporary folders go.
    pub scratch_base: PathBuf,
    /// The machine-wide lock of the quiet lane.
    pub quiet_lock: PathBuf,
    /// Whether we are root, which the browser's own sandbox refuses.
    pub as_root: bool,
    /// PATH for the user's own scorers.
    pub path_variable: String,
}

/// How long busy lanes wait for somebody else's quiet lane.
const LOCK_LIMIT: Duration = Duration::from_mins(30);
const BROWSER_START_LIMIT: Duration = Duration::from_secs(30);
const WARM_LIMIT: Duration = Duration::from_mins(1);
/// Evidence that is read from the open page.
const PAGE_KINDS: [EvidenceKind; 4] =
    [EvidenceKind::Content, EvidenceKind::Design, EvidenceKind::Axe, EvidenceKind::Viewports];

impl Workbench {
    /// How to start the browser.
    pub fn launch<'a>(&'a self, scratch: &'a Scratch, debugging_port: bool, request: &Request) -> Launch<'a> {
        let mut extra_args = Vec::new();
        if debugging_port && request.accept_invalid_certificates {
            extra_args.push("--ignore-certificate-errors".to_owned());
        }
        Launch {
            program: &self.chromium,
            scratch,
            debugging_port,
            as_root: self.as_root,
            extra_args,
            start_limit: BROWSER_START_LIMIT,
        }
    }
}

/// Gathers what the request needs and `settled` does not have yet.
pub async fn gather(
    request: &Request,
    access: &Access,
    bench: &Workbench,
    mut evidence: Evidence,
    settled: &BTreeSet<EvidenceKind>,
    recorder: &mut dyn Recorder,
    listener: Listener<'_>,
) -> Result<Evidence, GatherError> {
    let desk = Desk::new(recorder, listener);
    let plan = Plan::of(request);
    let todo: BTreeSet<_> = plan.evidence.difference(settled).copied().collect();
    let scratch = Scratch::new(&bench.scratch_base, "run")?;
    let (page, source, warm) = tokio::join!(
        page_lane(&desk, request, access, bench, &scratch, &todo, &mut evidence),
        source_lane(&desk, request, &todo),
        warm_lighthouse(bench, &scratch, todo.contains(&EvidenceKind::Lighthouse)),
    );
    if let Some(piece) = source? {
        evidence.source = piece;
    }
    page?;
    if todo.contains(&EvidenceKind::Lighthouse) {
        quiet_lane(&desk, request, access, bench, &scratch, warm, &mut evidence).await?;
    }
    evidence.fill_unplanned(request);
    ask_commands(&desk, request, bench, &mut evidence).await?;
    Ok(evidence)
}

async fn source_lane(
    desk: &Desk<'_>,
    request: &Request,
    todo: &BTreeSet<EvidenceKind>,
) -> Result<Option<Piece<Source>>, GatherError> {
    let Some(folder) = request.source.clone().filter(|_| todo.contains(&EvidenceKind::Source)) else {
        return Ok(None);
    };
    desk.step(Lane::Source, "reading the source");
    let begun = Instant::now();
    let result = tokio::task::spawn_blocking(move || source::describe(&folder))
        .await
        .unwrap_or_else(|error| Err(StepError::Page(error.to_string())));
    let piece = desk.keep(Lane::Source, EvidenceKind::Source, begun, result)?;
    desk.done(Lane::Source);
    Ok(Some(piece))
}

async fn page_lane(
    desk: &Desk<'_>,
    request: &Request,
    access: &Access,
    bench: &Workbench,
    scratch: &Scratch,
    todo: &BTreeSet<EvidenceKind>,
    evidence: &mut Evidence,
) -> Result<(), GatherError> {
    let mut left: BTreeSet<_> =
        todo.iter().copied().filter(|kind| *kind == EvidenceKind::Load || PAGE_KINDS.contains(kind)).collect();
    if left.is_empty() {
        return Ok(());
    }
    let _busy = QuietLock::shared(&bench.quiet_lock, LOCK_LIMIT).await?;
    // A browser that dies is our fault, not the page's: what it took with it is gathered once more.
    for _ in 0..2 {
        desk.step(Lane::Page, "starting the browser");
        let mut running = chromium::launch(bench.launch(scratch, false, request)).await?;
        let (reader, writer) = running.take_pipe().ok_or(BrowserError::Disconnected)?;
        let browser = Browser::connect(reader, writer, None).await?;
        let result = page_session(desk, request, access, bench, &browser, &left, evidence).await;
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

async fn page_session(
    desk: &Desk<'_>,
    request: &Request,
    access: &Access,
    bench: &Workbench,
    browser: &Browser,
    left: &BTreeSet<EvidenceKind>,
    evidence: &mut Evidence,
) -> Result<(), GatherError> {
    let version = browser.version().await?;
    desk.step(Lane::Page, "loading the page");
    let begun = Instant::now();
    let opened = match load::open(browser, request, access, load::DESKTOP).await {
        Ok(opened) => opened,
        Err(error) => return fail_all(desk, left, evidence, &error),
    };
    if left.contains(&EvidenceKind::Load) {
        let described = load::describe(desk, request, &opened, &version).await;
        evidence.load = desk.keep(Lane::Page, EvidenceKind::Load, begun, described)?;
    }
    let pages: BTreeSet<_> = left.iter().copied().filter(|kind| PAGE_KINDS.contains(kind)).collect();
    match &evidence.load.value {
        Ok(load) if rendered(load) => {}
        Ok(_) => return not_rendered(desk, &pages, evidence),
        Err(_) => return fail_all(desk, &pages, evidence, &StepError::Page("the page could not be loaded".into())),
    }
    let wants = |kind| pages.contains(&kind);
    let axe_source = if wants(EvidenceKind::Axe) { bench.instruments.axe_source()? } else { String::new() };
    let (desktop, narrow) = tokio::join!(
        desktop::sequence(desk, request, &axe_source, &opened, evidence.load.value.as_ref().ok(), &pages),
        viewports::narrow(desk, browser, request, access, wants(EvidenceKind::Viewports)),
    );
    let desktop = desktop?;
    if let Some(content) = desktop.content {
        evidence.content = content;
    }
    if let Some(design) = desktop.design {
        evidence.design = design;
    }
    if let Some(axe) = desktop.axe {
        evidence.axe = axe;
    }
    if wants(EvidenceKind::Viewports) {
        let combined = viewports::combine(desktop.viewport, narrow);
        evidence.viewports = desk.keep(Lane::Page, EvidenceKind::Viewports, begun, combined)?;
    }
    let _ = opened.context.close().await;
    Ok(())
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

/// Importing Lighthouse takes seconds of CPU, so it happens beside the page lane and never beside a measurement.
async fn warm_lighthouse(bench: &Workbench, scratch: &Scratch, wanted: bool) -> Option<Result<Instrument, StepError>> {
    if !wanted {
        return None;
    }
    let started = async {
        let mut instrument = Instrument::start(&bench.instruments, &Role::Lighthouse, scratch)?;
        instrument
            .call("warm", serde_json::Value::Null, WARM_LIMIT)
            .await
            .map_err(|error| StepError::Page(format!("lighthouse cannot be loaded: {error}")))?;
        Ok(instrument)
    };
    Some(started.await)
}

async fn quiet_lane(
    desk: &Desk<'_>,
    request: &Request,
    access: &Access,
    bench: &Workbench,
    scratch: &Scratch,
    warm: Option<Result<Instrument, StepError>>,
    evidence: &mut Evidence,
) -> Result<(), GatherError> {
    let kind = EvidenceKind::Lighthouse;
    let refused = match &evidence.load.value {
        Ok(load) if rendered(load) => lighthouse::refusal(access, load),
        Ok(_) => Some(Absence::NotRendered),
        Err(_) => Some(Absence::Failed { reason: "the page could not be loaded".to_owned() }),
    };
    if let Some(absence) = refused {
        evidence.lighthouse = desk.absent(Lane::Quiet, kind, absence, 0.0)?;
        return Ok(());
    }
    let begun = Instant::now();
    let step = |what: &str| desk.step(Lane::Quiet, what);
    step("waiting for a quiet machine");
    let result = match warm {
        Some(Ok(mut instrument)) => lighthouse::measure(request, access, bench, scratch, &mut instrument, &step).await,
        Some(Err(error)) => Err(error),
        None => Err(StepError::Page("lighthouse was not started".to_owned())),
    };
    evidence.lighthouse = desk.keep(Lane::Quiet, kind, begun, result)?;
    desk.done(Lane::Quiet);
    Ok(())
}

async fn ask_commands(
    desk: &Desk<'_>,
    request: &Request,
    bench: &Workbench,
    evidence: &mut Evidence,
) -> Result<(), GatherError> {
    for scorer in &request.commands {
        if evidence.commands.contains_key(&scorer.id) {
            continue;
        }
        desk.step(Lane::Source, &format!("asking the scorer {}", scorer.id));
        let begun = Instant::now();
        let answer = commands::ask(scorer, evidence, &bench.path_variable).await;
        let json = serde_json::to_vec(&answer).map_err(|error| crate::record::RecordError(error.to_string()))?;
        let seconds = crate::gather::rounded(begun.elapsed().as_secs_f64());
        desk.named(Lane::Source, &commands::evidence_name(&scorer.id), commands::VERSION, &json, seconds)?;
        evidence.commands.insert(scorer.id.clone(), Piece::present(answer, seconds));
    }
    Ok(())
}
