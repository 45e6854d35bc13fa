//! All questions of one source, with the examples of each subject.

use crate::question::{Example, Question, Source};
use std::collections::BTreeMap;

/// All questions of one source that may be asked, with the five examples of each subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bank {
    /// Where they come from.
    pub source: Source,
    /// In the order of their files and rows.
    pub questions: Vec<Question>,
    /// By subject.
    pub examples: BTreeMap<String, Vec<Example>>,
}

impl Bank {
    /// The question of that id.
    pub fn question(&self, id: &str) -> Option<&Question> {
        self.questions.iter().find(|question| question.id == id)
    }

    /// The examples that stand before a question.
    pub fn examples_for(&self, question: &Question) -> &[Example] {
        self.examples.get(&question.subject).map_or(&[], Vec::as_slice)
    }
}
