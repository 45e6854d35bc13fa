//! # What it measures
//!
//! Functions that are hard to follow: those whose cognitive complexity, as SonarSource defines it and `eslint-plugin-sonarjs` counts it, is over 15.
//! The files are those of C1, and so is the parse.
//!
//! # Why it matters
//!
//! Cognitive complexity grows with every branch and, faster, with every branch inside another. A function over 15 takes a reader several attempts,
//! and whoever changes it next, person or model, breaks it more easily.
//!
//! # How it is scored
//!
//! `violations per 1k = functions over 15 / LOC × 1000`; score = `max(0, 1 − violations per 1k / 10)`. LOC are the lines of the examined files that are
//! not blank. It passes when no function is over 15. Files are left out as in C1. A file that cannot be parsed has no functions anybody could
//! count; C1 counts it as an error.
//!
//! # Where we differ
//!
//! The peer harness examines `.js` and `.mjs` only, though it divides by the lines of all files: the same function of complexity 52 scores 0 as `.js`
//! and 1 as `.ts`, `.tsx` or `.jsx`. JavaScript that holds JSX does not parse there and counts as simple.

use super::source_findings::{SHOWN_PLACES, density_score, per_thousand, skipped_notes};
use crate::evidence::lint::{Hotspot, Lint};
use crate::evidence::{Evidence, EvidenceKind};
use crate::scorers::Scorer;
use crate::scorers::words::{count, cut, rounded};
use benchwright_domain::{Assessment, Details, Item, Place, ScorerId};

/// The scorer.
pub static SCORER: Scorer = Scorer {
    id: ScorerId::C6,
    version: "1.0.0",
    since: "0.1.0",
    passed_title: "Every function can be followed",
    failed_title: "Some functions are too complex to follow",
    needs: &[EvidenceKind::Lint],
    source: include_str!("c6_ast_complexity.rs"),
    score,
};

/// Violations per 1,000 lines that leave nothing of the score, from the methodology.
const EMPTY: f64 = 10.0;

fn score(evidence: &Evidence) -> Assessment {
    match evidence.lint.get() {
        Ok(lint) => assess(lint),
        Err(outcome) => outcome.into(),
    }
}

fn assess(lint: &Lint) -> Assessment {
    let violations = lint.complexity.violations;
    let score = density_score(violations as f64, lint.loc, EMPTY);
    let highest = lint.complexity.hotspots.iter().map(|hotspot| hotspot.complexity).max();
    let mut details = Details::default()
        .fact("files", lint.files)
        .fact("loc", lint.loc)
        .fact("functions_over_limit", violations)
        .fact("complexity_limit", lint.complexity.limit)
        .fact("violations_per_1k_loc", rounded(per_thousand(violations as f64, lint.loc), 3))
        .item(complexity_item(lint, 1.0 - score.value()));
    if let Some(highest) = highest {
        details = details.fact("highest_complexity", highest);
    }
    Assessment::scored(score, violations == 0, skipped_notes(&lint.skipped).fold(details, Details::note))
}

fn complexity_item(lint: &Lint, lost: f64) -> Item {
    let (violations, limit) = (lint.complexity.violations, lint.complexity.limit);
    let holds = violations == 0;
    let failed = format!("{} over a cognitive complexity of {limit}", count(violations, "function"));
    let passed = format!("No function is over a cognitive complexity of {limit}");
    let mut item = Item::check("cognitive_complexity", holds, &passed, &failed)
        .measured(count(violations, "function"))
        .expected(format!("none over {limit}"))
        .fix("Start with the first place: take inner blocks out into functions with names, and return early in place of nesting.")
        .places(lint.complexity.hotspots.iter().map(place), SHOWN_PLACES);
    item.places_total = violations;
    if holds { item } else { item.gain(rounded(lost, 6)) }
}

fn place(hotspot: &Hotspot) -> Place {
    Place::Code {
        file: cut(&hotspot.file, 300),
        line: hotspot.line,
        column: Some(hotspot.column),
        text: format!("cognitive complexity {}", hotspot.complexity),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Piece;
    use crate::evidence::lint::Complexity;
    use benchwright_domain::Outcome;

    fn assessed(complexities: &[u32], loc: usize) -> Assessment {
        let hotspots = complexities
            .iter()
            .map(|complexity| Hotspot { file: "src/App.tsx".to_owned(), line: 4, column: 1, complexity: *complexity })
            .collect();
        let complexity = Complexity { limit: 15, violations: complexities.len(), hotspots };
        let lint = Lint { files: 1, loc, complexity, ..Lint::default() };
        score(&Evidence { lint: Piece::present(lint, 1.0), ..Evidence::default() })
    }

    #[test]
    fn the_marks_of_the_methodology() {
        for (violations, loc, expected) in
            [(0, 100, 1.0), (1, 1000, 0.9), (5, 1000, 0.5), (10, 1000, 0.0), (1, 50, 0.0)]
        {
            let value = assessed(&vec![20; violations], loc).outcome.score().unwrap().value();
            assert!((value - expected).abs() < 1e-9, "{violations} in {loc}");
        }
    }

    #[test]
    fn one_function_over_the_limit_fails_and_is_shown_with_its_complexity() {
        let assessment = assessed(&[52], 10_000);
        assert!(matches!(assessment.outcome, Outcome::Scored { passed: false, .. }));
        let item = &assessment.details.items[0];
        assert_eq!(item.title, "1 function over a cognitive complexity of 15");
        assert!(matches!(&item.places[0], Place::Code { line: 4, text, .. } if text == "cognitive complexity 52"));
        assert_eq!(assessment.details.facts["highest_complexity"], 52);
    }

    #[test]
    fn simple_code_passes_without_anything_to_gain() {
        let assessment = assessed(&[], 400);
        assert!(matches!(assessment.outcome, Outcome::Scored { passed: true, .. }));
        assert_eq!((assessment.details.items[0].gain, assessment.details.items[0].fix.clone()), (None, None));
    }
}
