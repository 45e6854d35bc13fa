//! Keys that can be computed are computed again here, from the numbers in the question and without looking at the key: exactly the keyed
//! choice must agree.

mod choice;
mod cs;
mod engineering;
mod machines;
mod math;
mod numerics;
mod science;

use crate::file;
use benchwright_quiz::{Group, Letter, WrittenQuestion};
use choice::Quantity;
use std::collections::BTreeSet;

const LEAST: usize = 175;

/// A question whose answer was computed.
struct Computed {
    row: usize,
    /// Words of the question, so that a shifted row is noticed.
    phrase: &'static str,
    answer: Answer,
}

/// What the right choice must be.
enum Answer {
    /// This number, in the unit of the choices.
    Number(f64),
    /// This number, in the unit of the choices, rounded to as many decimals as the choice shows.
    Rounded(f64),
    Text(String),
    /// What fulfils the conditions of the question.
    Fulfils(Box<dyn Fn(&str) -> bool>),
}

fn number(row: usize, phrase: &'static str, value: impl Into<f64>) -> Computed {
    Computed { row, phrase, answer: Answer::Number(value.into()) }
}

fn rounded(row: usize, phrase: &'static str, value: f64) -> Computed {
    Computed { row, phrase, answer: Answer::Rounded(value) }
}

fn text(row: usize, phrase: &'static str, text: impl Into<String>) -> Computed {
    Computed { row, phrase, answer: Answer::Text(text.into()) }
}

fn fulfils(row: usize, phrase: &'static str, condition: impl Fn(&str) -> bool + 'static) -> Computed {
    Computed { row, phrase, answer: Answer::Fulfils(Box::new(condition)) }
}

impl Computed {
    fn verify(&self, question: &WrittenQuestion) {
        assert!(question.question.contains(self.phrase), "row {} is now: {}", self.row, question.question);
        let matching: Vec<Letter> =
            Letter::ALL.into_iter().filter(|letter| self.answer.is(&question.choices[letter.index()])).collect();
        assert_eq!(matching, [question.answer], "row {}: {}", self.row, question.question);
        if let Answer::Number(_) | Answer::Rounded(_) = self.answer {
            let units: BTreeSet<&str> = question.choices.iter().map(|choice| Quantity::read(choice).unit).collect();
            assert_eq!(units.len(), 1, "row {}: choices in different units cannot be compared: {units:?}", self.row);
        }
    }
}

impl Answer {
    fn is(&self, choice: &str) -> bool {
        match self {
            Self::Number(value) => Quantity::read(choice).is(*value),
            Self::Rounded(value) => Quantity::read(choice).is_rounded(*value),
            Self::Text(text) => choice == text,
            Self::Fulfils(condition) => condition(choice),
        }
    }
}

fn verify(group: Group, computed: &[Computed]) {
    let questions = file(group).questions;
    for item in computed {
        item.verify(&questions[item.row]);
    }
}

#[test]
fn keys_of_computer_science() {
    verify(Group::Cs, &cs::computed());
}

#[test]
fn keys_of_engineering() {
    verify(Group::Engineering, &engineering::computed());
}

#[test]
fn keys_of_mathematics() {
    verify(Group::Math, &math::computed());
}

#[test]
fn keys_of_science() {
    verify(Group::Science, &science::computed());
}

#[test]
fn many_keys_are_computed_and_none_twice() {
    let all = [cs::computed(), engineering::computed(), math::computed(), science::computed()];
    for computed in &all {
        let rows: BTreeSet<usize> = computed.iter().map(|item| item.row).collect();
        assert_eq!(rows.len(), computed.len());
    }
    assert!(all.iter().map(Vec::len).sum::<usize>() >= LEAST);
}

#[test]
#[should_panic(expected = "[C]")]
fn a_wrong_key_is_noticed() {
    let mut question = file(Group::Cs).questions[0].clone();
    question.choices = ["4", "5", "6", "7"].map(str::to_owned);
    question.answer = Letter::B;
    number(0, "", 6.0).verify(&question);
}
