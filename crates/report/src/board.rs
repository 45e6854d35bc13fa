//! The leaderboard as a static page. It works without script; a small script adds sorting.

mod table;

pub use table::{Amount, BUILD_TIME, Bar, COST, Column, Line, Link, Measure, Order, table};

use crate::html::summary::minutes;
use crate::{number, style, text};
use askama::Template;
use benchwright_domain::Dimension;
use benchwright_domain::board::{
    Board, BoardRun, CoverageClass, Overall, OverallRow, PromptBoard, RankRange, Ranking, Row,
};
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
    /// None where no tool has all prompts.
    table: Option<String>,
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
    table: String,
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
                table: overall_table(overall),
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
            table: table(&columns(true), &ranking.rows.iter().map(line).collect::<Vec<_>>()),
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

fn overall_table(overall: &Overall) -> Option<String> {
    let line = |row: &OverallRow| scored(&row.tool, row.rank, &row.composite, &row.dimensions, row.runs);
    let lines: Vec<Line> = overall.rows.iter().map(line).collect();
    (!lines.is_empty()).then(|| table(&columns(false), &lines))
}

/// A row of a ranking of one prompt.
fn line(row: &Row) -> Line {
    let versions = row.versions.iter().map(|version| text::line_within(version, 40)).collect::<Vec<_>>().join(", ");
    Line {
        version: versions,
        usd: row.usd.map(|usd| Amount::of(usd, number::dollars)),
        build: row.working_build_seconds.map(|seconds| Amount::of(seconds, number::seconds)),
        links: row.runs.iter().map(|run| link(&row.tool, run)).collect(),
        ..scored(&row.tool, row.rank, &row.composite, &row.dimensions, row.runs.len())
    }
}

fn scored(
    tool: &str,
    rank: RankRange,
    composite: &Spread,
    dimensions: &BTreeMap<Dimension, Option<f64>>,
    runs: usize,
) -> Line {
    let runs = i64::try_from(runs).unwrap_or(i64::MAX);
    Line::new(tool, Measure::of(rank, composite, runs, |key| dimensions.get(&key).copied().flatten()), runs)
}

fn link(tool: &str, run: &BoardRun) -> Link {
    Link {
        href: relative(&run.link),
        text: number::score(run.composite),
        unseen: format!(", report of {}", text::line_within(tool, 80)),
        title: format!("Report of {}", minutes(&run.started_at)),
    }
}

/// The heads of a table that the page's script sorts. Time and cost are known for the runs of one prompt only.
fn columns(of_one_prompt: bool) -> Vec<Column> {
    let costs: &[(&str, &str)] = if of_one_prompt { &[(BUILD_TIME, "up"), (COST, "up")] } else { &[] };
    let dimensions = Dimension::ALL.map(|dimension| (dimension.title(), "down"));
    let first = [("Rank", "up"), ("Tool", "text"), ("Composite", "down")];
    let all = first.into_iter().chain(dimensions).chain(costs.iter().copied()).chain([("Runs", "down")]);
    all.map(|(text, sort)| Column { text, order: Order::Script(sort) }).collect()
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
