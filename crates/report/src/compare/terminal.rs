//! A comparison as the terminal shows it.

use super::{
    badge, changed, composite, delta, headline, name, places, points, remark, runs, score, tally, title, verdict,
};
use crate::terminal::{Ink, Page, Style};
use crate::text;
use benchwright_domain::comparison::{Change, Comparison, ItemChange, ScorerChange};

const MOST_ITEMS: usize = 12;

/// The comparison as some thirty lines. Whatever a page wrote arrives without control characters.
pub fn render(comparison: &Comparison, style: Style) -> String {
    let mut page = Page::new(style);
    for (word, side) in [("before", &comparison.before), ("after ", &comparison.after)] {
        let line = format!(
            "{word}  {:>5}  {} ({}, {})",
            composite(side),
            title(side),
            runs(side),
            text::line_within(&side.started_at, 40)
        );
        page.wrapped("", &line, Ink::Plain);
    }
    page.wrapped("", &headline(comparison), Ink::Bold);
    let tally =
        tally(comparison).iter().map(|(_, count, words)| format!("{count} {words}")).collect::<Vec<_>>().join(", ");
    page.wrapped("", &tally, Ink::Plain);
    for caution in &comparison.cautions {
        page.wrapped("  ", &format!("! {}", text::line(caution)), Ink::Faint);
    }
    let moved: Vec<_> = changed(comparison).into_iter().filter(|scorer| scorer.change != Change::Same).collect();
    if !moved.is_empty() {
        page.heading("Scorers that moved: before, after, change, points");
        for scorer in moved {
            page.wrapped("", &row(scorer), ink(scorer.change));
            page.wrapped("      ", &remark(scorer), Ink::Faint);
        }
    }
    items(&mut page, "What broke", comparison, |scorer| &scorer.broken);
    items(&mut page, "What was fixed", comparison, |scorer| &scorer.fixed);
    page.into_text()
}

fn row(scorer: &ScorerChange) -> String {
    let numbers = [score(scorer.before.as_ref()), score(scorer.after.as_ref()), delta(scorer), points(scorer)];
    format!("{:<4} {}  {}: {}", badge(scorer), numbers.join("  "), name(scorer), verdict(scorer.change).to_lowercase())
}

fn ink(change: Change) -> Ink {
    match change {
        Change::Worse => Ink::Red,
        Change::Better => Ink::Green,
        _ => Ink::Plain,
    }
}

fn items(page: &mut Page, title: &str, comparison: &Comparison, pick: fn(&ScorerChange) -> &Vec<ItemChange>) {
    let all: Vec<_> =
        comparison.scorers.iter().flat_map(|scorer| pick(scorer).iter().map(move |item| (scorer, item))).collect();
    if all.is_empty() {
        return;
    }
    page.heading(&format!("{title}: {}", all.len()));
    for (scorer, item) in all.iter().take(MOST_ITEMS) {
        let places = places(item.places_before, item.places_after);
        page.wrapped("  ", &format!("{} {} ({places})", badge(scorer), text::line(&item.title)), Ink::Plain);
        page.wrapped("     ", &item.fix.as_deref().map(text::line).unwrap_or_default(), Ink::Faint);
    }
    if all.len() > MOST_ITEMS {
        page.wrapped("  ", &format!("and {} more in compare.html", all.len() - MOST_ITEMS), Ink::Plain);
    }
}
