//! Questions, and what they are called.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt;

/// One of the four choices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Letter {
    /// The first.
    A,
    /// The second.
    B,
    /// The third.
    C,
    /// The fourth.
    D,
}

impl Letter {
    /// All four, in order.
    pub const ALL: [Self; 4] = [Self::A, Self::B, Self::C, Self::D];

    /// 0 for A to 3 for D.
    pub fn index(self) -> usize {
        self as usize
    }

    /// The letter that a capital or small ASCII letter stands for.
    pub fn from_ascii(byte: u8) -> Option<Self> {
        let index = byte.to_ascii_uppercase().wrapping_sub(b'A');
        Self::ALL.get(usize::from(index)).copied()
    }

    /// As a character.
    pub fn as_char(self) -> char {
        ['A', 'B', 'C', 'D'][self.index()]
    }
}

impl fmt::Display for Letter {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.as_char())
    }
}

/// The four subjects of the published methodology. A group holds one or more subjects, which is what question files are named after.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Group {
    /// Computer science.
    Cs,
    /// Engineering.
    Engineering,
    /// Mathematics.
    Math,
    /// Natural sciences.
    Science,
}

impl Group {
    /// All four, in order.
    pub const ALL: [Self; 4] = [Self::Cs, Self::Engineering, Self::Math, Self::Science];

    /// As it is written in files.
    pub fn as_str(self) -> &'static str {
        ["cs", "engineering", "math", "science"][self as usize]
    }
}

/// How hard a question is: a declared level, not a measured one. MMLU has none, so the level of schooling stands for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Difficulty {
    /// School.
    Easy,
    /// Secondary school.
    Medium,
    /// College.
    Hard,
}

impl Difficulty {
    /// All three, in order.
    pub const ALL: [Self; 3] = [Self::Easy, Self::Medium, Self::Hard];

    /// As it is written in files.
    pub fn as_str(self) -> &'static str {
        ["easy", "medium", "hard"][self as usize]
    }
}

/// Where questions come from. Results on different sources are never pooled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Written by this project: `corpus/questions`.
    Own,
    /// MMLU (Hendrycks et al., 2021), where the operator has imported it.
    Mmlu,
}

impl Source {
    /// As it is written in files.
    pub fn as_str(self) -> &'static str {
        ["own", "mmlu"][self as usize]
    }
}

/// One question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Question {
    /// What it is called; see [`question_id`].
    pub id: String,
    /// The file it is in, such as `electrical_engineering` or `own_cs`. Examples belong to a subject.
    pub subject: String,
    /// The group its subject belongs to.
    pub group: Group,
    /// Its declared difficulty.
    pub difficulty: Difficulty,
    /// The text of the question.
    pub question: String,
    /// The texts of the four choices.
    pub choices: [String; 4],
    /// The right one.
    pub answer: Letter,
}

/// A solved question that stands before the one that is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Example {
    /// The text of the question.
    pub question: String,
    /// The texts of the four choices.
    pub choices: [String; 4],
    /// The right one.
    pub answer: Letter,
}

/// What a question is called: `<subject>/<zero-based row>/<hash>`, where the hash is the first twelve hexadecimal digits of the SHA-256
/// of the six fields (question, four choices, letter of the right one), joined by U+001F. It changes when any of them does.
pub fn question_id(subject: &str, row: usize, question: &str, choices: &[String; 4], answer: Letter) -> String {
    let letter = answer.to_string();
    let [a, b, c, d] = choices;
    let fields = [question, a, b, c, d, &letter].join("\u{1f}");
    format!("{subject}/{row}/{}", &sha256_hex(fields.as_bytes())[..12])
}

/// The SHA-256 of some bytes in hexadecimal digits.
pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Bytes in hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        for half in [byte >> 4, byte & 15] {
            text.push(char::from(b"0123456789abcdef"[usize::from(half)]));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed by hand: `printf 'Q\037a\037b\037c\037d\037C' | sha256sum`.
    #[test]
    fn an_id_names_subject_row_and_content() {
        let choices = ["a", "b", "c", "d"].map(str::to_owned);
        assert_eq!(question_id("own_cs", 7, "Q", &choices, Letter::C), "own_cs/7/8fa107f940d2");
        assert_ne!(
            question_id("own_cs", 7, "Q", &choices, Letter::D),
            question_id("own_cs", 7, "Q", &choices, Letter::C)
        );
    }

    #[test]
    fn letters_are_read_in_both_cases_and_written_as_capitals() {
        for (index, letter) in Letter::ALL.into_iter().enumerate() {
            assert_eq!(letter.index(), index);
            let byte = b'a' + index as u8;
            assert_eq!(
                (Letter::from_ascii(byte), Letter::from_ascii(byte.to_ascii_uppercase())),
                (Some(letter), Some(letter))
            );
            assert_eq!(serde_json::to_string(&letter).unwrap(), format!("\"{letter}\""));
        }
        assert!([b'E', b'@', b'1', 0xff].into_iter().all(|byte| Letter::from_ascii(byte).is_none()));
    }

    #[test]
    fn names_are_written_as_they_are_spelled() {
        for group in Group::ALL {
            assert_eq!(serde_json::to_value(group).unwrap(), group.as_str());
        }
        for difficulty in Difficulty::ALL {
            assert_eq!(serde_json::to_value(difficulty).unwrap(), difficulty.as_str());
        }
        for source in [Source::Own, Source::Mmlu] {
            assert_eq!(serde_json::to_value(source).unwrap(), source.as_str());
        }
        for protocol in crate::Protocol::ALL {
            assert_eq!(serde_json::to_value(protocol).unwrap(), protocol.as_str());
        }
    }
}
