//! Two runs of one set, question by question.

use crate::derived::{Derived, DerivedQuestion};
use benchwright_domain::statistics::mcnemar_exact;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Two runs of the same questions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// Questions both got right.
    pub both: u64,
    /// Questions only the first got right.
    pub only_a: u64,
    /// Questions only the second got right.
    pub only_b: u64,
    /// Questions neither got right.
    pub neither: u64,
    /// Questions on which both chose the same letter, or both none.
    pub same_letter: u64,
    /// McNemar's exact p: how often a difference at least this large would occur if both were equally good.
    pub p: f64,
}

/// Compares two runs, whatever order they asked in. Nothing when they did not answer the same questions, each once.
pub fn compare(a: &Derived, b: &Derived) -> Option<Comparison> {
    let of_b: BTreeMap<&str, &DerivedQuestion> =
        b.questions.iter().map(|one| (one.question_id.as_str(), one)).collect();
    let of_a: BTreeMap<&str, &DerivedQuestion> =
        a.questions.iter().map(|one| (one.question_id.as_str(), one)).collect();
    let each_once = of_a.len() == a.questions.len() && of_b.len() == b.questions.len();
    if !each_once || !of_a.keys().eq(of_b.keys()) {
        return None;
    }
    let pairs = || of_a.values().zip(of_b.values());
    let count = |right_in_a, right_in_b| {
        pairs().filter(|(a, b)| (a.correct, b.correct) == (right_in_a, right_in_b)).count() as u64
    };
    let (only_a, only_b) = (count(true, false), count(false, true));
    Some(Comparison {
        both: count(true, true),
        only_a,
        only_b,
        neither: count(false, false),
        same_letter: pairs().filter(|(a, b)| a.extraction.letter == b.extraction.letter).count() as u64,
        p: mcnemar_exact(only_a, only_b).ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extraction::extract;
    use crate::question::Letter;
    use crate::{AnswerState, derive};

    /// Questions by number, and whether each is right.
    fn run(results: &[(usize, bool)]) -> Derived {
        let choices = ["red", "green", "blue", "black"].map(str::to_owned);
        let question = |(number, correct): &(usize, bool)| DerivedQuestion {
            question_id: number.to_string(),
            gold: Letter::A,
            extraction: extract(if *correct { "ANSWER: A" } else { "ANSWER: B" }, &choices),
            state: AnswerState::Answered,
            correct: *correct,
            client_agrees: true,
        };
        Derived { questions: results.iter().map(question).collect(), ..derive(&[], |_| None).unwrap() }
    }

    #[test]
    fn runs_are_compared_question_by_question_whatever_their_order() {
        let a = run(&[(1, true), (2, true), (3, true), (4, false), (5, false), (6, true)]);
        let b = run(&[(6, false), (5, false), (4, true), (3, false), (2, false), (1, true)]);
        let found = compare(&a, &b).unwrap();
        assert_eq!((found.both, found.only_a, found.only_b, found.neither, found.same_letter), (1, 3, 1, 1, 2));
        // Three against one: 2 · (1 + 4) / 16.
        assert_eq!(found.p, 0.625);
    }

    #[test]
    fn other_questions_cannot_be_compared() {
        assert_eq!(compare(&run(&[(1, true)]), &run(&[(2, true)])), None);
        assert_eq!(compare(&run(&[(1, true)]), &run(&[(1, true), (2, true)])), None);
        assert_eq!(compare(&run(&[(1, true), (1, false)]), &run(&[(1, true)])), None);
    }
}
