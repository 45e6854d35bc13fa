//! The questions this project wrote, as they lie in `corpus/questions`.

use crate::FORMAT;
use crate::bank::Bank;
use crate::question::{Difficulty, Example, Group, Letter, Question, Source, question_id};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Solved examples before every question.
const EXAMPLES: usize = 5;
/// The longest text of a question or a choice, in bytes.
const LONGEST: usize = 2_000;

/// One file, `corpus/questions/<group>.yaml`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuestionFile {
    /// Format version.
    pub format: u32,
    /// The group, which is also the name of the file.
    pub subject: Group,
    /// Exactly five.
    pub examples: Vec<Example>,
    /// Rows are only ever appended: the row is part of the id.
    pub questions: Vec<WrittenQuestion>,
}

/// One question of a file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenQuestion {
    /// Its declared difficulty.
    pub difficulty: Difficulty,
    /// The text.
    pub question: String,
    /// The four choices.
    pub choices: [String; 4],
    /// The right one.
    pub answer: Letter,
}

/// Why a file was refused.
#[derive(Debug, thiserror::Error)]
pub enum CorpusError {
    /// It is no YAML of this form.
    #[error("read {file}: {problem}")]
    Unreadable {
        /// The file.
        file: String,
        /// What is wrong, and where.
        problem: String,
    },
    /// It is of this form, and yet cannot be used.
    #[error("use {file}: {problem}")]
    Unusable {
        /// The file.
        file: String,
        /// What is wrong.
        problem: String,
    },
}

/// Reads the files of `corpus/questions`: name, such as `cs.yaml`, and text of each. The questions are in the order of the files.
pub fn read_corpus<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Bank, CorpusError> {
    let mut bank = Bank { source: Source::Own, questions: Vec::new(), examples: BTreeMap::new() };
    for (name, text) in files {
        let file: QuestionFile = serde_saphyr::from_str(text)
            .map_err(|error| CorpusError::Unreadable { file: name.to_owned(), problem: error.to_string() })?;
        let subject = format!("own_{}", file.subject.as_str());
        if let Some(problem) = problem(name, &file, bank.examples.contains_key(&subject)) {
            return Err(CorpusError::Unusable { file: name.to_owned(), problem });
        }
        let question = |(row, written): (usize, WrittenQuestion)| Question {
            id: question_id(&subject, row, &written.question, &written.choices, written.answer),
            subject: subject.clone(),
            group: file.subject,
            difficulty: written.difficulty,
            question: written.question,
            choices: written.choices,
            answer: written.answer,
        };
        bank.questions.extend(file.questions.into_iter().enumerate().map(question));
        bank.examples.insert(subject, file.examples);
    }
    Ok(bank)
}

/// What is wrong with a file, if anything is.
fn problem(name: &str, file: &QuestionFile, is_known: bool) -> Option<String> {
    let subject = file.subject.as_str();
    if file.format != FORMAT {
        return Some(format!("it has format {}, and {FORMAT} is known here", file.format));
    }
    if name.strip_suffix(".yaml") != Some(subject) || is_known {
        return Some(format!("`{subject}` belongs into one file, {subject}.yaml"));
    }
    if file.examples.len() != EXAMPLES {
        return Some(format!("it has {} examples, and {EXAMPLES} are needed", file.examples.len()));
    }
    let asked =
        file.questions.iter().enumerate().map(|(row, one)| (format!("question {row}"), &one.question, &one.choices));
    let solved =
        file.examples.iter().enumerate().map(|(row, one)| (format!("example {row}"), &one.question, &one.choices));
    asked.chain(solved).find_map(|(which, question, choices)| {
        let texts = || choices.iter().chain([question]);
        let is_repeated = choices.iter().enumerate().any(|(at, choice)| choices[..at].contains(choice));
        match () {
            () if texts().any(|text| text.trim() != text || text.is_empty()) => {
                Some(format!("{which} has an empty text, or blanks around one"))
            }
            () if texts().any(|text| text.len() > LONGEST) => {
                Some(format!("{which} has a text of more than {LONGEST} bytes"))
            }
            () if is_repeated => Some(format!("{which} has two equal choices")),
            () => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(question: &str, last_choice: &str) -> String {
        let example = "  - { question: Which?, choices: [a, b, c, d], answer: A }\n".repeat(5);
        format!(
            "format: 1\nsubject: cs\nexamples:\n{example}questions:\n  - difficulty: hard\n    question: {question}\n    choices: [one, two, three, {last_choice}]\n    answer: B\n"
        )
    }

    #[test]
    fn a_file_becomes_questions_with_their_ids() {
        let bank = read_corpus([("cs.yaml", sample("What?", "four").as_str())]).unwrap();
        let choices = ["one", "two", "three", "four"].map(str::to_owned);
        assert_eq!(bank.questions[0].id, question_id("own_cs", 0, "What?", &choices, Letter::B));
        assert_eq!((bank.questions[0].group, bank.questions[0].difficulty), (Group::Cs, Difficulty::Hard));
        assert_eq!(bank.examples_for(&bank.questions[0]).len(), 5);
    }

    #[test]
    fn what_cannot_be_used_is_refused_with_the_reason() {
        let good = sample("What?", "four");
        for (name, text, reason) in [
            ("math.yaml", good.clone(), "belongs into one file, cs.yaml"),
            ("cs.yaml", good.replace("format: 1", "format: 2"), "format 2"),
            (
                "cs.yaml",
                good.replacen("  - { question: Which?, choices: [a, b, c, d], answer: A }\n", "", 1),
                "4 examples",
            ),
            ("cs.yaml", sample("What?", "one"), "question 0 has two equal choices"),
            ("cs.yaml", sample("\" \"", "four"), "question 0 has an empty text"),
            ("cs.yaml", sample(&"x".repeat(2_001), "four"), "more than 2000 bytes"),
            ("cs.yaml", good.replace("answer: B", "answer: E"), "read cs.yaml"),
            ("cs.yaml", good.replace("difficulty: hard", "level: 3"), "read cs.yaml"),
        ] {
            let error = read_corpus([(name, text.as_str())]).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
        assert!(read_corpus([("cs.yaml", good.as_str()), ("cs.yaml", good.as_str())]).is_err());
    }
}
