//! # What it measures
//!
//! Whether a record made in one browser is there in another. With the second of two given accounts, context A logs in and creates a record
//! with a text nobody has used before; context B, which shares no cookie, storage or cache with A, logs in with the same account and looks
//! for it.
//!
//! # Why it matters
//!
//! Reloading a page cannot tell a backend from the browser's own storage; a second device can. People who open the app on
//! their phone and find it empty have lost their work.
//!
//! # How it is scored
//!
//! Four steps: `context_a_login`, `context_a_create`, `context_b_login`, `record_visible_in_context_b`. It passes, with a score of 1,
//! when the record is visible in context B; otherwise the score is the share of the four steps that succeeded, and 0 when the first login
//! already fails. Logins are proved, forms are found and walls are treated as in F7.
//!
//! # Where we differ
//!
//! The peer harness gives context B the cookies of an earlier login, so an app that keeps its data in a cookie passes, and counts a
//! "Create account" button as a login. Here B begins with nothing. Partial credit follows the methodology, so an app that keeps everything in
//! localStorage still gets three of four steps; it does not pass.

use super::lifecycle::{self, Words};
use crate::evidence::backend::{Backend, StepName};
use crate::evidence::{Evidence, EvidenceKind};
use crate::scorers::Scorer;
use benchwright_domain::{Assessment, ScorerId};

/// The scorer.
pub static SCORER: Scorer = Scorer {
    id: ScorerId::F8,
    version: "1.0.0",
    since: "0.2.0",
    passed_title: "Work made in one browser is there in another",
    failed_title: "Work made in one browser is missing in another",
    needs: &[EvidenceKind::Backend],
    source: include_str!("f8_cross_session_persistence.rs"),
    score,
};

const STEPS: [Words; 4] = [
    Words {
        step: StepName::ContextALogin,
        passed: "The account can log in",
        failed: "The account cannot log in",
        fix: "Try the account by hand; if it works there, give the form a labelled e-mail field, a password field and one submit button.",
    },
    Words {
        step: StepName::ContextACreate,
        passed: "A record can be created",
        failed: "No record can be created",
        fix: "Offer a form with labelled fields and a button that says what it adds, and show why when it refuses.",
    },
    Words {
        step: StepName::ContextBLogin,
        passed: "The account can log in from a second browser",
        failed: "The account cannot log in from a second browser",
        fix: "Keep accounts and sessions on the server, so that they do not depend on what one browser remembers.",
    },
    Words {
        step: StepName::RecordVisibleInContextB,
        passed: "The second browser shows the record",
        failed: "The second browser does not show the record",
        fix: "Store records on the server under their owner and load them from there after every login.",
    },
];

fn score(evidence: &Evidence) -> Assessment {
    match evidence.backend.get() {
        Ok(backend) => assess(backend),
        Err(outcome) => outcome.into(),
    }
}

fn assess(backend: &Backend) -> Assessment {
    let walk = &backend.cross_session;
    if let Some(outcome) = lifecycle::walled(walk) {
        return outcome.into();
    }
    let passed = lifecycle::succeeded(walk, StepName::RecordVisibleInContextB);
    lifecycle::assess(walk, &STEPS, passed, &backend.left_behind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Piece;
    use crate::evidence::backend::{Lifecycle, Step, Wall, WallKind};
    use benchwright_domain::Outcome;

    fn scored(failing: &[StepName], reached: usize, wall: Option<Wall>) -> Outcome {
        let steps = StepName::CROSS_SESSION.into_iter().take(reached);
        let steps = steps.map(|step| Step { step, ok: !failing.contains(&step), note: String::new() }).collect();
        let cross_session = Lifecycle { marker: "Bwf8x".into(), steps, wall };
        let backend = Backend { cross_session, ..Backend::default() };
        score(&Evidence { backend: Piece::present(backend, 1.0), ..Evidence::default() }).outcome
    }

    #[track_caller]
    fn expect(outcome: &Outcome, value: f64, pass: bool) {
        let is = matches!(outcome, Outcome::Scored { score, passed } if score.value() == value && *passed == pass);
        assert!(is, "{outcome:?}");
    }

    #[test]
    fn a_record_that_crosses_passes_and_one_that_does_not_gets_its_share() {
        expect(&scored(&[], 4, None), 1.0, true);
        expect(&scored(&[StepName::RecordVisibleInContextB], 4, None), 0.75, false);
        expect(&scored(&[StepName::ContextBLogin], 3, None), 0.5, false);
    }

    #[test]
    fn a_record_that_its_creator_still_saw_is_not_said_to_be_lost() {
        let steps = [StepName::ContextALogin, StepName::ContextACreate, StepName::ContextBLogin];
        let steps = steps.map(|step| Step { step, ok: step != StepName::ContextBLogin, note: String::new() }).into();
        let cross_session = Lifecycle { marker: "Bwf8x".into(), steps, wall: None };
        let backend = Backend { cross_session, left_behind: vec!["Bwf8x".into()], ..Backend::default() };
        let evidence = Evidence { backend: Piece::present(backend, 1.0), ..Evidence::default() };
        let said = "The record `Bwf8x` was not deleted again and may still be in the app.";
        assert_eq!(score(&evidence).details.notes, [said]);
    }

    #[test]
    fn a_refused_login_scores_zero() {
        expect(&scored(&[StepName::ContextALogin], 1, None), 0.0, false);
    }

    #[test]
    fn a_wall_is_no_input() {
        let wall = Wall { kind: WallKind::SecondFactor, seen: "a field for a one-time code".into() };
        assert!(matches!(scored(&[], 0, Some(wall)), Outcome::NoInput { .. }));
    }
}
