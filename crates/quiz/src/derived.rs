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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::{Difficulty, Group};
    use crate::submission::ClientReading;

    fn question(number: usize, answer: Letter) -> Question {
        Question {
            id: number.to_string(),
            subject: "own_cs".to_owned(),
            group: Group::Cs,
            difficulty: Difficulty::Easy,
            question: "?".to_owned(),
            choices: ["red", "green", "blue", "black"].map(str::to_owned),
            answer,
        }
    }

    fn answer(number: usize, output: &str, finish: Finish, client: Option<(Option<Letter>, u8)>) -> Answer {
        Answer {
            question_id: number.to_string(),
            prompt_sha256: String::new(),
            output: output.to_owned(),
            finish,
            prompt_tokens: 1,
            cached_tokens: None,
            output_tokens: 1,
            first_token_ms: None,
            total_ms: 1.0,
            hidden: false,
            client: client.map(|(letter, tier)| ClientReading { letter, tier }),
        }
    }

    #[test]
    fn every_answer_counts_and_is_told_apart() {
        let questions: Vec<Question> = (0..8).map(|number| question(number, Letter::ALL[number % 4])).collect();
        let answers = [
            answer(0, "ANSWER: A", Finish::Stop, Some((Some(Letter::A), 1))),
            answer(1, "The answer is B.", Finish::Stop, None),
            answer(2, "It is blue.", Finish::Stop, Some((Some(Letter::B), 3))),
            answer(3, "ANSWER: A", Finish::Stop, Some((Some(Letter::A), 2))),
            answer(4, "", Finish::Stop, None),
            answer(5, "ANSWER: A or B", Finish::Stop, None),
            answer(6, "Hm, well, hm, well, hm", Finish::Length, None),
            answer(7, "I'm sorry, I cannot answer.", Finish::Stop, None),
        ];
        let derived = derive(&answers, |id| questions.iter().find(|one| one.id == id)).unwrap();
        assert_eq!((derived.accuracy.correct, derived.accuracy.n, derived.strict.correct), (3, 8, 1));
        assert_eq!(derived.accuracy.interval, wilson_95(3, 8).ok());
        let tiers: Vec<_> = derived.tiers.iter().map(|tier| (tier.tier, tier.answers, tier.correct)).collect();
        assert_eq!(tiers, [(1, 2, 1), (2, 1, 1), (3, 1, 1), (4, 0, 0), (5, 4, 0)]);
        assert_eq!(derived.chosen, LetterCounts { a: 2, b: 1, c: 1, d: 0, none: 4 });
        assert_eq!(derived.gold, LetterCounts { a: 2, b: 2, c: 2, d: 2, none: 0 });
        assert_eq!(derived.mismatches, ["2", "3"]);
        let states: Vec<_> = derived.questions[4..].iter().map(|one| one.state).collect();
        assert_eq!(states, [AnswerState::Empty, AnswerState::Hedged, AnswerState::CutOff, AnswerState::Refused]);
    }

    #[test]
    fn nothing_asked_is_no_number() {
        let derived = derive(&[], |_| None).unwrap();
        assert_eq!((derived.accuracy.share, derived.accuracy.interval), (None, None));
        let unknown = derive(&[answer(1, "A", Finish::Stop, None)], |_| None);
        assert_eq!(unknown, Err(DeriveError::UnknownQuestion("1".to_owned())));
    }

    /// The table of the reference, with z = 1.959963984540054.
    #[test]
    fn intervals_are_those_of_the_published_table() {
        for (correct, n, low, high) in [
            (0, 1, 0.0, 0.793_451),
            (1, 1, 0.206_549, 1.0),
            (0, 3, 0.0, 0.561_497),
            (1, 3, 0.061_492, 0.792_340),
            (2, 3, 0.207_660, 0.938_508),
            (3, 3, 0.438_503, 1.0),
            (0, 5, 0.0, 0.434_482),
            (0, 10, 0.0, 0.277_533),
            (5, 10, 0.236_593, 0.763_407),
            (7, 10, 0.396_778, 0.892_209),
            (9, 10, 0.595_850, 0.982_124),
            (10, 10, 0.722_467, 1.0),
            (10, 20, 0.299_298, 0.700_702),
            (13, 20, 0.432_854, 0.818_808),
            (26, 40, 0.495_059, 0.778_655),
            (50, 100, 0.403_832, 0.596_168),
        ] {
            let interval = Accuracy::new(correct, n).interval.unwrap();
            assert!(
                (interval.low - low).abs() < 6e-7 && (interval.high - high).abs() < 6e-7,
                "{correct}/{n}: {interval:?}"
            );
        }
    }
}
