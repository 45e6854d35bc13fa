//! Looks until an assertion or a custom check holds, or its time is over.

use super::perform::LOOK_LIMIT;
use super::trouble::Trouble;
use crate::prompt::{Assertion, Check, CustomCheck, Side};
use crate::scorers::words::{count, cut};
use benchwright_browser::{Expectation, Locator, Page, Sight};
use benchwright_domain::Rect;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;

/// Pauses between looks in milliseconds; the last one repeats.
const PAUSES: [u64; 5] = [20, 50, 100, 100, 250];
/// How long the network must be silent before something is believed to be absent, and how long that is waited for.
const SETTLED: Duration = Duration::from_millis(300);
const SETTLE_CAP: Duration = Duration::from_secs(2);
/// How far from the top of the window an element may be that sticks there, and how far the page is scrolled, in CSS pixels.
const STICKY_TOP: f64 = 50.0;
const STICKY_SCROLL: u32 = 600;
/// How long an element may take to come back to the top, as bars that slide in do.
const STICKY_LIMIT: Duration = Duration::from_secs(1);

/// Waits until an assertion holds. One that may hold too early must still hold when the page has settled.
pub(super) async fn assertion(
    page: &Page,
    selector: &str,
    assertion: &Assertion,
    limit: Duration,
) -> Result<(), Trouble> {
    let locator = page.locator(selector).with_timeout(LOOK_LIMIT);
    let expectation = expectation(&assertion.check);
    let end = Instant::now() + limit;
    for number in 0.. {
        let mut sight = locator.expect(&expectation).await?;
        if holds(assertion, &sight) && assertion.may_hold_too_early() {
            let left = end.saturating_duration_since(Instant::now());
            page.wait_for_network_idle(SETTLED, SETTLE_CAP.min(left)).await;
            sight = locator.expect(&expectation).await?;
        }
        if holds(assertion, &sight) {
            return Ok(());
        }
        if !pause(number, end).await {
            return Err(Trouble::Page(format!("{} within {} s", reason(assertion, &sight), limit.as_secs())));
        }
    }
    Ok(())
}

/// Waits until the first element shows.
pub(super) async fn shows(page: &Page, selector: &str, limit: Duration) -> Result<(), Trouble> {
    assertion(page, selector, &Assertion { negated: false, check: Check::Visible }, limit).await
}

/// Whether there is time for another look.
async fn pause(number: usize, end: Instant) -> bool {
    let left = end.saturating_duration_since(Instant::now());
    let wanted = Duration::from_millis(PAUSES[number.min(PAUSES.len() - 1)]);
    tokio::time::sleep(wanted.min(left)).await;
    !left.is_zero()
}

fn expectation(check: &Check) -> Expectation {
    match check {
        // Of what is counted, visibility is asked for nothing: the answer carries the number.
        Check::Visible | Check::Count(_) | Check::CountAtLeast(_) => Expectation::Visible,
        Check::Hidden => Expectation::Hidden,
        Check::Text(text) => Expectation::Text(text.clone()),
        Check::Value(text) => Expectation::Value(text.clone()),
        Check::Attribute { name, value } => Expectation::Attribute { name: name.clone(), value: value.clone() },
        Check::Checked => Expectation::Checked,
        Check::Focused => Expectation::Focused,
    }
}

fn holds(assertion: &Assertion, sight: &Sight) -> bool {
    let plain = match assertion.check {
        Check::Count(number) => sight.count == number,
        Check::CountAtLeast(number) => sight.count >= number,
        Check::Visible | Check::Hidden => return sight.holds != assertion.negated,
        // Of an element that is not there, neither a property nor its lack can be told.
        _ if sight.count == 0 => return false,
        _ => sight.holds,
    };
    plain != assertion.negated
}

/// Why an assertion does not hold, in words.
fn reason(assertion: &Assertion, sight: &Sight) -> String {
    let matched = format!("{} matched", count(sight.count, "element"));
    let received = sight.received.as_deref().unwrap_or_default();
    let received = cut(&received.split_whitespace().collect::<Vec<_>>().join(" "), 200);
    match &assertion.check {
        Check::Count(number) if assertion.negated => format!("{matched}, expected any other number than {number}"),
        Check::Count(number) => format!("{matched}, expected {number}"),
        Check::CountAtLeast(number) if assertion.negated => format!("{matched}, expected fewer than {number}"),
        Check::CountAtLeast(number) => format!("{matched}, expected at least {number}"),
        Check::Hidden => "what should not be seen did not go away".to_owned(),
        _ if sight.count == 0 => "no element matched".to_owned(),
        _ if assertion.negated => format!("{matched}, and what should not hold still holds: {assertion}"),
        Check::Visible if sight.count == 1 => "the element that matched did not become visible".to_owned(),
        Check::Visible => format!("{matched}, the first of them did not become visible"),
        Check::Text(_) => format!("the text was \"{received}\" and did not become {assertion}"),
        Check::Value(_) => format!("the value was \"{received}\" and did not become {assertion}"),
        Check::Attribute { name, value: Some(_) } if sight.received.is_some() => {
            format!("the attribute {name} was \"{received}\" and did not become {assertion}")
        }
        Check::Attribute { name, .. } => format!("the attribute {name} did not appear"),
        Check::Checked => format!("it was {received} and did not become checked"),
        Check::Focused => "it did not get the focus".to_owned(),
    }
}

/// Waits until a custom check holds of the first element.
pub(super) async fn custom(page: &Page, selector: &str, check: CustomCheck, limit: Duration) -> Result<(), Trouble> {
    let first = page.locator(selector).first().with_timeout(LOOK_LIMIT);
    match check {
        CustomCheck::Box { side, comparison, number } => {
            let end = Instant::now() + limit;
            for look in 0.. {
                let found = window_box(page, &first).await?.map(|rect| side_of(side, rect));
                if found.is_some_and(|found| comparison.holds(found, number)) {
                    return Ok(());
                }
                if !pause(look, end).await {
                    let found = found.map_or_else(
                        || "it has no box".to_owned(),
                        |found| format!("{side} is {} px", (found * 10.0).round() / 10.0),
                    );
                    return Err(Trouble::Page(format!("{found}, expected that {check}")));
                }
            }
            Ok(())
        }
        CustomCheck::StickyAfterScroll => sticky(page, &first).await,
    }
}

fn side_of(side: Side, rect: Rect) -> f64 {
    match side {
        Side::X => rect.x,
        Side::Y => rect.y,
        Side::Width => rect.width,
        Side::Height => rect.height,
    }
}

/// The box of the first element in CSS pixels of the window.
async fn window_box(page: &Page, first: &Locator) -> Result<Option<Rect>, Trouble> {
    let Some(rect) = first.bounding_box().await? else { return Ok(None) };
    let scroll: Value = page.evaluate("() => ({ x: scrollX, y: scrollY })", &Value::Null, LOOK_LIMIT).await?;
    let scrolled = |name: &str| scroll[name].as_f64().unwrap_or_default();
    Ok(Some(Rect { x: rect.x - scrolled("x"), y: rect.y - scrolled("y"), ..rect }))
}

async fn sticky(page: &Page, first: &Locator) -> Result<(), Trouble> {
    let before = window_box(page, first).await?.ok_or_else(|| Trouble::Page("it has no box".to_owned()))?;
    if !is_at_top(before) {
        let problem = format!("it is {:.0} px from the top of the window before the page is scrolled", before.y);
        return Err(Trouble::Page(format!("{problem}, expected at most {STICKY_TOP} px")));
    }
    let scroll = "to => { const from = scrollY; scrollTo({ top: to.y, behavior: 'instant' }); return from; }";
    let from: f64 = page.evaluate(scroll, &json!({ "y": STICKY_SCROLL }), LOOK_LIMIT).await?;
    let outcome = stays(page, first).await;
    let _ = page.evaluate::<f64>(scroll, &json!({ "y": from }), LOOK_LIMIT).await;
    outcome
}

async fn stays(page: &Page, first: &Locator) -> Result<(), Trouble> {
    let end = Instant::now() + STICKY_LIMIT;
    for look in 0.. {
        let after = window_box(page, first).await?;
        if after.is_some_and(is_at_top) {
            return Ok(());
        }
        if !pause(look, end).await {
            let place = after.map_or_else(|| "without a box".to_owned(), |rect| format!("at {:.0} px", rect.y));
            return Err(Trouble::Page(format!(
                "it is {place} after the page was scrolled by {STICKY_SCROLL} px, so it does not stick"
            )));
        }
    }
    Ok(())
}

/// At the top of the window, and in it.
fn is_at_top(rect: Rect) -> bool {
    rect.y <= STICKY_TOP && rect.y + rect.height > 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sight(count: usize, holds: bool, received: &str) -> Sight {
        Sight { count, holds, received: (!received.is_empty()).then(|| received.to_owned()) }
    }

    fn read(text: &str) -> Assertion {
        Assertion::parse(text).unwrap()
    }

    #[test]
    fn an_assertion_holds_of_what_was_seen() {
        for (text, seen, expected) in [
            ("toBeVisible", sight(2, true, "visible"), true),
            ("toBeVisible", sight(0, false, ""), false),
            ("toBeHidden", sight(0, true, ""), true),
            ("not.toBeVisible", sight(1, false, "visible"), false),
            ("toHaveCount(2)", sight(2, false, "hidden"), true),
            ("toHaveCount(2)", sight(3, true, ""), false),
            ("not.toHaveCount(2)", sight(3, true, ""), true),
            ("toHaveCountAtLeast(2)", sight(3, false, ""), true),
            ("not.toBeChecked", sight(1, false, "unchecked"), true),
            ("not.toBeChecked", sight(0, false, ""), false),
            ("toHaveText('a')", sight(1, true, "a"), true),
        ] {
            assert_eq!(holds(&read(text), &seen), expected, "{text} {seen:?}");
        }
    }

    #[test]
    fn a_reason_says_what_was_there_and_what_was_expected() {
        for (text, seen, expected) in [
            ("toBeVisible", sight(0, false, ""), "no element matched"),
            ("toBeVisible", sight(3, false, "hidden"), "3 elements matched, the first of them did not become visible"),
            ("toHaveCount(2)", sight(3, true, ""), "3 elements matched, expected 2"),
            ("toHaveCountAtLeast(2)", sight(1, true, ""), "1 element matched, expected at least 2"),
            ("toHaveText('a')", sight(1, false, " b "), "the text was \"b\" and did not become the text \"a\""),
            ("toHaveAttribute('href')", sight(1, false, "attribute not present"), "the attribute href did not appear"),
            ("toBeChecked", sight(1, false, "unchecked"), "it was unchecked and did not become checked"),
        ] {
            assert_eq!(reason(&read(text), &seen), expected, "{text}");
        }
    }

    #[test]
    fn peer_defect_what_scrolled_away_does_not_stick() {
        let at = |y| Rect { x: 0.0, y, width: 100.0, height: 60.0 };
        assert!(is_at_top(at(0.0)) && is_at_top(at(50.0)) && is_at_top(at(-10.0)));
        assert!(!is_at_top(at(-600.0)) && !is_at_top(at(51.0)));
    }
}
