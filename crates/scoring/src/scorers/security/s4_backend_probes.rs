//! # What it measures
//!
//! Whether the backend keeps one user's data from everybody else. As the second of two given accounts a record with a text nobody has used
//! before is created, and the requests whose answers bring it (JSON, server components or HTML documents; GET or POST) are taken from
//! the page as its owner loads it again. Then two others ask:
//!
//! - `unauth_read`: a stranger in a fresh context sends the same requests without cookies and tokens, but with the public keys any
//!   visitor's browser gets (the `apikey` of Supabase, a token with the role `anon`, a Firebase key in the address);
//! - `cross_user_read`: the first account, in a context of its own, loads the app and then sends the owner's requests, those for
//!   single records included, with its own session;
//! - and every probe the prompt declares under `backend_probes`.
//!
//! # Why it matters
//!
//! The commonest serious fault of generated apps is a database that anybody may read because row-level security is off, or a list that
//! forgets to ask whose rows it returns. The page looks right to each user; only asking as somebody else shows it.
//!
//! # How it is scored
//!
//! A probe fails when a successful answer holds the record. Each failed probe costs 10 points and the score is `max(0, 1 − points / 20)`; it
//! passes when none failed. A probe of the prompt fails when the status is not one of those expected, or the answer holds the forbidden
//! text (`{marker}` in it stands for the record's). `crossTenantLeak` says whether another user was given the record or such a text; a
//! status that was not expected does not make it true.
//!
//! A probe that could not be made, or that the server answered with an error of its own (5xx) that the prompt does not expect, counts
//! neither as passed nor as failed; when none could be made, the outcome is no input with the reason. A request whose session travels in
//! headers, parameters or its body is not sent as the first account where that account's own page sent none: it would be a stranger's.
//! One whose session cannot be taken out of its body (parts of a multipart form) is sent as nobody else.
//! Nothing is written by the probes: only what loading the page sends by GET or POST is sent again, to the origins it went to.
//!
//! # Where we differ
//!
//! The peer harness sends no headers at all when it asks as a stranger, so a gateway that wants its public key answers 401 and a table
//! that anybody can read with that key passes. It asks as the other user only by looking at that user's own page, counts what it could
//! not ask as passed, and parses `backend_probes` without using them.

use crate::evidence::backend::{Backend, Endpoint, Probe, ProbeRequest, ProbeVerdict, ProbeVisitor};
use crate::evidence::{Evidence, EvidenceKind};
use crate::scorers::Scorer;
use crate::scorers::words::{count, cut};
use benchwright_domain::{Assessment, Details, Item, ItemStatus, Outcome, Place, ScorerId, UnitScore};

/// The scorer.
pub static SCORER: Scorer = Scorer {
    id: ScorerId::S4,
    version: "1.0.0",
    since: "0.2.0",
    passed_title: "The backend keeps users' data apart",
    failed_title: "The backend gives data to those it does not belong to",
    needs: &[EvidenceKind::Backend],
    source: include_str!("s4_backend_probes.rs"),
    score,
};

/// Points a failed probe costs, from the methodology.
const PENALTY: f64 = 10.0;
/// Points at which nothing is left of the score, from the methodology.
const POINTS_FOR_ZERO: f64 = 20.0;
/// Requests shown of each probe.
const SHOWN: usize = 10;
/// Characters kept of each text.
const TEXT_LIMIT: usize = 240;

fn score(evidence: &Evidence) -> Assessment {
    match evidence.backend.get() {
        Ok(backend) => assess(backend),
        Err(outcome) => outcome.into(),
    }
}

fn assess(backend: &Backend) -> Assessment {
    let probes = &backend.probes;
    let made: Vec<&Probe> = probes.probes.iter().filter(|probe| probe.verdict != ProbeVerdict::NotMade).collect();
    if made.is_empty() {
        return Outcome::NoInput { reason: why_none(backend) }.into();
    }
    let failed = made.iter().filter(|probe| has_failed(probe.verdict)).count();
    let mut details = Details::default()
        .fact("probes_made", made.len())
        .fact("probes_failed", failed)
        .fact("probes_not_made", probes.probes.len() - made.len())
        .fact("penalty_points", failed as f64 * PENALTY)
        .fact("marker", probes.marker.as_str())
        .items(probes.probes.iter().map(|probe| item(probe, failed)));
    if let Some(leak) = cross_tenant_leak(&made) {
        details = details.fact("crossTenantLeak", leak);
    }
    if !probes.endpoints.is_empty() {
        details = details.item(endpoints(&probes.endpoints));
    }
    if let Some(obstacle) = &probes.obstacle {
        details = details.note(format!("The standard probes could not be made: {}.", cut(obstacle, TEXT_LIMIT)));
    }
    Assessment::scored(score_of(failed), failed == 0, details)
}

fn score_of(failed: usize) -> UnitScore {
    UnitScore::new(1.0 - failed as f64 * PENALTY / POINTS_FOR_ZERO)
}

fn has_failed(verdict: ProbeVerdict) -> bool {
    matches!(verdict, ProbeVerdict::Leaked | ProbeVerdict::Unexpected)
}

/// Whether another user could read the record; unknown when nobody could ask.
fn cross_tenant_leak(made: &[&Probe]) -> Option<bool> {
    let mut others = made.iter().filter(|probe| probe.visitor == ProbeVisitor::OtherUser).peekable();
    others.peek()?;
    Some(others.any(|probe| probe.verdict == ProbeVerdict::Leaked))
}

fn why_none(backend: &Backend) -> String {
    if let Some(wall) = &backend.cross_session.wall {
        return format!(
            "{} keeps automated logins out ({}); give accounts that need no such step",
            wall.kind.words(),
            cut(&wall.seen, TEXT_LIMIT)
        );
    }
    let notes = || backend.probes.probes.iter().map(|probe| probe.note.clone()).find(|note| !note.is_empty());
    let why = backend.probes.obstacle.clone().or_else(notes);
    format!(
        "no probe could be made: {}",
        cut(&why.unwrap_or_else(|| "nothing was found to ask for".to_owned()), TEXT_LIMIT)
    )
}

fn item(probe: &Probe, failed: usize) -> Item {
    let who = match probe.visitor {
        ProbeVisitor::Stranger => "a stranger",
        ProbeVisitor::OtherUser => "another user",
    };
    let item = match probe.verdict {
        ProbeVerdict::NotMade => {
            Item::new(&probe.id, ItemStatus::NotApplicable, format!("What {who} can read could not be asked"))
        }
        ProbeVerdict::Held => Item::new(&probe.id, ItemStatus::Passed, format!("The backend gives {who} nothing")),
        ProbeVerdict::Leaked | ProbeVerdict::Unexpected => {
            Item::new(&probe.id, ItemStatus::Failed, format!("The backend answers {who} as it should not"))
                .severity("critical")
                .fix(fix(probe.visitor))
                .gain(score_of(failed - 1).value() - score_of(failed).value())
        }
    };
    let item = if probe.note.is_empty() { item } else { item.measured(cut(&probe.note, TEXT_LIMIT)) };
    let telling = |request: &&ProbeRequest| probe.verdict != ProbeVerdict::Leaked || request.leaked;
    item.places(probe.requests.iter().filter(telling).map(place), SHOWN)
}

fn fix(visitor: ProbeVisitor) -> &'static str {
    match visitor {
        ProbeVisitor::Stranger => {
            "Check on the server that somebody is logged in before answering; with Supabase or Firebase, switch row-level \
             security or rules on for this table."
        }
        ProbeVisitor::OtherUser => {
            "Let the server return only rows whose owner is the logged-in user; with Supabase or Firebase, write that \
             into the policy or rule of this table."
        }
    }
}

fn place(request: &ProbeRequest) -> Place {
    Place::Request {
        method: request.method.clone(),
        url: cut(&request.url, TEXT_LIMIT),
        status: request.status,
        bytes: None,
        error: request.error.as_deref().map(|error| cut(error, TEXT_LIMIT)),
    }
}

fn endpoints(endpoints: &[Endpoint]) -> Item {
    let words = |endpoint: &Endpoint| {
        let records = endpoint.records.map(|records| format!(", {}", count(records, "record"))).unwrap_or_default();
        format!("{} {} ({}{records})", endpoint.method, cut(&endpoint.url, TEXT_LIMIT), endpoint.kind)
    };
    Item::new("endpoints", ItemStatus::Info, "The record reaches its owner through these requests")
        .places(endpoints.iter().map(|endpoint| Place::Text { text: words(endpoint) }), SHOWN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Piece;
    use crate::evidence::backend::{Lifecycle, Probes, Wall, WallKind};

    fn probe(id: &str, visitor: ProbeVisitor, verdict: ProbeVerdict) -> Probe {
        let request = ProbeRequest {
            method: "GET".into(),
            url: "https://app.test/api/notes".into(),
            status: Some(200),
            leaked: verdict == ProbeVerdict::Leaked,
            error: None,
        };
        Probe { id: id.into(), visitor, verdict, note: String::new(), requests: vec![request] }
    }

    fn assessed(stranger: ProbeVerdict, other: ProbeVerdict) -> Assessment {
        let probes = vec![
            probe("unauth_read", ProbeVisitor::Stranger, stranger),
            probe("cross_user_read", ProbeVisitor::OtherUser, other),
        ];
        of(Backend { probes: Probes { probes, ..Probes::default() }, ..Backend::default() })
    }

    fn of(backend: Backend) -> Assessment {
        score(&Evidence { backend: Piece::present(backend, 1.0), ..Evidence::default() })
    }

    fn value(assessment: &Assessment) -> f64 {
        assessment.outcome.score().unwrap().value()
    }

    #[test]
    fn each_leak_costs_half_and_the_other_user_decides_the_headline() {
        use ProbeVerdict::{Held, Leaked};
        for (stranger, other, expected, leak) in [
            (Held, Held, 1.0, false),
            (Leaked, Held, 0.5, false),
            (Held, Leaked, 0.5, true),
            (Leaked, Leaked, 0.0, true),
        ] {
            let assessment = assessed(stranger, other);
            assert_eq!(value(&assessment), expected);
            assert_eq!(assessment.details.facts["crossTenantLeak"], leak);
        }
    }

    #[test]
    fn a_status_that_was_not_expected_fails_its_probe_and_is_no_leak_between_tenants() {
        let assessment = assessed(ProbeVerdict::Held, ProbeVerdict::Unexpected);
        assert_eq!(value(&assessment), 0.5);
        assert_eq!(assessment.details.facts["probes_failed"], 1);
        assert_eq!(assessment.details.facts["crossTenantLeak"], false);
        assert_eq!(assessment.details.items[1].status, ItemStatus::Failed);
    }

    #[test]
    fn peer_defect_a_probe_that_could_not_be_made_counts_neither_way() {
        let assessment = assessed(ProbeVerdict::Held, ProbeVerdict::NotMade);
        assert_eq!(value(&assessment), 1.0);
        assert_eq!(assessment.details.facts["probes_made"], 1);
        assert!(!assessment.details.facts.contains_key("crossTenantLeak"));
        assert!(matches!(assessed(ProbeVerdict::NotMade, ProbeVerdict::NotMade).outcome, Outcome::NoInput { .. }));
    }

    #[test]
    fn without_a_login_or_behind_a_wall_there_is_no_input_with_the_reason() {
        let probes = Probes { obstacle: Some("the second user could not log in".into()), ..Probes::default() };
        let outcome = of(Backend { probes, ..Backend::default() }).outcome;
        assert!(outcome.reason().unwrap().contains("second user could not log in"));
        let wall = Some(Wall { kind: WallKind::Captcha, seen: "Turnstile".into() });
        let walled = Backend { cross_session: Lifecycle { wall, ..Lifecycle::default() }, ..Backend::default() };
        assert!(of(walled).outcome.reason().unwrap().contains("a captcha"));
    }

    #[test]
    fn a_leak_shows_the_request_and_what_to_do() {
        let details = assessed(ProbeVerdict::Held, ProbeVerdict::Leaked).details;
        let item = &details.items[1];
        assert!(item.fix.as_deref().unwrap().contains("owner"));
        assert_eq!((item.gain, item.places.len()), (Some(0.5), 1));
    }

    #[test]
    fn more_than_two_leaks_do_not_go_below_zero() {
        let leak = |id: &str| probe(id, ProbeVisitor::Stranger, ProbeVerdict::Leaked);
        let probes = Probes { probes: vec![leak("a"), leak("b"), leak("c")], ..Probes::default() };
        let assessment = of(Backend { probes, ..Backend::default() });
        assert_eq!(value(&assessment), 0.0);
        assert_eq!(assessment.details.items[0].gain, Some(0.0));
    }
}
