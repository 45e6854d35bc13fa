//! The questions of `corpus/questions`: their form, that nothing about it gives a key away, that they are nobody else's, and the keys that
//! can be computed.

#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

mod answered;
mod computed;
mod originality;
mod review;
mod shape;

use benchwright_quiz::{Example, Group, QuestionFile, WrittenQuestion};
use std::fs;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/questions")
}

fn file(group: Group) -> QuestionFile {
    let text = fs::read_to_string(folder().join(group.as_str()).with_extension("yaml")).unwrap();
    serde_saphyr::from_str(&text).unwrap()
}

fn files() -> [QuestionFile; 4] {
    Group::ALL.map(file)
}

/// Every question and every example with its choices.
fn all_texts(files: &[QuestionFile]) -> Vec<(&str, &[String; 4])> {
    let asked = files.iter().flat_map(|file| &file.questions);
    let asked = asked.map(|WrittenQuestion { question, choices, .. }| (question.as_str(), choices));
    let solved = files.iter().flat_map(|file| &file.examples);
    let solved = solved.map(|Example { question, choices, .. }| (question.as_str(), choices));
    asked.chain(solved).collect()
}

/// The words and numbers of a text in small letters, with nothing between them but spaces. Two choices that are equal in this form could
/// not be told apart in what a model writes.
fn plain(text: &str) -> String {
    let words: Vec<String> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    words.join(" ")
}
