//! # What it measures
//!
//! How the page looks, in the eyes of a language model that can see.
//!
//! # Why it matters
//!
//! Rules find low contrast and small type. They do not find a page that is correct, dull and untrustworthy, and visitors do at once.
//!
//! # How it is scored
//!
//! A judge sees the first view on a desktop (1440 × 900), the first view on a phone (360 × 800), the desktop scrolled half-way down, the
//! start of the visible text, and the prompt where there is one. It rates each criterion from 1 to 5, where 3 is a sound page that looks like
//! an untouched template:
//!
//! | criteria | asked |
//! |---|---|
//! | `visual_hierarchy`, `typography`, `color_harmony`, `whitespace`, `brand_fit`, `cta_prominence`, `mobile_layout`, `overall_polish` | always |
//! | `copy_specificity`, `no_fabricated_trust`, `cta_clarity` | unless the prompt says `placeholder_copy` |
//! | `visual_checklist.extra` | when the prompt has it; a published id replaces the published question |
//!
//! `score = (mean − 1) / 4`; it passes at 0.5. Two judges, arbitration and refused answers are handled as in F4. Screenshots are scaled to at
//! most 1024 pixels on their long side and encoded anew.
//!
//! # Where we differ
//!
//! The peer harness asks two models by default and one by setting, keeps no record of tokens or dollars, and counts whatever criteria come
//! back, so that one answered criterion can make a full score. Its `cta_clarity` punishes wording that a prompt demands word for word; ours
//! says that such wording is never held against the page. The published method names one model; so do we by default, and a second and a
//! third can be added.

use crate::evidence::{Evidence, EvidenceKind};
use crate::scorers::{Scorer, judged};
use benchwright_domain::{Assessment, ScorerId};

/// The scorer.
pub static SCORER: Scorer = Scorer {
    id: ScorerId::V1,
    version: "1.0.0",
    since: "0.1.0",
    passed_title: "The page looks good to a judge",
    failed_title: "The page does not look good to a judge",
    needs: &[EvidenceKind::Looks, EvidenceKind::Load, EvidenceKind::Viewports, EvidenceKind::Scroll],
    source: include_str!("v1_visual_judge.rs"),
    score,
};

const FIX: &str = "open the screenshots, find what the judge names below, and change that first.";

fn score(evidence: &Evidence) -> Assessment {
    match evidence.looks.get() {
        Ok(judgement) => judged::assess(judgement, FIX),
        Err(outcome) => judged::without_judgement(&evidence.looks, outcome),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Absence, Piece};
    use crate::scorers::judged::tests::{judgement, opinion};

    #[test]
    fn eleven_ratings_become_one_score() {
        let judged = judgement(vec![opinion("google/gemini", &[3, 3, 3, 3, 3, 3, 3, 3, 5, 5, 5])]);
        let assessment = score(&Evidence { looks: Piece::present(judged, 2.0), ..Evidence::default() });
        let expected = (39.0 / 11.0 - 1.0) / 4.0;
        assert!((assessment.outcome.score().unwrap().value() - expected).abs() < 1e-12);
        assert_eq!(assessment.details.items.iter().filter(|item| item.id != "calls").count(), 11);
    }

    #[test]
    fn a_page_that_did_not_render_has_no_looks() {
        let outcome = score(&Evidence { looks: Piece::absent(Absence::NotRendered), ..Evidence::default() }).outcome;
        assert_eq!(outcome.score(), None);
    }
}
