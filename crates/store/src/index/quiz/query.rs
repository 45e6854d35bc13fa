//! What pages ask about the quiz. Every answer costs the same with a thousand runs and with a million.

use super::super::Index;
use super::super::database::{Cell, Row};
use super::super::entry::State;
use super::super::error::IndexError;
use super::super::query::MOST_ROWS;
use super::super::row::parse;
use super::super::write::any_of;
use super::entry::QuizEntry;
use super::pool::WHOLE;
use super::row::{self, IndexedShare};
use super::write;
use benchwright_quiz::board::{RowKey, SingleDays, Sum};
use benchwright_quiz::{LetterCounts, TierCount};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::atomic::Ordering;

/// Runs named in one statement.
const ASKED_AT_ONCE: usize = 500;

/// Which shared runs a list is narrowed to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShareFilter {
    /// Of one pool.
    pub pool: Option<String>,
    /// `reference`, `confirmed`, `unconfirmed` or `flagged`.
    pub standing: Option<String>,
    /// Of one set, or of one draw.
    pub selection: Option<String>,
}

/// The place of a shared run in a list, newest day first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharePlace {
    /// Its day.
    pub day: String,
    /// Its id.
    pub run: String,
}

impl From<&IndexedShare> for SharePlace {
    fn from(share: &IndexedShare) -> Self {
        Self { day: share.day.clone(), run: share.run.clone() }
    }
}

/// What all runs of a pool come to.
#[derive(Debug, Clone, PartialEq)]
pub struct PoolSums {
    /// Its name.
    pub pool: String,
    /// What its runs have in common.
    pub key: RowKey,
    /// Runs that count.
    pub runs: u64,
    /// Runs that do not.
    pub others: u64,
    /// Different days on which it was confirmed.
    pub days: u64,
    /// Answers of the runs that count.
    pub asked: u64,
    /// Right ones of them.
    pub correct: u64,
    /// Distinct questions.
    pub questions: u64,
    /// The mean over questions of the mean over days of the share of runs that were right.
    pub share: f64,
    /// The same if only tier 1 counted.
    pub strict_share: f64,
    /// One for each tier.
    pub tiers: Vec<TierCount>,
    /// The letters that were chosen.
    pub chosen: LetterCounts,
    /// The letters that are right.
    pub gold: LetterCounts,
}

impl PoolSums {
    /// What all its questions come to.
    pub fn all_questions(&self) -> Sum {
        let of = |mean: f64| mean * self.questions as f64;
        Sum { questions: self.questions, share: of(self.share), strict: of(self.strict_share) }
    }
}

/// A question in a pool.
#[derive(Debug, Clone, PartialEq)]
pub struct PoolQuestion {
    /// Its id.
    pub question: String,
    /// Runs that count.
    pub runs: u64,
    /// The mean over days of the share of runs that were right.
    pub share: f64,
    /// The letters that were chosen.
    pub chosen: LetterCounts,
}

impl Index {
    /// Takes shared runs in, all in one transaction. Taking one in again changes nothing, or replaces it if it has changed. An entry that was made
    /// before a decision the index knows is left out.
    pub async fn take_in_shared(&self, entries: &[QuizEntry]) -> Result<(), IndexError> {
        self.keep_shared(entries).await.map(|_| ())
    }

    /// The same, and says how they stand now.
    pub(super) async fn keep_shared(
        &self,
        entries: &[QuizEntry],
    ) -> Result<BTreeMap<String, IndexedShare>, IndexError> {
        let mut session = self.database.begin().await?;
        let kept = write::take_in(&mut *session, entries).await?;
        session.commit().await?;
        if entries.iter().filter_map(|entry| kept.get(&entry.run)).any(|share| share.state != State::Shown) {
            self.withdrawn.fetch_add(1, Ordering::AcqRel);
        }
        Ok(kept)
    }

    /// A shared run by its id, whatever its state.
    pub async fn shared_run(&self, run: &str) -> Result<Option<IndexedShare>, IndexError> {
        let sql = format!("{} WHERE run = $1", row::SELECT);
        self.database.query(&sql, vec![run.into()]).await?.into_iter().next().map(row::read).transpose()
    }

    /// Shared runs that may be shown, newest day first.
    pub async fn shared_runs(
        &self,
        filter: &ShareFilter,
        after: Option<&SharePlace>,
        limit: u32,
    ) -> Result<Vec<IndexedShare>, IndexError> {
        let mut sql = format!("{} WHERE state = 'shown'", row::SELECT);
        let mut cells = Vec::new();
        let columns =
            [("quiz_runs.pool", &filter.pool), ("standing", &filter.standing), ("selection", &filter.selection)];
        for (column, value) in columns {
            if let Some(value) = value {
                cells.push(Cell::from(value));
                // Writing to a string cannot fail.
                let _ = write!(sql, " AND {column} = ${}", cells.len());
            }
        }
        if let Some(after) = after {
            cells.extend([Cell::from(&after.day), Cell::from(&after.run)]);
            let _ = write!(sql, " AND (day, run) < (${}, ${})", cells.len() - 1, cells.len());
        }
        let _ = write!(sql, " ORDER BY day DESC, run DESC LIMIT {}", limit.min(MOST_ROWS));
        self.database.query(&sql, cells).await?.into_iter().map(row::read).collect()
    }

    /// The newest runs of a pool that count, newest day first.
    pub async fn counted_runs(&self, pool: &str, limit: u32) -> Result<Vec<IndexedShare>, IndexError> {
        let mut counted = Vec::new();
        // One after the other: each of them is answered by an index alone, however many runs there are.
        for standing in ["reference", "confirmed"] {
            let filter = ShareFilter {
                pool: Some(pool.to_owned()),
                standing: Some(standing.to_owned()),
                ..ShareFilter::default()
            };
            counted.extend(self.shared_runs(&filter, None, limit).await?);
        }
        counted.sort_by(|a, b| (&b.day, &b.run).cmp(&(&a.day, &a.run)));
        counted.truncate(limit as usize);
        Ok(counted)
    }

    /// The runs of a pool that count and asked a question, newest day first.
    pub async fn runs_that_asked(
        &self,
        pool: &str,
        question: &str,
        after: Option<&SharePlace>,
        limit: u32,
    ) -> Result<Vec<IndexedShare>, IndexError> {
        let limit = limit.min(MOST_ROWS) as usize;
        let mut found = Vec::new();
        // On each of these days there is at least one: no more days are looked at than runs are wanted.
        for day in self.days_that_asked(pool, question, after, limit).await? {
            let mut cells: Vec<Cell> = vec![pool.into(), (&day).into(), containing(&format!("{question} ")).into()];
            let mut sql = format!(
                "{} WHERE state = 'shown' AND quiz_runs.pool = $1 AND day = $2 \
                 AND standing IN ('reference', 'confirmed') AND marks LIKE $3 ESCAPE '!'",
                row::SELECT
            );
            if let Some(after) = after.filter(|after| after.day == day) {
                cells.push((&after.run).into());
                sql += " AND run < $4";
            }
            let _ = write!(sql, " ORDER BY run DESC LIMIT {}", limit - found.len());
            for row in self.database.query(&sql, cells).await? {
                found.push(row::read(row)?);
            }
            if found.len() == limit {
                break;
            }
        }
        Ok(found)
    }

    async fn days_that_asked(
        &self,
        pool: &str,
        question: &str,
        after: Option<&SharePlace>,
        limit: usize,
    ) -> Result<Vec<String>, IndexError> {
        let mut cells: Vec<Cell> = vec![pool.into(), question.into()];
        let mut sql = "SELECT day FROM quiz_question_days WHERE pool = $1 AND question = $2 AND runs > 0".to_owned();
        if let Some(after) = after {
            cells.push((&after.day).into());
            sql += " AND day <= $3";
        }
        // The day of the place may have no more of them.
        let _ = write!(sql, " ORDER BY day DESC LIMIT {}", limit + 1);
        self.database.query(&sql, cells).await?.into_iter().map(|mut row| row.text()).collect()
    }

    /// Those of these shared runs that the index does not know.
    pub async fn unknown_shared(&self, runs: &[String]) -> Result<Vec<String>, IndexError> {
        let mut unknown = Vec::new();
        for some in runs.chunks(ASKED_AT_ONCE) {
            let (places, cells) = any_of(some);
            let known = self.database.query(&format!("SELECT run FROM quiz_runs WHERE run IN {places}"), cells).await?;
            let known = known.into_iter().map(|mut row| row.text()).collect::<Result<BTreeSet<_>, _>>()?;
            unknown.extend(some.iter().filter(|run| !known.contains(*run)).cloned());
        }
        Ok(unknown)
    }

    /// Shared runs that another version of the extractor read, a page at a time in the order of their ids.
    pub async fn shared_read_otherwise(
        &self,
        extractor: u32,
        after: &str,
        limit: u32,
    ) -> Result<Vec<String>, IndexError> {
        let sql = format!(
            "SELECT run FROM quiz_runs WHERE extractor <> $1 AND run > $2 ORDER BY run LIMIT {}",
            limit.min(MOST_ROWS)
        );
        let rows = self.database.query(&sql, vec![i64::from(extractor).into(), after.into()]).await?;
        rows.into_iter().map(|mut row| row.text()).collect()
    }

    /// All pools, in the order of their names.
    pub async fn pools(&self) -> Result<Vec<PoolSums>, IndexError> {
        let sql = format!("{POOLS} ORDER BY pool");
        self.database.query(&sql, Vec::new()).await?.into_iter().map(pool_sums).collect()
    }

    /// One pool.
    pub async fn pool(&self, pool: &str) -> Result<Option<PoolSums>, IndexError> {
        let sql = format!("{POOLS} WHERE pool = $1");
        self.database.query(&sql, vec![pool.into()]).await?.into_iter().next().map(pool_sums).transpose()
    }

    /// The questions of a pool that one day alone answered.
    pub async fn single_days(&self, pool: &str) -> Result<SingleDays, IndexError> {
        let sql = "SELECT COUNT(*), CAST(SUM(share) AS BIGINT), CAST(SUM(strict_share) AS BIGINT) \
             FROM quiz_questions JOIN quiz_question_days USING (pool, question) \
             WHERE pool = $1 AND support_days = 1 GROUP BY day ORDER BY day";
        let sum = |mut row: Row| {
            Ok(Sum {
                questions: row.integer()?.cast_unsigned(),
                share: row.integer()? as f64 / WHOLE as f64,
                strict: row.integer()? as f64 / WHOLE as f64,
            })
        };
        let days = self.database.query(sql, vec![pool.into()]).await?.into_iter().map(sum);
        Ok(SingleDays::of(days.collect::<Result<Vec<_>, IndexError>>()?))
    }

    /// The questions of a pool, the hardest first, without so many of the hardest.
    pub async fn pool_questions(&self, pool: &str, without: u32, limit: u32) -> Result<Vec<PoolQuestion>, IndexError> {
        let sql = format!(
            "SELECT question, runs, share / days, chosen_a, chosen_b, chosen_c, chosen_d, chosen_none \
             FROM quiz_questions WHERE pool = $1 ORDER BY 3, question LIMIT {} OFFSET {without}",
            limit.min(4 * MOST_ROWS)
        );
        let question = |mut row: Row| {
            Ok(PoolQuestion {
                question: row.text()?,
                runs: row.integer()?.cast_unsigned(),
                share: row.integer()? as f64 / WHOLE as f64,
                chosen: letters(&mut row, true)?,
            })
        };
        self.database.query(&sql, vec![pool.into()]).await?.into_iter().map(question).collect()
    }
}

/// The pattern of texts that contain this one, with `!` before what patterns would take for something else.
fn containing(text: &str) -> String {
    format!("%{}%", text.replace('!', "!!").replace('%', "!%").replace('_', "!_"))
}

const POOLS: &str = "SELECT pool, definition, runs, others, days, asked, correct, questions, share, strict_share, \
     tier_1, tier_1_correct, tier_2, tier_2_correct, tier_3, tier_3_correct, tier_4, tier_4_correct, tier_5, tier_5_correct, \
     chosen_a, chosen_b, chosen_c, chosen_d, chosen_none, gold_a, gold_b, gold_c, gold_d FROM quiz_pools";

fn pool_sums(mut row: Row) -> Result<PoolSums, IndexError> {
    let (pool, key) = (row.text()?, parse(&row.text()?, "pool")?);
    let mut count = || row.integer().map(i64::cast_unsigned);
    let (runs, others, days, asked, correct, questions) = (count()?, count()?, count()?, count()?, count()?, count()?);
    let mean = |sum: i64| if questions == 0 { 0.0 } else { sum as f64 / WHOLE as f64 / questions as f64 };
    let (share, strict_share) = (mean(row.integer()?), mean(row.integer()?));
    let mut tier = |tier| {
        let (answers, correct) = (row.integer()?.cast_unsigned(), row.integer()?.cast_unsigned());
        Ok::<_, IndexError>(TierCount { tier, answers, correct })
    };
    let tiers = (1..=5).map(&mut tier).collect::<Result<_, _>>()?;
    let (chosen, gold) = (letters(&mut row, true)?, letters(&mut row, false)?);
    Ok(PoolSums { pool, key, runs, others, days, asked, correct, questions, share, strict_share, tiers, chosen, gold })
}

fn letters(row: &mut Row, with_none: bool) -> Result<LetterCounts, IndexError> {
    let mut count = || row.integer().map(i64::cast_unsigned);
    Ok(LetterCounts { a: count()?, b: count()?, c: count()?, d: count()?, none: if with_none { count()? } else { 0 } })
}
