//! # What it measures
//!
//! Whether the page fits a phone (360 × 800, with touch), a tablet (768 × 1024) and a desktop (1440 × 900) without sideways scrolling,
//! and whether fingers can hit its controls on the phone.
//!
//! # Why it matters
//!
//! Most visits come from phones. A page that slides sideways under the thumb or hides its buttons in 20 pixel squares is lost there.
//!
//! # How it is scored
//!
//! Four checks, `passed / 4`; it passes from 0.75. Each viewport is a load of its own.
//!
//! - Three times *no horizontal overflow*: the document is no more than 2 pixels wider than the layout viewport. When `overflow-x` of
//!   `<html>` or `<body>` is `hidden` or `clip`, what sticks out is cut off and the visitor cannot scroll there, so it does not count. A page
//!   that the phone lays out wider than its screen, as browsers do when the viewport meta tag is missing, overflows too.
//! - Once *touch targets*, on the phone: at most 20 % of the targets are smaller than 44 × 44 CSS pixels, measured to a tenth.
//!   Targets are links, buttons, fields, `summary` and elements with the role of a control. Left out are links within a sentence,
//!   disabled controls, controls inside other controls, and controls without a visible box. A field that has a label is measured by
//!   its label's box where that is easier to hit. A page without targets passes.
//!
//! Areas enlarged by pseudo-elements are not seen: give the control itself its size.
//!
//! # Where we differ
//!
//! The peer harness uses a narrow desktop window as its phone, counts inline links and visually hidden fields as small targets, reports
//! overflow that the page cuts off, and loses the whole run when one of the three loads fails.

use crate::evidence::viewports::{TouchTargets, VIEWPORTS, View, ViewportFacts, Viewports};
use crate::evidence::{Evidence, EvidenceKind};
use crate::scorers::Scorer;
use crate::scorers::words::{count, percent, rounded};
use benchwright_domain::{Assessment, Details, Item, ItemStatus, Outcome, ScorerId, UnitScore};

/// The scorer.
pub static SCORER: Scorer = Scorer {
    id: ScorerId::V4,
    version: "1.0.0",
    since: "0.1.0",
    passed_title: "The page adapts to phone, tablet and desktop",
    failed_title: "The page does not adapt to every screen",
    needs: &[EvidenceKind::Viewports],
    source: include_str!("v4_responsive_design.rs"),
    score,
};

const CHECKS: usize = 4;
const PASS: f64 = 0.75;
/// Pixels of overflow that nobody notices, from the methodology's harness.
const SLACK: f64 = 2.0;
const MAX_SMALL_SHARE: f64 = 0.2;
const SHOWN: usize = 10;

fn score(evidence: &Evidence) -> Assessment {
    match evidence.viewports.get() {
        Ok(viewports) => assess(viewports).unwrap_or_else(|reason| Outcome::Errored { reason }.into()),
        Err(outcome) => outcome.into(),
    }
}

fn assess(viewports: &Viewports) -> Result<Assessment, String> {
    let mut items = Vec::new();
    let mut details = Details::default();
    for spec in VIEWPORTS {
        let view = viewports.views.iter().find(|view| view.name == spec.name);
        let (view, facts) =
            view.and_then(|view| Some((view, view.facts.as_ref()?))).ok_or_else(|| missing(spec.name, view))?;
        items.push(overflow_item(view, facts));
        if spec.mobile {
            let targets = facts.targets.clone().unwrap_or_default();
            details = details
                .fact("touch_targets", targets.total)
                .fact("small_touch_targets", targets.small_total)
                .fact("inline_links_left_out", targets.inline_links);
            items.push(targets_item(view, &targets));
        }
        details = details.fact(&format!("{}_scroll_width", spec.name), facts.scroll_width);
        if facts.truncated {
            details = details
                .note(format!("The page is so large that only part of it was measured at the {} viewport.", spec.name));
        }
    }
    let passed = items.iter().filter(|item| item.status == ItemStatus::Passed).count();
    let score = UnitScore::ratio(passed, CHECKS);
    let details = details.fact("passed_checks", passed).fact("checks", CHECKS).items(items);
    Ok(Assessment::scored(score, score.value() >= PASS, details))
}

fn missing(name: &str, view: Option<&View>) -> String {
    let why = view.and_then(|view| view.failure.as_deref()).unwrap_or("it was not measured");
    format!("the page could not be measured at the {name} viewport: {why}")
}

fn overflow_item(view: &View, facts: &ViewportFacts) -> Item {
    let width = f64::from(view.width);
    let too_wide_layout = facts.client_width > width + SLACK;
    let sticks_out = facts.scroll_width > facts.client_width + SLACK;
    let clipped = [&facts.html_overflow_x, &facts.body_overflow_x]
        .iter()
        .any(|value| matches!(value.as_str(), "hidden" | "clip"));
    let holds = !too_wide_layout && (!sticks_out || clipped);
    let measured = if too_wide_layout {
        format!("laid out {} px wide on a {} px screen", facts.client_width, view.width)
    } else if sticks_out && clipped {
        format!("{} px wide, cut off at {} px", facts.scroll_width, facts.client_width)
    } else {
        format!("{} px wide", facts.scroll_width)
    };
    let fix = if too_wide_layout && facts.viewport_meta.is_none() {
        "Add `<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">` to the head."
    } else {
        "Let the elements shown shrink: `max-width: 100%` for media, wrapping for rows, `overflow-x: auto` around tables and code."
    };
    let places = facts.offenders.iter().filter(|_| !holds).map(|offender| {
        offender.element.place(&view.name, Some(format!("{} px beyond the edge", rounded(offender.overshoot, 1))))
    });
    let mut item = Item::check(
        &format!("{}_overflow", view.name),
        holds,
        &format!("No sideways scrolling at {} × {}", view.width, view.height),
        &format!("The page scrolls sideways at {} × {}", view.width, view.height),
    )
    .measured(measured)
    .expected(format!("at most {} px", view.width))
    .fix(fix)
    .places(places, SHOWN);
    if !holds {
        item.places_total = facts.offenders_total;
        item = item.gain(1.0 / CHECKS as f64);
    }
    item
}

fn targets_item(view: &View, targets: &TouchTargets) -> Item {
    let share = if targets.total == 0 { 0.0 } else { targets.small_total as f64 / targets.total as f64 };
    let holds = share <= MAX_SMALL_SHARE;
    let places = targets
        .small
        .iter()
        .map(|target| target.element.place(&view.name, Some(format!("{} × {} px", target.width, target.height))));
    let measured = if targets.total == 0 {
        "no touch targets".to_owned()
    } else {
        format!("{} of {} too small ({})", targets.small_total, count(targets.total, "target"), percent(share))
    };
    let mut item =
        Item::check("touch_targets", holds, "Fingers can hit the controls", "Many controls are too small for fingers")
            .measured(measured)
            .expected("at most 20 % smaller than 44 × 44 px")
            .fix("Give the controls shown `min-height: 44px; min-width: 44px`, with padding rather than larger text.")
            .places(places, SHOWN);
    item.places_total = targets.small_total;
    if holds { item } else { item.gain(1.0 / CHECKS as f64) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Piece;
    use crate::evidence::element::SeenElement;
    use crate::evidence::viewports::{Offender, SmallTarget};
    use benchwright_domain::Place;

    fn good() -> Viewports {
        let views = VIEWPORTS
            .iter()
            .map(|spec| View {
                name: spec.name.to_owned(),
                width: spec.width,
                height: spec.height,
                facts: Some(ViewportFacts {
                    client_width: f64::from(spec.width),
                    scroll_width: f64::from(spec.width),
                    html_overflow_x: "visible".to_owned(),
                    body_overflow_x: "visible".to_owned(),
                    targets: spec.mobile.then(|| targets(10, 2)),
                    ..ViewportFacts::default()
                }),
                ..View::default()
            })
            .collect();
        Viewports { version: 1, views }
    }

    fn targets(total: usize, small: usize) -> TouchTargets {
        let target = SmallTarget { element: SeenElement::default(), width: 20.0, height: 20.0 };
        TouchTargets { total, small_total: small, small: vec![target; small.min(50)], ..TouchTargets::default() }
    }

    fn spoiled(index: usize, spoil: impl Fn(&mut ViewportFacts)) -> Assessment {
        let mut viewports = good();
        spoil(viewports.views[index].facts.as_mut().unwrap());
        score(&Evidence { viewports: Piece::present(viewports, 1.0), ..Evidence::default() })
    }

    fn value(assessment: &Assessment) -> f64 {
        assessment.outcome.score().unwrap().value()
    }

    #[test]
    fn a_page_that_fits_everywhere_scores_full() {
        assert_eq!(spoiled(0, |_| ()).outcome, Outcome::scored(UnitScore::ONE, true));
    }

    #[test]
    fn two_pixels_of_overflow_are_tolerated_and_three_are_not() {
        assert_eq!(value(&spoiled(0, |facts| facts.scroll_width = 362.0)), 1.0);
        assert_eq!(spoiled(0, |facts| facts.scroll_width = 363.0).outcome, Outcome::scored(UnitScore::new(0.75), true));
    }

    #[test]
    fn peer_defect_clipped_overflow_does_not_count() {
        for value_of in ["hidden", "clip"] {
            let body = spoiled(1, |facts| {
                facts.scroll_width = 900.0;
                value_of.clone_into(&mut facts.body_overflow_x);
            });
            assert_eq!(value(&body), 1.0);
        }
        let scrolls = spoiled(1, |facts| {
            facts.scroll_width = 900.0;
            "auto".clone_into(&mut facts.html_overflow_x);
        });
        assert_eq!(value(&scrolls), 0.75);
    }

    #[test]
    fn a_phone_layout_wider_than_the_phone_overflows_even_when_clipped() {
        let assessment = spoiled(0, |facts| {
            facts.client_width = 980.0;
            facts.scroll_width = 980.0;
            "hidden".clone_into(&mut facts.body_overflow_x);
        });
        assert_eq!(value(&assessment), 0.75);
        assert!(assessment.details.items[0].fix.as_deref().unwrap().contains("viewport"));
    }

    #[test]
    fn a_fifth_of_the_targets_may_be_small() {
        assert_eq!(value(&spoiled(0, |facts| facts.targets = Some(targets(10, 2)))), 1.0);
        assert_eq!(value(&spoiled(0, |facts| facts.targets = Some(targets(10, 3)))), 0.75);
        assert_eq!(value(&spoiled(0, |facts| facts.targets = Some(targets(0, 0)))), 1.0);
    }

    #[test]
    fn what_sticks_out_is_shown_on_the_shot_of_its_viewport() {
        let assessment = spoiled(0, |facts| {
            facts.scroll_width = 600.0;
            facts.offenders = vec![Offender { element: SeenElement::default(), overshoot: 240.0 }];
            facts.offenders_total = 31;
        });
        let item = &assessment.details.items[0];
        assert_eq!((item.id.as_str(), item.places_total, item.gain), ("mobile_overflow", 31, Some(0.25)));
        assert!(matches!(&item.places[0], Place::Element { shot: Some(shot), .. } if shot == "mobile"));
    }

    #[test]
    fn peer_defect_a_viewport_that_could_not_be_loaded_is_an_error_of_this_scorer_alone() {
        let mut viewports = good();
        viewports.views[1].facts = None;
        viewports.views[1].failure = Some("the server closed the connection".to_owned());
        let outcome = score(&Evidence { viewports: Piece::present(viewports, 1.0), ..Evidence::default() }).outcome;
        assert!(
            matches!(outcome, Outcome::Errored { reason } if reason.contains("tablet") && reason.contains("closed"))
        );
    }
}
