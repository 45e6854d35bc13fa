//! The board: one row for each model, quantisation, protocol and source, pooled over the runs that count.

use super::view::{self, LetterBar, Measure, Published, Slice, Speed};
use crate::address::with_query;
use crate::encoding::Encoded;
use crate::pages::{html, kept};
use crate::problem::Problem;
use crate::shell::{Section, Shell};
use crate::site::Site;
use askama::Template;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use benchwright_domain::board::{RankRange, ranges_of};
use benchwright_domain::repeats::Spread;
use benchwright_quiz::board::{
    DeviceSpeed, MIN_DAYS, MIN_QUESTIONS, PooledAccuracy, QuizBoard, RunSummary, SingleDays, Weighed,
};
use benchwright_quiz::{Protocol, Source, State as Standing};
use benchwright_report::text;
use benchwright_store::index::quiz::{IndexedShare, PoolSums};
use std::sync::Arc;

/// Speeds and the spread between runs are those of the newest runs: more of them would tell nothing else.
pub const NEWEST: u32 = 60;
const SPEEDS_IN_A_ROW: usize = 2;

/// A row with everything that is known of it.
pub struct Pooled {
    pub sums: PoolSums,
    pub rank: Option<RankRange>,
    pub not_ranked_because: Vec<String>,
    pub accuracy: Option<PooledAccuracy>,
    pub strict: Option<PooledAccuracy>,
    pub between_runs: Spread,
    pub speeds: Vec<DeviceSpeed>,
    pub newest: Vec<String>,
    /// How many of the newest are reference runs.
    pub references: usize,
}

/// Rows that may be ranked against each other.
pub struct Table {
    pub source: Source,
    pub protocol: Protocol,
    pub thinking: bool,
    pub custom: bool,
    /// Ranked rows by the lower end of their interval, then the others.
    pub rows: Vec<Pooled>,
}

impl Pooled {
    /// A pool with its newest runs, not ranked yet.
    pub async fn of(site: &Site, sums: PoolSums) -> Result<Self, Problem> {
        let newest = site.index.counted_runs(&sums.pool, NEWEST).await?;
        let summaries: Vec<RunSummary> = newest.iter().filter_map(summary).collect();
        let row = QuizBoard::of(&summaries).tables.into_iter().flat_map(|table| table.rows).next();
        let (between_runs, speeds) =
            row.map_or_else(|| (Spread::of([], 100.0), Vec::new()), |row| (row.between_runs, row.speeds));
        let Weighed { accuracy, strict, not_ranked_because } = weighed(site, &sums).await?;
        Ok(Self {
            rank: None,
            not_ranked_because,
            accuracy,
            strict,
            between_runs,
            speeds,
            references: newest.iter().filter(|run| run.standing == Standing::Reference).count(),
            newest: newest.into_iter().map(|run| run.run).collect(),
            sums,
        })
    }

    fn low(&self) -> f64 {
        self.accuracy.map_or(-1.0, |accuracy| accuracy.interval.low)
    }

    fn is_ranked(&self) -> bool {
        self.not_ranked_because.is_empty() && self.accuracy.is_some()
    }
}

/// What a pool comes to. Which days its questions rest on is only asked of one that may be ranked.
async fn weighed(site: &Site, sums: &PoolSums) -> Result<Weighed, Problem> {
    let days = sums.days as usize;
    let may_be_ranked = sums.questions as usize >= MIN_QUESTIONS && days >= MIN_DAYS;
    let single = if may_be_ranked { site.index.single_days(&sums.pool).await? } else { SingleDays::default() };
    Ok(Weighed::of(sums.all_questions(), days, &single))
}

fn summary(share: &IndexedShare) -> Option<RunSummary> {
    Some(RunSummary {
        format: benchwright_quiz::FORMAT,
        run: share.run.clone(),
        key: share.key.clone()?,
        state: share.standing,
        day: share.day.clone(),
        questions: share.questions.clone(),
        speed: share.speed.clone(),
    })
}

/// All tables: the source that is asked first before the other, the official protocol first, visitors' own models last.
pub async fn tables(site: &Site) -> Result<Vec<Table>, Problem> {
    let mut tables: Vec<Table> = Vec::new();
    for sums in site.index.pools().await? {
        let pooled = Pooled::of(site, sums).await?;
        let key = &pooled.sums.key;
        let (source, protocol, thinking, custom) = (key.source, key.protocol, key.thinking, key.custom);
        let same = |table: &&mut Table| {
            (table.source, table.protocol, table.thinking, table.custom) == (source, protocol, thinking, custom)
        };
        match tables.iter_mut().find(same) {
            Some(table) => table.rows.push(pooled),
            None => tables.push(Table { source, protocol, thinking, custom, rows: vec![pooled] }),
        }
    }
    let place = |source: Source| site.quiz.library.banks().iter().position(|bank| bank.source == source);
    let order = |table: &Table| {
        (table.custom, place(table.source).unwrap_or(usize::MAX), table.source, table.protocol, table.thinking)
    };
    tables.sort_by_key(order);
    for table in &mut tables {
        rank(&mut table.rows);
    }
    Ok(tables)
}

/// Orders rows and gives those that may have one their rank.
fn rank(rows: &mut [Pooled]) {
    rows.sort_by(|a, b| {
        let by_low = b.low().total_cmp(&a.low());
        b.is_ranked().cmp(&a.is_ranked()).then(by_low).then_with(|| a.sums.key.cmp(&b.sums.key))
    });
    let ranked = rows.iter().filter(|row| row.is_ranked()).count();
    let intervals: Vec<_> = rows[..ranked].iter().map(|row| row.accuracy.map(|accuracy| accuracy.interval)).collect();
    for (row, rank) in rows.iter_mut().zip(ranges_of(&intervals)) {
        row.rank = Some(rank);
    }
}

#[derive(Template)]
#[template(path = "quiz/board.html")]
struct Page {
    shell: Shell,
    style: String,
    tables: Vec<TableView>,
    chance: u32,
    min_questions: usize,
    min_days: usize,
}

struct TableView {
    anchor: String,
    title: String,
    about: String,
    custom: bool,
    ranked: Vec<Row>,
    others: Vec<Row>,
}

/// One row, ready for the page.
pub struct Row {
    pub href: String,
    pub runs_href: String,
    pub rank: Option<String>,
    pub name: String,
    pub quantisation: String,
    pub hash: Option<String>,
    pub measure: Option<Measure>,
    pub strict: Option<String>,
    pub questions: u64,
    /// How many of them weigh in, where that is not all.
    pub weighing: Option<u64>,
    pub runs: u64,
    pub others: u64,
    pub references: usize,
    pub days: u64,
    pub slices: Vec<Slice>,
    pub tiers_words: String,
    pub letters: Vec<LetterBar>,
    pub letters_words: String,
    pub speeds: Vec<Speed>,
    pub more_speeds: bool,
    pub why: Vec<String>,
    pub published: Option<Published>,
}

impl Row {
    pub fn of(site: &Site, pooled: &Pooled) -> Self {
        let sums = &pooled.sums;
        let slices = view::slices(&sums.tiers);
        let letters = view::letter_bars(&sums.chosen, &sums.gold);
        let said = |slice: &Slice| format!("{} {}", slice.name.to_lowercase(), slice.percent);
        let bar = |bar: &LetterBar| format!("{} chosen {}, right {}", bar.letter, bar.chosen, bar.gold);
        Self {
            href: view::pool_address(&sums.pool),
            runs_href: with_query("/quiz/runs", [("pool", Some(sums.pool.as_str()))]),
            rank: pooled.rank.map(view::rank_words),
            name: view::model_name(&site.quiz.catalogue, &sums.key),
            quantisation: text::line_within(&sums.key.quantisation, 40),
            hash: sums.key.file_sha256.as_deref().filter(|_| sums.key.custom).map(|hash| text::line_within(hash, 64)),
            measure: pooled.accuracy.as_ref().map(Measure::of),
            strict: pooled.strict.map(|strict| benchwright_report::number::percent(strict.share)),
            questions: sums.questions,
            weighing: pooled.accuracy.map(|accuracy| accuracy.questions).filter(|weighing| *weighing < sums.questions),
            runs: sums.runs,
            others: sums.others,
            references: pooled.references,
            days: sums.days,
            tiers_words: slices.iter().filter(|slice| slice.count > 0).map(said).collect::<Vec<_>>().join(", "),
            letters_words: letters.iter().map(bar).collect::<Vec<_>>().join("; "),
            slices,
            letters,
            speeds: pooled.speeds.iter().take(SPEEDS_IN_A_ROW).map(Speed::of).collect(),
            more_speeds: pooled.speeds.len() > SPEEDS_IN_A_ROW,
            why: pooled.not_ranked_because.clone(),
            published: Published::of(&site.quiz.catalogue, &sums.key),
        }
    }
}

impl TableView {
    fn of(site: &Site, place: usize, table: &Table) -> Self {
        let (ranked, others): (Vec<_>, Vec<_>) = table.rows.iter().partition(|row| row.rank.is_some());
        let kind = if table.custom { "Visitors’ own files" } else { "Models of the catalogue" };
        let thinking = if table.thinking { ", thinking on" } else { "" };
        Self {
            anchor: format!("table-{}", place + 1),
            title: format!("{kind}: {}", view::source_name(table.source)),
            about: format!("Protocol {}: {}{thinking}.", table.protocol.as_str(), view::protocol_name(table.protocol)),
            custom: table.custom,
            ranked: ranked.into_iter().map(|row| Row::of(site, row)).collect(),
            others: others.into_iter().map(|row| Row::of(site, row)).collect(),
        }
    }
}

pub async fn page(State(site): State<Arc<Site>>, headers: HeaderMap) -> Result<Response, Problem> {
    kept(&site, &headers, "/quiz/board".to_owned(), make(&site)).await
}

async fn make(site: &Site) -> Result<Encoded, Problem> {
    let tables = tables(site).await?;
    html(&Page {
        shell: site.shell(Section::Quiz),
        style: site.assets.quiz_style.path.clone(),
        tables: tables.iter().enumerate().map(|(place, table)| TableView::of(site, place, table)).collect(),
        chance: view::CHANCE,
        min_questions: MIN_QUESTIONS,
        min_days: MIN_DAYS,
    })
}
