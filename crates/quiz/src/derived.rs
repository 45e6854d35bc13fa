//! What raw outputs come to: letters, right and wrong, accuracy with its interval.

use crate::FORMAT;
use crate::extraction::{EXTRACTOR_VERSION, Extraction, Flag, Tier, extract};
use crate::question::{Letter, Question};
use crate::submission::{Answer, Finish};
use benchwright_domain::statistics::{Interval, wilson_95};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why there is a letter or none, as a reader wants to know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnswerState {
    /// A letter was found.
    Answered,
    /// The model wrote nothing.
    Empty,
    /// It declined.
    Refused,
    /// It named several letters and chose none.
    Hedged,
    /// It was cut at the limit of tokens before it came to an answer.
    CutOff,
    /// None of these: it wrote, and no letter could be found.
    NoAnswerFound,
}

/// One question of a run, re-derived.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DerivedQuestion {
    /// The question.
    pub question_id: String,
    /// The right letter.
    pub gold: Letter,
    /// What the output was found to say.
    pub extraction: Extraction,
    /// Why there is a letter or none.
    pub state: AnswerState,
    /// Whether the letter is the right one.
    pub correct: bool,
    /// Whether the client, where it says anything, found the same letter and tier.
    pub client_agrees: bool,
}

/// How often each letter occurs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub struct LetterCounts {
    /// A.
    pub a: u64,
    /// B.
    pub b: u64,
    /// C.
    pub c: u64,
    /// D.
    pub d: u64,
    /// No letter.
    #[serde(rename = "none")]
    pub none: u64,
}

impl LetterCounts {
    /// Counts letters.
    pub fn of(letters: impl IntoIterator<Item = Option<Letter>>) -> Self {
        let mut counts = Self::default();
        for letter in letters {
            *counts.place(letter) += 1;
        }
        counts
    }

    fn place(&mut self, letter: Option<Letter>) -> &mut u64 {
        match letter {
            Some(Letter::A) => &mut self.a,
            Some(Letter::B) => &mut self.b,
            Some(Letter::C) => &mut self.c,
            Some(Letter::D) => &mut self.d,
            None => &mut self.none,
        }
    }
}

/// A share of questions with its 95 % Wilson interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Accuracy {
    /// How many are right.
    pub correct: u64,
    /// Of how many.
    pub n: u64,
    /// The share; absent without questions.
    pub share: Option<f64>,
    /// Its interval; absent without questions.
    pub interval: Option<Interval>,
}

impl Accuracy {
    /// So many right of so many.
    pub fn new(correct: u64, n: u64) -> Self {
        let share = (n > 0).then(|| correct as f64 / n as f64);
        Self { correct, n, share, interval: wilson_95(correct, n).ok() }
    }
}

/// How many answers a tier gave, and how many of them are right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct TierCount {
    /// 1 to 5.
    pub tier: Tier,
    /// How many answers it gave.
    pub answers: u64,
    /// How many of them are right.
    pub correct: u64,
}

/// A run, re-derived from its raw outputs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Derived {
    /// Format version.
    pub format: u32,
    /// Version of the extractor.
    pub extractor: u32,
    /// The questions in the order they were asked.
    pub questions: Vec<DerivedQuestion>,
    /// The one number.
    pub accuracy: Accuracy,
    /// The same if only tier 1 counted.
    pub strict: Accuracy,
    /// One for each tier, 1 to 5.
    pub tiers: Vec<TierCount>,
    /// The letters that were chosen.
    pub chosen: LetterCounts,
    /// The letters that are right.
    pub gold: LetterCounts,
    /// The questions on which the client says otherwise.
    pub mismatches: Vec<String>,
}

/// Why a run cannot be derived.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeriveError {
    /// An answer to a question nobody has.
    #[error("find question `{0}`")]
    UnknownQuestion(String),
}

/// Derives a run from its answers. Every answer counts: no letter is a wrong answer.
pub fn derive<'a>(answers: &[Answer], question: impl Fn(&str) -> Option<&'a Question>) -> Result<Derived, DeriveError> {
    let find = |answer: &Answer| {
        question(&answer.question_id).ok_or_else(|| DeriveError::UnknownQuestion(answer.question_id.clone()))
    };
    let questions: Vec<_> =
        answers.iter().map(|answer| Ok(derive_question(answer, find(answer)?))).collect::<Result<_, DeriveError>>()?;
    Ok(sum_up(questions))
}

fn derive_question(answer: &Answer, question: &Question) -> DerivedQuestion {
    let extraction = extract(&answer.output, &question.choices);
    let agrees = |client: crate::ClientReading| client.letter == extraction.letter && client.tier == extraction.tier;
    DerivedQuestion {
        question_id: question.id.clone(),
        gold: question.answer,
        state: state(&extraction, answer.finish),
        correct: extraction.letter == Some(question.answer),
        client_agrees: answer.client.is_none_or(agrees),
        extraction,
    }
}

fn state(extraction: &Extraction, finish: Finish) -> AnswerState {
    let has = |flag| extraction.flags.contains(&flag);
    match () {
        () if extraction.letter.is_some() => AnswerState::Answered,
        () if has(Flag::Empty) => AnswerState::Empty,
        () if has(Flag::Refused) => AnswerState::Refused,
        () if has(Flag::Hedged) => AnswerState::Hedged,
        () if has(Flag::Truncated) || finish == Finish::Length => AnswerState::CutOff,
        () => AnswerState::NoAnswerFound,
    }
}

fn sum_up(questions: Vec<DerivedQuestion>) -> Derived {
    let count = |keep: &dyn Fn(&DerivedQuestion) -> bool| questions.iter().filter(|one| keep(one)).count() as u64;
    let n = questions.len() as u64;
    let tiers = (1..=5).map(|tier| TierCount {
        tier,
        answers: count(&|one| one.extraction.tier == tier),
        correct: count(&|one| one.extraction.tier == tier && one.correct),
    });
    Derived {
        format: FORMAT,
        extractor: EXTRACTOR_VERSION,
        accuracy: Accuracy::new(count(&|one| one.correct), n),
        strict: Accuracy::new(count(&|one| one.correct && one.extraction.tier == 1), n),
        tiers: tiers.collect(),
        chosen: LetterCounts::of(questions.iter().map(|one| one.extraction.letter)),
        gold: LetterCounts::of(questions.iter().map(|one| Some(one.gold))),
        mismatches: questions.iter().filter(|one| !one.client_agrees).map(|one| one.question_id.clone()).collect(),
        questions,
    }
}
