//! Questions: those inside the binary, and those an operator has imported.

use crate::exit::Failure;
use benchwright_quiz::mmlu::Imported;
use benchwright_quiz::{
    Bank, Example, Library, QUICK_COUNTS, Question, QuestionSet, QuickDraw, SET_IDS, Source, draw, frozen_sets,
    read_corpus,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Name and text of every file of questions that comes with Benchwright.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/questions.rs"));
/// The largest file of imported questions that is read: all of MMLU's has 2 MB.
const MAX_IMPORT_BYTES: u64 = 32 * 1024 * 1024;

/// What a run asks, frozen when it begins: nothing that is changed later can change what its answers mean.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// The frozen set; absent for a quick run.
    pub set: Option<String>,
    /// The hash of the set.
    pub set_sha256: Option<String>,
    /// The draw of a quick run; absent for a frozen set.
    pub quick: Option<QuickDraw>,
    /// Where the questions come from.
    pub source: Source,
    /// The questions in the order they are asked.
    pub questions: Vec<Question>,
    /// The examples by subject.
    pub examples: BTreeMap<String, Vec<Example>>,
}

impl Asked {
    /// The seed every question's own seed is made with.
    pub fn run_seed(&self) -> u32 {
        self.quick.map_or(0, |quick| quick.seed)
    }

    /// The examples that stand before a question.
    pub fn examples_for(&self, question: &Question) -> &[Example] {
        self.examples.get(&question.subject).map_or(&[], Vec::as_slice)
    }

    /// Keeps the named questions of a bank, in that order, and the examples they need.
    fn of(bank: &Bank, ids: &[String]) -> Option<Self> {
        let questions: Vec<Question> = ids.iter().map(|id| bank.question(id).cloned()).collect::<Option<_>>()?;
        let examples = questions
            .iter()
            .map(|one| (one.subject.clone(), bank.examples_for(one).to_vec()))
            .collect::<BTreeMap<_, _>>();
        Some(Self { set: None, set_sha256: None, quick: None, source: bank.source, questions, examples })
    }
}

/// All questions at hand.
pub struct Banks {
    own: Bank,
    imported: Option<Bank>,
}

impl Banks {
    /// Opens them; a data folder may hold imported ones.
    pub fn open(data: Option<&Path>) -> Result<Self, Failure> {
        let files: Vec<_> = FILES.iter().map(|(name, text)| (format!("{name}.yaml"), *text)).collect();
        let own = read_corpus(files.iter().map(|(name, text)| (name.as_str(), *text)));
        let own = own.map_err(|error| Failure::Bug(format!("failed to {error}")))?;
        Ok(Self { own, imported: data.map(read_imported).transpose()?.flatten() })
    }

    /// All of them for a site; what was imported is asked first.
    pub fn library(self) -> Library {
        Library::of(self.imported.into_iter().chain([self.own]).collect())
    }

    /// The source that is asked when nobody says otherwise.
    pub fn usual_source(&self) -> Source {
        if self.imported.is_some() { Source::Mmlu } else { Source::Own }
    }

    /// All frozen sets, with the bank each is made of.
    pub fn sets(&self) -> Vec<(QuestionSet, &Bank)> {
        let banks = [Some(&self.own), self.imported.as_ref()];
        banks.into_iter().flatten().flat_map(|bank| frozen_sets(bank).into_iter().map(move |set| (set, bank))).collect()
    }

    /// The questions of a frozen set.
    pub fn set(&self, id: &str) -> Result<Asked, Failure> {
        if id.starts_with(Source::Mmlu.as_str()) {
            self.bank(Source::Mmlu)?;
        }
        let sets = self.sets();
        let found = sets.iter().find(|(set, _)| set.id == id);
        let (set, bank) = found.ok_or_else(|| unknown_set(id, &sets))?;
        let asked = Asked::of(bank, &set.question_ids).ok_or_else(|| broken(id))?;
        Ok(Asked { set: Some(set.id.clone()), set_sha256: Some(set.sha256.clone()), ..asked })
    }

    /// The questions of a quick run.
    pub fn quick(&self, quick: QuickDraw) -> Result<Asked, Failure> {
        if !QUICK_COUNTS.contains(&quick.count) {
            let text = format!(
                "--questions {} is none of 3, 10, 20 and 40; a frozen set (--set) has 12, 36 or 120",
                quick.count
            );
            return Err(Failure::BadInput(text));
        }
        let bank = self.bank(quick.source)?;
        let ids = draw(bank, quick).ok_or_else(|| broken("the draw"))?;
        let asked = Asked::of(bank, &ids).ok_or_else(|| broken("the draw"))?;
        Ok(Asked { quick: Some(quick), ..asked })
    }

    fn bank(&self, source: Source) -> Result<&Bank, Failure> {
        let found = match source {
            Source::Own => Some(&self.own),
            Source::Mmlu => self.imported.as_ref(),
        };
        found.ok_or_else(|| {
            Failure::BadInput(
                "there are no MMLU questions here; import them with `benchwright quiz import mmlu FOLDER --data DIR` and name the folder with --data DIR"
                    .to_owned(),
            )
        })
    }
}

fn unknown_set(id: &str, sets: &[(QuestionSet, &Bank)]) -> Failure {
    let known: Vec<_> = sets.iter().map(|(set, _)| set.id.as_str()).collect();
    let what = if SET_IDS.contains(&id) { "cannot be made of the questions at hand" } else { "is no set" };
    Failure::BadInput(format!("`{id}` {what}; there are {}", known.join(", ")))
}

fn broken(what: &str) -> Failure {
    Failure::Bug(format!("{what} names questions that are not there"))
}

/// Where a data folder keeps MMLU.
pub fn mmlu_file(data: &Path) -> PathBuf {
    data.join("questions/mmlu.json")
}

fn read_imported(data: &Path) -> Result<Option<Bank>, Failure> {
    let path = mmlu_file(data);
    let wrong = |what: String| Failure::BadInput(format!("cannot read {}: {what}", path.display()));
    let size = match fs::metadata(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        metadata => metadata.map_err(|error| wrong(error.to_string()))?.len(),
    };
    if size > MAX_IMPORT_BYTES {
        return Err(wrong(format!("it is larger than {} MB", MAX_IMPORT_BYTES >> 20)));
    }
    let bytes = fs::read(&path).map_err(|error| wrong(error.to_string()))?;
    let imported: Imported = serde_json::from_slice(&bytes).map_err(|error| wrong(error.to_string()))?;
    imported.bank().map(Some).map_err(|error| wrong(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_binary_carries_questions_of_every_group_and_no_review() {
        let names: Vec<_> = FILES.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["cs", "engineering", "math", "science"]);
    }

    #[test]
    fn every_set_of_our_own_can_be_asked_with_its_examples() {
        let banks = Banks::open(None).unwrap();
        for (id, count) in [("own-12", 12), ("own-36", 36), ("own-120", 120)] {
            let asked = banks.set(id).unwrap();
            assert_eq!((asked.questions.len(), asked.set.as_deref(), asked.run_seed()), (count, Some(id), 0));
            assert!(asked.questions.iter().all(|question| asked.examples_for(question).len() == 5), "{id}");
        }
    }

    #[test]
    fn a_draw_is_repeated_by_its_seed_and_what_is_not_there_is_said() {
        let banks = Banks::open(None).unwrap();
        let quick = |count, seed| banks.quick(QuickDraw { source: Source::Own, count, seed });
        assert_eq!(quick(10, 7).unwrap(), quick(10, 7).unwrap());
        assert_ne!(quick(10, 7).unwrap().questions, quick(10, 8).unwrap().questions);
        assert_eq!(quick(10, 7).unwrap().run_seed(), 7);
        assert!(quick(11, 7).unwrap_err().to_string().contains("none of 3, 10, 20 and 40"));
        assert!(banks.set("own-37").unwrap_err().to_string().contains("own-36"));
        assert!(banks.set("mmlu-12").unwrap_err().to_string().contains("quiz import mmlu"));
    }
}
