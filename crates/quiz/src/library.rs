//! All questions that can be asked here, found quickly.

use crate::bank::Bank;
use crate::question::{Question, Source};
use crate::set::{QuestionSet, Selection, draw, frozen_sets};
use std::collections::HashMap;

/// How large the set is that a visitor is offered first.
const OFFERED_FIRST: &str = "-12";

/// The questions of every source that is here, and the frozen sets made of them.
#[derive(Debug, Clone, Default)]
pub struct Library {
    banks: Vec<Bank>,
    sets: Vec<QuestionSet>,
    /// Bank and place in it of each question.
    places: HashMap<String, (usize, usize)>,
}

impl Library {
    /// The questions of these banks. The first is the one that is asked unless somebody wants another.
    pub fn of(banks: Vec<Bank>) -> Self {
        let sets = banks.iter().flat_map(frozen_sets).collect();
        let place = |(bank, place): (usize, usize), question: &Question| (question.id.clone(), (bank, place));
        let places = banks.iter().enumerate().flat_map(|(bank, questions)| {
            questions.questions.iter().enumerate().map(move |(row, question)| place((bank, row), question))
        });
        let places = places.collect();
        Self { banks, sets, places }
    }

    /// Every bank, the one that is asked first before the others.
    pub fn banks(&self) -> &[Bank] {
        &self.banks
    }

    /// The bank of a source, if it is here.
    pub fn bank(&self, source: Source) -> Option<&Bank> {
        self.banks.iter().find(|bank| bank.source == source)
    }

    /// A question of any source.
    pub fn question(&self, id: &str) -> Option<&Question> {
        let (bank, place) = *self.places.get(id)?;
        self.banks.get(bank)?.questions.get(place)
    }

    /// The frozen sets.
    pub fn sets(&self) -> &[QuestionSet] {
        &self.sets
    }

    /// A frozen set.
    pub fn set(&self, id: &str) -> Option<&QuestionSet> {
        self.sets.iter().find(|set| set.id == id)
    }

    /// The set that is asked unless somebody wants another.
    pub fn default_set(&self) -> Option<&QuestionSet> {
        self.sets.iter().find(|set| set.id.ends_with(OFFERED_FIRST)).or_else(|| self.sets.first())
    }

    /// Where the questions of a selection come from, and which they are, in their order; nothing when there are no such questions here.
    pub fn order(&self, selection: &Selection) -> Option<(Source, Vec<String>)> {
        match selection {
            Selection::Set(id) => self.set(id).map(|set| (set.source, set.question_ids.clone())),
            Selection::Quick(quick) => Some((quick.source, draw(self.bank(quick.source)?, *quick)?)),
        }
    }
}
