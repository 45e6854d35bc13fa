//! The mean over prompts, for tools that have runs on all of them.

use super::table::{Row, Values};
use super::{Asked, Page, Ranking};
use crate::problem::Problem;
use crate::site::Site;
use crate::view;
use benchwright_domain::Dimension;
use benchwright_domain::board::{over_prompts, ranges};
use benchwright_domain::repeats::Spread;
use benchwright_report::board::{Line, Measure};
use benchwright_report::text;
use benchwright_store::index::{PromptSummary, Standing};
use std::collections::BTreeMap;

/// More prompts than that are not averaged on a page.
const MOST_PROMPTS: usize = 200;

/// A tool that lacks a prompt.
pub struct Incomplete {
    pub tool: String,
    pub missing: String,
}

/// One tool over all prompts.
struct Overall {
    tool: String,
    composite: Spread,
    dimensions: [Option<f64>; 4],
    runs: i64,
    verified: i64,
}

/// A ranking over prompts.
pub struct Ranked {
    pub rows: Vec<Row>,
    incomplete: Vec<Incomplete>,
}

pub(super) async fn page(site: &Site, asked: &Asked, prompts: &[PromptSummary]) -> Result<Page, Problem> {
    let in_tier = |prompt: &PromptSummary| asked.tier().is_none_or(|tier| prompt.tier == Some(tier));
    let chosen = averaged(prompts, in_tier);
    let Ranked { rows, incomplete } = rank(site, &chosen).await?;
    let counts = view::counted(view::count(chosen.len()), "prompt", "prompts");
    Ok(Page {
        lead: format!("The mean over {counts}, each weighing the same, for tools with ranked runs on all of them."),
        rows,
        incomplete,
        ..Page::around(site, asked, prompts, Ranking::Overall, "All prompts".to_owned())
    })
}

/// The prompts that a mean is taken over. Runs without a prompt answer to different wishes; a mean over them means nothing.
pub fn averaged(prompts: &[PromptSummary], wanted: impl Fn(&PromptSummary) -> bool) -> Vec<&PromptSummary> {
    prompts.iter().filter(|prompt| prompt.prompt.is_some() && wanted(prompt)).take(MOST_PROMPTS).collect()
}

pub async fn rank(site: &Site, prompts: &[&PromptSummary]) -> Result<Ranked, Problem> {
    let mut by_tool: BTreeMap<String, Vec<Standing>> = BTreeMap::new();
    let mut present: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for prompt in prompts {
        for standing in site.index.standings(prompt.prompt.as_deref(), &prompt.main_class).await? {
            present.entry(standing.tool.clone()).or_default().extend(prompt.prompt.clone());
            by_tool.entry(standing.tool.clone()).or_default().push(standing);
        }
    }
    let (whole, lacking): (Vec<_>, Vec<_>) = by_tool.into_iter().partition(|(_, rows)| rows.len() == prompts.len());
    let mut overall: Vec<Overall> = whole.into_iter().map(|(tool, rows)| Overall::of(tool, &rows)).collect();
    let mean = |row: &Overall| row.composite.mean.unwrap_or_default();
    overall.sort_by(|a, b| mean(b).total_cmp(&mean(a)).then_with(|| a.tool.cmp(&b.tool)));
    let ranks = ranges(&overall.iter().map(|row| &row.composite).collect::<Vec<_>>());
    let rows = overall.iter().zip(ranks).map(|(row, rank)| row.shown(rank)).collect();
    let incomplete = lacking.into_iter().map(|(tool, _)| {
        let has = present.remove(&tool).unwrap_or_default();
        let missing = prompts.iter().filter_map(|prompt| prompt.prompt.clone()).filter(|id| !has.contains(id));
        Incomplete { tool: text::line_within(&tool, 80), missing: text::line(&missing.collect::<Vec<_>>().join(", ")) }
    });
    Ok(Ranked { rows, incomplete: incomplete.collect() })
}

impl Overall {
    fn of(tool: String, rows: &[Standing]) -> Self {
        let spreads: Vec<(&Spread, usize)> =
            rows.iter().map(|row| (&row.composite, usize::try_from(row.tally.runs).unwrap_or_default())).collect();
        let dimension = |key: Dimension| {
            let scores: Vec<f64> = rows.iter().filter_map(|row| row.tally.dimension(key)).collect();
            (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64)
        };
        Self {
            tool,
            composite: over_prompts(&spreads),
            dimensions: Dimension::ALL.map(dimension),
            runs: rows.iter().map(|row| row.tally.runs).sum(),
            verified: rows.iter().map(|row| row.tally.verified).sum(),
        }
    }

    fn shown(&self, rank: benchwright_domain::board::RankRange) -> Row {
        let place = |key: Dimension| Dimension::ALL.iter().position(|other| *other == key).unwrap_or_default();
        let measure = Measure::of(rank, &self.composite, self.runs, |key| self.dimensions[place(key)]);
        let runs_href = crate::address::with_query("/runs", [("tool", Some(self.tool.as_str()))]);
        let values = Values { dimensions: self.dimensions, runs: self.runs, ..Values::default() };
        Row::new(Line::new(&self.tool, measure, self.runs), runs_href, self.verified, values)
    }
}
