//! The quiz track: four-choice questions, the prompts made of them, and what a model's raw output comes to.
//!
//! One implementation for all who need it: linked into the server and the command line, and compiled to WebAssembly for the page, which
//! reaches it through [`call`]. Everything here is pure: no async, no filesystem, no clock, no randomness. Seeds arrive as values.
#![warn(missing_docs)]

mod bank;
mod bridge;
mod catalogue;
mod compare;
#[cfg(feature = "corpus")]
mod corpus;
mod derived;
mod extraction;
mod library;
mod prompt;
mod question;
mod reasons;
mod set;
mod submission;
mod verdict;

pub mod board;
pub mod mmlu;

pub use bank::Bank;
pub use bridge::call;
pub use catalogue::{Baseline, BrowserEngine, Catalogue, CatalogueModel};
pub use compare::{Comparison, compare};
#[cfg(feature = "corpus")]
pub use corpus::{CorpusError, QuestionFile, WrittenQuestion, read_corpus};
pub use derived::{Accuracy, AnswerState, DeriveError, Derived, DerivedQuestion, LetterCounts, TierCount, derive};
pub use extraction::{EXTRACTOR_VERSION, Extraction, Flag, Rule, Tier, begins_with_reasoning, extract, needs};
pub use library::Library;
pub use prompt::{
    MAX_TOKENS, Message, Prompt, Protocol, RULE_OF_SEEDS, Role, SYSTEM_TEXT, Settings, TEMPERATURE, TOP_P, Template,
    question_seed, render,
};
pub use question::{Difficulty, Example, Group, Letter, Question, Source, question_id};
pub use set::{
    QUICK_COUNTS, QuestionSet, QuickDraw, RULE_OF_DRAWS, SET_IDS, Selection, draw, frozen_sets, rule_of_sets,
};
pub use submission::{
    Answer, Backend, Browser, ClientReading, Device, Engine, Finish, ModelUnderTest, SelfTest, Submission,
};
pub use verdict::{
    Canary, Expected, Reason, ReasonCode, ReferenceAnswers, State, Verdict, canaries, check, problems_of_form,
};

/// Format version of every document of this crate that is kept or sent.
pub const FORMAT: u32 = 1;

/// Half the width of the interval to expect of a run of so many questions: that of a run with half of them right, the widest there is.
pub fn predicted_half_width(n: u64) -> Option<f64> {
    use benchwright_domain::statistics::{Z_95, wilson_of_share};
    wilson_of_share(0.5, n, Z_95).ok().map(|interval| interval.width() / 2.0)
}
