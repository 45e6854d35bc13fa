//! Conducts a run: page and source lanes side by side, then the quiet lane while judges think, then the user's own scorers. Every piece is recorded as soon as it is
//! there, so a run that is killed continues from what it has.

mod judge;
mod page;
mod quiet;
mod source;

pub use source::KINDS as SOURCE_KINDS;

use crate::evidence::{Evidence, EvidenceKind, Piece};
use crate::gather::judges::JudgeAccess;
use crate::gather::{Desk, GatherError, commands};
use crate::plan::Plan;
use crate::record::{Lane, Listener, Recorder};
use crate::request::{Access, Request};
use benchwright_sandbox::chromium::Launch;
use benchwright_sandbox::egress::Egress;
use benchwright_sandbox::instrument::Instruments;
use benchwright_sandbox::{RegistryAccess, Scratch};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tokio::sync::Notify;

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
    /// What opens the doors of the judges' providers.
    pub judges: JudgeAccess,
    /// How packages are fetched.
    pub registry: RegistryAccess,
}

/// How long busy lanes wait for somebody else's quiet lane.
pub(crate) const LOCK_LIMIT: Duration = Duration::from_mins(30);
const BROWSER_START_LIMIT: Duration = Duration::from_secs(30);

impl Workbench {
    /// How to start the browser.
    pub fn launch<'a>(
        &'a self,
        scratch: &'a Scratch,
        debugging_port: bool,
        request: &Request,
        egress: Option<&Egress>,
    ) -> Launch<'a> {
        let mut extra_args = egress.map(Egress::switches).unwrap_or_default();
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

/// What every lane of a run shares.
#[derive(Clone, Copy)]
struct Run<'a> {
    desk: &'a Desk<'a>,
    request: &'a Request,
    access: &'a Access,
    bench: &'a Workbench,
    scratch: &'a Scratch,
    /// The browser's only way out; none when the user lets the page reach local addresses.
    egress: Option<&'a Egress>,
    /// What is still to be gathered.
    todo: &'a BTreeSet<EvidenceKind>,
}

impl Run<'_> {
    fn wants(&self, kind: EvidenceKind) -> bool {
        self.todo.contains(&kind)
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
    let todo: BTreeSet<_> = Plan::of(request).evidence.difference(settled).copied().collect();
    let scratch = Scratch::new(&bench.scratch_base, "run")?;
    let egress = way_out(request).await?;
    let run = Run { desk: &desk, request, access, bench, scratch: &scratch, egress: egress.as_ref(), todo: &todo };
    // Page and source lane fill two cores. What the quiet lane needs is loaded as soon as one of them leaves one free.
    let room = Notify::new();
    let warming = async {
        room.notified().await;
        quiet::warm(run).await
    };
    let page = then_make(&room, page::lane(run, &mut evidence));
    let (page, source, warm) = tokio::join!(page, then_make(&room, source::lane(run)), warming);
    let mut source = source?;
    for kind in source::KINDS.into_iter().filter(|kind| run.wants(*kind)) {
        evidence.adopt(kind, &mut source.evidence);
    }
    page?;
    let prepared = judge::prepare(run, &evidence, source.tree.as_ref()).await?;
    let (lighthouse, judged) = tokio::join!(quiet::lane(run, warm, &evidence), judge::lane(run, prepared, &evidence));
    if let Some(lighthouse) = lighthouse? {
        evidence.lighthouse = lighthouse;
    }
    let mut judged = judged?;
    for kind in judge::KINDS.into_iter().filter(|kind| run.wants(*kind)) {
        evidence.adopt(kind, &mut judged);
    }
    evidence.fill_unplanned(request);
    ask_commands(&desk, request, bench, &mut evidence).await?;
    Ok(evidence)
}

async fn then_make<T>(room: &Notify, lane: impl Future<Output = T>) -> T {
    let ended = lane.await;
    room.notify_one();
    ended
}

/// The proxy the browser must go through, unless the user lets the page reach local addresses.
async fn way_out(request: &Request) -> Result<Option<Egress>, GatherError> {
    if request.from_stranger && !request.allow_local {
        return Ok(Some(Egress::start_for_strangers().await.map_err(GatherError::Egress)?));
    }
    let url = url::Url::parse(&request.url).ok().filter(|_| !request.allow_local);
    let Some((host, port)) = url.as_ref().and_then(|url| Some((url.host_str()?, url.port_or_known_default()?))) else {
        return Ok(None);
    };
    Ok(Some(Egress::start(host, port).await.map_err(GatherError::Egress)?))
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
