//! A comparison as Markdown for a pull request.

use super::{badge, changed, composite, delta, headline, name, places, points, remark, runs, score, tally, verdict};
use crate::markdown::{address, escaped, folded, list, prose};
use crate::number;
use benchwright_domain::Dimension;
use benchwright_domain::comparison::{Change, Comparison, ItemChange, Summary};

/// The comparison as GitHub-flavoured Markdown.
pub fn render(comparison: &Comparison) -> String {
    let unchanged = rows(comparison, |change| matches!(change, Change::Same | Change::WithinNoise));
    let moved = rows(comparison, |change| !matches!(change, Change::Same | Change::WithinNoise));
    let sections = [
        head(comparison),
        list(comparison.cautions.iter().map(|caution| prose(caution))),
        dimensions(comparison),
        if moved.is_empty() { String::new() } else { table(&moved) },
        items("### What broke", comparison, |scorer| &scorer.broken),
        items("### What was fixed", comparison, |scorer| &scorer.fixed),
        items("### In more or fewer places", comparison, |scorer| &scorer.moved),
        folded(
            &format!("Unchanged or within noise: {}", unchanged.len()),
            &if unchanged.is_empty() { String::new() } else { table(&unchanged) },
        ),
    ];
    let mut page = sections.into_iter().filter(|section| !section.is_empty()).collect::<Vec<_>>().join("\n\n");
    page.push('\n');
    page
}

fn head(comparison: &Comparison) -> String {
    let side = |word: &str, side: &Summary| {
        format!(
            "- {word}: **{}** {} ({}, {})",
            composite(side),
            address(&side.url),
            runs(side),
            prose(&side.started_at)
        )
    };
    let tally =
        tally(comparison).iter().map(|(_, count, words)| format!("{count} {words}")).collect::<Vec<_>>().join(", ");
    format!(
        "## Benchwright: {} → {}\n\n**{}** {tally}\n\n{}\n{}",
        composite(&comparison.before),
        composite(&comparison.after),
        headline(comparison),
        side("Before", &comparison.before),
        side("After", &comparison.after)
    )
}

fn dimensions(comparison: &Comparison) -> String {
    let cell = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| number::score(100.0 * value));
    let rows = Dimension::ALL.into_iter().filter_map(|dimension| {
        let pair = comparison.dimensions.get(&dimension)?;
        let change =
            pair.after.zip(pair.before).map_or_else(|| "–".to_owned(), |(a, b)| super::signed(100.0 * (a - b), 1));
        Some(format!("\n| {} | {} | {} | {change} |", dimension.title(), cell(pair.before), cell(pair.after)))
    });
    format!("| Dimension | Before | After | Change |\n|:--|--:|--:|--:|{}", rows.collect::<String>())
}

fn rows(comparison: &Comparison, wanted: impl Fn(Change) -> bool) -> Vec<String> {
    let chosen = changed(comparison).into_iter().filter(|scorer| wanted(scorer.change));
    chosen
        .map(|scorer| {
            let cells = [score(scorer.before.as_ref()), score(scorer.after.as_ref()), delta(scorer), points(scorer)];
            let verdict = match remark(scorer) {
                remark if remark.is_empty() => verdict(scorer.change).to_owned(),
                remark => format!("{} ({})", verdict(scorer.change), prose(&remark)),
            };
            format!("| **{}** {} | {} | {verdict} |", escaped(&badge(scorer)), prose(&name(scorer)), cells.join(" | "))
        })
        .collect()
}

fn table(rows: &[String]) -> String {
    format!("| Scorer | Before | After | Change | Points | Verdict |\n|:--|--:|--:|--:|--:|:--|\n{}", rows.join("\n"))
}

fn items(
    title: &str,
    comparison: &Comparison,
    pick: fn(&benchwright_domain::comparison::ScorerChange) -> &Vec<ItemChange>,
) -> String {
    let lines: Vec<String> = comparison
        .scorers
        .iter()
        .flat_map(|scorer| pick(scorer).iter().map(move |item| (scorer, item)))
        .map(|(scorer, item)| {
            let fix = item.fix.as_deref().map(|fix| format!("<br>**Change:** {}", prose(fix))).unwrap_or_default();
            let places = places(item.places_before, item.places_after);
            format!("- **{}** {} ({places}){fix}", escaped(&badge(scorer)), prose(&item.title))
        })
        .collect();
    if lines.is_empty() { String::new() } else { format!("{title}\n\n{}", lines.join("\n")) }
}
