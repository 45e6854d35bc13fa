//! The quiet lane: Lighthouse, while nothing but waiting happens beside it.

use super::{LOCK_LIMIT, Run};
use crate::evidence::{Absence, Evidence, EvidenceKind, Lighthouse, Piece};
use crate::gather::lighthouse::{Started, Subject};
use crate::gather::{GatherError, StepError, lighthouse};
use crate::record::Lane;
use crate::scorers::functional::f1_render_success::rendered;
use benchwright_sandbox::instrument::{Instrument, Role};
use benchwright_sandbox::quiet::QuietLock;
use std::time::{Duration, Instant};

const WARM_LIMIT: Duration = Duration::from_mins(1);

/// What the first visit needs. Dropping it ends both processes.
pub struct Warm {
    instrument: Instrument,
    browser: Started,
}

/// Importing Lighthouse takes a second of CPU and starting a browser half of one, so both happen beside another lane and never beside a measurement.
pub async fn warm(run: Run<'_>) -> Option<Result<Warm, StepError>> {
    if !run.wants(EvidenceKind::Lighthouse) {
        return None;
    }
    let started = async {
        let _busy = QuietLock::shared(&run.bench.quiet_lock, LOCK_LIMIT).await?;
        let mut instrument = Instrument::start(&run.bench.instruments, &Role::Lighthouse, run.scratch)?;
        instrument
            .call("warm", serde_json::Value::Null, WARM_LIMIT)
            .await
            .map_err(|error| StepError::Page(format!("lighthouse cannot be loaded: {error}")))?;
        Ok(Warm { instrument, browser: lighthouse::start_browser(subject(run)).await })
    };
    Some(started.await)
}

fn subject(run: Run<'_>) -> Subject<'_> {
    let Run { request, access, bench, scratch, egress, .. } = run;
    Subject { request, access, bench, scratch, egress }
}

/// Measures with Lighthouse, alone on the machine.
pub async fn lane(
    run: Run<'_>,
    warm: Option<Result<Warm, StepError>>,
    evidence: &Evidence,
) -> Result<Option<Piece<Lighthouse>>, GatherError> {
    let kind = EvidenceKind::Lighthouse;
    if !run.wants(kind) {
        return Ok(None);
    }
    let Run { desk, access, .. } = run;
    let refused = match &evidence.load.value {
        Ok(load) if rendered(load) => lighthouse::refusal(access, load),
        Ok(_) => Some(Absence::NotRendered),
        Err(_) => Some(Absence::Failed { reason: "the page could not be loaded".to_owned() }),
    };
    if let Some(absence) = refused {
        return Ok(Some(desk.absent(Lane::Quiet, kind, absence, 0.0)?));
    }
    let begun = Instant::now();
    let step = |what: &str| desk.step(Lane::Quiet, what);
    step("waiting for a quiet machine");
    let result = match warm {
        Some(Ok(Warm { mut instrument, browser })) => {
            lighthouse::measure(subject(run), &mut instrument, Some(browser), &step).await
        }
        Some(Err(error)) => Err(error),
        None => Err(StepError::Page("lighthouse was not started".to_owned())),
    };
    let piece = desk.keep(Lane::Quiet, kind, begun, result)?;
    desk.done(Lane::Quiet);
    Ok(Some(piece))
}
