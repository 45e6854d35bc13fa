//! The mean over prompts, for tools that have runs on all of them.

use super::table::{Row, Values};
use super::{Asked, ClassWords, Page, Prompts, Ranking};
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

pub(super) async fn page(site: &Site, asked: &Asked, prompts: &Prompts) -> Result<Page, Problem> {
    let chosen = averaged(&prompts.ranked, asked.tier());
    let Ranked { tools, incomplete } = rank(site, &chosen).await?;
    let tier = asked.tier().map(|tier| tier.to_string());
    // Who asks for a tier does not ask for runs of all of them.
    let (apart, all_apart) =
        if tier.is_none() { super::apart(site, Ranking::Overall).await? } else { (Vec::new(), None) };
    let over = over(&prompts.ranked, asked.tier());
    Ok(Page {
        lead: if chosen.is_empty() {
            String::new()
        } else {
            format!("The mean over {over}, each weighing the same, for tools with ranked runs on all of them.")
        },
        nothing: match (chosen.is_empty(), tier.is_some(), apart.is_empty()) {
            (false, ..) => "No tool has ranked runs on every prompt yet. Choose a prompt above.",
            (true, true, _) => "No prompt of this tier has ranked runs yet.",
            (true, false, true) => "No prompt has ranked runs yet.",
            (true, false, false) => "No prompt has ranked runs yet. Those below say why.",
        },
        rows: tools.iter().map(Overall::shown).collect(),
        used: used(site, &chosen).await?,
        incomplete: incomplete.iter().map(Lacking::of).collect(),
        apart,
        all_apart,
        api: with_query("/api/v1/board/overall", [("tier", tier.as_deref())]),
        ..Page::around(site, asked, prompts, Ranking::Overall, "All prompts".to_owned())
    })
}

/// Over how many prompts a mean is taken, in words: "2 prompts", "the first 200 of 250 prompts".
pub fn over(prompts: &[PromptSummary], tier: Option<u8>) -> String {
    let all = wanted(prompts, tier).count();
    let counted = view::counted(view::count(all), "prompt", "prompts");
    if all > MOST_PROMPTS { format!("the first {MOST_PROMPTS} of {counted}") } else { counted }
}

/// The prompts that a mean is taken over, of one tier if that is wanted. Runs without a prompt answer to different wishes; a mean over
/// them means nothing.
pub fn averaged(prompts: &[PromptSummary], tier: Option<u8>) -> Vec<&PromptSummary> {
    wanted(prompts, tier).take(MOST_PROMPTS).collect()
}

fn wanted(prompts: &[PromptSummary], tier: Option<u8>) -> impl Iterator<Item = &PromptSummary> {
    prompts.iter().filter(move |prompt| prompt.prompt.is_some() && (tier.is_none() || prompt.tier == tier))
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
    use crate::site::sample;

    /// The page of a site with a run of one tool for each prompt, measured as its methodology says; those without one are not ranked.
    async fn rendered(runs: &[(Option<&str>, Option<&str>)]) -> String {
        let folder = tempfile::tempdir().unwrap();
        let entries = sample::entries(runs, |(prompt, methodology), record| {
            record.prompt = prompt.map(str::to_owned);
            match methodology {
                Some(methodology) => (*methodology).clone_into(&mut record.class.methodology),
                None => {
                    (record.rankable, record.not_rankable_because) =
                        (false, vec!["only some scorers were selected (--only)".to_owned()]);
                }
            }
        });
        let site = sample::site(folder.path(), &entries).await;
        let prompts = Prompts::of(&site).await.unwrap();
        askama::Template::render(&page(&site, &Asked::default(), &prompts).await.unwrap()).unwrap()
    }

    #[tokio::test]
    async fn the_mean_over_prompts_hid_what_was_measured_and_spoke_of_cost_that_it_does_not_show() {
        let same = rendered(&[(Some("cart"), Some("1.0")), (Some("todo"), Some("1.0"))]).await;
        assert!(same.contains("<p class=\"class\">On all of them: 2 scorers, methodology 1.0.</p>"), "{same}");
        assert!(same.contains("The mean over 2 prompts") && !same.contains("Cost and build time"), "{same}");
        let mixed =
            rendered(&[(Some("cart"), Some("1.0")), (Some("todo"), Some("2.0")), (Some("<b>"), Some("2.0"))]).await;
        assert!(mixed.contains("On cart: 2 scorers, methodology 1.0."), "{mixed}");
        assert!(mixed.contains("todo: 2 scorers, methodology 2.0.") && !mixed.contains("<b>"), "{mixed}");
    }

    #[tokio::test]
    async fn runs_apart_were_hidden_behind_a_choice_that_was_not_there() {
        let none = rendered(&[(Some("cart"), None), (None, None)]).await;
        assert!(none.contains("No prompt has ranked runs yet. Those below say why."), "{none}");
        assert!(!none.contains("The mean over") && !none.contains("Choose a prompt"), "{none}");
        assert_eq!(none.matches("only some scorers were selected (--only)").count(), 2, "{none}");
        assert!(none.contains("<option value=\"cart\">cart (none ranked)</option>"), "{none}");
        assert!(none.contains("<option value=\"\">No prompt (none ranked)</option>"), "{none}");
        let some = rendered(&[(Some("cart"), None), (Some("todo"), Some("1.0"))]).await;
        assert!(some.contains("The mean over 1 prompt,") && some.contains("cart (none ranked)"), "{some}");
        assert!(!some.contains("todo (none ranked)") && some.contains("<h2 id=\"apart\">"), "{some}");
        let empty = rendered(&[]).await;
        assert!(empty.contains("No prompt has ranked runs yet.") && !empty.contains("below"), "{empty}");
    }

    #[tokio::test]
    async fn twenty_runs_apart_are_shown_and_one_more_is_a_link_away() {
        for (runs, is_cut) in [(20, false), (21, true)] {
            let page = rendered(&vec![(None, None); runs]).await;
            assert_eq!(page.matches("only some scorers were selected").count(), 20);
            assert_eq!(page.contains("<a href=\"/runs?ranked=no\">All runs that are not ranked</a>"), is_cut, "{page}");
        }
    }

    #[test]
    fn prompts_that_are_left_out_of_the_mean_were_left_out_in_silence() {
        let summary = |number: usize| PromptSummary {
            prompt: Some(format!("p{number:03}")),
            tier: Some(1),
            main_class: String::new(),
            tools: 1,
            runs: 1,
        };
        let mut prompts: Vec<PromptSummary> = (0..MOST_PROMPTS).map(summary).collect();
        assert_eq!(
            (over(&prompts, None), over(&prompts[..1], None)),
            ("200 prompts".to_owned(), "1 prompt".to_owned())
        );
        prompts.push(summary(MOST_PROMPTS));
        assert_eq!(over(&prompts, Some(1)), "the first 200 of 201 prompts");
        assert_eq!((averaged(&prompts, None).len(), over(&prompts, Some(2))), (MOST_PROMPTS, "0 prompts".to_owned()));
    }
}
