//! Which questions a run asks, and in which order.

use crate::FORMAT;
use crate::bank::Bank;
use crate::question::Source;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The ids of all frozen sets. Those of a source exist where its questions do.
pub const SET_IDS: [&str; 6] = ["own-12", "own-36", "own-120", "mmlu-12", "mmlu-36", "mmlu-120"];
/// How many questions a quick run may have.
pub const QUICK_COUNTS: [usize; 4] = [3, 10, 20, 40];

/// A frozen set: the same questions in the same order for everybody.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QuestionSet {
    /// Format version.
    pub format: u32,
    /// Such as `own-36`.
    pub id: String,
    /// Where its questions come from.
    pub source: Source,
    /// Its questions in the order they are asked: those of one subject together.
    pub question_ids: Vec<String>,
    /// The SHA-256 of its id and those of its questions, each followed by a line feed.
    pub sha256: String,
}

/// A quick run: questions drawn by a seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct QuickDraw {
    /// Where its questions come from.
    pub source: Source,
    /// One of [`QUICK_COUNTS`].
    pub count: usize,
    /// The seed of the draw.
    pub seed: u32,
}

/// What a run asks.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Selection {
    /// A frozen set, by its id.
    Set(String),
    /// A quick run.
    Quick(QuickDraw),
}

impl Selection {
    /// The seed that [`crate::question_seed`] takes.
    pub fn run_seed(&self) -> u32 {
        match self {
            Self::Set(_) => 0,
            Self::Quick(draw) => draw.seed,
        }
    }
}

/// The frozen sets of a source.
pub fn frozen_sets(bank: &Bank) -> Vec<QuestionSet> {
    let _ = (bank, FORMAT);
    Vec::new()
}

/// The ids of the questions of a quick run, in the order they are asked; nothing when the count is none of [`QUICK_COUNTS`] or the
/// bank of another source.
pub fn draw(bank: &Bank, draw: QuickDraw) -> Option<Vec<String>> {
    let _ = (bank, draw);
    None
}
