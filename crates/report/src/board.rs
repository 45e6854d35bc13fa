//! The leaderboard as a static page. It works without script; a small script adds sorting.

use crate::html::summary::minutes;
use crate::{number, style, text};
use askama::Template;
use benchwright_domain::Dimension;
use benchwright_domain::board::{Board, BoardRun, CoverageClass, PromptBoard, RankRange, Ranking, Row};
use benchwright_domain::repeats::Spread;
use std::collections::BTreeMap;

const OWN_STYLE: &str = include_str!("../templates/board.css");
const SCRIPT: &str = include_str!("../templates/board.js").trim_ascii();

/// What stands over the board.
#[derive(Debug, Clone, Copy)]
pub struct Heading<'a> {
    /// The title of the page.
    pub title: &'a str,
    /// When it was made, RFC 3339, UTC.
    pub made_at: &'a str,
}

/// The board as one HTML file, `index.html`.
pub fn html(board: &Board, heading: Heading) -> String {
    Page::of(board, heading).render().expect("writing to a string does not fail")
}

#[derive(Template)]
#[template(path = "board.html")]
struct Page {
    style: String,
    style_hash: String,
    script: &'static str,
    script_hash: String,
    title: String,
    made_at: String,
    tools: usize,
    runs: usize,
    overall: Option<OverallTable>,
    prompts: Vec<PromptSection>,
    unranked: Vec<Apart>,
}

struct OverallTable {
    prompts: usize,
    lines: Vec<Line>,
    incomplete: Vec<(String, String)>,
}

struct PromptSection {
    anchor: String,
    name: String,
    tables: Vec<ClassTable>,
}

struct ClassTable {
    /// Empty for the only class of a prompt.
    title: String,
    class: String,
    ids: String,
    all_single: bool,
    lines: Vec<Line>,
}

/// One tool in one table.
struct Line {
    tool: String,
    versions: String,
    rank: String,
    ranks_best: usize,
    composite: String,
    interval: String,
    /// Position of the mean and of the interval on the scale of 100.
    mean: String,
    low: Option<String>,
    width: String,
    bars: Vec<Bar>,
    runs: usize,
    usd: Option<String>,
    usd_value: String,
    duration: Option<String>,
    duration_value: String,
    links: Vec<Link>,
}

struct Bar {
    accent: &'static str,
    title: &'static str,
    score: Option<String>,
}

struct Link {
    href: String,
    text: String,
    started_at: String,
}

struct Apart {
    tool: String,
    prompt: String,
    composite: String,
    reasons: Vec<String>,
    href: String,
}

impl Page {
    fn of(board: &Board, heading: Heading) -> Self {
        let style = style::with(OWN_STYLE);
        let rankings = || board.prompts.iter().flat_map(|prompt| &prompt.rankings);
        let rows = || rankings().flat_map(|ranking| &ranking.rows);
        let tools: std::collections::BTreeSet<_> = rows().map(|row| &row.tool).collect();
        Self {
            style_hash: style::hash(&style),
            style,
            script: SCRIPT,
            script_hash: style::hash(SCRIPT),
            title: text::line_within(heading.title, 120),
            made_at: minutes(heading.made_at),
            tools: tools.len(),
            runs: rows().map(|row| row.runs.len()).sum(),
            overall: board.overall.as_ref().map(|overall| OverallTable {
                prompts: overall.prompts,
                lines: overall
                    .rows
                    .iter()
                    .map(|row| Line::new(&row.tool, row.rank, &row.composite, &row.dimensions, row.runs))
                    .collect(),
                incomplete: overall
                    .incomplete
                    .iter()
                    .map(|tool| (text::line_within(&tool.tool, 80), text::line(&tool.missing.join(", "))))
                    .collect(),
            }),
            prompts: (0..).zip(&board.prompts).map(|(position, prompt)| PromptSection::of(position, prompt)).collect(),
            unranked: board
                .unranked
                .iter()
                .map(|run| Apart {
                    tool: text::line_within(&run.tool, 80),
                    prompt: run.prompt.as_deref().map(|prompt| text::line_within(prompt, 80)).unwrap_or_default(),
                    composite: run.composite.map_or_else(|| "no score".to_owned(), number::score),
                    reasons: run.reasons.iter().map(|reason| text::line_within(reason, 300)).collect(),
                    href: relative(&run.link),
                })
                .collect(),
        }
    }
}

impl PromptSection {
    fn of(position: usize, board: &PromptBoard) -> Self {
        let several = board.rankings.len() > 1;
        Self {
            anchor: format!("prompt-{position}"),
            name: board
                .prompt
                .as_deref()
                .map_or_else(|| "No prompt".to_owned(), |prompt| text::line_within(prompt, 80)),
            tables: (1..)
                .zip(&board.rankings)
                .map(|(number, ranking)| ClassTable::of(number, several, ranking))
                .collect(),
        }
    }
}

impl ClassTable {
    fn of(number: usize, several: bool, ranking: &Ranking) -> Self {
        Self {
            title: if several { format!("Ranking {number}") } else { String::new() },
            class: class_words(&ranking.class, ranking.coverage),
            ids: ranking.class.scored.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
            all_single: ranking.rows.iter().all(|row| row.runs.len() == 1),
            lines: ranking.rows.iter().map(Line::of).collect(),
        }
    }
}

fn class_words(class: &CoverageClass, coverage: f64) -> String {
    let scanners = text::line_within(&class.scanners, 120);
    let mut words = format!(
        "{} scorers, {} of the published weight, methodology {}",
        class.scored.len(),
        number::percent(coverage),
        text::line_within(&class.methodology, 40)
    );
    if !scanners.is_empty() {
        words.extend(["; secret scanners: ", &scanners]);
    }
    if class.counts_unrendered_as_zero {
        words.push_str("; a page that does not render counts as 0");
    }
    words
}

impl Line {
    fn of(row: &Row) -> Self {
        let versions = row.versions.iter().map(|version| text::line_within(version, 40)).collect::<Vec<_>>().join(", ");
        Self {
            versions,
            usd: row.usd.map(number::dollars),
            usd_value: row.usd.map(|usd| number::finite(usd).to_string()).unwrap_or_default(),
            duration: row.working_build_seconds.map(number::seconds),
            duration_value: row
                .working_build_seconds
                .map(|seconds| number::finite(seconds).to_string())
                .unwrap_or_default(),
            links: row.runs.iter().map(Link::of).collect(),
            ..Self::new(&row.tool, row.rank, &row.composite, &row.dimensions, row.runs.len())
        }
    }

    fn new(
        tool: &str,
        rank: RankRange,
        composite: &Spread,
        dimensions: &BTreeMap<Dimension, Option<f64>>,
        runs: usize,
    ) -> Self {
        let on_scale = |value: f64| number::finite(value).clamp(0.0, 100.0);
        let interval = composite.interval;
        Self {
            tool: text::line_within(tool, 80),
            versions: String::new(),
            rank: if rank.best == rank.worst {
                rank.best.to_string()
            } else {
                format!("{}–{}", rank.best, rank.worst)
            },
            ranks_best: rank.best,
            composite: composite.mean.map_or_else(|| "–".to_owned(), number::score),
            interval: interval.map_or_else(
                || if runs == 1 { "one run, no interval" } else { "single runs, no interval" }.to_owned(),
                |i| format!("{} to {}", number::score(i.low), number::score(i.high)),
            ),
            mean: number::points(on_scale(composite.mean.unwrap_or_default())),
            low: interval.map(|i| number::points(on_scale(i.low))),
            width: interval.map(|i| number::points(on_scale(i.high) - on_scale(i.low))).unwrap_or_default(),
            bars: Dimension::ALL
                .into_iter()
                .map(|dimension| Bar {
                    accent: dimension.key(),
                    title: dimension.title(),
                    score: dimensions
                        .get(&dimension)
                        .copied()
                        .flatten()
                        .map(|score| number::score(on_scale(100.0 * score))),
                })
                .collect(),
            runs,
            usd: None,
            usd_value: String::new(),
            duration: None,
            duration_value: String::new(),
            links: Vec::new(),
        }
    }
}

impl Link {
    fn of(run: &BoardRun) -> Self {
        Self { href: relative(&run.link), text: number::score(run.composite), started_at: minutes(&run.started_at) }
    }
}

/// A link within the board's own folder; anything else leads to the page itself.
fn relative(link: &str) -> String {
    let harmless = |c: char| c.is_ascii_alphanumeric() || "-._/".contains(c);
    let climbs = link.split('/').any(|part| part == ".." || part.is_empty());
    if link.chars().all(harmless) && !climbs && !link.is_empty() { link.to_owned() } else { "#main".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_stay_within_the_board() {
        assert_eq!(relative("reports/a-1.html"), "reports/a-1.html");
        for link in ["javascript:alert(1)", "//evil.example/x", "../x", "", "a\"b", "https://evil.example"] {
            assert_eq!(relative(link), "#main", "{link}");
        }
    }
}
