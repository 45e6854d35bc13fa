//! # What it measures
//!
//! Whether a user's work survives the user leaving. With the first of two given accounts the app is used as a visitor would: log in
//! through its own form, create a record that carries a text nobody has used before, log out, log in again, and look for the record.
//!
//! # Why it matters
//!
//! An app that forgets is worse than one that refuses: people find out when their work is gone. Sessions that break, log-outs that do not log
//! out and writes that never reach the server all look fine in a demonstration and show in this one walk.
//!
//! # How it is scored
//!
//! Six steps: `initial_login`, `create_record`, `visible_after_create`, `logout`, `relogin`, `persists_after_relogin`. It passes, with a
//! score of 1, when the record was created and is there after logging in again; otherwise the score is the share of the six steps that
//! succeeded, and 0 when the first login already fails. A step that was not reached did not succeed.
//!
//! A login counts only with proof: the password field is gone, and a log-out control, a new cookie, something new in the browser's
//! storage, a request with a user's token, or a new page without a login shows that somebody is in. The log-out is looked for in menus too,
//! never behind a control whose name says that it takes something away, and is checked by loading the page again: a session that still
//! shows the record was not ended. Where no log-out exists the session is cleared, the step fails, and the walk goes on. The form for
//! records is found by what it says (or by the noun and fields the prompt declares), filled with plausible values by type, and need not
//! be about contacts.
//!
//! A captcha, a one-time code or an e-mail to be confirmed keeps out everybody with no more than an account: the outcome is then
//! no input, with the reason. The record is deleted at the end with the control in its own row; where that is not beyond doubt, it stays
//! and is named.
//!
//! # Where we differ
//!
//! Between the two logins cookies, storage and caches of the app are emptied, because a record that comes back from the browser's
//! own storage never reached a server; the peer harness gives an app that keeps everything in localStorage full marks. The peer also takes a
//! "Create account" button for proof of a login, does not check that the log-out worked and opens no menu to find it, counts only the steps
//! it reached, waits out dead sessions for a minute, and can only create contacts.

use super::lifecycle::{self, Words};
use crate::evidence::backend::{Backend, StepName};
use crate::evidence::{Evidence, EvidenceKind};
use crate::scorers::Scorer;
use benchwright_domain::{Assessment, ScorerId};

/// The scorer.
pub static SCORER: Scorer = Scorer {
    id: ScorerId::F7,
    version: "1.0.0",
    since: "0.2.0",
    passed_title: "Work survives logging out and in again",
    failed_title: "Work does not survive logging out and in again",
    needs: &[EvidenceKind::Backend],
    source: include_str!("f7_auth_round_trip.rs"),
    score,
};

const STEPS: [Words; 6] = [
    Words {
        step: StepName::InitialLogin,
        passed: "The account can log in",
        failed: "The account cannot log in",
        fix: "Try the account by hand; if it works there, give the form a labelled e-mail field, a password field and one submit button.",
    },
    Words {
        step: StepName::CreateRecord,
        passed: "A record can be created",
        failed: "No record can be created",
        fix: "Offer a form with labelled fields and a button that says what it adds, and show why when it refuses.",
    },
    Words {
        step: StepName::VisibleAfterCreate,
        passed: "The new record shows",
        failed: "The new record does not show",
        fix: "Show the saved record at once, or lead to the list that holds it.",
    },
    Words {
        step: StepName::Logout,
        passed: "Logging out ends the session",
        failed: "Logging out does not work",
        fix: "Offer a control named \"Log out\" and end the session on the server, so that loading the page again asks for a login.",
    },
    Words {
        step: StepName::Relogin,
        passed: "The account can log in again",
        failed: "The account cannot log in again",
        fix: "Keep accounts on the server, and let the login work in a browser that remembers nothing.",
    },
    Words {
        step: StepName::PersistsAfterRelogin,
        passed: "The record is still there",
        failed: "The record is gone",
        fix: "Save records on the server before showing them as saved; the browser's own storage does not count.",
    },
];

fn score(evidence: &Evidence) -> Assessment {
    match evidence.backend.get() {
        Ok(backend) => assess(backend),
        Err(outcome) => outcome.into(),
    }
}

fn assess(backend: &Backend) -> Assessment {
    let walk = &backend.round_trip;
    if let Some(outcome) = lifecycle::walled(walk) {
        return outcome.into();
    }
    let done = |step| lifecycle::succeeded(walk, step);
    let passed = done(StepName::CreateRecord) && done(StepName::PersistsAfterRelogin);
    lifecycle::assess(walk, &STEPS, passed, &backend.left_behind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Piece;
    use crate::evidence::backend::{Lifecycle, Step, Wall, WallKind};
    use benchwright_domain::{ItemStatus, Outcome};

    fn walk(failing: &[StepName], reached: usize) -> Evidence {
        let steps = StepName::ROUND_TRIP.into_iter().take(reached);
        let steps = steps.map(|step| Step { step, ok: !failing.contains(&step), note: String::new() }).collect();
        of(Lifecycle { marker: "Bwf7x".into(), steps, wall: None })
    }

    fn of(round_trip: Lifecycle) -> Evidence {
        let backend = Backend { round_trip, ..Backend::default() };
        Evidence { backend: Piece::present(backend, 1.0), ..Evidence::default() }
    }

    fn value(evidence: &Evidence) -> (f64, bool) {
        match score(evidence).outcome {
            Outcome::Scored { score, passed } => (score.value(), passed),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_whole_walk_passes_with_full_score() {
        assert_eq!(value(&walk(&[], 6)), (1.0, true));
    }

    #[test]
    fn peer_defect_a_record_that_only_the_browser_kept_does_not_pass() {
        let (score, passed) = value(&walk(&[StepName::PersistsAfterRelogin], 6));
        assert!(!passed && (score - 5.0 / 6.0).abs() < 1e-9);
    }

    #[test]
    fn a_missing_log_out_does_not_cost_the_pass_and_is_shown() {
        let evidence = walk(&[StepName::Logout], 6);
        assert_eq!(value(&evidence), (1.0, true));
        let details = score(&evidence).details;
        assert_eq!(details.items[3].status, ItemStatus::Failed);
        assert!(details.items[3].fix.is_some());
    }

    #[test]
    fn a_refused_login_scores_zero_and_later_steps_count_as_not_reached() {
        let evidence = walk(&[StepName::InitialLogin], 1);
        assert_eq!(value(&evidence), (0.0, false));
        assert_eq!(score(&evidence).details.items[5].measured.as_deref(), Some("not reached"));
    }

    #[test]
    fn peer_defect_steps_that_were_not_reached_stay_in_the_denominator() {
        let (score, _) = value(&walk(&[StepName::Relogin], 5));
        assert!((score - 4.0 / 6.0).abs() < 1e-9);
    }

    #[test]
    fn a_wall_is_no_input_with_the_reason() {
        let wall = Some(Wall { kind: WallKind::Captcha, seen: "Turnstile stands before the login".into() });
        let outcome = score(&of(Lifecycle { wall, ..Lifecycle::default() })).outcome;
        assert!(
            matches!(&outcome, Outcome::NoInput { reason } if reason.contains("captcha") && reason.contains("Turnstile")),
            "{outcome:?}"
        );
    }

    #[test]
    fn a_record_left_behind_is_named_as_far_as_is_known() {
        let note = |failing: &[StepName]| {
            let mut evidence = walk(failing, 6);
            evidence.backend.value.as_mut().unwrap().left_behind = vec!["Bwf7x".into()];
            score(&evidence).details.notes[0].clone()
        };
        assert!(note(&[]).contains("`Bwf7x` could not be deleted again"));
        assert!(note(&[StepName::PersistsAfterRelogin]).contains("`Bwf7x` was not deleted again and may"));
    }
}
