//! # What it measures
//!
//! Whether the app does what its prompt asked for. Every prompt lists criteria that must hold and criteria that should; each is walked in
//! a real browser: set something up (fill, click, press, reload, run a script, wait, bring up the login form), find elements by role,
//! label or text, and check that they are visible, counted, filled in, ticked, focused or in their place.
//!
//! # Why it matters
//!
//! A page can be handsome, quick and free of errors and still not be the app that was ordered. This is the scorer that looks for the
//! ordered features one by one, which is why it weighs more than any other.
//!
//! # How it is scored
//!
//! `(must + 0.5 × should) / (all must + 0.5 × all should)`, counting the criteria that hold. It passes when every criterion that must hold
//! does. A prompt without criteria makes it not applicable.
//!
//! Every criterion starts in a fresh browser context, with no cookies, no storage and the page just loaded, unless the prompt chains it to
//! the one before it (`chain: true`). Assertions are looked at again and again until they hold or 5 seconds are over; so is every setup
//! step. Where several elements match, the first counts; `toBeHidden` asks that none of them shows. What could hold only because the page
//! is not done yet (an exact count, something hidden, anything negated) must still hold once the network has been silent for a
//! moment. `boundingBox` compares a side of the first element's box in the window; `stickyAfterScroll` asks that it is within 50 pixels
//! of the window's top before and after the page is scrolled by 600.
//!
//! A mistake in the prompt itself (an unknown assertion, a locator that cannot be read) is an error with line and column before anything
//! runs, and never a point lost by the app.
//!
//! # Where we differ
//!
//! The peer harness runs locators as JavaScript in its own process; here they are read by a grammar and never run. It walks all
//! criteria on one page, so that one criterion's clicks, storage and address are the next one's start; its prompt files run here
//! unchanged, but each criterion starts afresh, and a file that relies on the old way says `chain: true`. It knows three assertions and
//! counts a criterion with any other as the app's failure. It takes the count of the very moment. Its `stickyAfterScroll` is satisfied by
//! any element that starts at the top, even one that scrolls away. Without `must_have` it neither passes nor fails; here it passes.

use crate::evidence::acceptance::{Acceptance, Failure, Step, Walked, Weight};
use crate::evidence::{Evidence, EvidenceKind};
use crate::prompt::{Assertion, Criterion, CustomCheck, Prompt};
use crate::scorers::Scorer;
use crate::scorers::words::cut;
use benchwright_domain::{Assessment, Details, Item, Outcome, Place, Rect, ScorerId, UnitScore};

/// The scorer.
pub static SCORER: Scorer = Scorer {
    id: ScorerId::F2,
    version: "1.0.0",
    since: "0.2.0",
    passed_title: "The app does what it must",
    failed_title: "The app does not do everything it must",
    needs: &[EvidenceKind::Acceptance],
    source: include_str!("f2_acceptance.rs"),
    score,
};

/// What a criterion that should hold counts, from the methodology.
const SHOULD: f64 = 0.5;
const SHOWN: usize = 5;
const TEXT_LIMIT: usize = 300;

fn score(evidence: &Evidence) -> Assessment {
    match evidence.acceptance.get() {
        Ok(acceptance) => assess(acceptance, evidence.prompt.as_ref()),
        Err(outcome) => outcome.into(),
    }
}

fn assess(acceptance: &Acceptance, prompt: Option<&Prompt>) -> Assessment {
    let of = |weight| acceptance.criteria.iter().filter(move |walked| walked.weight == weight);
    let held = |weight| of(weight).filter(|walked| walked.failure.is_none()).count();
    let (must, should) = (of(Weight::Must).count(), of(Weight::Should).count());
    let (must_held, should_held) = (held(Weight::Must), held(Weight::Should));
    let total = must as f64 + SHOULD * should as f64;
    if total == 0.0 {
        return Outcome::NotApplicable { reason: "the prompt has no acceptance criteria".to_owned() }.into();
    }
    let score = UnitScore::new((must_held as f64 + SHOULD * should_held as f64) / total);
    let details = Details::default()
        .fact("must_total", must)
        .fact("must_passed", must_held)
        .fact("should_total", should)
        .fact("should_passed", should_held)
        .items(acceptance.criteria.iter().map(|walked| item(walked, criterion(prompt, &walked.id), total)));
    Assessment::scored(score, must_held == must, details)
}

fn criterion<'a>(prompt: Option<&'a Prompt>, id: &str) -> Option<&'a Criterion> {
    let prompt = prompt?;
    prompt.must_have.iter().chain(&prompt.should_have).find(|criterion| criterion.id == id)
}

fn item(walked: &Walked, criterion: Option<&Criterion>, total: f64) -> Item {
    let (kind, weight) = match walked.weight {
        Weight::Must => ("must", 1.0),
        Weight::Should => ("should", SHOULD),
    };
    let (holds, fails) = match criterion.and_then(|criterion| criterion.title.as_deref()) {
        Some(title) => (cut(title, 200), format!("Not so: {}", cut(title, 200))),
        None => (format!("`{}` holds, as it {kind}", walked.id), format!("`{}` does not hold, but {kind}", walked.id)),
    };
    let mut item = Item::check(&walked.id, walked.failure.is_none(), &holds, &fails).severity(kind);
    if let Some(criterion) = criterion {
        item = item.expected(expectation(criterion));
    }
    match &walked.failure {
        None => item,
        Some(failure) => item
            .measured(cut(&failure.reason, TEXT_LIMIT))
            .fix(fix(failure))
            .gain(weight / total)
            .places(places(failure), SHOWN),
    }
}

/// What a criterion asks, in words.
fn expectation(criterion: &Criterion) -> String {
    let asserted =
        Assertion::parse(&criterion.assert).map_or_else(|_| criterion.assert.clone(), |read| read.to_string());
    let custom = criterion.custom.as_deref().map(|text| {
        let read = CustomCheck::parse(text).map_or_else(|_| text.to_owned(), |read| read.to_string());
        format!(", and {read}")
    });
    cut(&format!("{asserted} for {}{}", criterion.locator, custom.unwrap_or_default()), TEXT_LIMIT)
}

fn fix(failure: &Failure) -> &'static str {
    match &failure.step {
        Step::Open => "Make the page load every time it is opened afresh; the server's log says why it did not.",
        Step::Setup { action, .. } if action == "evaluate" || action == "reload" => {
            "Make the page survive this step: it must load again and answer as it did the first time."
        }
        Step::Setup { .. } if failure.matched == 0 => {
            "Add the control that this step needs, with the role and the name or label that it is looked for by."
        }
        Step::Setup { .. } => {
            "Make the control that this step needs visible, enabled and free of anything that covers it."
        }
        Step::Assertion if failure.matched == 0 => {
            "Add what is asked for, or give what is there the role and the name, label or text that it is looked for by."
        }
        Step::Assertion => "Change what was found so that it is as expected; it is shown as it was at that moment.",
        Step::Custom => {
            "Move or size the element as expected; for one that must stick, use `position: sticky` with `top: 0`."
        }
    }
}

fn places(failure: &Failure) -> Vec<Place> {
    let shot = failure.screenshot.as_ref().map(|shot| shot.name.clone());
    let mut places: Vec<Place> = failure
        .elements
        .iter()
        .map(|element| Place::Element {
            selector: element.selector.clone(),
            html: element.html.clone(),
            note: (!element.visible).then(|| "not visible".to_owned()),
            shot: shot.clone(),
            rect: Some(element.rect),
        })
        .collect();
    if let (true, Some(picture)) = (places.is_empty(), &failure.screenshot) {
        let window = Rect { x: 0.0, y: 0.0, width: f64::from(picture.width), height: f64::from(picture.height) };
        places.push(Place::Element {
            selector: "html".to_owned(),
            html: String::new(),
            note: Some(format!(
                "nothing was found; this is the window at that moment, at {}",
                cut(&failure.url, TEXT_LIMIT)
            )),
            shot,
            rect: Some(window),
        });
    }
    // What the criterion itself looks for is what it expects.
    if let (Some(locator), Step::Setup { number, action }) = (&failure.locator, &failure.step) {
        let text = format!("setup step {number} ({action}) looked for {locator}");
        places.push(Place::Text { text: cut(&text, TEXT_LIMIT) });
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::acceptance::Resolved;
    use crate::evidence::{Absence, Piece, sample};
    use benchwright_domain::report::Screenshot;
    use benchwright_domain::{BlobId, ItemStatus};

    fn walked(id: &str, weight: Weight, holds: bool) -> Walked {
        let failure = Failure {
            step: Step::Assertion,
            reason: "no element matched within 5 s".into(),
            locator: Some("getByRole('main')".into()),
            url: sample::PAGE.into(),
            ..Failure::default()
        };
        Walked { id: id.into(), weight, failure: (!holds).then_some(failure) }
    }

    fn list(must: &[bool], should: &[bool]) -> Vec<Walked> {
        let of = |weight: Weight, list: &[bool]| -> Vec<Walked> {
            list.iter().enumerate().map(|(n, holds)| walked(&format!("{weight:?}-{n}"), weight, *holds)).collect()
        };
        [of(Weight::Must, must), of(Weight::Should, should)].concat()
    }

    fn assessed(criteria: Vec<Walked>) -> Assessment {
        let acceptance = Acceptance { criteria, ..Acceptance::default() };
        score(&Evidence { acceptance: Piece::present(acceptance, 1.0), ..Evidence::default() })
    }

    #[test]
    fn the_formula_of_the_methodology() {
        for (must, should, expected, passed) in [
            (&[true, true][..], &[true, true][..], 1.0, true),
            (&[true, false], &[], 0.5, false),
            (&[true, true], &[false, false], 2.0 / 3.0, true),
            (&[true, false], &[true, false], 0.5, false),
            (&[false], &[true, true], 0.5, false),
            (&[], &[true, false], 0.5, true),
            (&[false], &[false], 0.0, false),
        ] {
            let assessment = assessed(list(must, should));
            let Outcome::Scored { score, passed: did } = assessment.outcome else { panic!("{must:?} {should:?}") };
            assert!((score.value() - expected).abs() < 1e-12, "{must:?} {should:?}: {}", score.value());
            assert_eq!(did, passed, "{must:?} {should:?}");
        }
    }

    #[test]
    fn gains_add_up_to_what_is_missing() {
        let assessment = assessed(list(&[true, false, false], &[false, true]));
        let gains: f64 = assessment.details.items.iter().filter_map(|item| item.gain).sum();
        let score = assessment.outcome.score().unwrap().value();
        assert!((gains + score - 1.0).abs() < 1e-12);
        assert_eq!(assessment.details.facts["must_passed"], 1);
        assert_eq!(assessment.details.facts["should_total"], 2);
    }

    #[test]
    fn a_prompt_without_criteria_is_not_applicable_and_no_prompt_is_no_input() {
        assert!(matches!(assessed(Vec::new()).outcome, Outcome::NotApplicable { .. }));
        let acceptance = Piece::absent(Absence::NoInput { reason: "no prompt was given".into() });
        let evidence = Evidence { acceptance, ..Evidence::default() };
        assert!(matches!(score(&evidence).outcome, Outcome::NoInput { .. }));
    }

    #[test]
    fn a_failure_says_what_was_seen_what_was_expected_and_where() {
        let mut criterion = walked("headline", Weight::Must, false);
        let failure = criterion.failure.as_mut().unwrap();
        failure.matched = 1;
        failure.screenshot =
            Some(Screenshot { name: "criterion-headline".into(), width: 1440, height: 900, blob: BlobId("00".into()) });
        failure.elements = vec![Resolved { selector: "main".into(), html: "<main>".into(), ..Resolved::default() }];
        let item = assessed(vec![criterion.clone()]).details.items.remove(0);
        assert_eq!(item.status, ItemStatus::Failed);
        assert_eq!(item.measured.as_deref(), Some("no element matched within 5 s"));
        assert!(item.fix.is_some() && item.gain == Some(1.0));
        assert!(matches!(&item.places[0], Place::Element { shot: Some(shot), .. } if shot == "criterion-headline"));
        let failure = criterion.failure.as_mut().unwrap();
        failure.elements.clear();
        failure.step = Step::Setup { number: 2, action: "click".into() };
        let item = assessed(vec![criterion]).details.items.remove(0);
        assert!(matches!(&item.places[0], Place::Element { rect: Some(rect), .. } if rect.width == 1440.0));
        assert!(
            matches!(&item.places[1], Place::Text { text } if text == "setup step 2 (click) looked for getByRole('main')")
        );
    }

    #[test]
    fn the_prompt_lends_its_words() {
        let text = "id: a\ntier: 1\nprompt: Build a page about lighthouses.\nmust_have:\n  - id: top\n    title: The bar stays on top\n    \
                    locator: getByRole('banner')\n    assert: toBeVisible\n    custom: stickyAfterScroll\n";
        let prompt = crate::prompt::load(text, "a.yaml").unwrap();
        let acceptance = Acceptance { criteria: vec![walked("top", Weight::Must, false)], ..Acceptance::default() };
        let item = assess(&acceptance, Some(&prompt)).details.items.remove(0);
        assert_eq!(item.title, "Not so: The bar stays on top");
        let expected = "a visible element for getByRole('banner'), and it stays at the top of the window when the page is scrolled";
        assert_eq!(item.expected.as_deref(), Some(expected));
    }
}
