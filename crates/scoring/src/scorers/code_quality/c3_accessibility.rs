//! # What it measures
//!
//! Accessibility faults that a machine can prove: axe-core scans the loaded page with its rules for WCAG 2.0, 2.1 and 2.2, levels A
//! and AA (tags `wcag2a`, `wcag2aa`, `wcag21a`, `wcag21aa`, `wcag22aa`), frames and open shadow roots included.
//!
//! # Why it matters
//!
//! A control without a name cannot be used with a screen reader, text without contrast cannot be read in the sun. These are also the
//! faults the law in many places asks about first.
//!
//! # How it is scored
//!
//! `per_1k = violating nodes / all elements × 1000`, and the score is `max(0, 1 − per_1k / 50)`: no faults give 1, fifty per thousand
//! elements give 0. An element that violates two rules counts under each of them. It passes when no rule is violated.
//!
//! What axe-core could not decide (text over a photo, say) is listed with its count and costs nothing. The severity of a rule is shown
//! but does not weigh: a missing label and a faint footnote cost the same.
//!
//! Two weaknesses belong to the formula itself. The scan sees one state of one page, and automatic rules find a third or so of real
//! faults: a score of 1 is a good sign, not a certificate. And dividing by the number of elements means that the same fault weighs less
//! on a larger page, so padding a page with empty elements would raise its score; the report therefore shows both numbers.
//!
//! # Where we differ
//!
//! The peer harness counts faults inside frames but not the elements of those frames; here both are counted. It scans the page in
//! whatever state an earlier test left; here it is a clean load.

use crate::evidence::axe::{Axe, ViolatingNode, Violation};
use crate::evidence::{Evidence, EvidenceKind};
use crate::scorers::Scorer;
use crate::scorers::words::{count, cut, rounded};
use benchwright_domain::{Assessment, Details, Item, ItemStatus, Outcome, Place, ScorerId, UnitScore};

/// The scorer.
pub static SCORER: Scorer = Scorer {
    id: ScorerId::C3,
    version: "1.0.0",
    since: "0.1.0",
    passed_title: "No accessibility faults were found",
    failed_title: "The page has accessibility faults",
    needs: &[EvidenceKind::Axe],
    source: include_str!("c3_accessibility.rs"),
    score,
};

/// Violations per thousand elements at which nothing is left, from the methodology.
const PER_1K_FOR_ZERO: f64 = 50.0;
/// Elements shown of each rule.
const SHOWN: usize = 10;

fn score(evidence: &Evidence) -> Assessment {
    match evidence.axe.get() {
        Ok(axe) if axe.total_nodes == 0 => {
            Outcome::Errored { reason: "axe-core saw no elements on a page that rendered".to_owned() }.into()
        }
        Ok(axe) => assess(axe),
        Err(outcome) => outcome.into(),
    }
}

fn assess(axe: &Axe) -> Assessment {
    let violating: usize = axe.violations.iter().map(|rule| rule.node_count).sum();
    let mut rules: Vec<&Violation> = axe.violations.iter().collect();
    rules.sort_by(|left, right| right.node_count.cmp(&left.node_count).then_with(|| left.id.cmp(&right.id)));
    let undecided: usize = axe.incomplete.values().sum();
    let mut details = Details::default()
        .fact("violating_nodes", violating)
        .fact("total_nodes", axe.total_nodes)
        .fact("violations_per_1k", rounded(per_1k(violating, axe.total_nodes), 2))
        .fact("violated_rules", axe.violations.len())
        .fact("undecided_nodes", undecided)
        .fact("frames", axe.frames)
        .items(rules.iter().map(|rule| item(rule, violating, axe.total_nodes)));
    for impact in ["critical", "serious", "moderate", "minor"] {
        let nodes: usize = rules.iter().filter(|rule| rule.impact == impact).map(|rule| rule.node_count).sum();
        details = details.fact(&format!("{impact}_nodes"), nodes);
    }
    if undecided > 0 {
        let rules: Vec<_> = axe.incomplete.iter().map(|(id, nodes)| format!("{id} ({nodes})")).collect();
        details = details.note(format!(
            "axe-core could not decide about {}, which cost nothing; look at them yourself: {}.",
            count(undecided, "element"),
            cut(&rules.join(", "), 300)
        ));
    }
    details = details
        .note("One state of one page was scanned; automatic rules find about a third of real accessibility faults.");
    Assessment::scored(score_of(violating, axe.total_nodes), axe.violations.is_empty(), details)
}

fn per_1k(violating: usize, total: usize) -> f64 {
    violating as f64 / total as f64 * 1000.0
}

fn score_of(violating: usize, total: usize) -> UnitScore {
    UnitScore::decay(per_1k(violating, total), 0.0, PER_1K_FOR_ZERO)
}

fn item(rule: &Violation, violating: usize, total: usize) -> Item {
    let without = score_of(violating.saturating_sub(rule.node_count), total);
    let mut item = Item::new(rule.id.clone(), ItemStatus::Failed, format!("Violated: {}", rule.help))
        .measured(count(rule.node_count, "element"))
        .expected("none")
        .fix(fix(rule))
        .severity(rule.impact.clone())
        .gain(without.value() - score_of(violating, total).value())
        .places(rule.nodes.iter().map(place), SHOWN);
    item.places_total = rule.node_count;
    item
}

fn place(node: &ViolatingNode) -> Place {
    Place::Element {
        selector: node.target.clone(),
        html: cut(&node.html, 300),
        note: (!node.summary.is_empty()).then(|| cut(&node.summary, 300)),
        shot: node.rect.map(|_| "full".to_owned()),
        rect: node.rect,
    }
}

fn fix(rule: &Violation) -> String {
    let advice = match rule.id.as_str() {
        "color-contrast" => {
            "Darken the text or lighten what is behind it until the ratio is at least 4.5:1 (3:1 from 24 px, or 18.66 px bold)."
        }
        "image-alt" | "input-image-alt" | "role-img-alt" | "svg-img-alt" => {
            "Give the image an `alt` text that says what it shows, or `alt=\"\"` if it is decoration."
        }
        "label" | "select-name" | "aria-input-field-name" => {
            "Tie a `<label>` to the field, or give it an `aria-label`; a placeholder is no label."
        }
        "button-name" | "link-name" | "aria-command-name" | "summary-name" => {
            "Give the control a text; for an icon alone, an `aria-label`."
        }
        "html-has-lang" | "html-lang-valid" => "Set the language of the page, such as `<html lang=\"en\">`.",
        "document-title" => "Give the page a `<title>` that says what it is.",
        "frame-title" => "Give the `<iframe>` a `title` that says what it holds.",
        "target-size" => "Make the control at least 24 by 24 pixels, or leave that much room around it.",
        "meta-viewport" => "Remove `user-scalable=no` and `maximum-scale` from the viewport meta tag.",
        "list" | "listitem" | "definition-list" | "dlitem" => {
            "Put only `<li>` into `<ul>` and `<ol>`, and every `<li>` into one of them."
        }
        "duplicate-id-aria" => "Give every element that a label or ARIA attribute refers to an id of its own.",
        "nested-interactive" => "Take the inner control out of the outer one.",
        "scrollable-region-focusable" => "Make the scrolling area reachable by keyboard with `tabindex=\"0\"`.",
        "link-in-text-block" => "Mark links within text by more than colour, such as an underline.",
        _ => return format!("Make it so that it holds: {}. Explained at {}", rule.help, rule.help_url),
    };
    format!("{advice} Explained at {}", rule.help_url)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Absence, Piece};
    use benchwright_domain::Rect;
    use std::collections::BTreeMap;

    fn rule(id: &str, nodes: usize) -> Violation {
        let node = ViolatingNode {
            target: "p".into(),
            html: "<p>".into(),
            summary: "Fix it".into(),
            rect: Some(Rect { x: 1.0, y: 2.0, width: 3.0, height: 4.0 }),
        };
        Violation {
            id: id.into(),
            impact: "serious".into(),
            help: "Elements must".into(),
            node_count: nodes,
            nodes: vec![node; nodes.min(50)],
            ..Violation::default()
        }
    }

    fn assessed(total_nodes: usize, violations: Vec<Violation>) -> Assessment {
        let axe = Axe { total_nodes, frames: 1, violations, ..Axe::default() };
        score(&Evidence { axe: Piece::present(axe, 1.0), ..Evidence::default() })
    }

    fn value(total_nodes: usize, violations: Vec<Violation>) -> f64 {
        assessed(total_nodes, violations).outcome.score().unwrap().value()
    }

    #[test]
    fn a_clean_page_scores_full_and_passes() {
        assert_eq!(assessed(40, vec![]).outcome, Outcome::scored(UnitScore::ONE, true));
    }

    #[test]
    fn the_published_formula_holds_at_its_marks() {
        assert!((value(40, vec![rule("color-contrast", 1)]) - 0.5).abs() < 1e-9);
        assert!((value(4000, vec![rule("color-contrast", 1)]) - 0.995).abs() < 1e-9);
        assert_eq!(value(1000, vec![rule("label", 50)]), 0.0);
        assert_eq!(value(1000, vec![rule("label", 900)]), 0.0);
    }

    #[test]
    fn an_element_under_two_rules_counts_under_each() {
        assert!((value(1000, vec![rule("label", 5), rule("color-contrast", 5)]) - 0.8).abs() < 1e-9);
    }

    #[test]
    fn rules_are_ordered_by_elements_and_carry_gain_severity_and_crops() {
        let details = assessed(1000, vec![rule("label", 5), rule("color-contrast", 20)]).details;
        assert_eq!(details.items.iter().map(|item| item.id.as_str()).collect::<Vec<_>>(), ["color-contrast", "label"]);
        let first = &details.items[0];
        assert!((first.gain.unwrap() - 0.4).abs() < 1e-9);
        assert_eq!(first.severity.as_deref(), Some("serious"));
        assert_eq!((first.places.len(), first.places_total), (10, 20));
        assert!(matches!(&first.places[0], Place::Element { shot: Some(shot), rect: Some(_), .. } if shot == "full"));
    }

    #[test]
    fn the_gain_of_a_rule_is_zero_when_the_rest_still_empties_the_score() {
        let details = assessed(100, vec![rule("label", 50), rule("list", 50)]).details;
        assert_eq!(details.items[0].gain, Some(0.0));
    }

    #[test]
    fn undecided_elements_are_told_apart_and_cost_nothing() {
        let incomplete = BTreeMap::from([("color-contrast".to_owned(), 7)]);
        let axe = Axe { total_nodes: 100, incomplete, ..Axe::default() };
        let assessment = score(&Evidence { axe: Piece::present(axe, 1.0), ..Evidence::default() });
        assert_eq!(assessment.outcome, Outcome::scored(UnitScore::ONE, true));
        assert!(assessment.details.notes[0].contains("color-contrast (7)"));
    }

    #[test]
    fn no_elements_and_no_evidence_are_not_a_score() {
        assert!(matches!(assessed(0, vec![]).outcome, Outcome::Errored { .. }));
        let absent = Evidence { axe: Piece::absent(Absence::NotRendered), ..Evidence::default() };
        assert!(matches!(score(&absent).outcome, Outcome::NoInput { .. }));
    }
}
