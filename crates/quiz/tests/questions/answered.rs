//! A letter with the text of its choice is that letter, for every choice there is. MMLU's, where BENCHWRIGHT_DATA names the folder that holds
//! `mmlu`.

use crate::{all_texts, files};
use benchwright_quiz::mmlu::SUBJECTS;
use benchwright_quiz::{Letter, extract};
use std::env;
use std::path::Path;

/// The answers with these choices that are not read as they are meant.
fn misread(choices: &[String; 4]) -> Vec<String> {
    let answers = Letter::ALL.map(|letter| (letter, format!("ANSWER: {letter}) {}", choices[letter.index()])));
    let is_misread = |(letter, answer): &(Letter, String)| {
        let read = extract(answer, choices);
        (read.letter, read.tier) != (Some(*letter), 1)
    };
    answers.into_iter().filter(is_misread).map(|(_, answer)| answer).collect()
}

#[test]
fn choices_that_say_false_or_not_were_taken_for_denials() {
    for choices in [
        ["True, True", "False, False", "True, False", "False, True"],
        ["It is never zero", "It cannot be known", "None is wrong, not even one", "It isn't defined"],
    ] {
        assert_eq!(misread(&choices.map(str::to_owned)), [""; 0]);
    }
}

#[test]
fn every_letter_with_our_own_text_of_its_choice_is_that_letter() {
    let wrong: Vec<String> = all_texts(&files()).iter().flat_map(|(_, choices)| misread(choices)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_letter_with_the_text_of_its_choice_in_mmlu_is_that_letter() {
    let Some(data) = env::var_os("BENCHWRIGHT_DATA") else {
        eprintln!("SKIPPED: BENCHWRIGHT_DATA is not set, so the choices of MMLU were not read");
        return;
    };
    for (subject, ..) in SUBJECTS {
        let file = Path::new(&data).join(format!("mmlu/test/{subject}_test.csv"));
        let rows = csv::ReaderBuilder::new().has_headers(false).from_path(file).unwrap().into_deserialize();
        for row in rows.map(Result::unwrap) {
            let (_, a, b, c, d, _): (String, String, String, String, String, String) = row;
            assert_eq!(misread(&[a, b, c, d]), [""; 0], "{subject}");
        }
    }
}
