//! What runs add to the sums that boards read, or take from them.
//!
//! Every day counts the same for a question, and every question the same for a pool, so that neither a busy day nor a set that everybody
//! runs outweighs the rest. A day supports a question when a run that counts, or a repeat of one, asked it then. Shares are billionths in whole numbers, rounded down at each step: every sum is a function of those below it, and
//! an index that grew for years equals one made at once.

use super::super::database::{Cell, Row, Session};
use super::super::error::IndexError;
use super::super::row::json;
use super::super::write::{ROWS_AT_ONCE, adding, insert, insert_returning, places};
use super::row::IndexedShare;
use benchwright_quiz::Letter;
use std::collections::BTreeMap;

/// A share of 1.
pub(super) const WHOLE: i64 = 1_000_000_000;

/// The columns of `quiz_pools` that are sums, in the order of [`Pool::cells`].
const SUMS: [&str; 27] = [
    "runs",
    "others",
    "days",
    "asked",
    "correct",
    "questions",
    "share",
    "strict_share",
    "tier_1",
    "tier_2",
    "tier_3",
    "tier_4",
    "tier_5",
    "tier_1_correct",
    "tier_2_correct",
    "tier_3_correct",
    "tier_4_correct",
    "tier_5_correct",
    "chosen_a",
    "chosen_b",
    "chosen_c",
    "chosen_d",
    "chosen_none",
    "gold_a",
    "gold_b",
    "gold_c",
    "gold_d",
];

#[derive(Default)]
struct Pool {
    definition: String,
    runs: i64,
    others: i64,
    days: i64,
    asked: i64,
    correct: i64,
    questions: i64,
    share: i64,
    strict_share: i64,
    tiers: [i64; 5],
    tiers_correct: [i64; 5],
    chosen: [i64; 5],
    gold: [i64; 4],
}

impl Pool {
    fn cells(&self) -> impl Iterator<Item = Cell> {
        let plain = [
            self.runs,
            self.others,
            self.days,
            self.asked,
            self.correct,
            self.questions,
            self.share,
            self.strict_share,
        ];
        let rest = self.tiers.into_iter().chain(self.tiers_correct).chain(self.chosen).chain(self.gold);
        plain.into_iter().chain(rest).map(Cell::from)
    }
}

/// A question in a pool on one day.
#[derive(Clone, Copy, Default)]
struct Day {
    runs: i64,
    correct: i64,
    strict: i64,
    /// Runs that count, and repeats of them.
    supports: i64,
}

impl Day {
    fn share(self) -> i64 {
        if self.runs == 0 { 0 } else { self.correct * WHOLE / self.runs }
    }

    fn strict_share(self) -> i64 {
        if self.runs == 0 { 0 } else { self.strict * WHOLE / self.runs }
    }

    fn of([runs, correct, strict, supports]: [i64; 4]) -> Self {
        Self { runs, correct, strict, supports }
    }

    fn sums(self) -> [i64; 4] {
        [self.runs, self.correct, self.strict, self.supports]
    }

    fn minus(self, change: Self) -> Self {
        Self::of(differences(self.sums(), change.sums()))
    }
}

/// A question in a pool: sums over days.
#[derive(Clone, Copy, Default)]
struct Question {
    days: i64,
    share: i64,
    strict_share: i64,
    runs: i64,
    chosen: [i64; 5],
    support_days: i64,
}

impl Question {
    fn mean(self) -> (i64, i64) {
        if self.days == 0 { (0, 0) } else { (self.share / self.days, self.strict_share / self.days) }
    }
}

type DayKey = [String; 3];
type QuestionKey = [String; 2];

/// What some runs change.
#[derive(Default)]
pub(super) struct Changes {
    pools: BTreeMap<String, Pool>,
    questions: BTreeMap<QuestionKey, Question>,
    question_days: BTreeMap<DayKey, Day>,
    days: BTreeMap<QuestionKey, i64>,
}

impl Changes {
    /// Counts a run in (`sign` 1) or out (-1).
    pub(super) fn count(&mut self, run: &IndexedShare, sign: i64) {
        let (Some(key), super::super::entry::State::Shown) = (&run.key, run.state) else { return };
        let name = run.pool();
        let pool = self.pools.entry(name.clone()).or_default();
        pool.definition = json(key);
        if run.is_support() {
            *self.days.entry([name.clone(), run.day.clone()]).or_default() += sign;
            for result in &run.questions {
                let key = [name.clone(), result.question_id.clone(), run.day.clone()];
                self.question_days.entry(key).or_default().supports += sign;
            }
        }
        if !run.is_counted() {
            pool.others += sign;
            return;
        }
        pool.runs += sign;
        for result in &run.questions {
            let chosen = result.chosen.map_or(4, Letter::index);
            let tier = usize::from(result.tier.clamp(1, 5)) - 1;
            let correct = sign * i64::from(result.correct);
            pool.asked += sign;
            pool.correct += correct;
            pool.tiers[tier] += sign;
            pool.tiers_correct[tier] += correct;
            pool.chosen[chosen] += sign;
            pool.gold[result.gold.index()] += sign;
            let question = self.questions.entry([name.clone(), result.question_id.clone()]).or_default();
            question.runs += sign;
            question.chosen[chosen] += sign;
            let key = [name.clone(), result.question_id.clone(), run.day.clone()];
            let day = self.question_days.entry(key).or_default();
            day.runs += sign;
            day.correct += correct;
            day.strict += if result.tier == 1 { correct } else { 0 };
        }
    }

    /// Carries the changes from days to questions and from questions to pools, and writes them all.
    pub(super) async fn apply(mut self, session: &mut dyn Session) -> Result<(), IndexError> {
        self.apply_question_days(session).await?;
        self.apply_questions(session).await?;
        self.apply_days(session).await?;
        let rows = self
            .pools
            .iter()
            .map(|(name, pool)| {
                [Cell::from(name), Cell::from(&pool.definition)].into_iter().chain(pool.cells()).collect()
            })
            .collect();
        let table = format!("quiz_pools (pool, definition, {})", SUMS.join(", "));
        insert(session, &table, rows, &adding("quiz_pools", "pool", &SUMS)).await?;
        session.execute("DELETE FROM quiz_pools WHERE runs = 0 AND others = 0", Vec::new()).await?;
        Ok(())
    }

    async fn apply_question_days(&mut self, session: &mut dyn Session) -> Result<(), IndexError> {
        let changes = std::mem::take(&mut self.question_days);
        let row = |(key, day): (&DayKey, &Day)| key.iter().map(Cell::from).chain(day.sums().map(Cell::from)).collect();
        let written = Summed { table: "quiz_question_days", key: "pool, question, day", sums: &DAY_SUMS };
        let mut gone = Vec::new();
        for mut row in written.add(session, changes.iter().map(row).collect()).await? {
            let key = [row.text()?, row.text()?, row.text()?];
            let new = Day::of(integers(&mut row)?);
            let old = changes.get(&key).map_or(new, |change| new.minus(*change));
            let question = self.questions.entry([key[0].clone(), key[1].clone()]).or_default();
            question.days += i64::from(new.runs > 0) - i64::from(old.runs > 0);
            question.support_days += i64::from(new.supports > 0) - i64::from(old.supports > 0);
            question.share += new.share() - old.share();
            question.strict_share += new.strict_share() - old.strict_share();
            if new.supports == 0 {
                gone.push(key);
            }
        }
        written.remove(session, &gone).await
    }

    async fn apply_questions(&mut self, session: &mut dyn Session) -> Result<(), IndexError> {
        let changes = std::mem::take(&mut self.questions);
        let row = |(key, question): (&QuestionKey, &Question)| {
            key.iter().map(Cell::from).chain(question.sums().map(Cell::from)).collect()
        };
        let written = Summed { table: "quiz_questions", key: "pool, question", sums: &QUESTION_SUMS };
        let mut gone = Vec::new();
        for mut row in written.add(session, changes.iter().map(row).collect()).await? {
            let key = [row.text()?, row.text()?];
            let new = Question::of(integers(&mut row)?);
            let old = changes.get(&key).map_or(new, |change| new.minus(*change));
            let pool = self.pools.entry(key[0].clone()).or_default();
            pool.questions += i64::from(new.runs > 0) - i64::from(old.runs > 0);
            let ((new_share, new_strict), (old_share, old_strict)) = (new.mean(), old.mean());
            pool.share += new_share - old_share;
            pool.strict_share += new_strict - old_strict;
            if new.runs == 0 {
                gone.push(key);
            }
        }
        written.remove(session, &gone).await
    }

    async fn apply_days(&mut self, session: &mut dyn Session) -> Result<(), IndexError> {
        let changes: BTreeMap<QuestionKey, i64> =
            std::mem::take(&mut self.days).into_iter().filter(|(_, change)| *change != 0).collect();
        let row = |(key, runs): (&QuestionKey, &i64)| key.iter().map(Cell::from).chain([Cell::from(*runs)]).collect();
        let written = Summed { table: "quiz_days", key: "pool, day", sums: &["runs"] };
        let mut gone = Vec::new();
        for mut row in written.add(session, changes.iter().map(row).collect()).await? {
            let (key, new) = ([row.text()?, row.text()?], row.integer()?);
            let old = new - changes.get(&key).copied().unwrap_or_default();
            let pool = self.pools.entry(key[0].clone()).or_default();
            pool.days += i64::from(new > 0) - i64::from(old > 0);
            if new == 0 {
                gone.push(key);
            }
        }
        written.remove(session, &gone).await
    }
}

/// The columns of `quiz_question_days` that are sums, in the order of [`Day::sums`].
const DAY_SUMS: [&str; 4] = ["runs", "correct", "strict", "supports"];
/// The columns of `quiz_questions` that are sums, in the order of [`Question::sums`].
const QUESTION_SUMS: [&str; 10] = [
    "days",
    "share",
    "strict_share",
    "runs",
    "chosen_a",
    "chosen_b",
    "chosen_c",
    "chosen_d",
    "chosen_none",
    "support_days",
];

impl Question {
    fn of([days, share, strict_share, runs, a, b, c, d, none, support_days]: [i64; 10]) -> Self {
        Self { days, share, strict_share, runs, chosen: [a, b, c, d, none], support_days }
    }

    fn sums(self) -> [i64; 10] {
        let [a, b, c, d, none] = self.chosen;
        [self.days, self.share, self.strict_share, self.runs, a, b, c, d, none, self.support_days]
    }

    fn minus(self, change: Self) -> Self {
        Self::of(differences(self.sums(), change.sums()))
    }
}

fn differences<const N: usize>(mut sums: [i64; N], less: [i64; N]) -> [i64; N] {
    for (sum, less) in sums.iter_mut().zip(less) {
        *sum -= less;
    }
    sums
}

fn integers<const N: usize>(row: &mut Row) -> Result<[i64; N], IndexError> {
    let mut integers = [0; N];
    for integer in &mut integers {
        *integer = row.integer()?;
    }
    Ok(integers)
}

/// A table of sums.
#[derive(Clone, Copy)]
struct Summed<'a> {
    table: &'a str,
    /// The columns of its key.
    key: &'a str,
    sums: &'a [&'a str],
}

impl Summed<'_> {
    /// Adds changes to the sums, and says what all of these come to: what they were before need not be read.
    async fn add(self, session: &mut dyn Session, changes: Vec<Vec<Cell>>) -> Result<Vec<Row>, IndexError> {
        let columns = format!("{}, {}", self.key, self.sums.join(", "));
        let table = format!("{} ({columns})", self.table);
        let rest = format!("{} RETURNING {columns}", adding(self.table, self.key, self.sums));
        insert_returning(session, &table, changes, &rest).await
    }

    async fn remove<const N: usize>(self, session: &mut dyn Session, keys: &[[String; N]]) -> Result<(), IndexError> {
        for some in keys.chunks(ROWS_AT_ONCE) {
            let rows: Vec<String> = (0..some.len()).map(|row| places(row * N, N)).collect();
            let sql = format!("DELETE FROM {} WHERE ({}) IN (VALUES {})", self.table, self.key, rows.join(", "));
            session.execute(&sql, some.iter().flatten().map(Cell::from).collect()).await?;
        }
        Ok(())
    }
}
