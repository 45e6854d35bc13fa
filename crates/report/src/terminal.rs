//! The summary printed after a run.

use crate::ledger::{Entry, Group, Ledger};
use crate::{Report, number, text};
use benchwright_domain::Dimension;
use std::fmt::Write as _;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Losses named before the rest is only counted.
const MOST_LOSSES: usize = 10;
const UNDER_POINTS: &str = "         ";
const LONGEST_BAR: usize = 24;
/// What stands beside a bar: the dimension before it, score and weight behind it.
const BESIDE_BAR: usize = 27;
const NARROWEST: usize = 40;
const WIDEST: usize = 110;

/// How the terminal wants it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Whether to use ANSI colours.
    pub color: bool,
    /// Columns to fill at most.
    pub width: usize,
}

/// The report as a summary of some thirty lines. Whatever the page wrote arrives without control characters.
pub fn render(report: &Report, style: Style) -> String {
    let ledger = Ledger::of(report);
    let mut page = Page::new(style);
    page.head(report);
    page.dimensions(report);
    page.lost(&ledger);
    page.errored(&ledger.errored);
    page.unmeasured(report, &ledger);
    page.text
}

#[derive(Clone, Copy)]
pub(crate) enum Ink {
    Plain,
    Bold,
    Faint,
    Red,
    Green,
    Of(Dimension),
}

impl Ink {
    fn code(self) -> &'static str {
        match self {
            Self::Plain => "0",
            Self::Bold => "1",
            Self::Faint => "2",
            Self::Red => "31",
            Self::Green => "32",
            Self::Of(Dimension::Functional) => "34",
            Self::Of(Dimension::CodeQuality) => "33",
            Self::Of(Dimension::Visual) => "35",
            Self::Of(Dimension::Security) => "36",
        }
    }
}

pub(crate) struct Page {
    text: String,
    style: Style,
}

impl Page {
    pub(crate) fn new(style: Style) -> Self {
        Self { text: String::new(), style: Style { width: style.width.clamp(NARROWEST, WIDEST), ..style } }
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }

    fn head(&mut self, report: &Report) {
        let subject = [report.subject.title.as_deref().unwrap_or_default(), &report.subject.url];
        for line in
            subject.map(|line| text::line_within(line, 2 * self.style.width)).iter().filter(|line| !line.is_empty())
        {
            self.wrapped("", line, Ink::Faint);
        }
        let score = report
            .composite
            .map_or_else(|| "no score".to_owned(), |composite| format!("{} of 100", number::score(composite)));
        let score = self.ink(&score, Ink::Bold);
        let (ranked, ink) = if report.rankable { ("rankable", Ink::Green) } else { ("not rankable", Ink::Red) };
        let ranked = self.ink(ranked, ink);
        let _ = writeln!(self.text, "\n{score}  {ranked}");
        self.wrapped("", &text::line(&report.headline), Ink::Plain);
        for reason in &report.not_rankable_because {
            self.wrapped("  ", &text::line(reason), Ink::Faint);
        }
        let cost = crate::html::summary::cost(report);
        let facts = cost.iter().map(|(name, value)| format!("{}: {value}", name.to_lowercase())).collect::<Vec<_>>();
        self.wrapped("", &facts.join(", "), Ink::Faint);
    }

    fn dimensions(&mut self, report: &Report) {
        let bar = LONGEST_BAR.min(self.style.width - BESIDE_BAR);
        if !report.dimensions.is_empty() {
            self.text.push('\n');
        }
        for dimension in Dimension::ALL {
            let Some(outcome) = report.dimensions.get(&dimension) else { continue };
            let line = match outcome.score {
                Some(score) => {
                    let filled = (number::finite(score).clamp(0.0, 1.0) * bar as f64).round() as usize;
                    let won = self.ink(&"█".repeat(filled), Ink::Of(dimension));
                    let missed = self.ink(&"░".repeat(bar - filled), Ink::Faint);
                    let weight = number::percent(outcome.effective_weight / 100.0);
                    format!("{won}{missed} {:>5}  {weight}", number::score(100.0 * score))
                }
                None => self.ink("not measured", Ink::Faint),
            };
            let _ = writeln!(self.text, "{:<13} {line}", dimension.title());
        }
    }

    fn lost(&mut self, ledger: &Ledger) {
        if ledger.lost.is_empty() {
            return;
        }
        self.heading(&format!("Points you lost: {}", number::points(ledger.points_lost())));
        for entry in ledger.lost.iter().take(MOST_LOSSES) {
            self.loss(entry);
        }
        if ledger.lost.len() > MOST_LOSSES {
            let _ = writeln!(self.text, "  and {} more in the report", ledger.lost.len() - MOST_LOSSES);
        }
    }

    fn loss(&mut self, entry: &Entry) {
        let points =
            if entry.is_whole() { "0.00".to_owned() } else { format!("-{}", number::points(entry.points_lost())) };
        let points = self.ink(&format!("{points:>7}"), if entry.is_whole() { Ink::Faint } else { Ink::Red });
        let line = format!("{} {}", entry.badge(), text::line(&entry.scorer.title));
        let rest = self.fold(UNDER_POINTS, &line, Ink::Bold);
        let _ = writeln!(self.text, "{points}  {}", rest.trim_start());
        if let Some(fix) = entry.failed().iter().find_map(|item| item.fix.as_deref()) {
            self.wrapped(UNDER_POINTS, &text::line(fix), Ink::Plain);
        }
    }

    fn errored(&mut self, entries: &[Entry]) {
        if entries.is_empty() {
            return;
        }
        self.heading("Could not be measured");
        for entry in entries {
            let name = text::line_within(&entry.scorer.name, 60);
            let line = format!("{} {name}: {}", entry.badge(), crate::ledger::reason(entry.scorer));
            self.wrapped("  ", &line, Ink::Red);
        }
    }

    fn unmeasured(&mut self, report: &Report, ledger: &Ledger) {
        self.text.push('\n');
        let counts = format!(
            "{} of {} scorers scored, {} of the weight; {} lost nothing",
            ledger.scored_count(),
            ledger.count(),
            number::percent(report.coverage),
            ledger.passed.len()
        );
        self.wrapped("", &counts, Ink::Plain);
        for (kind, groups) in [("no input", &ledger.no_input), ("not applicable", &ledger.not_applicable)] {
            for Group { reason, entries } in groups {
                let badges = entries.iter().map(Entry::badge).collect::<Vec<_>>().join(" ");
                self.wrapped("  ", &format!("{kind} ({reason}): {badges}"), Ink::Faint);
            }
        }
    }

    pub(crate) fn heading(&mut self, title: &str) {
        let title = self.ink(title, Ink::Bold);
        let _ = writeln!(self.text, "\n{title}");
    }

    pub(crate) fn wrapped(&mut self, indent: &str, line: &str, ink: Ink) {
        if !line.is_empty() {
            let folded = self.fold(indent, line, ink);
            let _ = writeln!(self.text, "{folded}");
        }
    }

    /// Breaks `line` at spaces (or inside a word that is too long) so that no row is wider than the terminal.
    fn fold(&self, indent: &str, line: &str, ink: Ink) -> String {
        let room = self.style.width - indent.len();
        let rows = rows(line, room).into_iter().map(|row| format!("{indent}{}", self.ink(&row, ink)));
        rows.collect::<Vec<_>>().join("\n")
    }

    fn ink(&self, words: &str, ink: Ink) -> String {
        if !self.style.color || words.is_empty() || matches!(ink, Ink::Plain) {
            words.to_owned()
        } else {
            format!("\x1b[{}m{words}\x1b[0m", ink.code())
        }
    }
}

fn rows(line: &str, room: usize) -> Vec<String> {
    let mut rows = vec![String::new()];
    for word in line.split(' ').flat_map(|word| pieces(word, room)) {
        let row = rows.last_mut().expect("there is always a row");
        if row.is_empty() {
            row.push_str(&word);
        } else if row.width() + 1 + word.width() <= room {
            row.push(' ');
            row.push_str(&word);
        } else {
            rows.push(word);
        }
    }
    rows
}

/// A word in pieces that fit.
fn pieces(word: &str, room: usize) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut used = 0;
    for c in word.chars() {
        let width = c.width().unwrap_or_default();
        if used + width > room {
            pieces.push(String::new());
            used = 0;
        }
        used += width;
        pieces.last_mut().expect("there is always a piece").push(c);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_break_at_spaces_and_inside_words_that_are_too_long() {
        assert_eq!(rows("one two three", 7), ["one two", "three"]);
        assert_eq!(rows("abcdefghij k", 4), ["abcd", "efgh", "ij k"]);
        assert_eq!(rows("漢字漢字", 4), ["漢字", "漢字"]);
    }
}
