//! The mean over prompts, for tools that have runs on all of them.

use super::table::{Row, Values};
use super::{Asked, ClassWords, Page, Ranking};
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
/// Prompts that are named beside what was measured of them; more are counted.
const MOST_NAMED: usize = 5;

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
        used: used(site, &chosen).await?,
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

/// What was measured: a line for each coverage class that is the main one of some prompts.
async fn used(site: &Site, prompts: &[&PromptSummary]) -> Result<Vec<String>, Problem> {
    let mut by_class: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for prompt in prompts {
        by_class.entry(&prompt.main_class).or_default().extend(prompt.prompt.as_deref());
    }
    let mut lines = Vec::new();
    for (id, names) in by_class {
        let classes = site.index.classes(names.first().copied()).await?;
        let class = classes.iter().find(|class| class.class == id).map(ClassWords::of);
        lines.extend(class.map(|class| format!("{}: {}", named(&names, prompts.len()), class.text)));
    }
    Ok(lines)
}

fn named(names: &[&str], of: usize) -> String {
    if names.len() == of && of > 1 {
        return "On all of them".to_owned();
    }
    if names.len() > MOST_NAMED {
        return format!("On {} of them", names.len());
    }
    let names: Vec<_> = names.iter().map(|name| text::line_within(name, 80)).collect();
    format!("On {}", names.join(", "))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methodology::Methodology;
    use crate::quiz::Quiz;
    use crate::site::Settings;
    use benchwright_domain::{Report, RunRecord};
    use benchwright_quiz::{Catalogue, Library};
    use benchwright_store::index::{Durability, Entry, Index};
    use benchwright_store::{Folder, RunDir};
    use std::path::Path;
    use std::sync::Arc;

    /// A site with one run of one tool for each prompt, measured as its methodology says.
    async fn site(folder: &Path, runs: &[(&str, &str)]) -> Site {
        let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../store/tests/fixtures/finished-1");
        let mut run = RunDir::read(&fixture).unwrap();
        let record = run.run_json.take().unwrap()["record"].clone();
        let mut record: RunRecord = serde_json::from_value(record).unwrap();
        let mut entries = Vec::new();
        for (number, (prompt, methodology)) in runs.iter().enumerate() {
            record.run = format!("20261116T020553Z-000{number}");
            record.prompt = Some((*prompt).to_owned());
            (*methodology).clone_into(&mut record.class.methodology);
            run.header.id.clone_from(&record.run);
            entries.push(Entry::of(&run, Some(record.clone())).unwrap());
        }
        let index = Index::sqlite(&folder.join("index.sqlite"), Durability::Process).await.unwrap();
        index.take_in(&entries).await.unwrap();
        let quiz = Quiz {
            library: Arc::new(Library::of(Vec::new())),
            catalogue: Arc::new(Catalogue::shipped().unwrap()),
            bundle: None,
            weights: None,
        };
        let scored = Arc::new(|_: &str| -> Result<Report, String> { Err("nothing is scored here".to_owned()) });
        let (storage, settings) = (Arc::new(Folder::at(folder)), Settings::default());
        Site::new(storage, Arc::new(index), settings, Methodology::default(), scored, quiz)
    }

    async fn rendered(runs: &[(&str, &str)]) -> String {
        let folder = tempfile::tempdir().unwrap();
        let site = site(folder.path(), runs).await;
        let prompts = site.index.prompts().await.unwrap();
        askama::Template::render(&page(&site, &Asked::default(), &prompts).await.unwrap()).unwrap()
    }

    #[tokio::test]
    async fn the_mean_over_prompts_hid_what_was_measured_and_spoke_of_cost_that_it_does_not_show() {
        let same = rendered(&[("cart", "1.0"), ("todo", "1.0")]).await;
        assert!(same.contains("<p class=\"class\">On all of them: 2 scorers, methodology 1.0.</p>"), "{same}");
        assert!(same.contains("The mean over 2 prompts") && !same.contains("Cost and build time"), "{same}");
        let mixed = rendered(&[("cart", "1.0"), ("todo", "2.0"), ("<b>", "2.0")]).await;
        assert!(mixed.contains("On cart: 2 scorers, methodology 1.0."), "{mixed}");
        assert!(mixed.contains("todo: 2 scorers, methodology 2.0.") && !mixed.contains("<b>"), "{mixed}");
    }
}
