//! A shared run as the index takes it in: what its outputs come to under the present extractor.

use super::super::entry::{PlacedAct, State};
use super::super::error::IndexError;
use crate::event::Act;
use crate::quiz::{KeptShare, SharedRun, read_shared, shared_id};
use crate::storage::Storage;
use benchwright_quiz::board::RunSummary;
use benchwright_quiz::{Derived, Library, ReasonCode, Selection, derive};

/// `2026-11-16`.
const DAY_LENGTH: usize = 10;
const SHA256_DIGITS: usize = 64;

/// A shared run as the index takes it in.
#[derive(Debug, Clone, PartialEq)]
pub struct QuizEntry {
    pub(super) run: String,
    /// What it comes to; absent once it was removed.
    pub(super) record: Option<QuizRecord>,
    /// What was decided about it, in order.
    pub(super) acts: Vec<PlacedAct>,
}

/// What a shared run comes to.
#[derive(Debug, Clone, PartialEq)]
pub struct QuizRecord {
    /// What the board needs; its state is what the checks said on arrival.
    pub summary: RunSummary,
    /// Why they said so.
    pub reasons: Vec<ReasonCode>,
    /// What it asked: the id of a set, or a draw.
    pub selection: String,
    /// The hash of the outputs in their order.
    pub outputs_sha256: String,
    /// Version of the extractor that read it now.
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
}

impl QuizRecord {
    /// Reads the outputs again. Fails when the questions are not here.
    pub fn of(run: &SharedRun, library: &Library) -> Result<Self, String> {
        check_keys(run)?;
        let derived = derive(&run.submission.answers, |id| library.question(id)).map_err(|error| {
            format!("failed to {error}; if its source was imported, import it again (`benchwright quiz import`)")
        })?;
        Self::of_derived(run, &derived, library)
    }

    /// The same for a run whose outputs were read just now.
    pub fn of_derived(run: &SharedRun, derived: &Derived, library: &Library) -> Result<Self, String> {
        let submission = &run.submission;
        let selection = submission.selection().ok_or("it names no set and no draw")?;
        let source = source_of(&selection, library).ok_or("its questions are not here")?;
        // The client's own calendar may say anything; days count for ranks.
        let summary = RunSummary::of(&run.id, source, submission, derived, run.verdict.state);
        Ok(Self {
            summary: RunSummary { day: run.day.clone(), ..summary },
            reasons: run.verdict.reasons.iter().map(|reason| reason.code).collect(),
            selection: named(&selection),
            outputs_sha256: run.verdict.outputs_sha256.clone(),
            extractor: derived.extractor,
            first_extractor: run.first_reading.extractor,
            first_correct: run.first_reading.correct,
            first_strict: run.first_reading.strict,
            engine: format!("{} {}", submission.engine.name, submission.engine.version),
            seconds: submission.answers.iter().map(|answer| answer.total_ms).sum::<f64>() / 1000.0,
        })
    }
}

/// Refuses a document whose keys in the index somebody else made up: longer ones would not fit into it.
fn check_keys(run: &SharedRun) -> Result<(), String> {
    let hash = &run.verdict.outputs_sha256;
    if run.day.len() != DAY_LENGTH || !run.id.starts_with(&shared_id(&run.day, "")) {
        return Err("its day is not that of its id".to_owned());
    }
    let is_hash = hash.len() == SHA256_DIGITS && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then_some(()).ok_or_else(|| "the hash of its outputs is none".to_owned())
}

fn source_of(selection: &Selection, library: &Library) -> Option<benchwright_quiz::Source> {
    match selection {
        Selection::Set(id) => library.set(id).map(|set| set.source),
        Selection::Quick(quick) => Some(quick.source),
    }
}

/// `own-36`, or `quick own 10 4711`: source, count and seed.
fn named(selection: &Selection) -> String {
    match selection {
        Selection::Set(id) => id.clone(),
        Selection::Quick(quick) => format!("quick {} {} {}", quick.source.as_str(), quick.count, quick.seed),
    }
}

impl QuizEntry {
    /// The entry of a run that was just shared.
    pub fn fresh(record: QuizRecord) -> Self {
        Self { run: record.summary.run.clone(), record: Some(record), acts: Vec::new() }
    }

    /// The entry of a run as it is kept.
    pub fn of(run: &str, kept: &KeptShare, library: &Library) -> Result<Self, IndexError> {
        let bad = |reason: String| IndexError::BadRecord { run: run.to_owned(), reason };
        let acts = (0..).zip(kept.acts.iter().cloned()).map(|(sequence, act)| PlacedAct { sequence, act }).collect();
        let is_down = State::after(&kept.acts) == State::TakenDown;
        let record = match kept.run.as_ref().filter(|_| !is_down) {
            Some(shared) => Some(QuizRecord::of(shared, library).map_err(bad)?),
            None if is_down => None,
            None => return Err(bad("what was shared is gone, and nobody decided that".to_owned())),
        };
        Ok(Self { run: run.to_owned(), record, acts })
    }

    pub(super) fn state(&self) -> State {
        State::after(self.acts.iter().map(|placed| &placed.act))
    }

    /// Why it is in that state.
    pub(super) fn state_reason(&self) -> Option<&Act> {
        self.acts.last().map(|placed| &placed.act).filter(|_| self.state() != State::Shown)
    }
}

/// What the index says of one shared run; nothing if there never was one.
pub fn quiz_entry_of(storage: &dyn Storage, run: &str, library: &Library) -> Result<Option<QuizEntry>, IndexError> {
    read_shared(storage, run)?.map(|kept| QuizEntry::of(run, &kept, library)).transpose()
}
