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
/// Models that the home page shows.
const LEADERS: usize = 3;

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
    let single = if may_be_ranked(sums) { site.index.single_days(&sums.pool).await? } else { SingleDays::default() };
    Ok(Weighed::of(sums.all_questions(), sums.days as usize, &single))
}

fn may_be_ranked(sums: &PoolSums) -> bool {
    sums.questions as usize >= MIN_QUESTIONS && sums.days as usize >= MIN_DAYS
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
    tables_of(site, site.index.pools().await?).await
}

async fn tables_of(site: &Site, pools: Vec<PoolSums>) -> Result<Vec<Table>, Problem> {
    let mut tables: Vec<Table> = Vec::new();
    for sums in pools {
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

/// The top of a table, for the home page.
pub struct Top {
    pub title: String,
    pub about: String,
    pub rows: Vec<Leader>,
}

/// A model at the top.
pub struct Leader {
    pub rank: String,
    pub href: String,
    pub model: String,
    pub accuracy: String,
    pub mean: String,
    /// From and width on the scale of 100.
    pub interval: Option<(String, String)>,
    pub words: String,
}

/// How many runs were shared, and the top of the first table that ranks anybody.
pub async fn top(site: &Site) -> Result<(u64, Option<Top>), Problem> {
    let mut pools = site.index.pools().await?;
    let runs = pools.iter().map(|pool| pool.runs + pool.others).sum();
    pools.retain(may_be_ranked);
    let tables = tables_of(site, pools).await?;
    Ok((runs, tables.iter().map(|table| Top::of(site, table)).find(|top| !top.rows.is_empty())))
}

impl Top {
    fn of(site: &Site, table: &Table) -> Self {
        let rows = table.rows.iter().filter_map(|row| Leader::of(site, row)).take(LEADERS).collect();
        Self { title: table.title(), about: table.about(), rows }
    }
}

impl Leader {
    fn of(site: &Site, pooled: &Pooled) -> Option<Self> {
        let key = &pooled.sums.key;
        let measure = Measure::of(pooled.accuracy.as_ref()?);
        Some(Self {
            rank: view::rank_words(pooled.rank?),
            href: view::pool_address(&pooled.sums.pool),
            model: format!(
                "{} {}",
                view::model_name(&site.quiz.catalogue, key),
                text::line_within(&key.quantisation, 40)
            ),
            accuracy: measure.share,
            mean: measure.point,
            interval: Some((measure.low, measure.width)),
            words: measure.interval,
        })
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

impl Table {
    fn title(&self) -> String {
        let kind = if self.custom { "Visitors’ own files" } else { "Models of the catalogue" };
        format!("{kind}: {}", view::source_name(self.source))
    }

    fn about(&self) -> String {
        let thinking = if self.thinking { ", thinking on" } else { "" };
        format!("Protocol {}: {}{thinking}.", self.protocol.as_str(), view::protocol_name(self.protocol))
    }
}

impl TableView {
    fn of(site: &Site, place: usize, table: &Table) -> Self {
        let (ranked, others): (Vec<_>, Vec<_>) = table.rows.iter().partition(|row| row.rank.is_some());
        Self {
            anchor: format!("table-{}", place + 1),
            title: table.title(),
            about: table.about(),
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
