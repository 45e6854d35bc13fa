//! The mean over prompts, for tools that have runs on all of them.

use super::table::{Row, Values};
use super::{Asked, Page, Ranking};
use crate::address::with_query;
use crate::problem::Problem;
use crate::site::Site;
use crate::view;
use benchwright_domain::Dimension;
use benchwright_domain::board::{RankRange, over_prompts, ranges};
use benchwright_domain::repeats::Spread;
use benchwright_report::board::{Line, Measure};
use benchwright_report::text;
use benchwright_store::index::{PromptSummary, Standing};
use std::collections::BTreeMap;

/// More prompts than that are not averaged on a page.
const MOST_PROMPTS: usize = 200;

/// A tool that lacks prompts.
pub struct Incomplete {
    pub tool: String,
    pub missing: Vec<String>,
}

/// One tool over all prompts.
pub struct Overall {
    pub tool: String,
    pub rank: RankRange,
    pub composite: Spread,
    pub dimensions: [Option<f64>; 4],
    pub runs: i64,
    pub verified: i64,
}

/// A ranking over prompts.
pub struct Ranked {
    /// The best mean first.
    pub tools: Vec<Overall>,
    pub incomplete: Vec<Incomplete>,
}

pub(super) async fn page(site: &Site, asked: &Asked, prompts: &[PromptSummary]) -> Result<Page, Problem> {
    let chosen = averaged(prompts, asked.tier());
    let Ranked { tools, incomplete } = rank(site, &chosen).await?;
    let tier = asked.tier().map(|tier| tier.to_string());
    let counts = view::counted(view::count(chosen.len()), "prompt", "prompts");
    Ok(Page {
        lead: format!("The mean over {counts}, each weighing the same, for tools with ranked runs on all of them."),
        rows: tools.iter().map(Overall::shown).collect(),
        incomplete: incomplete.iter().map(Lacking::of).collect(),
        api: with_query("/api/v1/board/overall", [("tier", tier.as_deref())]),
        ..Page::around(site, asked, prompts, Ranking::Overall, "All prompts".to_owned())
    })
}

/// The prompts that a mean is taken over, of one tier if that is wanted. Runs without a prompt answer to different wishes; a mean over
/// them means nothing.
pub fn averaged(prompts: &[PromptSummary], tier: Option<u8>) -> Vec<&PromptSummary> {
    let is_wanted = |prompt: &&PromptSummary| prompt.prompt.is_some() && (tier.is_none() || prompt.tier == tier);
    prompts.iter().filter(is_wanted).take(MOST_PROMPTS).collect()
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
    let mut tools: Vec<Overall> = whole.into_iter().map(|(tool, rows)| Overall::of(tool, &rows)).collect();
    let mean = |row: &Overall| row.composite.mean.unwrap_or_default();
    tools.sort_by(|a, b| mean(b).total_cmp(&mean(a)).then_with(|| a.tool.cmp(&b.tool)));
    let ranks = ranges(&tools.iter().map(|row| &row.composite).collect::<Vec<_>>());
    for (row, rank) in tools.iter_mut().zip(ranks) {
        row.rank = rank;
    }
    let incomplete = lacking.into_iter().map(|(tool, _)| {
        let has = present.remove(&tool).unwrap_or_default();
        let missing = prompts.iter().filter_map(|prompt| prompt.prompt.clone()).filter(|id| !has.contains(id));
        Incomplete { missing: missing.collect(), tool }
    });
    Ok(Ranked { tools, incomplete: incomplete.collect() })
}

/// A tool that lacks prompts, in words.
pub struct Lacking {
    pub tool: String,
    pub missing: String,
}

impl Lacking {
    fn of(incomplete: &Incomplete) -> Self {
        let Incomplete { tool, missing } = incomplete;
        Self { tool: text::line_within(tool, 80), missing: text::line(&missing.join(", ")) }
    }
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
            // Until all are known.
            rank: RankRange { best: 1, worst: 1 },
            composite: over_prompts(&spreads),
            dimensions: Dimension::ALL.map(dimension),
            runs: rows.iter().map(|row| row.tally.runs).sum(),
            verified: rows.iter().map(|row| row.tally.verified).sum(),
        }
    }

    pub fn dimension(&self, key: Dimension) -> Option<f64> {
        let place = Dimension::ALL.iter().position(|other| *other == key);
        place.and_then(|place| self.dimensions[place])
    }

    pub fn shown(&self) -> Row {
        let measure = Measure::of(self.rank, &self.composite, self.runs, |key| self.dimension(key));
        let runs_href = with_query("/runs", [("tool", Some(self.tool.as_str()))]);
        let values = Values { dimensions: self.dimensions, runs: self.runs, ..Values::default() };
        Row::new(Line::new(&self.tool, measure, self.runs), runs_href, self.verified, values)
    }
}
