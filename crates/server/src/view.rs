//! What several pages show alike: a run as a card, addresses, counts.

use crate::address::{encode, with_query};
use benchwright_domain::RunRecord;
use benchwright_report::{number, text};

/// A run in a list.
pub struct Card {
    pub href: String,
    pub run: String,
    pub title: String,
    pub tool: String,
    pub prompt: Option<String>,
    pub composite: Option<String>,
    pub started_at: String,
    pub is_verified: bool,
    pub is_ranked: bool,
    pub picture: Option<String>,
    /// Why it is not ranked.
    pub reasons: Vec<String>,
    /// The first of them, shorter.
    pub reason: String,
}

impl Card {
    pub fn of(record: &RunRecord) -> Self {
        let href = run_address(&record.run);
        let named = [record.title.as_deref().unwrap_or_default(), &record.tool, &record.run];
        let title = named.map(|name| text::line_within(name, 90)).into_iter().find(|name| !name.is_empty());
        let mut reasons: Vec<String> =
            record.not_rankable_because.iter().map(|reason| text::line_within(reason, 300)).collect();
        if !record.rankable && reasons.is_empty() {
            reasons.push("Nothing could be measured.".to_owned());
        }
        Self {
            reason: reasons.first().map(|reason| text::line_within(reason, 120)).unwrap_or_default(),
            picture: record.thumbnail.as_ref().map(|_| format!("{href}/thumbnail.jpg")),
            href,
            run: text::line_within(&record.run, 100),
            title: title.unwrap_or_default(),
            tool: text::line_within(&record.tool, 80),
            prompt: record.prompt.as_deref().map(|prompt| text::line_within(prompt, 80)),
            composite: record.composite.map(number::score),
            started_at: minutes(&record.started_at),
            is_verified: record.verified,
            is_ranked: record.rankable,
            reasons,
        }
    }
}

/// Where the report of a run is.
pub fn run_address(run: &str) -> String {
    format!("/runs/{}", encode(run))
}

/// Where the board of a prompt is; runs without one have a board of their own.
pub fn board_address(prompt: Option<&str>) -> String {
    with_query("/board", [("prompt", Some(prompt.unwrap_or_default()))])
}

/// The name of a prompt.
pub fn prompt_name(prompt: Option<&str>) -> String {
    prompt.map_or_else(|| "No prompt".to_owned(), |prompt| text::line_within(prompt, 80))
}

/// `2026-11-16T09:24:31Z` as "2026-11-16 09:24".
pub fn minutes(moment: &str) -> String {
    text::line_within(moment, 40).chars().take(16).map(|c| if c == 'T' { ' ' } else { c }).collect()
}

/// How many things a list holds, as a number from the database would say it.
pub fn count(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

/// "1 run", "2 runs".
pub fn counted(count: i64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(count), if count == 1 { one } else { many })
}

/// With a thin space between thousands.
pub fn thousands(count: i64) -> String {
    let digits = count.unsigned_abs().to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) && digits.len() > 4 {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!(thousands(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!((thousands(999), thousands(1000)), ("999".to_owned(), "1000".to_owned()));
    }
}
