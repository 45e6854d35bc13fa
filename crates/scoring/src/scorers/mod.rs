//! The scorers. One scorer is one file: documented meaning, declared evidence, one pure function, tests below.
//! A scorer cannot await and does not know its weight.

pub(crate) mod address;
pub mod code_quality;
pub mod functional;
mod heard;
mod judged;
pub mod security;
pub mod visual;
pub(crate) mod words;

pub(crate) use words::cut;

use crate::evidence::{Evidence, EvidenceKind};
use benchwright_domain::{Assessment, ScorerId};

/// A scorer and everything a reader should know of it.
#[derive(Debug)]
pub struct Scorer {
    /// Published id.
    pub id: ScorerId,
    /// Version of its definition; raised when equal evidence could give another number.
    pub version: &'static str,
    /// First release that had it.
    pub since: &'static str,
    /// Title when the pass mark was reached.
    pub passed_title: &'static str,
    /// Title when it was not.
    pub failed_title: &'static str,
    /// Evidence it needs. What is not needed by any selected scorer is not gathered.
    pub needs: &'static [EvidenceKind],
    /// The text of its own file, whose leading doc comment is its documentation.
    pub source: &'static str,
    /// The scorer itself.
    pub score: fn(&Evidence) -> Assessment,
}

/// All scorers, in published order.
pub static SCORERS: [&Scorer; ScorerId::ALL.len()] = [
    &functional::f1_render_success::SCORER,
    &functional::f2_acceptance::SCORER,
    &functional::f4_functional_intent::SCORER,
    &functional::f5_runtime_errors::SCORER,
    &functional::f6_verbatim::SCORER,
    &functional::f7_auth_round_trip::SCORER,
    &functional::f8_cross_session_persistence::SCORER,
    &code_quality::c1_eslint_density::SCORER,
    &code_quality::c2_typescript_safety::SCORER,
    &code_quality::c3_accessibility::SCORER,
    &code_quality::c4_lighthouse_performance::SCORER,
    &code_quality::c5_bundle_payload::SCORER,
    &code_quality::c6_ast_complexity::SCORER,
    &code_quality::c7_maintainability::SCORER,
    &code_quality::c8_clean_install::SCORER,
    &code_quality::c9_seo_hygiene::SCORER,
    &visual::v1_visual_judge::SCORER,
    &visual::v2_design_heuristics::SCORER,
    &visual::v4_responsive_design::SCORER,
    &security::s1_secrets_and_headers::SCORER,
    &security::s2_client_security::SCORER,
    &security::s3_dependency_vulnerabilities::SCORER,
    &security::s4_backend_probes::SCORER,
];

/// The scorer with that id.
pub fn of(id: ScorerId) -> &'static Scorer {
    SCORERS[id as usize]
}

impl Scorer {
    /// Its documentation: the leading doc comment of its file, as Markdown.
    pub fn documentation(&self) -> String {
        self.source
            .lines()
            .map_while(|line| line.strip_prefix("//!"))
            .map(|line| line.strip_prefix(' ').unwrap_or(line))
            .collect::<Vec<_>>()
            .join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scorer_is_documented_under_the_four_headings_in_order() {
        for scorer in SCORERS {
            let documentation = scorer.documentation();
            let headings: Vec<_> = documentation.lines().filter(|line| line.starts_with('#')).collect();
            let expected = ["# What it measures", "# Why it matters", "# How it is scored", "# Where we differ"];
            assert_eq!(headings, expected, "{}", scorer.id);
        }
    }

    #[test]
    fn scorers_stand_in_published_order_with_two_titles_each() {
        assert_eq!(SCORERS.map(|scorer| scorer.id), ScorerId::ALL);
        assert_eq!(ScorerId::ALL.map(|id| of(id).id), ScorerId::ALL);
        for scorer in SCORERS {
            assert_ne!(scorer.passed_title, scorer.failed_title, "{}", scorer.id);
            assert!(scorer.needs.iter().all(|kind| EvidenceKind::ALL.contains(kind)) && !scorer.needs.is_empty());
        }
    }

    #[test]
    fn no_scorer_turns_missing_evidence_into_a_score() {
        for scorer in SCORERS {
            let outcome = (scorer.score)(&Evidence::default()).outcome;
            assert_eq!(outcome.score(), None, "{}", scorer.id);
            assert!(outcome.reason().is_some_and(|reason| !reason.is_empty()), "{}", scorer.id);
        }
    }
}
