//! Every key was found a second time by somebody who saw only question and choices. `review.yaml` keeps both answers; where they differed,
//! a note says what was done.

use crate::{files, folder};
use benchwright_quiz::{Letter, question_id};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Review {
    format: u32,
    entries: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// With the hash of the question's text: who changes a question has to have it solved again.
    id: String,
    key: Letter,
    /// None where the second solver saw no answer that is right, or more than one.
    blind: Option<Letter>,
    note: Option<String>,
}

/// The key of every question by its id.
fn keys() -> BTreeMap<String, Letter> {
    let of_file = |file: benchwright_quiz::QuestionFile| {
        let subject = format!("own_{}", file.subject.as_str());
        file.questions.into_iter().enumerate().map(move |(row, written)| {
            (question_id(&subject, row, &written.question, &written.choices, written.answer), written.answer)
        })
    };
    files().into_iter().flat_map(of_file).collect()
}

fn complaints(keys: &BTreeMap<String, Letter>, review: &Review) -> Vec<String> {
    let reviewed: BTreeSet<&str> = review.entries.iter().map(|entry| entry.id.as_str()).collect();
    let unsolved = keys.keys().filter(|id| !reviewed.contains(id.as_str()));
    let mut found: Vec<String> = unsolved.map(|id| format!("{id} was not solved again")).collect();
    if reviewed.len() != review.entries.len() {
        found.push("an entry occurs twice".to_owned());
    }
    for Entry { id, key, blind, note } in &review.entries {
        let has_note = note.as_ref().is_some_and(|note| !note.trim().is_empty());
        if !keys.contains_key(id) {
            found.push(format!("{id} is no question"));
        } else if keys[id] != *key {
            found.push(format!("{id} has another key"));
        } else if *blind != Some(*key) && !has_note {
            found.push(format!("{id} was answered differently, and no note says what was done"));
        }
    }
    found
}

#[test]
fn every_key_was_found_a_second_time() {
    let review: Review = serde_saphyr::from_str(&fs::read_to_string(folder().join("review.yaml")).unwrap()).unwrap();
    assert_eq!(review.format, 1);
    assert_eq!(complaints(&keys(), &review), Vec::<String>::new());
}

#[test]
fn gaps_in_a_review_are_named() {
    let keys = ["agreed", "noted", "unnoted", "other key", "unsolved"].map(|id| (id.to_owned(), Letter::C)).into();
    let entry = |id: &str, key, blind, note: Option<&str>| {
        let note = note.map(str::to_owned);
        Entry { id: id.to_owned(), key, blind, note }
    };
    let entries = vec![
        entry("agreed", Letter::C, Some(Letter::C), None),
        entry("noted", Letter::C, Some(Letter::D), Some("the solver misread the unit")),
        entry("unnoted", Letter::C, None, Some(" ")),
        entry("other key", Letter::D, Some(Letter::D), None),
        entry("unknown", Letter::A, Some(Letter::A), None),
        entry("agreed", Letter::C, Some(Letter::C), None),
    ];
    assert_eq!(
        complaints(&keys, &Review { format: 1, entries }),
        [
            "unsolved was not solved again",
            "an entry occurs twice",
            "unnoted was answered differently, and no note says what was done",
            "other key has another key",
            "unknown is no question",
        ]
    );
}
