//! The judge lane: language models look at what was gathered. Making ready what they see is work and done first; asking them is only
//! waiting, so it may overlap the quiet lane.

use super::{LOCK_LIMIT, Run};
use crate::evidence::{Absence, Evidence, EvidenceKind, Judgement, Piece};
use crate::gather::judges::{Case, Jury, Panel};
use crate::gather::tree::Tree;
use crate::gather::{GatherError, StepError};
use crate::record::{Lane, RecordError};
use benchwright_sandbox::quiet::QuietLock;
use std::time::Instant;

/// Evidence that judges give.
pub const KINDS: [EvidenceKind; 3] = [EvidenceKind::Intent, EvidenceKind::Looks, EvidenceKind::Maintainability];

/// What the judges will be shown, or why they will not be asked; nothing where nobody wants to know.
#[derive(Default)]
pub struct Prepared([Option<Result<Case, StepError>>; 3]);

/// Makes ready what the judges are shown.
pub async fn prepare(run: Run<'_>, gathered: &Evidence, tree: Option<&Tree>) -> Result<Prepared, GatherError> {
    if !KINDS.iter().any(|kind| run.wants(*kind)) {
        return Ok(Prepared::default());
    }
    let _busy = QuietLock::shared(&run.bench.quiet_lock, LOCK_LIMIT).await?;
    run.desk.step(Lane::Judge, "preparing what the judges see");
    let panel = Panel { desk: run.desk, request: run.request, gathered, tree };
    let mut cases = [None, None, None];
    for (kind, case) in KINDS.into_iter().zip(&mut cases) {
        if run.wants(kind) {
            *case = Some(panel.prepare(kind).await);
        }
    }
    Ok(Prepared(cases))
}

/// Asks the judges, all at once. `before` is what the run had when it began: judges who were asked in vain then are not forgotten.
pub async fn lane(run: Run<'_>, prepared: Prepared, before: &Evidence) -> Result<Evidence, GatherError> {
    let mut evidence = Evidence::default();
    if prepared.0.iter().all(Option::is_none) {
        return Ok(evidence);
    }
    run.desk.step(Lane::Judge, "asking the judges");
    let jury = Jury::seat(&run.request.judging, &run.bench.judges, paid(before));
    let [intent, looks, maintainability] = prepared.0;
    let (intent, looks, maintainability) = tokio::join!(
        hear(run, &jury, EvidenceKind::Intent, intent, &before.intent),
        hear(run, &jury, EvidenceKind::Looks, looks, &before.looks),
        hear(run, &jury, EvidenceKind::Maintainability, maintainability, &before.maintainability),
    );
    evidence.intent = intent?;
    evidence.looks = looks?;
    evidence.maintainability = maintainability?;
    run.desk.done(Lane::Judge);
    Ok(evidence)
}

/// Dollars that judges were paid before the run went on, also for what came to no verdict.
fn paid(before: &Evidence) -> f64 {
    let judged = [&before.intent, &before.looks, &before.maintainability];
    let calls = judged.into_iter().flat_map(Piece::asked).flat_map(|opinion| &opinion.calls);
    calls.filter_map(|call| call.cost_usd).sum()
}

async fn hear(
    run: Run<'_>,
    jury: &Result<Jury, Absence>,
    kind: EvidenceKind,
    case: Option<Result<Case, StepError>>,
    before: &Piece<Judgement>,
) -> Result<Piece<Judgement>, RecordError> {
    let Some(case) = case else { return Ok(Piece::default()) };
    let begun = Instant::now();
    let answer = match (jury, case) {
        (Ok(jury), Ok(case)) => jury.judge(case).await,
        (_, Err(error)) => Err(error),
        (Err(absence), _) => Err(StepError::Absent(absence.clone())),
    };
    run.desk.keep(Lane::Judge, kind, begun, remembering(before, answer))
}

/// The answer, and with it what was paid for earlier tries that came to no verdict.
fn remembering(before: &Piece<Judgement>, answer: Result<Judgement, StepError>) -> Result<Judgement, StepError> {
    let Err(Absence::Unjudged { opinions: in_vain, .. }) = &before.value else { return answer };
    match answer {
        Ok(judgement) => Ok(Judgement { in_vain: in_vain.clone(), ..judgement }),
        Err(StepError::Absent(Absence::Unjudged { reason, opinions })) => {
            let opinions = in_vain.iter().cloned().chain(opinions).collect();
            Err(StepError::Absent(Absence::Unjudged { reason, opinions }))
        }
        Err(other) => Err(other),
    }
}
