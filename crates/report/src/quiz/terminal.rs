//! A run of the quiz as the terminal shows it.

use super::{QuizReport, Speed, cautions, facts, headline, letters, model, share, tier_name};
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
            "tier {}  {:>3} answers, {:>3} right  {}",
            count.tier,
            count.answers,
            count.correct,
            tier_name(count.tier)
        );
        page.wrapped("", &line, if count.answers == 0 { Ink::Faint } else { Ink::Plain });
    }
    let letters: Vec<_> =
        letters(report).iter().map(|row| format!("{} {} ({} right)", row.letter, row.chosen, row.gold)).collect();
    page.wrapped("", &format!("chosen: {}, none {}", letters.join(", "), derived.chosen.none), Ink::Plain);
    let speed: Vec<_> =
        Speed::of(report).rows().iter().map(|(name, value)| format!("{}: {value}", name.to_lowercase())).collect();
    page.wrapped("", &speed.join(", "), Ink::Faint);
    if let Some(address) = &report.run.address {
        page.wrapped("", &format!("shared: {}", crate::text::line(address)), Ink::Plain);
    }
    page.into_text()
}
