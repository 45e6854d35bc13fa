//! The board: runs of one model pooled over distinct questions, ordered by the lower end of the interval, ranks shared where intervals
//! overlap.

mod balance;
mod pool;
mod speed;

pub use balance::{SingleDays, Sum, Weighed};
pub(crate) use speed::prefill_rate;

use crate::FORMAT;
use crate::derived::{Derived, DerivedQuestion, LetterCounts, TierCount};
use crate::prompt::Protocol;
use crate::question::{Letter, Source};
use crate::submission::{Backend, Submission};
use crate::verdict::State;
use benchwright_domain::board::{RankRange, ranges_of};
use benchwright_domain::repeats::Spread;
use benchwright_domain::statistics::Interval;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A row is ranked from so many distinct questions on.
pub const MIN_QUESTIONS: usize = 100;
/// A row is ranked when its runs were begun on so many different days.
pub const MIN_DAYS: usize = 3;

/// What must be equal for runs to be pooled.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct RowKey {
    /// Where the questions come from.
    pub source: Source,
    /// The protocol.
    pub protocol: Protocol,
    /// Whether the models thought before they answered, or were let.
    pub thinking: bool,
    /// Whether a visitor brought the model; such rows stand apart.
    pub custom: bool,
    /// Id of the model in the catalogue, or the name of a visitor's own.
    pub model: String,
    /// How its weights are stored.
    pub quantisation: String,
    /// The hash of a visitor's own file, which is what can be trusted of it.
    pub file_sha256: Option<String>,
}

/// One question of a run, as much as the board needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QuestionResult {
    /// The question.
    pub question_id: String,
    /// Whether it was answered right.
    pub correct: bool,
    /// The tier that found the letter.
    pub tier: u8,
    /// The letter.
    pub chosen: Option<Letter>,
    /// The right letter.
    pub gold: Letter,
}

/// How fast a run was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunSpeed {
    /// Where it was computed.
    pub backend: Backend,
    /// What may be said of the device.
    pub device_class: String,
    /// The family alone, for classes that too few runs share.
    pub device_family: String,
    /// Median milliseconds to the first token.
    pub first_token_ms: Option<f64>,
    /// Median tokens of the prompt read per second, those in the cache left out.
    pub prefill_rate: Option<f64>,
    /// Median tokens written per second.
    pub decode_rate: Option<f64>,
}

/// One run, as much as the board needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunSummary {
    /// Format version.
    pub format: u32,
    /// Id of the run.
    pub run: String,
    /// The row it belongs to.
    pub key: RowKey,
    /// Whether it counts.
    pub state: State,
    /// The day it began.
    pub day: String,
    /// Its questions.
    pub questions: Vec<QuestionResult>,
    /// Its speed; absent when the page was hidden all the time.
    pub speed: Option<RunSpeed>,
}

impl RunSummary {
    /// Sums up a run.
    pub fn of(run: &str, source: Source, submission: &Submission, derived: &Derived, state: State) -> Self {
        let model = &submission.model;
        let custom = model.catalogue_id.is_none();
        let name = model.catalogue_id.as_ref().or(model.custom_name.as_ref());
        let question = |one: &DerivedQuestion| QuestionResult {
            question_id: one.question_id.clone(),
            correct: one.correct,
            tier: one.extraction.tier,
            chosen: one.extraction.letter,
            gold: one.gold,
        };
        Self {
            format: FORMAT,
            run: run.to_owned(),
            key: RowKey {
                source,
                protocol: submission.protocol,
                thinking: submission.thinks(),
                custom,
                model: name.cloned().unwrap_or_default(),
                quantisation: model.quantisation.clone(),
                file_sha256: model.file_sha256.clone().filter(|_| custom),
            },
            state,
            day: submission.day.clone(),
            questions: derived.questions.iter().map(question).collect(),
            speed: speed::of(submission),
        }
    }
}

/// A pooled share: every distinct question counts once, however often it was asked. Of a ranked row, no day gives more than half.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PooledAccuracy {
    /// Distinct questions that weigh in.
    pub questions: u64,
    /// The mean over questions of the mean over days of the share of runs that were right.
    pub share: f64,
    /// Its 95 % Wilson interval, for the number of distinct questions.
    pub interval: Interval,
}

/// How fast a model runs on one class of devices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceSpeed {
    /// Where it was computed.
    pub backend: Backend,
    /// The class of the device, or its family where fewer than three runs share the class.
    pub device: String,
    /// How many runs.
    pub runs: usize,
    /// Median over runs, milliseconds.
    pub first_token_ms: Option<f64>,
    /// Median over runs, tokens per second.
    pub prefill_rate: Option<f64>,
    /// Median over runs, tokens per second.
    pub decode_rate: Option<f64>,
}

/// One row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BoardRow {
    /// What its runs have in common.
    pub key: RowKey,
    /// The ranks it may have; absent for a row that is not ranked.
    pub rank: Option<RankRange>,
    /// Why it is not ranked.
    pub not_ranked_because: Vec<String>,
    /// The one number; absent when no run counts.
    pub accuracy: Option<PooledAccuracy>,
    /// The same if only tier 1 counted.
    pub strict: Option<PooledAccuracy>,
    /// Accuracy from run to run, in per cent: how much runs differ, not how sure the accuracy is.
    pub between_runs: Spread,
    /// One for each tier, over all answers of the runs that count.
    pub tiers: Vec<TierCount>,
    /// The letters that were chosen.
    pub chosen: LetterCounts,
    /// The letters that are right.
    pub gold: LetterCounts,
    /// By class of device.
    pub speeds: Vec<DeviceSpeed>,
    /// The runs that count.
    pub runs: Vec<String>,
    /// The runs that do not.
    pub other_runs: Vec<String>,
}

/// Rows that may be ranked against each other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Table {
    /// Where the questions come from.
    pub source: Source,
    /// The protocol.
    pub protocol: Protocol,
    /// Whether the models thought before they answered, or were let.
    pub thinking: bool,
    /// Whether visitors brought the models.
    pub custom: bool,
    /// Ranked rows by the lower end of their interval, then the others.
    pub rows: Vec<BoardRow>,
}

/// All tables.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QuizBoard {
    /// Format version.
    pub format: u32,
    /// One for each source, protocol and kind of model.
    pub tables: Vec<Table>,
}

impl QuizBoard {
    /// The board of these runs. Runs that are not confirmed are named in their row and counted nowhere; rejected ones are left out.
    pub fn of(runs: &[RunSummary]) -> Self {
        let mut rows: BTreeMap<&RowKey, Vec<&RunSummary>> = BTreeMap::new();
        for run in runs.iter().filter(|run| run.state != State::Rejected) {
            rows.entry(&run.key).or_default().push(run);
        }
        let mut tables: Vec<Table> = Vec::new();
        for (key, runs) in rows {
            let Some(table) = tables.last_mut().filter(|table| table.holds(key)) else {
                tables.push(Table::of(key, pool::row(key, &runs)));
                continue;
            };
            table.rows.push(pool::row(key, &runs));
        }
        for table in &mut tables {
            table.rank();
        }
        Self { format: FORMAT, tables }
    }
}

impl Table {
    fn of(key: &RowKey, row: BoardRow) -> Self {
        let RowKey { source, protocol, thinking, custom, .. } = *key;
        Self { source, protocol, thinking, custom, rows: vec![row] }
    }

    fn holds(&self, key: &RowKey) -> bool {
        (self.source, self.protocol, self.thinking, self.custom) == (key.source, key.protocol, key.thinking, key.custom)
    }

    /// Ranked rows first, by the lower end of their interval; then the others in the same order.
    fn rank(&mut self) {
        let low = |row: &BoardRow| row.accuracy.map_or(-1.0, |accuracy| accuracy.interval.low);
        let is_ranked = |row: &BoardRow| row.not_ranked_because.is_empty();
        self.rows.sort_by(|a, b| {
            is_ranked(b).cmp(&is_ranked(a)).then(low(b).total_cmp(&low(a))).then_with(|| a.key.cmp(&b.key))
        });
        let ranked = self.rows.iter().filter(|row| is_ranked(row)).count();
        let intervals: Vec<_> = self.rows[..ranked].iter().map(|row| row.accuracy.map(|one| one.interval)).collect();
        for (row, rank) in self.rows.iter_mut().zip(ranges_of(&intervals)) {
            row.rank = Some(rank);
        }
    }
}

#[cfg(test)]
mod tests;
