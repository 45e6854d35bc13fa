//! Markdown for pull requests: headline, dimensions, what was lost and how to win it back, the rest folded.
//!
//! The page under test may have written any string of a report. In prose everything that Markdown or GitHub would read as markup,
//! link or mention is defused; code goes into code spans that it cannot end.

use crate::ledger::{Entry, Group, Ledger};
use crate::text::Run;
use crate::{Report, number, text};
use benchwright_domain::{Dimension, Item};
use std::fmt::Write as _;

/// Failed items listed for one scorer.
const MOST_ITEMS: usize = 6;

/// The report as GitHub-flavoured Markdown.
pub fn render(report: &Report) -> String {
    let ledger = Ledger::of(report);
    let sections = [
        head(report),
        dimensions(report),
        lost(&ledger),
        errored(&ledger.errored),
        passed(&ledger.passed),
        unmeasured(&ledger),
        provenance(report),
    ];
    let mut page = sections.into_iter().filter(|section| !section.is_empty()).collect::<Vec<_>>().join("\n\n");
    page.push('\n');
    page
}

fn head(report: &Report) -> String {
    let score = report
        .composite
        .map_or_else(|| "no score".to_owned(), |composite| format!("{} of 100", number::score(composite)));
    let headline = prose(&report.headline);
    let mut head = format!("## Benchwright: {score}\n\n");
    if !headline.is_empty() {
        let _ = write!(head, "**{headline}**\n\n");
    }
    let title = report.subject.title.as_deref().map(prose).unwrap_or_default();
    let ranked = if report.rankable { "Rankable" } else { "Not rankable" };
    let measured = format!("{} of the weight measured", number::percent(report.coverage));
    let facts = [title, address(&report.subject.url), ranked.to_owned(), measured];
    head.push_str(&facts.into_iter().filter(|fact| !fact.is_empty()).collect::<Vec<_>>().join(" · "));
    for reason in &report.not_rankable_because {
        let _ = write!(head, "\n- {}", prose(reason));
    }
    let cost = crate::html::summary::cost(report);
    if !cost.is_empty() {
        let facts = cost.iter().map(|(name, value)| format!("{name} {}", prose(value))).collect::<Vec<_>>();
        let _ = write!(head, "\n\n{}", facts.join(" · "));
    }
    head
}

fn dimensions(report: &Report) -> String {
    if report.dimensions.is_empty() {
        return String::new();
    }
    let mut table = "| Dimension | Score | Weight | Measured by |\n|:--|--:|--:|:--|".to_owned();
    for dimension in Dimension::ALL {
        let Some(outcome) = report.dimensions.get(&dimension) else { continue };
        let score = outcome.score.map_or_else(|| "not measured".to_owned(), |score| number::score(100.0 * score));
        let weight =
            outcome.score.map_or_else(|| "–".to_owned(), |_| number::percent(outcome.effective_weight / 100.0));
        let measured = outcome.measured.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let _ = write!(table, "\n| {} | {score} | {weight} | {measured} |", dimension.title());
    }
    table
}

fn lost(ledger: &Ledger) -> String {
    if ledger.lost.is_empty() {
        return String::new();
    }
    let mut section = format!("### Points you lost: {}\n", number::points(ledger.points_lost()));
    for entry in &ledger.lost {
        section.push_str(&loss(entry));
    }
    section
}

fn loss(entry: &Entry) -> String {
    let points =
        if entry.is_whole() { "0.00".to_owned() } else { format!("−{}", number::points(entry.points_lost())) };
    let score = number::score(100.0 * entry.score());
    let worth = if entry.is_weightless() {
        "no weight".to_owned()
    } else {
        format!("worth {}", number::points(entry.scorer.share))
    };
    let mut lines =
        format!("\n- **{points}** {}: {} ({score} of 100, {worth})", name(entry), prose(&entry.scorer.title));
    let failed = entry.failed();
    for item in failed.iter().take(MOST_ITEMS) {
        let _ = write!(lines, "\n  - {}", finding(item));
    }
    if failed.len() > MOST_ITEMS {
        let _ = write!(lines, "\n  - {} more in the report", failed.len() - MOST_ITEMS);
    }
    lines
}

fn finding(item: &Item) -> String {
    let mut line = prose(&item.title);
    let compared = [("measured", &item.measured), ("expected", &item.expected)];
    let compared =
        compared.into_iter().filter_map(|(word, value)| Some(format!("{word} {}", prose(value.as_deref()?))));
    let compared = compared.collect::<Vec<_>>().join(", ");
    if !compared.is_empty() {
        let _ = write!(line, " ({compared})");
    }
    if let Some(fix) = &item.fix {
        let _ = write!(line, "<br>**Change:** {}", prose(fix));
    }
    line
}

fn errored(entries: &[Entry]) -> String {
    if entries.is_empty() {
        return String::new();
    }
    let lines = entries.iter().map(|entry| format!("{}: {}", name(entry), prose(&crate::ledger::reason(entry.scorer))));
    format!("### Could not be measured\n\n{}", list(lines))
}

fn passed(entries: &[Entry]) -> String {
    let lines = entries.iter().map(|entry| format!("{}: {}", name(entry), prose(&entry.scorer.title)));
    folded(&format!("Passed: {}", entries.len()), &list(lines))
}

fn unmeasured(ledger: &Ledger) -> String {
    let count: usize = ledger.no_input.iter().chain(&ledger.not_applicable).map(|group| group.entries.len()).sum();
    let line = |kind: &str, group: &Group| {
        let names = group.entries.iter().map(name).collect::<Vec<_>>().join(", ");
        format!("{kind} ({}): {names}", prose(&group.reason))
    };
    let no_input = ledger.no_input.iter().map(|group| line("No input", group));
    let not_applicable = ledger.not_applicable.iter().map(|group| line("Not applicable", group));
    folded(&format!("Not measured: {count}"), &list(no_input.chain(not_applicable)))
}

fn provenance(report: &Report) -> String {
    let provenance = &report.provenance;
    let own = [
        ("benchwright", &provenance.benchwright),
        ("methodology", &report.methodology),
        ("run", &provenance.run),
        ("started", &provenance.started_at),
    ];
    let versions = provenance.versions.iter().map(|(name, version)| (name.as_str(), version));
    let rows = own.into_iter().chain(versions).filter(|(_, value)| !value.is_empty());
    let lines = rows.map(|(name, value)| format!("{}: {}", prose(name), code(value)));
    folded("Provenance", &list(lines))
}

pub(crate) fn list(lines: impl Iterator<Item = String>) -> String {
    lines.map(|line| format!("- {line}")).collect::<Vec<_>>().join("\n")
}

pub(crate) fn folded(summary: &str, lines: &str) -> String {
    if lines.is_empty() {
        String::new()
    } else {
        format!("<details><summary>{summary}</summary>\n\n{lines}\n\n</details>")
    }
}

fn name(entry: &Entry) -> String {
    format!("**{}** {}", escaped(&entry.badge()), prose(&text::line_within(&entry.scorer.name, 120)))
}

/// A link if it may be one, otherwise code.
pub(crate) fn address(url: &str) -> String {
    match text::link(url) {
        Some(link) => format!("[{}](<{}>)", escaped(&text::line_within(url, 120)), target(&link)),
        None => code(url),
    }
}

/// Percent-encodes what could end a link target or mean something to Markdown in it.
fn target(link: &str) -> String {
    let special = |c: char| {
        matches!(c, '<' | '>' | '(' | ')' | '[' | ']' | '\\' | '`' | '|' | '"' | '\'' | '*' | '_' | '~' | '&')
    };
    let mut encoded = String::with_capacity(link.len());
    for c in link.chars() {
        match c {
            '&' => encoded.push_str("&amp;"),
            '_' => encoded.push('_'),
            c if special(c) => {
                let _ = write!(encoded, "%{:02X}", c as u32);
            }
            c => encoded.push(c),
        }
    }
    encoded
}

/// Prose, with what stands between backticks as code.
pub(crate) fn prose(words: &str) -> String {
    let runs = text::runs(&text::line(words));
    runs.iter().map(|Run { text, is_code }| if *is_code { code(text) } else { escaped(text) }).collect()
}

/// A code span. Backticks in it become the letter that looks like one, because no fence is safe inside a table on every renderer.
fn code(words: &str) -> String {
    let inner = text::line(words).replace('`', "ˋ").replace('|', "¦");
    if inner.is_empty() { String::new() } else { format!("`{inner}`") }
}

/// Escapes what Markdown or HTML reads as markup, and breaks what GitHub would turn into a link, a mention or a reference.
pub(crate) fn escaped(words: &str) -> String {
    const INVISIBLE_BREAK: &str = "&#8203;";
    let mut safe = String::with_capacity(words.len() + 16);
    for (position, c) in words.char_indices() {
        let rest = &words[position + c.len_utf8()..];
        match c {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '@' => safe.extend(["@", INVISIBLE_BREAK]),
            ':' if rest.starts_with('/') => safe.extend([":", INVISIBLE_BREAK]),
            '.' if ends_with_www(&safe) => safe.extend([INVISIBLE_BREAK, "."]),
            '#' if is_reference(rest) => safe.extend(["\\#", INVISIBLE_BREAK]),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '$' => safe.extend(['\\', c]),
            c if starts_block(&words[..position], c, rest) => safe.extend(['\\', c]),
            c => safe.push(c),
        }
    }
    safe
}

/// Whether a number follows, as in `#12`, and not a colour, as in `#12ab00`.
fn is_reference(rest: &str) -> bool {
    let word = rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    !word.is_empty() && word.chars().all(|c| c.is_ascii_digit())
}

/// Whether `c` would begin a heading, a list or a rule if `before` were the start of a line.
fn starts_block(before: &str, c: char, rest: &str) -> bool {
    match c {
        '#' | '-' | '+' | '=' => before.is_empty(),
        '.' | ')' => {
            let is_number = !before.is_empty() && before.chars().all(|c| c.is_ascii_digit());
            is_number && !rest.starts_with(|c: char| !c.is_whitespace())
        }
        _ => false,
    }
}

fn ends_with_www(before: &str) -> bool {
    before.len() >= 3
        && before.is_char_boundary(before.len() - 3)
        && before[before.len() - 3..].eq_ignore_ascii_case("www")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_links_and_mentions_are_defused() {
        assert_eq!(escaped("a|b `c` <d>&[e](f)"), "a\\|b \\`c\\` &lt;d&gt;&amp;\\[e\\](f)");
        assert_eq!(escaped("http://x www.y @z #12"), "http:&#8203;//x www&#8203;.y @&#8203;z \\#&#8203;12");
    }

    #[test]
    fn the_start_of_a_line_opens_no_block() {
        for (words, safe) in
            [("- a-b", "\\- a-b"), ("# a", "\\# a"), ("1. a", "1\\. a"), ("12) a", "12\\) a"), ("a. b", "a. b")]
        {
            assert_eq!(escaped(words), safe);
        }
    }

    #[test]
    fn code_cannot_end_its_span_or_its_table_cell() {
        assert_eq!(code("a`b``c|d\ne"), "`aˋbˋˋc¦d e`");
    }

    #[test]
    fn a_link_target_cannot_be_left() {
        assert_eq!(
            address("https://a/(b)>c?d=1&e_f"),
            "[https:&#8203;//a/(b)&gt;c?d=1&amp;e\\_f](<https://a/%28b%29%3Ec?d=1&amp;e_f>)"
        );
        assert_eq!(address("javascript:alert(1)"), "`javascript:alert(1)`");
    }
}
