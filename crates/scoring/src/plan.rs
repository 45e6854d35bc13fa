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
        evidence.retain(|kind| missing(request, *kind).is_none());
        Self { scorers: selected.iter().map(|scorer| scorer.id).collect(), evidence }
    }

    /// Why a kind of evidence is not part of the plan.
    pub fn absence(&self, request: &Request, kind: EvidenceKind) -> Option<Absence> {
        if self.evidence.contains(&kind) {
            return None;
        }
        let unselected = || Absence::NotAsked { reason: "no selected scorer needs it".to_owned() };
        Some(missing(request, kind).unwrap_or_else(unselected))
    }
}

/// Why a kind of evidence cannot be gathered, from what was given alone.
fn missing(request: &Request, kind: EvidenceKind) -> Option<Absence> {
    let no_input = |reason: &str| Some(Absence::NoInput { reason: reason.to_owned() });
    let not_asked = |reason: &str| Some(Absence::NotAsked { reason: reason.to_owned() });
    let prompt = request.prompt.as_ref();
    match kind {
        _ if kind.since() > request.format => not_asked("the run is older than this scorer; score the app again"),
        _ if needs_source(kind) && request.source.is_none() => no_input("no source was given (--source DIR or ZIP)"),
        EvidenceKind::Acceptance | EvidenceKind::Verbatim | EvidenceKind::Intent if prompt.is_none() => {
            no_input("no prompt was given (--prompt FILE)")
        }
        EvidenceKind::Acceptance if prompt.is_some_and(|p| p.must_have.is_empty() && p.should_have.is_empty()) => {
            not_asked("the prompt has no acceptance criteria")
        }
        EvidenceKind::Verbatim if prompt.is_some_and(|p| p.verbatim_constraints.is_empty()) => {
            not_asked("the prompt has no verbatim constraints")
        }
        EvidenceKind::Routes if request.routes.is_empty() => not_asked("no further routes were named (--routes)"),
        EvidenceKind::Backend if !request.accounts && prompt.is_some_and(|p| p.tier < 3) => {
            not_asked("the prompt does not ask for a backend")
        }
        EvidenceKind::Backend if !request.accounts => no_input("no test accounts were given (--accounts FILE)"),
        _ if is_for_judges(kind) => no_judge(request).map(|reason| Absence::NoInput { reason }),
        _ => None,
    }
}

/// What judges say, and what is gathered for them alone.
fn is_for_judges(kind: EvidenceKind) -> bool {
    matches!(kind, EvidenceKind::Scroll | EvidenceKind::Intent | EvidenceKind::Looks | EvidenceKind::Maintainability)
}

/// Why nobody judges.
fn no_judge(request: &Request) -> Option<String> {
    let judging = &request.judging;
    if judging.judges.is_empty() {
        return Some("no judge was asked (--no-judges)".to_owned());
    }
    (!judging.missing_keys.is_empty()).then(|| crate::gather::judges::no_key(&judging.missing_keys))
}

fn needs_source(kind: EvidenceKind) -> bool {
    crate::conduct::SOURCE_KINDS.contains(&kind) || kind == EvidenceKind::Maintainability
}

/// Whether the user asked for a scorer.
pub fn is_selected(request: &Request, id: ScorerId) -> bool {
    request.only.as_ref().is_none_or(|only| only.contains(&id))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(only: Option<&[ScorerId]>) -> Request {
        let mut request = Request::new("https://app.example/");
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
    fn without_a_key_nothing_is_gathered_for_judges_and_the_reason_names_the_variable() {
        let mut request = request(Some(&[ScorerId::V1]));
        assert!(Plan::of(&request).evidence.contains(&EvidenceKind::Scroll));
        request.judging.missing_keys = vec!["OPENROUTER_API_KEY".to_owned()];
        let plan = Plan::of(&request);
        assert!(!plan.evidence.contains(&EvidenceKind::Scroll) && !plan.evidence.contains(&EvidenceKind::Looks));
        let Some(Absence::NoInput { reason }) = plan.absence(&request, EvidenceKind::Looks) else { panic!() };
        assert!(reason.contains("OPENROUTER_API_KEY"), "{reason}");
        request.judging = crate::request::Judging::nobody();
        let Some(Absence::NoInput { reason }) = Plan::of(&request).absence(&request, EvidenceKind::Looks) else {
            panic!()
        };
        assert!(reason.contains("--no-judges"), "{reason}");
    }

    #[test]
    fn source_that_was_not_given_is_no_input() {
        let request = request(None);
        let absence = Plan::of(&request).absence(&request, EvidenceKind::Source);
        assert!(matches!(absence, Some(Absence::NoInput { .. })), "{absence:?}");
    }
}
