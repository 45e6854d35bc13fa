//! # What it measures
//!
//! Accessibility faults that a machine can prove: axe-core scans the loaded page with its rules for WCAG 2.0, 2.1 and 2.2, levels A
//! and AA (tags `wcag2a`, `wcag2aa`, `wcag21a`, `wcag21aa`, `wcag22aa`), frames and open shadow roots included. Further routes that were
//! named (`--routes`) are scanned in the same way.
//!
//! # Why it matters
//!
//! A control without a name cannot be used with a screen reader, text without contrast cannot be read in the sun. These are also the
//! faults the law in many places asks about first.
//!
//! # How it is scored
//!
//! `per_1k = violating nodes / all elements × 1000`, and the score is `max(0, 1 − per_1k / 50)`: no faults give 1, fifty per thousand
//! elements give 0. An element that violates two rules counts under each of them. It passes when no rule is violated. With further
//! routes, the faults and the elements of all of them are added up; a route on which axe-core cannot be run makes the outcome an error,
//! and a route that answers with an error is left to F5.
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
use crate::evidence::routes::screenshot_name;
use crate::evidence::{Evidence, EvidenceKind};
use crate::scorers::Scorer;
use crate::scorers::words::{count, cut, rounded};
use benchwright_domain::{Assessment, Details, Item, ItemStatus, Outcome, Place, ScorerId, UnitScore};
use std::collections::BTreeMap;

/// The scorer.
pub static SCORER: Scorer = Scorer {
    id: ScorerId::C3,
    version: "1.1.0",
    since: "0.1.0",
    passed_title: "No accessibility faults were found",
    failed_title: "The page has accessibility faults",
    needs: &[EvidenceKind::Axe, EvidenceKind::Routes],
    source: include_str!("c3_accessibility.rs"),
    score,
};

/// Violations per thousand elements at which nothing is left, from the methodology.
const PER_1K_FOR_ZERO: f64 = 50.0;
/// Elements shown of each rule.
const SHOWN: usize = 10;

/// One scan: of the page itself, or of a further route.
struct Scan<'a> {
    route: Option<&'a str>,
    axe: &'a Axe,
}

/// A violated rule, over all scans.
struct Broken<'a> {
    rule: &'a Violation,
    node_count: usize,
    places: Vec<Place>,
}

fn score(evidence: &Evidence) -> Assessment {
    match scans(evidence) {
        Ok(scans) => assess(&scans),
        Err(outcome) => outcome.into(),
    }
}

fn scans(evidence: &Evidence) -> Result<Vec<Scan<'_>>, Outcome> {
    let mut scans = vec![Scan { route: None, axe: evidence.axe.get()? }];
    let routes = match evidence.routes.get() {
        Ok(routes) => &routes.routes[..],
        Err(Outcome::NotApplicable { .. }) => &[],
        Err(outcome) => return Err(outcome),
    };
    for route in routes {
        if let Some(failure) = &route.axe_failure {
            return Err(Outcome::Errored { reason: format!("axe-core could not be run on {}: {failure}", route.path) });
        }
        scans.extend(route.axe.as_ref().map(|axe| Scan { route: Some(&route.path), axe }));
    }
    if scans.iter().any(|scan| scan.axe.total_nodes == 0) {
        return Err(Outcome::Errored { reason: "axe-core saw no elements on a page that rendered".to_owned() });
    }
    Ok(scans)
}

fn assess(scans: &[Scan<'_>]) -> Assessment {
    let total = scans.iter().map(|scan| scan.axe.total_nodes).sum();
    let rules = broken_rules(scans);
    let violating: usize = rules.iter().map(|broken| broken.node_count).sum();
    let undecided = undecided(scans);
    let mut details = Details::default()
        .fact("violating_nodes", violating)
        .fact("total_nodes", total)
        .fact("violations_per_1k", rounded(per_1k(violating, total), 2))
        .fact("violated_rules", rules.len())
        .fact("undecided_nodes", undecided.values().sum::<usize>())
        .fact("frames", scans.iter().map(|scan| scan.axe.frames).sum::<usize>())
        .fact("routes", scans.len() - 1)
        .items(rules.iter().map(|broken| item(broken, violating, total)));
    for impact in ["critical", "serious", "moderate", "minor"] {
        let nodes: usize = rules.iter().filter(|broken| broken.rule.impact == impact).map(|b| b.node_count).sum();
        details = details.fact(&format!("{impact}_nodes"), nodes);
    }
    if !undecided.is_empty() {
        let rules: Vec<_> = undecided.iter().map(|(id, nodes)| format!("{id} ({nodes})")).collect();
        details = details.note(format!(
            "axe-core could not decide about {}, which cost nothing; look at them yourself: {}.",
            count(undecided.values().sum(), "element"),
            cut(&rules.join(", "), 300)
        ));
    }
    let pages = if scans.len() == 1 { "page was" } else { "page and of each route was" };
    details = details.note(format!(
        "One state of the {pages} scanned; automatic rules find about a third of real accessibility faults."
    ));
    Assessment::scored(score_of(violating, total), rules.is_empty(), details)
}

/// The violated rules, those with the most elements first.
fn broken_rules<'a>(scans: &[Scan<'a>]) -> Vec<Broken<'a>> {
    let mut by_id: BTreeMap<&str, Broken<'a>> = BTreeMap::new();
    for scan in scans {
        for rule in &scan.axe.violations {
            let broken = by_id.entry(&rule.id).or_insert(Broken { rule, node_count: 0, places: Vec::new() });
            broken.node_count += rule.node_count;
            broken.places.extend(rule.nodes.iter().map(|node| place(node, scan.route)));
        }
    }
    let mut rules: Vec<_> = by_id.into_values().collect();
    rules.sort_by_key(|broken| std::cmp::Reverse(broken.node_count));
    rules
}

fn undecided<'a>(scans: &[Scan<'a>]) -> BTreeMap<&'a str, usize> {
    let mut undecided = BTreeMap::new();
    for (id, nodes) in scans.iter().flat_map(|scan| &scan.axe.incomplete) {
        *undecided.entry(id.as_str()).or_default() += nodes;
    }
    undecided
}

fn per_1k(violating: usize, total: usize) -> f64 {
    violating as f64 / total as f64 * 1000.0
}

fn score_of(violating: usize, total: usize) -> UnitScore {
    UnitScore::decay(per_1k(violating, total), 0.0, PER_1K_FOR_ZERO)
}

fn item(broken: &Broken<'_>, violating: usize, total: usize) -> Item {
    let rule = broken.rule;
    let without = score_of(violating.saturating_sub(broken.node_count), total);
    let mut item = Item::new(rule.id.clone(), ItemStatus::Failed, format!("Violated: {}", rule.help))
        .measured(count(broken.node_count, "element"))
        .expected("none")
        .fix(fix(rule))
        .severity(rule.impact.clone())
        .gain(without.value() - score_of(violating, total).value())
        .places(broken.places.iter().cloned(), SHOWN);
    item.places_total = broken.node_count;
    item
}

fn place(node: &ViolatingNode, route: Option<&str>) -> Place {
    let told = [route.map(|route| format!("On {route}.")), (!node.summary.is_empty()).then(|| node.summary.clone())];
    let note = told.into_iter().flatten().collect::<Vec<_>>().join(" ");
    Place::Element {
        selector: node.target.clone(),
        html: cut(&node.html, 300),
        note: (!note.is_empty()).then(|| cut(&note, 300)),
        shot: node.rect.map(|_| route.map_or_else(|| "full".to_owned(), screenshot_name)),
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
    use crate::evidence::routes::Route;
    use crate::evidence::{Absence, Piece, Routes};
    use benchwright_domain::Rect;

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

    fn with_routes(routes: Vec<Route>) -> Assessment {
        let page = Axe { total_nodes: 100, frames: 1, violations: vec![rule("label", 1)], ..Axe::default() };
        let routes = Routes { routes, ..Routes::default() };
        let axe = Piece::present(page, 1.0);
        score(&Evidence { axe, routes: Piece::present(routes, 1.0), ..Evidence::default() })
    }

    #[test]
    fn faults_and_elements_of_further_routes_are_added_up_and_say_where_they_are() {
        let axe = Axe { total_nodes: 300, violations: vec![rule("label", 3)], ..Axe::default() };
        let route = Route { path: "/prices".into(), axe: Some(axe), ..Route::default() };
        let assessment = with_routes(vec![route]);
        assert_eq!(assessment.details.facts["violations_per_1k"], 10.0);
        assert!((assessment.outcome.score().unwrap().value() - 0.8).abs() < 1e-9);
        let item = &assessment.details.items[0];
        assert_eq!((item.places.len(), item.places_total), (4, 4));
        let Place::Element { note: Some(note), shot: Some(shot), .. } = &item.places[1] else { panic!() };
        assert_eq!((note.as_str(), shot.as_str()), ("On /prices. Fix it", "route /prices"));
    }

    #[test]
    fn a_route_that_answers_with_an_error_is_left_out_and_one_that_axe_fails_on_is_an_error() {
        let gone = Route { path: "/gone".into(), failure: Some("404".into()), ..Route::default() };
        assert_eq!(with_routes(vec![gone]).details.facts["total_nodes"], 100);
        let broken = Route { path: "/x".into(), axe_failure: Some("too slow".into()), ..Route::default() };
        let Outcome::Errored { reason } = with_routes(vec![broken]).outcome else { panic!() };
        assert!(reason.contains("/x") && reason.contains("too slow"), "{reason}");
    }

    #[test]
    fn no_elements_and_no_evidence_are_not_a_score() {
        assert!(matches!(assessed(0, vec![]).outcome, Outcome::Errored { .. }));
        let absent = Evidence { axe: Piece::absent(Absence::NotRendered), ..Evidence::default() };
        assert!(matches!(score(&absent).outcome, Outcome::NoInput { .. }));
    }
}
