//! Rankings: of one prompt in one coverage class, or the mean over all prompts.

pub mod overall;
mod table;

use super::{html, kept};
use crate::address::with_query;
use crate::encoding::Encoded;
use crate::problem::Problem;
use crate::shell::{Section, Shell};
use crate::site::Site;
use crate::view::{self, Card};
use askama::Template;
use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use benchwright_report::text;
use benchwright_store::index::{ClassSummary, PromptSummary, RunFilter};
use overall::Lacking;
use serde::Deserialize;
use std::sync::Arc;
pub use table::Row;
use table::Sort;

/// Runs that are shown apart.
const MOST_APART: u32 = 20;
const LONGEST_SEARCH: usize = 100;

/// What the address asks for.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Asked {
    prompt: Option<String>,
    class: Option<String>,
    /// The prompt that the class was chosen for. The form sends it, as somebody may choose another prompt there.
    of: Option<String>,
    tier: Option<String>,
    sort: Option<String>,
    q: Option<String>,
}

#[derive(Template)]
#[template(path = "board.html")]
struct Page {
    shell: Shell,
    title: String,
    lead: String,
    /// The prompt that is ranked; empty where there is none.
    prompt: String,
    prompts: Vec<Choice>,
    tiers: Vec<Choice>,
    search: String,
    sorts: Vec<Choice>,
    rows: Vec<Row>,
    /// The rows as they are shown.
    table: String,
    /// What is said where there are none.
    nothing: &'static str,
    /// Whether rows are of one prompt, so that runs, cost and time can be shown.
    is_prompt: bool,
    is_filtered: bool,
    all_single: bool,
    class: Option<ClassWords>,
    classes: Vec<Choice>,
    /// The classes that a mean was taken over, in words.
    used: Vec<String>,
    incomplete: Vec<Lacking>,
    apart: Vec<Card>,
    /// Where all of them are, if those are not all.
    all_apart: Option<String>,
    api: String,
}

/// An entry of a list to choose from.
pub struct Choice {
    value: String,
    text: String,
    href: String,
    is_chosen: bool,
}

struct ClassWords {
    key: String,
    text: String,
    ids: Vec<(String, &'static str)>,
}

pub async fn page(
    State(site): State<Arc<Site>>,
    Query(mut asked): Query<Asked>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    // A form sends every field; one that was left empty asks for nothing. An empty prompt means runs without one.
    for field in [&mut asked.class, &mut asked.tier, &mut asked.sort, &mut asked.q] {
        *field = field.take().filter(|text| !text.trim().is_empty());
    }
    if asked.of.as_ref().is_some_and(|of| asked.prompt.as_ref() != Some(of)) {
        asked.class = None;
    }
    if asked.prompt.as_deref() == Some("*") {
        asked.prompt = None;
    }
    let searches = asked.q.is_some();
    let path = asked.address();
    let make = make(&site, asked);
    if searches {
        // Everybody searches for something else: not worth keeping.
        return Ok(make.await?.answer(&headers));
    }
    kept(&site, &headers, path, make).await
}

async fn make(site: &Site, asked: Asked) -> Result<Encoded, Problem> {
    let prompts = Prompts::of(site).await?;
    let ranking = match asked.prompt.as_deref() {
        Some(prompt) => Ranking::Of(Some(prompt).filter(|prompt| !prompt.is_empty())),
        None => prompts.usual(),
    };
    let mut page = match ranking {
        Ranking::Of(prompt) => of_prompt(site, &asked, &prompts, prompt).await?,
        Ranking::Overall => overall::page(site, &asked, &prompts).await?,
    };
    let (sort, search) = (Sort::of(asked.sort.as_deref()), asked.search());
    page.rows.retain(|row| row.matches(&search));
    table::sort(&mut page.rows, sort);
    let columns = table::columns(sort, page.is_prompt, |sort| {
        Asked { sort: Some(sort.key().to_owned()), ..asked.clone() }.address()
    });
    page.table = benchwright_report::board::table(&columns, page.rows.iter().map(|row| &row.line));
    page.sorts = table::sorts(sort, page.is_prompt);
    page.is_filtered = !search.is_empty();
    page.search = search;
    html(&page)
}

impl Asked {
    fn address(&self) -> String {
        let parts = [
            ("prompt", &self.prompt),
            ("class", &self.class),
            ("tier", &self.tier),
            ("sort", &self.sort),
            ("q", &self.q),
        ];
        with_query("/board", parts.map(|(name, value)| (name, value.as_deref())))
    }

    fn search(&self) -> String {
        text::line_within(self.q.as_deref().unwrap_or_default(), LONGEST_SEARCH)
    }

    fn tier(&self) -> Option<u8> {
        self.tier.as_deref()?.parse().ok()
    }
}

/// What can be chosen.
struct Prompts {
    ranked: Vec<PromptSummary>,
    /// Those whose runs all stand apart. They have no ranking, but they have a page.
    unranked: Vec<Option<String>>,
}

impl Prompts {
    async fn of(site: &Site) -> Result<Self, Problem> {
        let ranked = site.index.prompts().await?;
        let mut unranked = site.index.prompts_apart().await?;
        unranked.retain(|prompt| ranked.iter().all(|known| known.prompt != *prompt));
        Ok(Self { ranked, unranked })
    }

    /// What is shown where nobody chose: a mean over a single prompt would say less than the prompt's own page.
    fn usual(&self) -> Ranking<'_> {
        match (&self.ranked[..], &self.unranked[..]) {
            ([only], _) => Ranking::Of(only.prompt.as_deref()),
            ([], [only]) => Ranking::Of(only.as_deref()),
            _ => Ranking::Overall,
        }
    }
}

async fn of_prompt(site: &Site, asked: &Asked, prompts: &Prompts, prompt: Option<&str>) -> Result<Page, Problem> {
    let known = prompts.ranked.iter().find(|known| known.prompt.as_deref() == prompt);
    let (apart, all_apart) = apart(site, Ranking::Of(prompt)).await?;
    if known.is_none() && apart.is_empty() {
        return Err(Problem::NotFound("There is no board for this prompt.".to_owned()));
    }
    let classes = site.index.classes(prompt).await?;
    let chosen = match &asked.class {
        Some(wanted) => Some(
            classes
                .iter()
                .find(|class| class.class == *wanted)
                .ok_or_else(|| Problem::NotFound("No run of this prompt is in that coverage class.".to_owned()))?,
        ),
        None => classes.first(),
    };
    let standings = match chosen {
        Some(class) => site.index.standings(prompt, &class.class).await?,
        None => Vec::new(),
    };
    let name = view::prompt_name(prompt);
    let (tools, runs) = chosen.map_or((0, 0), |class| (class.tools, class.runs));
    let counts =
        format!("{}, {}", view::counted(tools, "tool", "tools"), view::counted(runs, "ranked run", "ranked runs"));
    let tier = known.and_then(|known| known.tier).map(|tier| format!(", tier {tier}")).unwrap_or_default();
    Ok(Page {
        lead: if standings.is_empty() {
            String::new()
        } else {
            format!("{counts}{tier}. A rank like 1–3 means that the runs do not tell these tools apart.")
        },
        nothing: match prompt {
            Some(_) => "No run of this prompt can be ranked yet.",
            None => "No run without a prompt can be ranked yet.",
        },
        is_prompt: true,
        all_single: !standings.is_empty() && standings.iter().all(|standing| standing.tally.runs == 1),
        rows: standings.iter().map(|standing| Row::of(prompt, standing)).collect(),
        class: chosen.map(ClassWords::of),
        classes: class_choices(asked, &classes, chosen),
        apart,
        all_apart,
        api: with_query(
            "/api/v1/board",
            [("prompt", Some(prompt.unwrap_or_default())), ("class", asked.class.as_deref())],
        ),
        ..Page::around(site, asked, prompts, Ranking::Of(prompt), name)
    })
}

/// The newest runs that are not ranked, of a prompt or of all, and where all of them are if there are more.
async fn apart(site: &Site, ranking: Ranking<'_>) -> Result<(Vec<Card>, Option<String>), Problem> {
    let prompt = match ranking {
        Ranking::Of(prompt) => Some(prompt.unwrap_or_default()),
        Ranking::Overall => None,
    };
    let filter = RunFilter { prompt: prompt.map(str::to_owned), ranked: Some(false), ..RunFilter::default() };
    let runs = site.index.runs(&filter, None, MOST_APART + 1).await?;
    let all = || with_query("/runs", [("prompt", prompt), ("ranked", Some("no"))]);
    let is_cut = runs.len() > MOST_APART as usize;
    let shown = runs.iter().take(MOST_APART as usize).map(|run| Card::of(&run.record)).collect();
    Ok((shown, is_cut.then(all)))
}

fn class_choices(asked: &Asked, classes: &[ClassSummary], chosen: Option<&ClassSummary>) -> Vec<Choice> {
    let choice = |class: &ClassSummary| Choice {
        value: class.class.clone(),
        text: format!("{} · {}", ClassWords::of(class).text, view::counted(class.tools, "tool", "tools")),
        href: Asked { class: Some(class.class.clone()), q: None, ..asked.clone() }.address(),
        is_chosen: chosen.is_some_and(|chosen| chosen.class == class.class),
    };
    if classes.len() > 1 { classes.iter().map(choice).collect() } else { Vec::new() }
}

impl ClassWords {
    fn of(class: &ClassSummary) -> Self {
        let definition = &class.definition;
        let mut text = format!(
            "{}, methodology {}",
            view::counted(view::count(definition.scored.len()), "scorer", "scorers"),
            text::line_within(&definition.methodology, 40)
        );
        let scanners = text::line_within(&definition.scanners, 120);
        if !scanners.is_empty() {
            text = format!("{text}, secret scanners: {scanners}");
        }
        if definition.counts_unrendered_as_zero {
            text += ", a page that does not render counts as 0";
        }
        Self {
            key: class.class.clone(),
            text,
            ids: definition.scored.iter().map(|id| (id.to_string(), id.key())).collect(),
        }
    }
}

/// What is ranked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ranking<'a> {
    /// Tools over all prompts.
    Overall,
    /// Tools on one prompt, or runs without one.
    Of(Option<&'a str>),
}

impl Page {
    /// Everything but the ranking itself.
    fn around(site: &Site, asked: &Asked, prompts: &Prompts, chosen: Ranking<'_>, title: String) -> Self {
        let tiers: std::collections::BTreeSet<u8> = prompts.ranked.iter().filter_map(|prompt| prompt.tier).collect();
        let all = Choice {
            value: "*".to_owned(),
            text: "All prompts".to_owned(),
            href: Asked { prompt: None, class: None, q: None, ..asked.clone() }.address(),
            is_chosen: chosen == Ranking::Overall,
        };
        let choice = |id: Option<&str>, text: String| Choice {
            value: id.unwrap_or_default().to_owned(),
            text,
            href: view::board_address(id),
            is_chosen: chosen == Ranking::Of(id),
        };
        let ranked = prompts.ranked.iter().map(|summary| summary.prompt.as_deref());
        let ranked = ranked.map(|id| choice(id, view::prompt_name(id)));
        let unranked = prompts.unranked.iter().map(Option::as_deref);
        let unranked = unranked.map(|id| choice(id, format!("{} (none ranked)", view::prompt_name(id))));
        let tier = |tier: Option<u8>| Choice {
            value: tier.map(|tier| tier.to_string()).unwrap_or_default(),
            text: tier.map_or_else(|| "All tiers".to_owned(), |tier| format!("Tier {tier}")),
            href: String::new(),
            is_chosen: asked.tier() == tier,
        };
        Self {
            shell: site.shell(Section::Board),
            title,
            lead: String::new(),
            prompt: match chosen {
                Ranking::Of(id) => id.unwrap_or_default().to_owned(),
                Ranking::Overall => String::new(),
            },
            prompts: std::iter::once(all).chain(ranked).chain(unranked).collect(),
            tiers: std::iter::once(None).chain(tiers.into_iter().map(Some)).map(tier).collect(),
            search: String::new(),
            sorts: Vec::new(),
            rows: Vec::new(),
            table: String::new(),
            nothing: "",
            is_prompt: false,
            is_filtered: false,
            all_single: false,
            class: None,
            classes: Vec::new(),
            used: Vec::new(),
            incomplete: Vec::new(),
            apart: Vec::new(),
            all_apart: None,
            api: String::new(),
        }
    }
}
