//! Two or more runs side by side.

use super::run::{Linked, report, shown};
use super::{html, kept};
use crate::address::encode;
use crate::encoding::Encoded;
use crate::problem::Problem;
use crate::shell::{Section, Shell};
use crate::site::Site;
use crate::view::Card;
use askama::Template;
use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;
use axum::response::Response;
use benchwright_domain::comparison::{Comparison, Side};
use benchwright_domain::{Dimension, Report, RunRecord, ScorerId};
use benchwright_report::{compare, number};
use benchwright_store::index::RunFilter;
use std::sync::Arc;

/// More do not fit side by side.
const MOST: usize = 6;
const TO_CHOOSE_FROM: u32 = 30;
/// What a list to choose from sends along: the older run comes first.
const BY_TIME: &str = "order=time";

#[derive(Template)]
#[template(path = "compare-two.html")]
struct Two {
    shell: Shell,
    title: String,
    body: String,
    swapped: String,
}

#[derive(Template)]
#[template(path = "compare-many.html")]
struct Many {
    shell: Shell,
    cards: Vec<Card>,
    groups: Vec<Group>,
    differ: bool,
}

/// A dimension and its scorers, a cell for each run.
struct Group {
    accent: &'static str,
    title: &'static str,
    cells: Vec<Cell>,
    rows: Vec<Row>,
}

struct Row {
    badge: String,
    key: &'static str,
    name: &'static str,
    cells: Vec<Cell>,
}

struct Cell {
    score: Option<String>,
    is_best: bool,
}

#[derive(Template)]
#[template(path = "compare-choose.html")]
struct Choose {
    shell: Shell,
    cards: Vec<(Card, bool)>,
    chosen: Option<String>,
}

/// `/compare?run=A&run=B`; with fewer than two, a list to choose from.
pub async fn page(
    State(site): State<Arc<Site>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let query = query.as_deref().unwrap_or_default();
    let (runs, by_time) = (runs_in(query), query.split('&').any(|part| part == BY_TIME));
    if runs.len() > MOST {
        return Err(Problem::BadRequest(format!("At most {MOST} runs fit side by side.")));
    }
    let path = address(&runs) + if by_time { BY_TIME } else { "" };
    kept(&site, &headers, path, make(&site, &runs, by_time)).await
}

/// The runs an address names, in order, each once.
fn runs_in(query: &str) -> Vec<String> {
    let mut runs: Vec<String> = Vec::new();
    for part in query.split('&').filter_map(|part| part.strip_prefix("run=")).filter(|run| !run.is_empty()) {
        let run = percent_encoding::percent_decode_str(part).decode_utf8_lossy().into_owned();
        if !runs.contains(&run) {
            runs.push(run);
        }
    }
    runs
}

fn address(runs: &[String]) -> String {
    let parts: Vec<String> = runs.iter().map(|run| format!("run={}", encode(run))).collect();
    if parts.is_empty() { "/compare".to_owned() } else { format!("/compare?{}", parts.join("&")) }
}

async fn make(site: &Arc<Site>, runs: &[String], by_time: bool) -> Result<Encoded, Problem> {
    let mut records = Vec::new();
    for run in runs {
        records.push(shown(site, run).await?.record);
    }
    if by_time {
        records.sort_by(|a, b| (&a.started_at, &a.run).cmp(&(&b.started_at, &b.run)));
    }
    match &records[..] {
        [before, after] => two(site, before, after).await,
        [] | [_] => choose(site, records.first()).await,
        several => html(&many(site, several)),
    }
}

async fn two(site: &Arc<Site>, before: &RunRecord, after: &RunRecord) -> Result<Encoded, Problem> {
    let (old, new): (Report, Report) = (report(site, before).await?, report(site, after).await?);
    let comparison = Comparison::of(Side::of(&old), Side::of(&new));
    let body = compare::body(&comparison, (&old, &Linked(&before.run)), (&new, &Linked(&after.run)));
    let swapped = address(&[after.run.clone(), before.run.clone()]);
    html(&Two { shell: site.shell(Section::Runs), title: body.title, body: body.html, swapped })
}

async fn choose(site: &Site, chosen: Option<&RunRecord>) -> Result<Encoded, Problem> {
    // Most often somebody wants to know what the last change did, so runs of the same app come first.
    let mut filters = vec![RunFilter::default()];
    if let Some(chosen) = chosen {
        filters.insert(0, RunFilter { url: Some(chosen.url.clone()), ..RunFilter::default() });
    }
    let mut records: Vec<RunRecord> = chosen.cloned().into_iter().collect();
    for filter in filters {
        for run in site.index.runs(&filter, None, TO_CHOOSE_FROM).await? {
            if !records.iter().any(|known| known.run == run.record.run) {
                records.push(run.record);
            }
        }
    }
    records.truncate(TO_CHOOSE_FROM as usize);
    let is_chosen = |record: &RunRecord| chosen.is_some_and(|chosen| chosen.run == record.run);
    html(&Choose {
        shell: site.shell(Section::Runs),
        cards: records.iter().map(|record| (Card::of(record), is_chosen(record))).collect(),
        chosen: chosen.map(|record| Card::of(record).title),
    })
}

fn many(site: &Site, records: &[RunRecord]) -> Many {
    Many {
        shell: site.shell(Section::Runs),
        cards: records.iter().map(Card::of).collect(),
        groups: Dimension::ALL.into_iter().map(|dimension| Group::of(dimension, records)).collect(),
        differ: records.iter().any(|record| record.class != records[0].class),
    }
}

impl Group {
    fn of(dimension: Dimension, records: &[RunRecord]) -> Self {
        let ids = ScorerId::ALL.into_iter().filter(|id| id.dimension() == dimension);
        let row = |id: ScorerId| {
            let scores = records.iter().map(|record| record.scores.get(id.key()).map(|score| score.score));
            Row { badge: id.to_string(), key: id.key(), name: id.name(), cells: cells(scores) }
        };
        Self {
            accent: dimension.key(),
            title: dimension.title(),
            cells: cells(records.iter().map(|record| record.dimensions.get(&dimension).copied())),
            rows: ids.map(row).filter(|row| row.cells.iter().any(|cell| cell.score.is_some())).collect(),
        }
    }
}

/// The best is marked where there is one: not where all are equal.
fn cells(scores: impl Iterator<Item = Option<f64>>) -> Vec<Cell> {
    let scores: Vec<Option<f64>> = scores.collect();
    let (mut best, mut worst) = (f64::NEG_INFINITY, f64::INFINITY);
    for score in scores.iter().flatten() {
        (best, worst) = (best.max(*score), worst.min(*score));
    }
    let cell = |score: &Option<f64>| Cell {
        score: score.map(|score| number::score(100.0 * score)),
        is_best: best > worst && *score == Some(best),
    };
    scores.iter().map(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_runs_once_and_in_order() {
        assert_eq!(runs_in("run=b&run=a%2Fx&other=1&run=b&run="), ["b", "a/x"]);
        assert_eq!(address(&["b".to_owned(), "a/x".to_owned()]), "/compare?run=b&run=a%2Fx");
    }

    #[test]
    fn the_best_is_marked_only_where_runs_differ() {
        let best =
            |scores: &[Option<f64>]| cells(scores.iter().copied()).iter().map(|cell| cell.is_best).collect::<Vec<_>>();
        assert_eq!(best(&[Some(0.5), Some(0.9), None]), [false, true, false]);
        assert_eq!(best(&[Some(0.5), Some(0.5)]), [false, false]);
    }
}
