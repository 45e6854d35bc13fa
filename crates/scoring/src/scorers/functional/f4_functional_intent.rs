//! # What it measures
//!
//! Whether the app is the one that was asked for, in the eyes of a language model that reads the prompt and looks at the page.
//!
//! # Why it matters
//!
//! A page can pass every mechanical check and still be about something else, stop half-way, or be filled with words that fit any product.
//!
//! # How it is scored
//!
//! A judge sees the prompt, the names of its acceptance criteria, the start of the visible text, and three screenshots: the first view on a
//! desktop (1440 × 900), the first view on a phone (360 × 800), and the desktop scrolled half-way down. It rates each criterion from 1 to 5:
//!
//! | criterion | asks |
//! |---|---|
//! | `intent_match` | is it the app that was described? |
//! | `feature_completeness` | how much of what was asked for is there? |
//! | `content_relevance` | are words and data about this very product? |
//! | `flow_coherence` | would a newcomer know what to do? |
//!
//! `functional_checklist.extra` in the prompt adds criteria; one with a published id replaces it. `score = (mean − 1) / 4`; it passes at 0.5,
//! the middle of the scale. What the judge misses is listed beside the score, without weight.
//!
//! With two judges each criterion counts with the mean of both, and their agreement is given as Krippendorff's α. Where they differ by more
//! than one point, a third judge, if one is named, is asked about just that criterion, and the median of the three counts. An answer counts
//! only if it rates every criterion exactly once with a whole number and a reason; otherwise the judge is told what was wrong and asked
//! again, twice at most. Without a prompt or without a key there is no score.
//!
//! # Where we differ
//!
//! The peer harness tells the judge which tool built the app; we withhold its name and the address (a builder's badge in
//! a screenshot stays visible, since the page is judged as visitors see it). It accepts answers with missing and invented criteria, so
//! that one rating of 5 can make a full score, and asks unusable answers only once. It sends text of the page unguarded; here it stands between marks
//! that the page cannot know, with a warning, and words that seem meant for the judge are reported. It records no dollars for some judges;
//! here every call is in the evidence, and a budget stops before it is passed.

use crate::evidence::{Evidence, EvidenceKind};
use crate::scorers::{Scorer, judged};
use benchwright_domain::{Assessment, ScorerId};

/// The scorer.
pub static SCORER: Scorer = Scorer {
    id: ScorerId::F4,
    version: "1.0.0",
    since: "0.1.0",
    passed_title: "The app is what was asked for",
    failed_title: "The app is not quite what was asked for",
    needs: &[EvidenceKind::Intent, EvidenceKind::Load, EvidenceKind::Viewports, EvidenceKind::Scroll],
    source: include_str!("f4_functional_intent.rs"),
    score,
};

const FIX: &str = "read the prompt again beside the page, and change what the judge names below.";

fn score(evidence: &Evidence) -> Assessment {
    match evidence.intent.get() {
        Ok(judgement) => {
            let mut assessment = judged::assess(judgement, FIX);
            let before_calls = assessment.details.items.len().saturating_sub(1);
            assessment.details.items.splice(before_calls..before_calls, judged::missing_features(judgement));
            assessment
        }
        Err(outcome) => judged::without_judgement(&evidence.intent, outcome),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Absence, Piece};
    use crate::scorers::judged::tests::{judgement, opinion};
    use benchwright_domain::{ItemStatus, Outcome};

    #[test]
    fn ratings_become_a_score_and_what_is_missing_is_listed_beside_it() {
        let mut judged = judgement(vec![opinion("google/gemini", &[5, 3, 4, 4])]);
        judged.judges[0].missing_features = vec!["a search box".to_owned()];
        let assessment = score(&Evidence { intent: Piece::present(judged, 2.0), ..Evidence::default() });
        assert!((assessment.outcome.score().unwrap().value() - 0.75).abs() < 1e-12);
        assert_eq!(assessment.details.items.len(), 6);
        let [.., missing, calls] = assessment.details.items.as_slice() else { panic!("five items and the calls") };
        assert_eq!(calls.id, "calls");
        assert_eq!((missing.title.as_str(), missing.status), ("A judge misses: a search box", ItemStatus::Info));
    }

    #[test]
    fn without_a_key_there_is_no_input_and_not_a_zero() {
        let intent = Piece::absent(Absence::NoInput { reason: "set OPENROUTER_API_KEY".to_owned() });
        let outcome = score(&Evidence { intent, ..Evidence::default() }).outcome;
        assert_eq!(outcome, Outcome::NoInput { reason: "set OPENROUTER_API_KEY".to_owned() });
    }
}
