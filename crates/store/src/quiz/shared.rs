//! The document of a shared run.

use crate::error::StoreError;
use benchwright_quiz::{Derived, Letter, Submission, Verdict};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Format version of [`SharedRun`].
pub const SHARED_FORMAT: u32 = 1;

/// A run as somebody shared it. Nothing in it leads to a person: no address, no name, no time but the day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SharedRun {
    /// Format version, [`SHARED_FORMAT`].
    pub format: u32,
    /// Its id.
    pub id: String,
    /// The day its ticket was issued, by the server's calendar.
    pub day: String,
    /// SHA-256 of the text that lets the sharer remove it.
    pub delete_sha256: String,
    /// SHA-256 of what arrived, by which the same sharer asking again is known.
    pub body_sha256: String,
    /// What the checks said when it arrived. They look at other runs as well, so they cannot be made again later.
    pub verdict: Verdict,
    /// What the extractor of that time read.
    pub first_reading: FirstReading,
    /// What was shared; the ticket is left out.
    pub submission: Submission,
}

/// What an extractor read out of the outputs of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstReading {
    /// Version of the extractor.
    pub extractor: u32,
    /// How many were right.
    pub correct: u64,
    /// How many would have been if only tier 1 counted.
    pub strict: u64,
    /// One letter for each question, `-` where there was none.
    pub letters: String,
    /// One digit for each question: the tier.
    pub tiers: String,
}

impl FirstReading {
    /// What was read just now.
    pub fn of(derived: &Derived) -> Self {
        let letter = |letter: Option<Letter>| letter.map_or('-', Letter::as_char);
        let questions = || derived.questions.iter().map(|question| &question.extraction);
        Self {
            extractor: derived.extractor,
            correct: derived.accuracy.correct,
            strict: derived.strict.correct,
            letters: questions().map(|extraction| letter(extraction.letter)).collect(),
            tiers: questions().map(|extraction| char::from(b'0' + extraction.tier.min(9))).collect(),
        }
    }
}

impl SharedRun {
    /// As it is kept.
    pub fn bytes(&self) -> Vec<u8> {
        // It holds texts and finite numbers only: the checks refuse what JSON cannot say.
        serde_json::to_vec(self).unwrap_or_default()
    }

    pub(super) fn read(id: &str, bytes: &[u8]) -> Result<Self, StoreError> {
        let damaged = |reason: String| StoreError::DamagedShare { id: id.to_owned(), reason };
        let run: Self = match serde_json::from_slice(bytes) {
            Ok(run) => run,
            Err(error) => return Err(newer(bytes).map_or_else(|| damaged(error.to_string()), damaged)),
        };
        if run.format > SHARED_FORMAT {
            return Err(damaged(too_new(u64::from(run.format))));
        }
        if run.id != id {
            return Err(damaged(format!("it says it is run {}", run.id.escape_default())));
        }
        Ok(run)
    }
}

/// What to say of a document that a newer version wrote in another form.
fn newer(bytes: &[u8]) -> Option<String> {
    let format = serde_json::from_slice::<Value>(bytes).ok()?.get("format")?.as_u64()?;
    (format > u64::from(SHARED_FORMAT)).then(|| too_new(format))
}

fn too_new(format: u64) -> String {
    format!("it was written by a newer Benchwright (format {format}); update Benchwright")
}
