//! The plan: which scorers apply, and so which evidence is needed.

use crate::evidence::{Absence, EvidenceKind};
use crate::request::Request;
use crate::scorers::{SCORERS, Scorer};
use benchwright_domain::ScorerId;
use std::collections::BTreeSet;

/// What a run will do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The scorers that were selected and exist in this version.
    pub scorers: Vec<ScorerId>,
    /// The evidence they need. The load is always part of it: every run needs to know whether the page rendered.
    pub evidence: BTreeSet<EvidenceKind>,
}

impl Plan {
    /// Makes the plan of a request.
    pub fn of(request: &Request) -> Self {
        let selected: Vec<&Scorer> = SCORERS.iter().copied().filter(|scorer| is_selected(request, scorer.id)).collect();
        let mut evidence: BTreeSet<_> = selected.iter().flat_map(|scorer| scorer.needs.iter().copied()).collect();
        evidence.insert(EvidenceKind::Load);
        if request.source.is_none() {
            evidence.remove(&EvidenceKind::Source);
        }
        Self { scorers: selected.iter().map(|scorer| scorer.id).collect(), evidence }
    }

    /// Why a kind of evidence is not part of the plan.
    pub fn absence(&self, request: &Request, kind: EvidenceKind) -> Option<Absence> {
        if self.evidence.contains(&kind) {
            return None;
        }
        Some(if kind == EvidenceKind::Source && request.source.is_none() {
            Absence::NoInput { reason: "no source folder was given (--source DIR)".to_owned() }
        } else {
            Absence::NotAsked { reason: "no selected scorer needs it".to_owned() }
        })
    }
}

/// Whether the user asked for a scorer.
pub fn is_selected(request: &Request, id: ScorerId) -> bool {
    request.only.as_ref().is_none_or(|only| only.contains(&id))
}
