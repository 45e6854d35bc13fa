//! How numbers come about: the chapters, the list of scorers, and a page for each.

use super::{html, kept};
use crate::address::with_query;
use crate::chart::{self, Bar};
use crate::encoding::Encoded;
use crate::markdown;
use crate::methodology::{Input, ScorerDocument};
use crate::problem::Problem;
use crate::shell::{Section, Shell};
use crate::site::Site;
use crate::view;
use askama::Template;
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use benchwright_domain::weights::dimension_weight;
use benchwright_domain::{Dimension, ScorerId, noise};
use serde::Deserialize;
use std::sync::Arc;

/// What the address asks for.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Asked {
    dimension: Option<String>,
    input: Option<String>,
}

#[derive(Template)]
#[template(path = "methodology.html")]
struct Page {
    shell: Shell,
    preface: String,
    dimensions: Vec<Choice>,
    inputs: Vec<Choice>,
    groups: Vec<Group>,
}

struct Choice {
    value: &'static str,
    text: &'static str,
    is_chosen: bool,
}

struct Group {
    accent: &'static str,
    title: &'static str,
    weight: String,
    scorers: Vec<Entry>,
}

struct Entry {
    badge: String,
    key: &'static str,
    name: &'static str,
    inputs: String,
    share: String,
}

#[derive(Template)]
#[template(path = "scorer.html")]
struct ScorerPage {
    shell: Shell,
    badge: String,
    name: &'static str,
    accent: &'static str,
    dimension: &'static str,
    facts: Vec<(&'static str, String)>,
    text: String,
    bars: Vec<Bar>,
    tallest: String,
    runs: String,
    has_runs: bool,
    previous: Option<(&'static str, String)>,
    next: Option<(&'static str, String)>,
}

pub async fn page(
    State(site): State<Arc<Site>>,
    Query(asked): Query<Asked>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let dimension = Dimension::ALL.into_iter().find(|known| asked.dimension.as_deref() == Some(known.key()));
    let input = Input::ALL.into_iter().find(|known| asked.input.as_deref() == Some(known.key()));
    let path =
        with_query("/methodology", [("dimension", dimension.map(Dimension::key)), ("input", input.map(Input::key))]);
    kept(&site, &headers, path, async { make(&site, dimension, input) }).await
}

fn make(site: &Site, dimension: Option<Dimension>, input: Option<Input>) -> Result<Encoded, Problem> {
    let wanted = |scorer: &&ScorerDocument| input.is_none_or(|input| scorer.inputs.contains(&input));
    let group = |of: Dimension| Group {
        accent: of.key(),
        title: of.title(),
        weight: format!("{}", dimension_weight(of)),
        scorers: site
            .methodology
            .scorers
            .iter()
            .filter(|scorer| scorer.dimension() == of)
            .filter(wanted)
            .map(Entry::of)
            .collect(),
    };
    let groups = Dimension::ALL.into_iter().filter(|of| dimension.is_none_or(|only| only == *of)).map(group);
    let any = Choice { value: "", text: "All", is_chosen: false };
    let chosen = |choices: Vec<Choice>| {
        let none = !choices.iter().any(|choice| choice.is_chosen);
        std::iter::once(Choice { is_chosen: none, ..any }).chain(choices).collect::<Vec<_>>()
    };
    let dimensions = Dimension::ALL.map(|known| Choice {
        value: known.key(),
        text: known.title(),
        is_chosen: dimension == Some(known),
    });
    let inputs =
        Input::ALL.map(|known| Choice { value: known.key(), text: known.title(), is_chosen: input == Some(known) });
    html(&Page {
        shell: site.shell(Section::Methodology),
        // The title of the document stands over the page already.
        preface: markdown::html(&site.methodology.preface, 2),
        dimensions: chosen(dimensions.into()),
        inputs: chosen(inputs.into()),
        groups: groups.filter(|group| !group.scorers.is_empty()).collect(),
    })
}

impl Entry {
    fn of(scorer: &ScorerDocument) -> Self {
        Self {
            badge: scorer.id.to_string(),
            key: scorer.id.key(),
            name: scorer.id.name(),
            inputs: inputs(scorer),
            share: format!("{:.2} %", scorer.share),
        }
    }
}

fn inputs(scorer: &ScorerDocument) -> String {
    scorer.inputs.iter().map(|input| input.title()).collect::<Vec<_>>().join(", ")
}

pub async fn scorer(
    State(site): State<Arc<Site>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let none = || Problem::NotFound("There is no scorer with this id.".to_owned());
    let id: ScorerId = id.parse().map_err(|_| none())?;
    let place = site.methodology.scorers.iter().position(|scorer| scorer.id == id).ok_or_else(none)?;
    kept(&site, &headers, format!("/methodology/{}", id.key()), scorer_page(&site, place)).await
}

async fn scorer_page(site: &Site, place: usize) -> Result<Encoded, Problem> {
    let scorers = &site.methodology.scorers;
    let scorer = &scorers[place];
    let buckets = site.index.distribution(scorer.id.key()).await?;
    let runs: i64 = buckets.iter().map(|bucket| bucket.runs).sum();
    let beside = |place: Option<usize>| {
        place
            .and_then(|place| scorers.get(place))
            .map(|scorer| (scorer.id.key(), format!("{} {}", scorer.id, scorer.id.name())))
    };
    let bars = chart::distribution(&buckets);
    html(&ScorerPage {
        shell: site.shell(Section::Methodology),
        badge: scorer.id.to_string(),
        name: scorer.id.name(),
        accent: scorer.dimension().key(),
        dimension: scorer.dimension().title(),
        facts: facts(scorer),
        text: markdown::html(&scorer.text, 2),
        tallest: view::counted(bars.iter().map(|bar| bar.runs).max().unwrap_or_default(), "run", "runs"),
        bars,
        runs: view::counted(runs, "run", "runs"),
        has_runs: runs > 0,
        previous: beside(place.checked_sub(1)),
        next: beside(Some(place + 1)),
    })
}

fn facts(scorer: &ScorerDocument) -> Vec<(&'static str, String)> {
    let track = if scorer.is_additive { ", on top of the base (backend track)" } else { "" };
    let noise = match noise::band(Some(scorer.id), &[], 1) {
        band if band.source == noise::BandSource::Exact => "none: equal pages, equal scores".to_owned(),
        band => format!("up to {:.0} points between runs of an unchanged page", 100.0 * band.width),
    };
    vec![
        ("Weight", format!("{} within {}{track}", scorer.weight, scorer.dimension().title())),
        ("Share", format!("{:.2} % of the composite", scorer.share)),
        ("Needs", inputs(scorer)),
        ("Evidence", scorer.evidence.join(", ")),
        ("Noise", noise),
        ("Version", format!("{}, since Benchwright {}", scorer.version, scorer.since)),
    ]
}
