//! Whether what was expected can be seen.

use crate::reading;
use benchwright_domain::vibe::expectation::Expectation;
use benchwright_domain::vibe::trace::Sight;

/// What came of checking an expectation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It holds.
    Holds,
    /// It does not, and why.
    Fails(String),
    /// That cannot be told, and why.
    Unclear(String),
}

/// Whether an expectation holds of a sight.
pub fn check(expected: &Expectation, sight: &Sight) -> Outcome {
    let outcome = match expected {
        Expectation::Text(text) => told(reading::shows(sight, text), || format!("\"{text}\" is not there")),
        Expectation::Absent(text) => told(!reading::shows(sight, text), || format!("\"{text}\" is there")),
        Expectation::Together(texts) => {
            told(reading::together(sight, texts), || format!("no row or card holds {} together", listed(texts)))
        }
        Expectation::Apart(texts) => {
            told(!reading::together(sight, texts), || format!("a row or card holds {} together", listed(texts)))
        }
        Expectation::Order(texts) => {
            told(reading::in_order(sight, texts), || format!("{} do not stand in this order", listed(texts)))
        }
        Expectation::Count(count) => {
            let found = reading::count(sight, &count.text);
            let is_so = u32::try_from(found) == Ok(count.is);
            told(is_so, || format!("\"{}\" is there {found} times, not {}", count.text, count.is))
        }
        Expectation::Field(field) => match reading::field_value(sight, &field.label) {
            Err(reason) => missing_or_unclear(reason),
            Ok(value) => {
                let is_so = reading::normal(&value) == reading::normal(&field.value);
                told(is_so, || format!("\"{}\" holds \"{value}\", not \"{}\"", field.label, field.value))
            }
        },
        Expectation::State(state) => match reading::state_of(sight, &state.of, state.is) {
            Err(reason) => missing_or_unclear(reason),
            Ok(is_so) => told(is_so, || format!("\"{}\" is not {:?}", state.of, state.is).to_lowercase()),
        },
        Expectation::Choice(choice) => match reading::is_offered(sight, &choice.label, &choice.option) {
            Err(reason) => missing_or_unclear(reason),
            Ok(offered) => {
                let not = if choice.offered { "does not offer" } else { "offers" };
                told(offered == choice.offered, || format!("\"{}\" {not} \"{}\"", choice.label, choice.option))
            }
        },
        Expectation::Url(text) => told(sight.url.contains(text.as_str()), || format!("the address is {}", sight.url)),
    };
    match outcome {
        Outcome::Holds if is_negative(expected) && is_blank(sight) => {
            Outcome::Fails("there is nothing on the page, so nothing can be missing from it".to_owned())
        }
        // What was cut off may hold what is missing.
        Outcome::Fails(reason) if sight.cut => {
            Outcome::Unclear(format!("{reason}, but the page is too large to be read whole"))
        }
        Outcome::Holds if sight.cut && is_negative(expected) => {
            Outcome::Unclear("the page is too large to be read whole".to_owned())
        }
        other => other,
    }
}

/// Whether everything that was expected can be seen.
pub fn all_hold(expected: &[Expectation], sight: &Sight) -> bool {
    expected.iter().all(|expectation| check(expectation, sight) == Outcome::Holds)
}

/// Whether nothing can be seen, as after a script broke. What is not there was not taken away by anybody.
fn is_blank(sight: &Sight) -> bool {
    sight.dialog.is_none() && reading::text_of(&sight.root).trim().is_empty()
}

/// Whether it asks that something is not there.
pub(super) fn is_negative(expected: &Expectation) -> bool {
    matches!(expected, Expectation::Absent(_) | Expectation::Apart(_) | Expectation::Count(_))
}

fn told(holds: bool, otherwise: impl FnOnce() -> String) -> Outcome {
    if holds { Outcome::Holds } else { Outcome::Fails(otherwise()) }
}

/// What is not there at all fails; what is there twice cannot be told.
fn missing_or_unclear(reason: String) -> Outcome {
    if reason.starts_with("no ") { Outcome::Fails(reason) } else { Outcome::Unclear(reason) }
}

fn listed(texts: &[String]) -> String {
    texts.iter().map(|text| format!("\"{text}\"")).collect::<Vec<_>>().join(", ")
}
