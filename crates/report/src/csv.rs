//! CSV for spreadsheets: one row per scorer, per run of a batch, or per row of a board. No cell is a formula.

use crate::{Report, text};
use benchwright_domain::Dimension;
use benchwright_domain::board::{Board, RankRange, tool};
use benchwright_domain::report::OutcomeKind;

/// One row per scorer.
pub fn render(report: &Report) -> String {
    let mut table = Table::new(&[
        "run",
        "url",
        "tool",
        "prompt",
        "id",
        "name",
        "dimension",
        "outcome",
        "score",
        "passed",
        "share",
        "points_lost",
        "reason",
        "failed_items",
        "seconds",
        "version",
    ]);
    let mut scorers: Vec<_> = report.scorers.iter().collect();
    scorers.sort_by_key(|(key, scorer)| (scorer.id.is_none(), scorer.id, *key));
    for (key, scorer) in scorers {
        let failed = scorer.details.items.iter().filter(|item| item.status == benchwright_domain::ItemStatus::Failed);
        table.row(&[
            words(&report.provenance.run),
            words(&report.subject.url),
            words(report.subject.tool.as_deref().unwrap_or_default()),
            words(report.subject.prompt.as_deref().unwrap_or_default()),
            words(key),
            words(&scorer.name),
            words(scorer.id.map_or("added", |id| id.dimension().key())),
            words(outcome(scorer.outcome)),
            number(scorer.score),
            words(scorer.passed.map_or("", |passed| if passed { "true" } else { "false" })),
            number(Some(scorer.share)),
            number(Some(scorer.points_lost)),
            words(scorer.reason.as_deref().unwrap_or_default()),
            failed.count().to_string(),
            number(Some(scorer.seconds)),
            words(&scorer.version),
        ]);
    }
    table.text
}

/// One row per run, with a column for every published scorer.
pub fn runs<'a>(reports: impl IntoIterator<Item = &'a Report>) -> String {
    let dimensions = Dimension::ALL.map(Dimension::key);
    let ids = benchwright_domain::ScorerId::ALL;
    let head = ["run", "tool", "tool_version", "prompt", "run_index", "url", "composite", "rankable", "coverage"];
    let tail = ["seconds", "first_render_seconds", "working_build_seconds", "usd", "headline"];
    let keys = ids.map(benchwright_domain::ScorerId::key);
    let mut table = Table::new(&[&head[..], &dimensions, &keys, &tail].concat());
    for report in reports {
        let cost = report.cost.as_ref();
        let mut row = vec![
            words(&report.provenance.run),
            words(&tool(report)),
            words(report.subject.tool_version.as_deref().unwrap_or_default()),
            words(report.subject.prompt.as_deref().unwrap_or_default()),
            report.subject.run_index.map(|index| index.to_string()).unwrap_or_default(),
            words(&report.subject.url),
            number(report.composite),
            report.rankable.to_string(),
            number(Some(report.coverage)),
        ];
        row.extend(Dimension::ALL.iter().map(|key| number(report.dimensions.get(key).and_then(|found| found.score))));
        row.extend(keys.iter().map(|key| number(report.scorers.get(*key).and_then(|scorer| scorer.score))));
        row.extend([
            number(Some(report.provenance.seconds)),
            number(cost.and_then(|cost| cost.first_render_seconds)),
            number(cost.and_then(|cost| cost.working_build_seconds)),
            number(cost.and_then(|cost| cost.usd)),
            words(&report.headline),
        ]);
        table.row(&row);
    }
    table.text
}

/// One row per tool and ranking.
pub fn board(board: &Board) -> String {
    let head = ["prompt", "ranking", "rank_best", "rank_worst", "tool", "composite", "low", "high", "runs"];
    let tail = ["coverage", "usd", "working_build_seconds"];
    let dimensions = Dimension::ALL.map(Dimension::key);
    let mut table = Table::new(&[&head[..], &dimensions, &tail].concat());
    let ranks = |rank: RankRange| [rank.best.to_string(), rank.worst.to_string()];
    for overall in board.overall.iter().flat_map(|overall| &overall.rows) {
        let interval = overall.composite.interval;
        let mut row = vec![words("all prompts"), "1".to_owned()];
        row.extend(ranks(overall.rank));
        row.extend([words(&overall.tool), number(overall.composite.mean)]);
        row.extend([number(interval.map(|i| i.low)), number(interval.map(|i| i.high)), overall.runs.to_string()]);
        row.extend(Dimension::ALL.iter().map(|key| number(overall.dimensions.get(key).copied().flatten())));
        row.extend([const { String::new() }; 3]);
        table.row(&row);
    }
    for prompt in &board.prompts {
        for (position, ranking) in prompt.rankings.iter().enumerate() {
            for entry in &ranking.rows {
                let interval = entry.composite.interval;
                let mut row = vec![words(prompt.prompt.as_deref().unwrap_or_default()), (position + 1).to_string()];
                row.extend(ranks(entry.rank));
                row.extend([words(&entry.tool), number(entry.composite.mean)]);
                row.extend([
                    number(interval.map(|i| i.low)),
                    number(interval.map(|i| i.high)),
                    entry.runs.len().to_string(),
                ]);
                row.extend(Dimension::ALL.iter().map(|key| number(entry.dimensions.get(key).copied().flatten())));
                row.extend([number(Some(ranking.coverage)), number(entry.usd), number(entry.working_build_seconds)]);
                table.row(&row);
            }
        }
    }
    table.text
}

fn outcome(kind: OutcomeKind) -> &'static str {
    match kind {
        OutcomeKind::Scored => "scored",
        OutcomeKind::NotApplicable => "not_applicable",
        OutcomeKind::NoInput => "no_input",
        OutcomeKind::Errored => "errored",
    }
}

pub(crate) struct Table {
    text: String,
}

impl Table {
    pub(crate) fn new(head: &[&str]) -> Self {
        let mut table = Self { text: String::new() };
        table.row(&head.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        table
    }

    pub(crate) fn row(&mut self, cells: &[String]) {
        self.text.push_str(&cells.join(","));
        self.text.push_str("\r\n");
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }
}

/// A number as it is: an empty cell when there is none.
pub(crate) fn number(value: Option<f64>) -> String {
    value.filter(|value| value.is_finite()).map(|value| value.to_string()).unwrap_or_default()
}

/// Words in quotes. A spreadsheet takes what begins with one of these for a formula; an apostrophe before it says that it is none.
pub(crate) fn words(text: &str) -> String {
    let clean = text::line(text);
    let formula = clean.starts_with(['=', '+', '-', '@', '|', '%', '＝', '＋', '－', '＠']);
    let prefix = if formula { "'" } else { "" };
    if clean.is_empty() { String::new() } else { format!("\"{prefix}{}\"", clean.replace('"', "\"\"")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula_or_leaves_its_quotes() {
        assert_eq!(words("=HYPERLINK(\"x\")"), "\"'=HYPERLINK(\"\"x\"\")\"");
        for start in ["+1", "-1", "@SUM(A1)", "\t=1", "\r\n=1", " =1"] {
            assert!(words(start).starts_with("\"'"), "{start:?}");
        }
        assert_eq!(words("a\nb,c"), "\"a b,c\"");
        assert_eq!(number(Some(f64::NAN)), "");
    }
}
