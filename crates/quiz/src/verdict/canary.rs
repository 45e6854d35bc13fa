//! Questions to which the reference runs of a model all gave the same answer. A run that mostly gives others was made by something else.

use super::{Reason, ReasonCode};
use crate::derived::Derived;
use crate::question::Letter;
use std::collections::{BTreeMap, BTreeSet};

/// An answer is known to be stable once it came about in so many different ways: by another engine, or with another seed.
const MIN_WAYS: usize = 2;
/// A run is held against so many canaries at least.
const MIN_CANARIES: usize = 3;

/// What a reference run answered, and how it was made.
#[derive(Debug, Clone)]
pub struct ReferenceAnswers {
    /// The engine and the seed: equal ways give equal answers, and prove nothing.
    pub way: (String, u32),
    /// Question, letter and tier.
    pub answers: Vec<(String, Option<Letter>, u8)>,
}

/// A question whose answer is known and stable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Canary {
    /// The question.
    pub question_id: String,
    /// The letter every reference run chose, if any.
    pub letter: Option<Letter>,
    /// The tier it was found by.
    pub tier: u8,
}

/// What all reference runs said to one question.
#[derive(Default)]
struct Said<'a> {
    answers: BTreeSet<(Option<Letter>, u8)>,
    ways: BTreeSet<&'a (String, u32)>,
}

impl Said<'_> {
    /// The one answer, where it came about in enough ways.
    fn stable(&self) -> Option<(Option<Letter>, u8)> {
        self.answers.first().copied().filter(|_| self.answers.len() == 1 && self.ways.len() >= MIN_WAYS)
    }
}

/// The questions on which reference runs of one model agree, in the order of their ids.
pub fn canaries(runs: &[ReferenceAnswers]) -> Vec<Canary> {
    let mut questions: BTreeMap<&str, Said<'_>> = BTreeMap::new();
    for run in runs {
        for (question, letter, tier) in &run.answers {
            let said = questions.entry(question).or_default();
            said.answers.insert((*letter, *tier));
            said.ways.insert(&run.way);
        }
    }
    let stable = |(question, said): (&str, Said<'_>)| {
        let (letter, tier) = said.stable()?;
        Some(Canary { question_id: question.to_owned(), letter, tier })
    };
    questions.into_iter().filter_map(stable).collect()
}

/// Whether a run answers less than half of the canaries among its questions as the references do. One near tie between two tokens may
/// fall otherwise on another machine; most of them do not.
pub(super) fn problem(derived: &Derived, canaries: &[Canary]) -> Option<Reason> {
    let known: BTreeMap<&str, &Canary> = canaries.iter().map(|canary| (canary.question_id.as_str(), canary)).collect();
    let behaves = |question: &crate::DerivedQuestion| {
        let canary = known.get(question.question_id.as_str())?;
        Some((canary.letter, canary.tier) == (question.extraction.letter, question.extraction.tier))
    };
    let behaved: Vec<bool> = derived.questions.iter().filter_map(behaves).collect();
    let same = behaved.iter().filter(|same| **same).count();
    (behaved.len() >= MIN_CANARIES && 2 * same < behaved.len()).then(|| {
        let text = format!(
            "it answers {same} of {} questions as the reference runs of this model do, which all agree on them",
            behaved.len()
        );
        Reason::new(ReasonCode::UnlikeReference, text)
    })
}
