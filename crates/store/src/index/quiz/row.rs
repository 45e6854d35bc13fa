//! A shared run as a row: the columns in one order, written and read in the same place.

use super::super::database::{Cell, Row};
use super::super::entry::State;
use super::super::error::IndexError;
use super::super::row::{json, parse, unreadable};
use super::entry::QuizEntry;
use benchwright_quiz::board::{QuestionResult, RowKey, RunSpeed};
use benchwright_quiz::{Letter, ReasonCode, State as Standing};
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;

/// The columns of `quiz_runs`, as [`cells`] writes them.
pub(super) const COLUMNS: [&str; 21] = [
    "run",
    "state",
    "state_reason",
    "day",
    "standing",
    "reasons",
    "merged_into",
    "verdict",
    "verdict_reasons",
    "outlier",
    "pool",
    "selection",
    "outputs",
    "marks",
    "extractor",
    "first_extractor",
    "first_correct",
    "first_strict",
    "engine",
    "seconds",
    "speed",
];

/// What [`read`] expects: all columns but `outlier`, and the definition of the pool.
pub(super) const SELECT: &str = "SELECT run, state, state_reason, day, standing, reasons, merged_into, verdict, verdict_reasons, \
     selection, outputs, marks, extractor, first_extractor, first_correct, first_strict, engine, seconds, speed, quiz_pools.definition \
     FROM quiz_runs LEFT JOIN quiz_pools ON quiz_pools.pool = quiz_runs.pool";

/// A shared run as the index knows it.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexedShare {
    /// Its id.
    pub run: String,
    /// What may be shown of it.
    pub state: State,
    /// Why it is not shown.
    pub state_reason: Option<String>,
    /// The day its ticket was issued.
    pub day: String,
    /// Whether it counts.
    pub standing: Standing,
    /// Why it does not.
    pub reasons: Vec<ReasonCode>,
    /// The run with the same outputs that counts instead.
    pub merged_into: Option<String>,
    /// What the checks said on arrival.
    pub verdict: Standing,
    /// Why they said so.
    pub verdict_reasons: Vec<ReasonCode>,
    /// What it asked: the id of a set, or a draw.
    pub selection: String,
    /// The hash of its outputs in their order.
    pub outputs_sha256: String,
    /// Its questions.
    pub questions: Vec<QuestionResult>,
    /// Version of the extractor that read it.
    pub extractor: u32,
    /// Version of the one that read it when it arrived.
    pub first_extractor: u32,
    /// What that one found to be right.
    pub first_correct: u64,
    /// What of that came from tier 1.
    pub first_strict: u64,
    /// The engine and its version.
    pub engine: String,
    /// Seconds over all questions.
    pub seconds: f64,
    /// How fast it was.
    pub speed: Option<RunSpeed>,
    /// The pool it belongs to; absent once it was removed.
    pub key: Option<RowKey>,
}

impl IndexedShare {
    /// How many questions were answered right.
    pub fn correct(&self) -> u64 {
        self.questions.iter().filter(|question| question.correct).count() as u64
    }

    /// The same if only tier 1 counted.
    pub fn strict(&self) -> u64 {
        self.questions.iter().filter(|question| question.correct && question.tier == 1).count() as u64
    }

    /// Whether it counts on the board.
    pub fn is_counted(&self) -> bool {
        self.state == State::Shown && self.standing.counts()
    }

    /// Whether it speaks for its pool, by itself or by repeating another run.
    pub(super) fn is_support(&self) -> bool {
        self.is_counted() || (self.state == State::Shown && self.merged_into.is_some())
    }

    /// Whether nothing speaks against it but that it is too good.
    pub(super) fn is_outlier(&self) -> bool {
        self.state == State::Shown
            && self.verdict == Standing::Unconfirmed
            && self.verdict_reasons == [ReasonCode::Outlier]
    }

    pub(super) fn pool(&self) -> String {
        self.key.as_ref().map(pool_id).unwrap_or_default()
    }
}

impl From<&QuizEntry> for IndexedShare {
    fn from(entry: &QuizEntry) -> Self {
        let record = entry.record.as_ref();
        let summary = record.map(|record| &record.summary);
        let verdict = summary.map_or(Standing::Rejected, |summary| summary.state);
        let reasons = record.map(|record| record.reasons.clone()).unwrap_or_default();
        let day = || format!("{}-{}-{}", &entry.run[..4], &entry.run[4..6], &entry.run[6..8]);
        Self {
            run: entry.run.clone(),
            state: entry.state(),
            state_reason: entry.state_reason().map(|act| act.reason.clone()),
            day: summary.map_or_else(day, |summary| summary.day.clone()),
            standing: verdict,
            reasons: reasons.clone(),
            merged_into: None,
            verdict,
            verdict_reasons: reasons,
            selection: record.map(|record| record.selection.clone()).unwrap_or_default(),
            outputs_sha256: record.map(|record| record.outputs_sha256.clone()).unwrap_or_default(),
            questions: summary.map(|summary| summary.questions.clone()).unwrap_or_default(),
            extractor: record.map_or(benchwright_quiz::EXTRACTOR_VERSION, |record| record.extractor),
            first_extractor: record.map_or(0, |record| record.first_extractor),
            first_correct: record.map_or(0, |record| record.first_correct),
            first_strict: record.map_or(0, |record| record.first_strict),
            engine: record.map(|record| record.engine.clone()).unwrap_or_default(),
            seconds: record.map_or(0.0, |record| record.seconds),
            speed: summary.and_then(|summary| summary.speed.clone()),
            key: summary.map(|summary| summary.key.clone()),
        }
    }
}

/// The name of a pool: short, and the same everywhere.
pub fn pool_id(key: &RowKey) -> String {
    let mut id = String::with_capacity(16);
    for byte in &Sha256::digest(json(key))[..8] {
        // Writing to a string cannot fail.
        let _ = write!(id, "{byte:02x}");
    }
    id
}

/// The values of a run, in the order of [`COLUMNS`].
pub(super) fn cells(share: &IndexedShare) -> Vec<Cell> {
    vec![
        (&share.run).into(),
        share.state.key().into(),
        share.state_reason.as_ref().into(),
        (&share.day).into(),
        standing_key(share.standing).into(),
        json(&share.reasons).into(),
        share.merged_into.as_ref().into(),
        standing_key(share.verdict).into(),
        json(&share.verdict_reasons).into(),
        share.is_outlier().into(),
        share.pool().into(),
        (&share.selection).into(),
        (&share.outputs_sha256).into(),
        marks(&share.questions).into(),
        i64::from(share.extractor).into(),
        i64::from(share.first_extractor).into(),
        share.first_correct.cast_signed().into(),
        share.first_strict.cast_signed().into(),
        (&share.engine).into(),
        share.seconds.into(),
        share.speed.as_ref().map(json).into(),
    ]
}

/// The run of a row of [`SELECT`].
pub(super) fn read(mut row: Row) -> Result<IndexedShare, IndexError> {
    Ok(IndexedShare {
        run: row.text()?,
        state: State::of_key(&row.text()?).ok_or_else(|| unreadable("state"))?,
        state_reason: row.optional_text()?,
        day: row.text()?,
        standing: standing_of(&row.text()?)?,
        reasons: parse(&row.text()?, "reason")?,
        merged_into: row.optional_text()?,
        verdict: standing_of(&row.text()?)?,
        verdict_reasons: parse(&row.text()?, "reason")?,
        selection: row.text()?,
        outputs_sha256: row.text()?,
        questions: unmarked(&row.text()?)?,
        extractor: row.integer()? as u32,
        first_extractor: row.integer()? as u32,
        first_correct: row.integer()?.cast_unsigned(),
        first_strict: row.integer()?.cast_unsigned(),
        engine: row.text()?,
        seconds: row.real()?,
        speed: row.optional_text()?.map(|speed| parse(&speed, "speed")).transpose()?,
        key: row.optional_text()?.map(|key| parse(&key, "pool")).transpose()?,
    })
}

const STANDINGS: [(Standing, &str); 5] = [
    (Standing::Reference, "reference"),
    (Standing::Confirmed, "confirmed"),
    (Standing::Unconfirmed, "unconfirmed"),
    (Standing::Flagged, "flagged"),
    (Standing::Rejected, "rejected"),
];

/// The name of a standing in the index.
pub(super) fn standing_key(standing: Standing) -> &'static str {
    STANDINGS.iter().find(|(known, _)| *known == standing).map_or("", |(_, key)| key)
}

fn standing_of(key: &str) -> Result<Standing, IndexError> {
    let known = STANDINGS.iter().find(|(_, name)| *name == key);
    known.map(|(standing, _)| *standing).ok_or_else(|| unreadable("standing"))
}

/// One line for each question: its id, the right letter, the chosen one and the tier, as in `own_cs/3/0a1b2c3d4e5f CA1`.
fn marks(questions: &[QuestionResult]) -> String {
    let mut text = String::with_capacity(questions.len() * 36);
    for QuestionResult { question_id, gold, chosen, tier, .. } in questions {
        let chosen = chosen.map_or('-', Letter::as_char);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{question_id} {gold}{chosen}{tier}");
    }
    text
}

fn unmarked(text: &str) -> Result<Vec<QuestionResult>, IndexError> {
    let line = |line: &str| {
        let (question_id, mark) = line.rsplit_once(' ')?;
        let [gold, chosen, tier] = *mark.as_bytes() else { return None };
        let (gold, chosen) = (Letter::from_ascii(gold)?, Letter::from_ascii(chosen));
        let tier = tier.checked_sub(b'0')?;
        Some(QuestionResult { question_id: question_id.to_owned(), correct: chosen == Some(gold), tier, chosen, gold })
    };
    text.lines().map(|text| line(text).ok_or_else(|| unreadable("mark"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_read_back_as_they_were_written() {
        let question = |chosen, tier| QuestionResult {
            question_id: "own_cs/3/0a1b2c3d4e5f".to_owned(),
            correct: chosen == Some(Letter::C),
            tier,
            chosen,
            gold: Letter::C,
        };
        let questions = vec![question(Some(Letter::C), 1), question(Some(Letter::A), 4), question(None, 5)];
        let text = marks(&questions);
        assert_eq!(text.lines().next(), Some("own_cs/3/0a1b2c3d4e5f CC1"));
        assert_eq!(unmarked(&text).unwrap(), questions);
        assert!(unmarked("nonsense").is_err());
    }
}
