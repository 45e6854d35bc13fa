//! Noting something that a page shows, such as the number of an order, to type it in later.

use super::walking::Walking;
use super::{Resolver, Trouble};
use crate::reading::{normal, text_of};
use std::time::Instant;

/// So many words after its label something to note may begin.
const NEAR: usize = 6;

impl Resolver {
    /// Notes what stands after some words.
    pub(super) async fn note(&mut self, walking: &mut Walking<'_>, after: &[String]) -> Result<(), Trouble> {
        let label = after.join(" ");
        let end = Instant::now() + walking.stage.settings().look_for;
        loop {
            let sight = walking.stage.sight().await?;
            if let Some(note) = code_after(&text_of(&sight.root), &label) {
                walking.record().note = format!("noted {note}");
                self.notes.push(note);
                return Ok(());
            }
            if Instant::now() >= end {
                return Err(Trouble::Impossible(format!("nothing to note stands after \"{label}\"")));
            }
            tokio::time::sleep(std::time::Duration::from_millis(200)).await;
            walking.stage.look().await?;
        }
    }
}

/// The first word with a digit or in capitals soon after a label; otherwise the only word like `AB-123` of the text.
pub(super) fn code_after(text: &str, label: &str) -> Option<String> {
    let text = normal(text);
    let lower = text.to_lowercase();
    let label = normal(label).to_lowercase();
    let near = lower.match_indices(&label).find_map(|(at, _)| {
        // Lower case may be longer or shorter than upper case, in some languages.
        let rest = text.get(at + label.len()..)?;
        rest.split_whitespace().take(NEAR).map(plain).find(|word| is_code(word)).map(str::to_owned)
    });
    let lone = || {
        let mut codes: Vec<&str> = text.split_whitespace().map(plain).filter(|word| is_numbered(word)).collect();
        codes.dedup();
        match codes[..] {
            [only] => Some(only.to_owned()),
            _ => None,
        }
    };
    near.or_else(lone)
}

fn plain(word: &str) -> &str {
    word.trim_matches(|character: char| !character.is_alphanumeric())
}

/// Digits, or capitals alone; not a date, a time or a price.
fn is_code(word: &str) -> bool {
    let has_digit = word.chars().any(|character| character.is_ascii_digit());
    let is_shouted =
        word.len() >= 4 && word.chars().all(|character| character.is_ascii_uppercase() || character == '-');
    (has_digit || is_shouted) && !is_date(word) && !word.contains([':', '.', ','])
}

fn is_numbered(word: &str) -> bool {
    let (letters, digits) = word.split_once('-').unwrap_or_default();
    !letters.is_empty()
        && letters.chars().all(|character| character.is_ascii_uppercase())
        && !digits.is_empty()
        && digits.chars().all(|character| character.is_ascii_alphanumeric())
}

fn is_date(word: &str) -> bool {
    word.len() == 10 && word.split('-').map(str::len).eq([4, 2, 2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_noted_after_their_label_or_as_the_only_one() {
        for (text, label, noted) in [
            ("Thank you. Your order number is R-1001. See you on 2026-11-24", "order number", Some("R-1001")),
            ("Order number: 4711", "order number", Some("4711")),
            ("Pick-up 2026-11-24 R-1002", "order number", Some("R-1002")),
            ("Booking code K7XQ2M", "Booking code", Some("K7XQ2M")),
            ("Booking code WXYZ", "Booking code", Some("WXYZ")),
            ("Booking code is on your slip", "Booking code", None),
            ("R-1 and R-2", "order number", None),
        ] {
            assert_eq!(code_after(text, label).as_deref(), noted, "{text}");
        }
    }
}
