//! The judge lane: language models look at what was gathered. It only waits, so it may overlap the quiet lane.

use super::Run;
use crate::evidence::{Evidence, EvidenceKind};
use crate::gather::tree::Tree;
use crate::gather::{GatherError, judges};
use crate::record::Lane;
use std::time::Instant;

/// Evidence that judges give.
pub const KINDS: [EvidenceKind; 3] = [EvidenceKind::Intent, EvidenceKind::Looks, EvidenceKind::Maintainability];

/// Asks the judges, all at once.
pub async fn lane(run: Run<'_>, gathered: &Evidence, tree: Option<&Tree>) -> Result<Evidence, GatherError> {
    let mut evidence = Evidence::default();
    if !KINDS.iter().any(|kind| run.wants(*kind)) {
        return Ok(evidence);
    }
    let begun = Instant::now();
    let panel = judges::Panel { desk: run.desk, request: run.request, bench: run.bench, gathered, tree };
    let ask = async |kind| if run.wants(kind) { Some(panel.ask(kind).await) } else { None };
    let [intent, looks, maintainability] = KINDS;
    let answers = tokio::join!(ask(intent), ask(looks), ask(maintainability));
    for (kind, answer) in [(intent, answers.0), (looks, answers.1), (maintainability, answers.2)] {
        let Some(answer) = answer else { continue };
        let piece = run.desk.keep(Lane::Judge, kind, begun, answer)?;
        match kind {
            EvidenceKind::Intent => evidence.intent = piece,
            EvidenceKind::Looks => evidence.looks = piece,
            _ => evidence.maintainability = piece,
        }
    }
    run.desk.done(Lane::Judge);
    Ok(evidence)
}
