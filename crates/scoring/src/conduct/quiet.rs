//! The quiet lane: Lighthouse, while nothing but waiting happens beside it.

use super::Run;
use crate::evidence::{Absence, Evidence, EvidenceKind, Lighthouse, Piece};
use crate::gather::{GatherError, StepError, lighthouse};
use crate::record::Lane;
use crate::scorers::functional::f1_render_success::rendered;
use benchwright_sandbox::instrument::{Instrument, Role};
use std::time::{Duration, Instant};

const WARM_LIMIT: Duration = Duration::from_mins(1);

/// Importing Lighthouse takes seconds of CPU, so it happens beside the page lane and never beside a measurement.
pub async fn warm(run: Run<'_>) -> Option<Result<Instrument, StepError>> {
    if !run.wants(EvidenceKind::Lighthouse) {
        return None;
    }
    let started = async {
        let mut instrument = Instrument::start(&run.bench.instruments, &Role::Lighthouse, run.scratch)?;
        instrument
            .call("warm", serde_json::Value::Null, WARM_LIMIT)
            .await
            .map_err(|error| StepError::Page(format!("lighthouse cannot be loaded: {error}")))?;
        Ok(instrument)
    };
    Some(started.await)
}

/// Measures with Lighthouse, alone on the machine.
pub async fn lane(
    run: Run<'_>,
    warm: Option<Result<Instrument, StepError>>,
    evidence: &Evidence,
) -> Result<Option<Piece<Lighthouse>>, GatherError> {
    let kind = EvidenceKind::Lighthouse;
    if !run.wants(kind) {
        return Ok(None);
    }
    let Run { desk, request, access, bench, scratch, .. } = run;
    let refused = match &evidence.load.value {
        Ok(load) if rendered(load) => lighthouse::refusal(access, load),
        Ok(_) => Some(Absence::NotRendered),
        Err(_) => Some(Absence::Failed { reason: "the page could not be loaded".to_owned() }),
    };
    if let Some(absence) = refused {
        return Ok(Some(desk.absent(Lane::Quiet, kind, absence, 0.0)?));
    }
    let subject = lighthouse::Subject { request, access, bench, scratch, egress: run.egress };
    let begun = Instant::now();
    let step = |what: &str| desk.step(Lane::Quiet, what);
    step("waiting for a quiet machine");
    let result = match warm {
        Some(Ok(mut instrument)) => lighthouse::measure(subject, &mut instrument, &step).await,
        Some(Err(error)) => Err(error),
        None => Err(StepError::Page("lighthouse was not started".to_owned())),
    };
    let piece = desk.keep(Lane::Quiet, kind, begun, result)?;
    desk.done(Lane::Quiet);
    Ok(Some(piece))
}
