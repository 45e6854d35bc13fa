//! `compare.html`: two reports side by side in one file that works offline and without script.

use super::{changed, composite, delta, headline, name, places, points, remark, runs, score, tally, title, verdict};
use crate::html::album::{Source, VIEWPORTS};
use crate::html::summary::{Address, minutes};
use crate::text::{self, Run};
use crate::{Blobs, Body, Report, number, page, style};
use askama::Template;
use benchwright_domain::Dimension;
use benchwright_domain::comparison::{Change, Comparison, ItemChange, ScorerChange, Summary};

const OWN_STYLE: &str = include_str!("../../templates/compare.css");

/// The comparison as one HTML file. Screenshots that the blobs do not have are left out.
pub fn render(comparison: &Comparison, before: (&Report, &dyn Blobs), after: (&Report, &dyn Blobs)) -> String {
    let Body { title, html } = content(comparison, before, after, false);
    let style = style::with(OWN_STYLE);
    page::alone("comparison", "what two runs scored, what was fixed and what broke.", &title, &style, &html)
}

/// The comparison as part of a site: the same, without head and style.
pub fn body(comparison: &Comparison, before: (&Report, &dyn Blobs), after: (&Report, &dyn Blobs)) -> Body {
    content(comparison, before, after, true)
}

fn content(
    comparison: &Comparison,
    before: (&Report, &dyn Blobs),
    after: (&Report, &dyn Blobs),
    is_hosted: bool,
) -> Body {
    let content = Content::of(comparison, before, after, is_hosted);
    let [old, new] = &content.sides;
    let title = format!("{} → {} · {}", old.composite, new.composite, new.title);
    Body { title, html: content.render().expect("writing to a string does not fail") }
}

#[derive(Template)]
#[template(path = "compare-body.html")]
struct Content {
    is_hosted: bool,
    sides: [SideCard; 2],
    delta: Option<String>,
    direction: &'static str,
    headline: String,
    tally: Vec<(&'static str, usize, &'static str)>,
    cautions: Vec<String>,
    dimensions: Vec<DimensionRow>,
    rows: Vec<Row>,
    same: Vec<Row>,
    broken: Vec<ItemRow>,
    fixed: Vec<ItemRow>,
    moved: Vec<ItemRow>,
    unmeasured: Vec<(String, String)>,
    sources: Vec<Source>,
    shots: Vec<Shot>,
}

struct SideCard {
    word: &'static str,
    title: String,
    address: Address,
    composite: String,
    runs: String,
    started_at: String,
    run: String,
    coverage: String,
    prompt: Option<String>,
    rankable: bool,
}

struct DimensionRow {
    accent: &'static str,
    title: &'static str,
    before: Option<String>,
    after: Option<String>,
    change: Option<String>,
}

struct Row {
    accent: &'static str,
    badge: String,
    name: String,
    before: String,
    after: String,
    delta: String,
    points: String,
    tone: &'static str,
    verdict: &'static str,
    remark: String,
}

struct ItemRow {
    accent: &'static str,
    badge: String,
    id: String,
    title: Vec<Run>,
    fix: Option<Vec<Run>>,
    places: String,
}

struct Shot {
    title: &'static str,
    pictures: [Option<Picture>; 2],
}

struct Picture {
    anchor: String,
    word: &'static str,
    width: u32,
    height: u32,
}

impl Content {
    fn of(
        comparison: &Comparison,
        before: (&Report, &dyn Blobs),
        after: (&Report, &dyn Blobs),
        is_hosted: bool,
    ) -> Self {
        let (same, rows): (Vec<_>, Vec<_>) =
            changed(comparison).into_iter().partition(|scorer| scorer.change == Change::Same);
        let (sources, shots) = pictures(before, after);
        let nowhere = comparison.scorers.iter().filter(|scorer| scorer.change == Change::NotMeasured);
        Self {
            is_hosted,
            sides: [SideCard::of("Before", &comparison.before), SideCard::of("After", &comparison.after)],
            delta: comparison.composite_delta.map(|delta| super::signed(delta, 2)),
            direction: direction(comparison),
            headline: headline(comparison),
            tally: tally(comparison),
            cautions: comparison.cautions.iter().map(|caution| text::line(caution)).collect(),
            dimensions: Dimension::ALL
                .into_iter()
                .filter_map(|dimension| DimensionRow::of(dimension, comparison))
                .collect(),
            rows: rows.into_iter().map(Row::of).collect(),
            same: same.into_iter().map(Row::of).collect(),
            broken: items(comparison, |scorer| &scorer.broken),
            fixed: items(comparison, |scorer| &scorer.fixed),
            moved: items(comparison, |scorer| &scorer.moved),
            unmeasured: nowhere.map(|scorer| (super::badge(scorer), name(scorer))).collect(),
            sources,
            shots,
        }
    }
}

/// Which way the composite went, if that is more than noise.
fn direction(comparison: &Comparison) -> &'static str {
    match comparison.composite_delta {
        Some(delta) if delta.abs() <= comparison.composite_band.max(1e-7) => "",
        Some(delta) if delta > 0.0 => "good",
        Some(_) => "bad",
        None => "",
    }
}

impl SideCard {
    fn of(word: &'static str, side: &Summary) -> Self {
        Self {
            word,
            title: title(side),
            address: Address::of(&side.url),
            composite: composite(side),
            runs: runs(side),
            started_at: minutes(&side.started_at),
            run: text::line_within(&side.run, 80),
            coverage: number::percent(side.coverage),
            prompt: side.prompt.as_deref().map(|prompt| text::line_within(prompt, 80)),
            rankable: side.rankable,
        }
    }
}

impl DimensionRow {
    fn of(dimension: Dimension, comparison: &Comparison) -> Option<Self> {
        let pair = comparison.dimensions.get(&dimension)?;
        let shown =
            |value: Option<f64>| value.map(|value| number::score(100.0 * number::finite(value).clamp(0.0, 1.0)));
        Some(Self {
            accent: dimension.key(),
            title: dimension.title(),
            before: shown(pair.before),
            after: shown(pair.after),
            change: pair.after.zip(pair.before).map(|(after, before)| super::signed(100.0 * (after - before), 1)),
        })
    }
}

fn accent(scorer: &ScorerChange) -> &'static str {
    scorer.id.map_or("added", |id| id.dimension().key())
}

impl Row {
    fn of(scorer: &ScorerChange) -> Self {
        Self {
            accent: accent(scorer),
            badge: super::badge(scorer),
            name: name(scorer),
            before: score(scorer.before.as_ref()),
            after: score(scorer.after.as_ref()),
            delta: delta(scorer),
            points: points(scorer),
            tone: match scorer.change {
                Change::Worse => "bad",
                Change::Better => "good",
                _ => "quiet",
            },
            verdict: verdict(scorer.change),
            remark: remark(scorer),
        }
    }
}

fn items(comparison: &Comparison, pick: fn(&ScorerChange) -> &Vec<ItemChange>) -> Vec<ItemRow> {
    let prose = |words: &str| text::runs(&text::line(words));
    comparison
        .scorers
        .iter()
        .flat_map(|scorer| pick(scorer).iter().map(move |item| (scorer, item)))
        .map(|(scorer, item)| ItemRow {
            accent: accent(scorer),
            badge: super::badge(scorer),
            id: text::line_within(&item.id, 80),
            title: prose(&item.title),
            fix: item.fix.as_deref().map(prose),
            places: places(item.places_before, item.places_after),
        })
        .collect()
}

fn pictures(before: (&Report, &dyn Blobs), after: (&Report, &dyn Blobs)) -> (Vec<Source>, Vec<Shot>) {
    let mut sources = Vec::new();
    let mut shots = Vec::new();
    for (name, title) in VIEWPORTS {
        let pictures = [("before", "Before", before), ("after", "After", after)].map(|(key, word, (report, blobs))| {
            let shot = report.screenshots.iter().find(|shot| shot.name == name)?;
            let source = Source::of(format!("{key}-{name}"), shot, blobs)?;
            let picture = Picture { anchor: source.anchor.clone(), word, width: source.width, height: source.height };
            sources.push(source);
            Some(picture)
        });
        if pictures.iter().any(Option::is_some) {
            shots.push(Shot { title, pictures });
        }
    }
    (sources, shots)
}
