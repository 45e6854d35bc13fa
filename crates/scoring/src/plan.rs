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

#[cfg(test)]
mod tests {
    use super::*;

    fn request(only: Option<&[ScorerId]>) -> Request {
        let text = r#"{"format":1,"url":"https://app.example/","prompt":null,"source":null,"only":null,"gate":"null",
            "accept_invalid_certificates":false,"commands":[],"access_names":[],
            "lighthouse":{"runs":3,"run_seconds":90.0,"total_seconds":240.0,"calibrated_index":null,"min_index_share":0.8,"max_steal_share":0.05},
            "limits":{"navigation_seconds":30.0,"idle_seconds":8.0,"script_seconds":20.0,"axe_seconds":60.0,"screenshot_seconds":20.0,"page_bytes":1000}}"#;
        let mut request: Request = serde_json::from_str(text).unwrap();
        request.only = only.map(|ids| ids.iter().copied().collect());
        request
    }

    #[test]
    fn lighthouse_runs_only_for_those_who_ask_for_c4() {
        let plan = Plan::of(&request(Some(&[ScorerId::F1, ScorerId::C3])));
        assert_eq!(plan.evidence, BTreeSet::from([EvidenceKind::Load, EvidenceKind::Axe]));
        assert!(Plan::of(&request(None)).evidence.contains(&EvidenceKind::Lighthouse));
    }

    #[test]
    fn the_load_is_always_gathered_because_the_gate_needs_it() {
        assert!(Plan::of(&request(Some(&[ScorerId::F2]))).evidence.contains(&EvidenceKind::Load));
    }

    #[test]
    fn source_that_was_not_given_is_no_input() {
        let request = request(None);
        let absence = Plan::of(&request).absence(&request, EvidenceKind::Source);
        assert!(matches!(absence, Some(Absence::NoInput { .. })), "{absence:?}");
    }
}
