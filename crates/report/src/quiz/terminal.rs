//! A run of the quiz as the terminal shows it.

use super::{LetterRow, QuizReport, Speed, cautions, facts, headline, letters, model, share, tier_name};
use crate::terminal::{Ink, Page, Style};

/// The run as some twenty lines.
pub fn render(report: &QuizReport, style: Style) -> String {
    let derived = &report.derived;
    let mut page = Page::new(style);
    page.wrapped("", &model(report), Ink::Bold);
    let facts: Vec<_> = facts(report).iter().map(|(name, value)| format!("{}: {value}", name.to_lowercase())).collect();
    page.wrapped("", &facts.join(", "), Ink::Faint);
    page.heading(&headline(report));
    page.wrapped(
        "",
        &format!(
            "strict (tier 1 only): {} of {}, {}",
            derived.strict.correct,
            derived.strict.n,
            share(&derived.strict)
        ),
        Ink::Plain,
    );
    for caution in cautions(report) {
        page.wrapped("", &format!("! {caution}"), Ink::Red);
    }
    page.heading("How the letters were found");
    for count in &derived.tiers {
        let line = format!(
            "tier {}  answers {:>3}, right {:>3}  {}",
            count.tier,
            count.answers,
            count.correct,
            tier_name(count.tier)
        );
        page.wrapped("", &line, if count.answers == 0 { Ink::Faint } else { Ink::Plain });
    }
    let counted = |of: fn(&LetterRow) -> u64| {
        letters(report).iter().map(|row| format!("{} {}", row.letter, of(row))).collect::<Vec<_>>().join(", ")
    };
    page.wrapped(
        "",
        &format!("letters chosen: {}, none {}", counted(|row| row.chosen), derived.chosen.none),
        Ink::Plain,
    );
    page.wrapped("", &format!("right answers:  {}", counted(|row| row.gold)), Ink::Plain);
    let speed: Vec<_> =
        Speed::of(report).rows().iter().map(|(name, value)| format!("{}: {value}", name.to_lowercase())).collect();
    page.wrapped("", &speed.join(", "), Ink::Faint);
    if let Some(address) = &report.run.address {
        page.wrapped("", &format!("shared: {}", crate::text::line(address)), Ink::Plain);
    }
    page.into_text()
}
