//! MMLU (Hendrycks et al., 2021) as a source of questions: which of its files are asked, how hard they count, and what is left out.
//!
//! MMLU knows no difficulty. The level of schooling a file is named after stands for it; the one file of engineering is divided in three by
//! the length of its questions and their choices.

use crate::FORMAT;
use crate::bank::Bank;
use crate::question::{Difficulty, Example, Group, Letter, Question, Source, question_id};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What must travel with copies of the questions.
pub const LICENCE: &str = "MIT License, Copyright (c) 2020 Dan Hendrycks";
/// Worked examples before every question.
const EXAMPLES: usize = 5;
/// Examples and question together. At two and a half bytes a token, the least that was seen, they and 400 tokens of an answer fit into 4,096.
const MAX_PROMPT_BYTES: usize = 9_000;

/// The files that are asked, with the group and the difficulty each stands for; without one it is divided by length.
pub const SUBJECTS: [(&str, Group, Option<Difficulty>); 18] = {
    use Difficulty::{Easy, Hard, Medium};
    use Group::{Cs, Engineering, Math, Science};
    [
        ("computer_security", Cs, Some(Easy)),
        ("high_school_computer_science", Cs, Some(Medium)),
        ("college_computer_science", Cs, Some(Hard)),
        ("machine_learning", Cs, Some(Hard)),
        ("electrical_engineering", Engineering, None),
        ("elementary_mathematics", Math, Some(Easy)),
        ("high_school_mathematics", Math, Some(Medium)),
        ("high_school_statistics", Math, Some(Medium)),
        ("college_mathematics", Math, Some(Hard)),
        ("abstract_algebra", Math, Some(Hard)),
        ("conceptual_physics", Science, Some(Easy)),
        ("astronomy", Science, Some(Easy)),
        ("high_school_biology", Science, Some(Medium)),
        ("high_school_chemistry", Science, Some(Medium)),
        ("high_school_physics", Science, Some(Medium)),
        ("college_biology", Science, Some(Hard)),
        ("college_chemistry", Science, Some(Hard)),
        ("college_physics", Science, Some(Hard)),
    ]
};

/// How a file without a difficulty is divided, in words.
pub const RULE_OF_THIRDS: &str = "in thirds by the characters of question and choices together, the shortest easy";

/// Which rows are left out, in words.
pub fn rule_of_rows() -> String {
    format!(
        "Left out are rows that repeat an earlier one, rows of which two choices are the same but for case and white space, and rows \
         too long for the context: question and choices, with those of the {EXAMPLES} examples, have more than {MAX_PROMPT_BYTES} bytes."
    )
}

/// One of the original files: question, four choices, letter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table {
    /// The SHA-256 of its bytes.
    pub sha256: String,
    /// Its rows.
    pub rows: Vec<[String; 6]>,
}

/// The two files of a subject.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subject {
    /// `dev/<subject>_dev.csv`: the examples.
    pub dev: Table,
    /// `test/<subject>_test.csv`: the questions.
    pub test: Table,
}

/// What an operator's data folder holds as `questions/mmlu.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Imported {
    /// Format version.
    pub format: u32,
    /// Always MMLU.
    pub source: Source,
    /// [`LICENCE`].
    pub licence: String,
    /// The files it was made of.
    pub files: Vec<ImportedFile>,
    /// The rows that are not asked.
    pub left_out: Vec<LeftOut>,
    /// The questions, in the order of files and rows.
    pub questions: Vec<Question>,
    /// By subject.
    pub examples: BTreeMap<String, Vec<Example>>,
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ImportedFile {
    /// Such as `test/astronomy_test.csv`.
    pub name: String,
    /// How many rows it has.
    pub rows: usize,
    /// The SHA-256 of its bytes.
    pub sha256: String,
}

/// A row that is not asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    /// The subject.
    pub subject: String,
    /// From 0.
    pub row: usize,
    /// Why.
    pub reason: Why,
}

/// Why a row is not asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// An earlier row has the same question and choices.
    Repeat,
    /// Two choices are the same but for case and white space: nobody can tell them apart in an answer.
    EqualChoices,
    /// With its examples it would not fit into the context.
    TooLong,
}

impl Why {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Repeat, Self::EqualChoices, Self::TooLong];

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Repeat => "repeats an earlier row",
            Self::EqualChoices => "two of its choices are the same",
            Self::TooLong => "too long for the context",
        }
    }
}

/// Why an import cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MmluError {
    /// A file is not there.
    #[error("find the subject {0}")]
    Missing(String),
    /// A file holds something else than it should.
    #[error("understand {file}: {problem}")]
    Wrong {
        /// The file.
        file: String,
        /// What is wrong with it.
        problem: String,
    },
}

/// Makes questions of the original files.
pub fn import(subjects: &BTreeMap<String, Subject>) -> Result<Imported, MmluError> {
    let mut imported = Imported {
        format: FORMAT,
        source: Source::Mmlu,
        licence: LICENCE.to_owned(),
        files: Vec::new(),
        left_out: Vec::new(),
        questions: Vec::new(),
        examples: BTreeMap::new(),
    };
    let mut seen = BTreeSet::new();
    for (name, group, difficulty) in SUBJECTS {
        let subject = subjects.get(name).ok_or_else(|| MmluError::Missing(name.to_owned()))?;
        let examples = examples(name, &subject.dev)?;
        let mut questions = Vec::new();
        for (row, fields) in subject.test.rows.iter().enumerate() {
            let Example { question, choices, answer } = solved(fields, "test", name, row)?;
            if let Some(reason) = why_left_out(&question, &choices, &examples, &mut seen) {
                imported.left_out.push(LeftOut { subject: name.to_owned(), row, reason });
                continue;
            }
            questions.push(Question {
                id: question_id(name, row, &question, &choices, answer),
                subject: name.to_owned(),
                group,
                difficulty: difficulty.unwrap_or(Difficulty::Easy),
                question,
                choices,
                answer,
            });
        }
        if difficulty.is_none() {
            divide_by_length(&mut questions);
        }
        imported.files.push(subject.dev.named(format!("dev/{name}_dev.csv")));
        imported.files.push(subject.test.named(format!("test/{name}_test.csv")));
        imported.questions.append(&mut questions);
        imported.examples.insert(name.to_owned(), examples);
    }
    Ok(imported)
}

impl Imported {
    /// The questions, once each has proven to be what its id says.
    pub fn bank(self) -> Result<Bank, MmluError> {
        let wrong = |problem: String| MmluError::Wrong { file: "questions/mmlu.json".to_owned(), problem };
        if self.format != FORMAT {
            return Err(wrong(format!("it has format {}, and {FORMAT} is known here", self.format)));
        }
        for question in &self.questions {
            let row = question.id.split('/').nth(1).and_then(|row| row.parse().ok()).unwrap_or_default();
            let Question { subject, question: text, choices, answer, .. } = question;
            if question.id != question_id(subject, row, text, choices, *answer) {
                return Err(wrong(format!("the question {} was changed; import it again", question.id)));
            }
        }
        Ok(Bank { source: self.source, questions: self.questions, examples: self.examples })
    }
}

impl Table {
    fn named(&self, name: String) -> ImportedFile {
        ImportedFile { name, rows: self.rows.len(), sha256: self.sha256.clone() }
    }
}

fn examples(subject: &str, dev: &Table) -> Result<Vec<Example>, MmluError> {
    if dev.rows.len() != EXAMPLES {
        let problem = format!("it has {} rows, and {EXAMPLES} examples are needed", dev.rows.len());
        return Err(MmluError::Wrong { file: format!("dev/{subject}_dev.csv"), problem });
    }
    dev.rows.iter().enumerate().map(|(row, fields)| solved(fields, "dev", subject, row)).collect()
}

fn solved(fields: &[String; 6], split: &str, subject: &str, row: usize) -> Result<Example, MmluError> {
    let [question, choices @ .., letter] = fields;
    let answer = match letter.trim().as_bytes() {
        [byte] => Letter::from_ascii(*byte),
        _ => None,
    };
    let wrong = |problem: String| MmluError::Wrong { file: format!("{split}/{subject}_{split}.csv"), problem };
    let answer = answer.ok_or_else(|| wrong(format!("row {row} ends with no letter from A to D")))?;
    // It keeps the choices apart on their way into the page's module.
    if fields.iter().any(|field| field.contains('\0')) {
        return Err(wrong(format!("row {row} holds a NUL")));
    }
    Ok(Example { question: question.clone(), choices: choices.clone(), answer })
}

fn why_left_out(
    question: &str,
    choices: &[String; 4],
    examples: &[Example],
    seen: &mut BTreeSet<(String, [String; 4])>,
) -> Option<Why> {
    let alike: BTreeSet<String> = choices.iter().map(|choice| choice.trim().to_lowercase()).collect();
    let length =
        |question: &str, choices: &[String; 4]| question.len() + choices.iter().map(String::len).sum::<usize>();
    let prompt: usize = examples.iter().map(|example| length(&example.question, &example.choices)).sum();
    if !seen.insert((question.to_owned(), choices.clone())) {
        Some(Why::Repeat)
    } else if alike.len() < choices.len() {
        Some(Why::EqualChoices)
    } else if prompt + length(question, choices) > MAX_PROMPT_BYTES {
        Some(Why::TooLong)
    } else {
        None
    }
}

/// The shortest third counts as easy, the longest as hard, by characters of question and choices; among equals the earlier row is easier.
fn divide_by_length(questions: &mut [Question]) {
    let length = |question: &Question| {
        question.choices.iter().chain([&question.question]).map(|text| text.chars().count()).sum::<usize>()
    };
    let mut order: Vec<usize> = (0..questions.len()).collect();
    order.sort_by_key(|index| (length(&questions[*index]), *index));
    let count = order.len().max(1);
    for (place, index) in order.into_iter().enumerate() {
        questions[index].difficulty = Difficulty::ALL[place * Difficulty::ALL.len() / count];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(question: &str, choices: [&str; 4], letter: &str) -> [String; 6] {
        let [a, b, c, d] = choices;
        [question, a, b, c, d, letter].map(str::to_owned)
    }

    /// Every subject with five examples and three questions of its own.
    fn miniature() -> BTreeMap<String, Subject> {
        let table = |kind: &str, subject: &str, count: usize| Table {
            sha256: format!("{kind} {subject}"),
            rows: (0..count)
                .map(|n| row(&format!("{kind} {subject} {}", "x".repeat(n)), ["1", "2", "3", "4"], "B"))
                .collect(),
        };
        SUBJECTS
            .iter()
            .map(|(name, ..)| {
                ((*name).to_owned(), Subject { dev: table("dev", name, 5), test: table("test", name, 3) })
            })
            .collect()
    }

    #[test]
    fn every_cell_has_questions_and_every_subject_examples() {
        let imported = import(&miniature()).unwrap();
        assert_eq!((imported.questions.len(), imported.left_out.len(), imported.files.len()), (54, 0, 36));
        for group in Group::ALL {
            for difficulty in Difficulty::ALL {
                let in_cell = |question: &&Question| (question.group, question.difficulty) == (group, difficulty);
                assert!(imported.questions.iter().any(|question| in_cell(&question)), "{group:?} {difficulty:?}");
            }
        }
        assert!(imported.examples.values().all(|examples| examples.len() == 5));
        assert_eq!(imported.clone().bank().unwrap().questions, imported.questions);
    }

    #[test]
    fn engineering_is_divided_by_length() {
        let imported = import(&miniature()).unwrap();
        let levels: Vec<_> =
            imported.questions.iter().filter(|q| q.group == Group::Engineering).map(|q| q.difficulty).collect();
        assert_eq!(levels, Difficulty::ALL);
    }

    #[test]
    fn the_printed_rule_of_thirds_left_out_the_choices() {
        let mut subjects = miniature();
        let choices = ["a long choice", "a longer choice", "the longest choice", "yet another choice"];
        let rows = &mut subjects.get_mut("electrical_engineering").unwrap().test.rows;
        *rows = vec![row("Which is it?", choices, "A"), row("Which of them?", ["1", "2", "3", "4"], "A")];
        rows.push(row("Which one of all of them?", ["1", "2", "3", "4"], "A"));
        let imported = import(&subjects).unwrap();
        let levels: Vec<_> =
            imported.questions.iter().filter(|q| q.group == Group::Engineering).map(|q| q.difficulty).collect();
        assert_eq!(levels, [Difficulty::Hard, Difficulty::Easy, Difficulty::Medium]);
        assert!(RULE_OF_THIRDS.contains("question and choices"), "{RULE_OF_THIRDS}");
        assert!(rule_of_rows().contains("9000 bytes"), "{}", rule_of_rows());
    }

    #[test]
    fn repeats_equal_choices_and_giants_are_left_out_and_the_rest_keeps_its_row() {
        let mut subjects = miniature();
        let test = &mut subjects.get_mut("astronomy").unwrap().test.rows;
        test.insert(0, row("Which?", ["Mars", " mars", "Venus", "Pluto"], "A"));
        test.insert(2, test[1].clone());
        test.push(row(&"long ".repeat(2_000), ["1", "2", "3", "4"], "D"));
        let imported = import(&subjects).unwrap();
        let found: Vec<_> = imported.left_out.iter().map(|left| (left.row, left.reason)).collect();
        assert_eq!(found, [(0, Why::EqualChoices), (2, Why::Repeat), (5, Why::TooLong)]);
        let rows: Vec<_> = imported
            .questions
            .iter()
            .filter(|q| q.subject == "astronomy")
            .map(|q| q.id.split('/').nth(1).unwrap().to_owned())
            .collect();
        assert_eq!(rows, ["1", "3", "4"]);
    }

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        let mut subjects = miniature();
        subjects.get_mut("astronomy").unwrap().test.rows[2][5] = "E".to_owned();
        assert_eq!(
            import(&subjects).unwrap_err().to_string(),
            "understand test/astronomy_test.csv: row 2 ends with no letter from A to D"
        );
        subjects.get_mut("astronomy").unwrap().test.rows[2] = row("Which?", ["Mars\0", "Venus", "Ceres", "Pluto"], "A");
        assert!(import(&subjects).unwrap_err().to_string().contains("row 2 holds a NUL"));
        subjects.get_mut("astronomy").unwrap().dev.rows.pop();
        assert!(import(&subjects).unwrap_err().to_string().contains("it has 4 rows"));
        subjects.remove("astronomy");
        assert_eq!(import(&subjects), Err(MmluError::Missing("astronomy".to_owned())));
    }

    #[test]
    fn a_question_that_was_changed_afterwards_is_noticed() {
        let mut imported = import(&miniature()).unwrap();
        imported.questions[7].answer = Letter::C;
        assert!(imported.bank().unwrap_err().to_string().contains("was changed"));
    }
}
