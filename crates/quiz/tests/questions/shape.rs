//! What every file must look like, and what a guesser could learn from it.

use crate::{all_texts, file, files, plain};
use benchwright_quiz::{Difficulty, Group, Letter, WrittenQuestion};
use std::collections::BTreeSet;

const PER_CELL: usize = 20;
const PER_LETTER: usize = 15;
/// How often a letter may be right among the twenty questions of a cell.
const PER_LETTER_IN_CELL: std::ops::RangeInclusive<usize> = 4..=6;
const LONGEST_QUESTION: usize = 600;
const LONGEST_CHOICE: usize = 120;
/// What somebody who always takes the longest choice, or always the shortest, may reach; blind luck reaches 0.25.
const MOST_BY_LENGTH: f64 = 0.35;

#[test]
fn every_file_has_twenty_questions_of_each_difficulty_and_five_examples() {
    for group in Group::ALL {
        let file = file(group);
        assert_eq!((file.format, file.subject), (1, group));
        assert_eq!(file.examples.len(), 5, "{group:?}");
        for difficulty in Difficulty::ALL {
            assert_eq!(cell(&file.questions, difficulty).count(), PER_CELL, "{group:?} {difficulty:?}");
        }
    }
}

fn cell(questions: &[WrittenQuestion], difficulty: Difficulty) -> impl Iterator<Item = &WrittenQuestion> {
    questions.iter().filter(move |question| question.difficulty == difficulty)
}

#[test]
fn every_letter_is_right_equally_often() {
    for group in Group::ALL {
        let questions = file(group).questions;
        for letter in Letter::ALL {
            let is_right = |question: &&WrittenQuestion| question.answer == letter;
            assert_eq!(questions.iter().filter(is_right).count(), PER_LETTER, "{group:?} {letter:?}");
            for difficulty in Difficulty::ALL {
                let count = cell(&questions, difficulty).filter(is_right).count();
                assert!(PER_LETTER_IN_CELL.contains(&count), "{group:?} {difficulty:?} {letter:?}: {count}");
            }
        }
    }
}

#[test]
fn the_examples_of_a_subject_show_all_four_letters() {
    for group in Group::ALL {
        let letters: BTreeSet<Letter> = file(group).examples.iter().map(|example| example.answer).collect();
        assert_eq!(letters.len(), Letter::ALL.len(), "{group:?}");
    }
}

#[test]
fn texts_are_short_and_choices_differ_in_words_or_numbers() {
    for (question, choices) in all_texts(&files()) {
        assert!(!plain(question).is_empty() && question.chars().count() < LONGEST_QUESTION, "{question}");
        assert!(choices.iter().all(|choice| choice.chars().count() < LONGEST_CHOICE), "{question}");
        let different: BTreeSet<String> = choices.iter().map(|choice| plain(choice)).collect();
        assert!(different.len() == choices.len() && !different.contains(""), "{question}");
        for text in choices.iter().map(String::as_str).chain([question]) {
            assert!(text.trim() == text && !text.contains(['\n', '\r', '\t']), "white space: {text:?}");
        }
    }
}

/// "A stack" among the choices would read as the letter A in a model's answer.
#[test]
fn no_choice_begins_with_one_of_the_four_letters() {
    for (question, choices) in all_texts(&files()) {
        for choice in choices {
            let choice = plain(choice);
            let first = choice.split(' ').next().unwrap();
            assert!(!["a", "b", "c", "d"].contains(&first), "{question}: {choice}");
        }
    }
}

#[test]
fn no_choice_points_to_other_choices() {
    for (question, choices) in all_texts(&files()) {
        for choice in choices {
            assert!(!plain(choice).contains("of the above"), "{question}: {choice}");
        }
    }
}

#[test]
fn no_question_is_asked_twice() {
    let files = files();
    let texts = all_texts(&files);
    let different: BTreeSet<String> = texts.iter().map(|(question, _)| plain(question)).collect();
    assert_eq!(different.len(), texts.len());
}

/// What taking the choice with the greatest `size` reaches on these questions; where several are equally great, one of them is taken by lot.
fn reached_by(questions: &[WrittenQuestion], size: impl Fn(&str) -> i64) -> f64 {
    let share = |question: &WrittenQuestion| {
        let sizes = question.choices.each_ref().map(|choice| size(choice));
        let greatest = *sizes.iter().max().unwrap();
        let taken = sizes.iter().filter(|size| **size == greatest).count();
        if sizes[question.answer.index()] == greatest { 1.0 / taken as f64 } else { 0.0 }
    };
    questions.iter().map(share).sum::<f64>() / questions.len() as f64
}

fn length(choice: &str) -> i64 {
    choice.chars().count().try_into().unwrap()
}

#[test]
fn the_length_of_a_choice_does_not_give_the_key_away() {
    for group in Group::ALL {
        let questions = file(group).questions;
        let longest = reached_by(&questions, length);
        let shortest = reached_by(&questions, |choice| -length(choice));
        assert!(longest <= MOST_BY_LENGTH && shortest <= MOST_BY_LENGTH, "{group:?}: {longest:.3}, {shortest:.3}");
    }
}

#[test]
fn a_key_that_length_gives_away_would_be_noticed() {
    let question = WrittenQuestion {
        choices: ["four", "fifteen", "eleven", "twelve"].map(str::to_owned),
        answer: Letter::B,
        ..file(Group::Cs).questions[0].clone()
    };
    assert_eq!(reached_by(std::slice::from_ref(&question), length), 1.0);
    assert_eq!(reached_by(std::slice::from_ref(&question), |choice| -length(choice)), 0.0);
    let drawn_by_lot = WrittenQuestion { answer: Letter::C, ..question };
    assert_eq!(reached_by(&[drawn_by_lot], |choice| i64::from(choice.ends_with('n'))), 0.5);
}
