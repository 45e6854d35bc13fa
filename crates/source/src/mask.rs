//! Masks: enough of a secret to recognise it, never enough to use it.

use sha2::{Digest, Sha256};
use std::ops::Range;

/// Characters kept of a line around what was found.
const LINE_LIMIT: usize = 160;

/// First four characters, length and a short fingerprint. Short values keep less.
pub fn masked(value: &str) -> String {
    let length = value.chars().count();
    let shown: String = value.chars().take(if length >= 16 { 4 } else { 1 }).collect();
    let digest = Sha256::digest(value.as_bytes());
    format!("{shown}… ({length} characters, #{:02x}{:02x}{:02x})", digest[0], digest[1], digest[2])
}

/// The line with everything in `hidden` masked, trimmed and cut. `hidden` are byte ranges of the whole text.
pub fn line_text(text: &str, line: Range<usize>, hidden: &[Range<usize>], focus: usize) -> String {
    let mut shown = String::new();
    let mut at = line.start;
    let mut focus_at = 0;
    let mut ranges: Vec<_> = hidden.iter().filter(|range| range.start < line.end && range.end > line.start).collect();
    ranges.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    for range in ranges {
        if range.end <= at {
            continue;
        }
        if at <= focus && focus <= range.start {
            focus_at = shown.len() + focus.saturating_sub(at);
        }
        shown.push_str(text.get(at..range.start).unwrap_or_default());
        let start: String = text.get(range.start.max(at)..range.end).unwrap_or_default().chars().take(4).collect();
        let kept = if range.len() >= 16 { start } else { String::new() };
        shown.push_str(&kept);
        shown.push_str("…[masked]");
        at = range.end;
    }
    if at <= focus {
        focus_at = shown.len() + (focus - at);
    }
    if at < line.end {
        shown.push_str(text.get(at..line.end).unwrap_or_default());
    }
    window(&shown, focus_at)
}

/// At most the limit of characters, around the place of interest.
fn window(line: &str, focus: usize) -> String {
    let trimmed = line.trim();
    if trimmed.chars().count() <= LINE_LIMIT {
        return trimmed.to_owned();
    }
    let mut start = focus.saturating_sub(LINE_LIMIT / 4).min(line.len());
    while !line.is_char_boundary(start) {
        start -= 1;
    }
    let cut: String = line[start..].chars().take(LINE_LIMIT).collect();
    let lead = if start > 0 { "…" } else { "" };
    format!("{lead}{}…", cut.trim())
}

/// Where lines begin, for telling line and column of a byte.
pub struct Lines {
    starts: Vec<usize>,
    length: usize,
}

impl Lines {
    /// Of a text.
    pub fn of(text: &str) -> Self {
        let starts = std::iter::once(0)
            .chain(text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1))
            .collect();
        Self { starts, length: text.len() }
    }

    /// Line (from 1) and the bytes of the line that holds `at`.
    pub fn line(&self, at: usize) -> (u32, Range<usize>) {
        let index = self.starts.partition_point(|start| *start <= at).saturating_sub(1);
        let end = self.starts.get(index + 1).map_or(self.length, |next| next - 1);
        (index as u32 + 1, self.starts[index]..end.max(self.starts[index]))
    }
}

/// Column (from 1, in characters) of a byte in its line. Very long lines are not counted through.
pub fn column(text: &str, line: &Range<usize>, at: usize) -> u32 {
    let before = text.get(line.start..at).unwrap_or_default();
    before.chars().count() as u32 + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_shows_four_characters_of_a_long_value_and_one_of_a_short_one() {
        let long = masked("abcdefghijklmnopqrstuvwxyz");
        assert!(long.starts_with("abcd… (26 characters, #") && !long.contains("efgh"), "{long}");
        assert!(masked("hunter2!").starts_with("h… (8"));
        assert_eq!(masked("same"), masked("same"));
        assert_ne!(masked("one-value"), masked("two-value"));
    }

    #[test]
    fn every_hidden_range_of_a_line_is_masked() {
        let text = "first\nconst a = 'aaaabbbbccccddddeeee', b = 'short!';\nlast";
        let a = text.find("aaaab").unwrap();
        let b = text.find("short").unwrap();
        let lines = Lines::of(text);
        let (number, range) = lines.line(a);
        assert_eq!(number, 2);
        let shown = line_text(text, range.clone(), &[a..a + 20, b..b + 6], a);
        assert_eq!(shown, "const a = 'aaaa…[masked]', b = '…[masked]';");
        assert_eq!(column(text, &range, a), 12);
    }

    #[test]
    fn a_huge_line_is_cut_around_the_place() {
        let text = format!("{}needle{}", "x".repeat(50_000), "y".repeat(50_000));
        let (_, range) = Lines::of(&text).line(50_000);
        let shown = line_text(&text, range, &[], 50_000);
        assert!(shown.contains("needle") && shown.chars().count() < 200, "{shown}");
    }
}
