//! The frozen sets are what they were when they were frozen.
//!
//! Their hashes stand here. Whoever changes a question that is part of a set changes the set, and with it what runs on it can be compared
//! with: that is a decision, not an accident.

#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

use benchwright_quiz::mmlu::{self, Subject, Table};
use benchwright_quiz::{Bank, Difficulty, Group, QUICK_COUNTS, QuickDraw, Source, draw, frozen_sets, read_corpus};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

const OWN: [(&str, &str); 3] = [
    ("own-12", "11963638d030f8051be026bfb04820e52911b1a1cbe9a687a8d7edd73dca3deb"),
    ("own-36", "09896e2b34193f01ec928b6bc649da6edd82feef3af0c2c941baeca58c8288f5"),
    ("own-120", "ce214a22618a43648e9fd14eaac9d77e30867d5424ab0af7a44b13bca1404374"),
];
const MMLU: [(&str, &str); 3] = [
    ("mmlu-12", "43d3405d70eabf0fd1291021053c348c3f1a5c16137ebf56e0aea029929f4d07"),
    ("mmlu-36", "a1f05a7acf45c98d374ada4e9e9d583d8d580290bc13f9050c8a35437d8f9755"),
    ("mmlu-120", "f2fbc2b718dd5db986664e184331bf4dbcf9ea116c496a5dabd5453bed8c9253"),
];

fn own() -> Bank {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/questions");
    let files = Group::ALL.map(|group| {
        let name = format!("{}.yaml", group.as_str());
        (name.clone(), fs::read_to_string(folder.join(name)).unwrap())
    });
    read_corpus(files.iter().map(|(name, text)| (name.as_str(), text.as_str()))).unwrap()
}

fn assert_frozen(bank: &Bank, wanted: [(&str, &str); 3]) {
    let sets = frozen_sets(bank);
    let found: Vec<(&str, &str)> = sets.iter().map(|set| (set.id.as_str(), set.sha256.as_str())).collect();
    assert_eq!(found, wanted);
    for (set, count) in sets.iter().zip([12, 36, 120]) {
        assert_eq!(set.question_ids.len(), count);
        assert!(set.question_ids.iter().all(|id| bank.question(id).is_some()));
    }
    for count in QUICK_COUNTS {
        let ids = draw(bank, QuickDraw { source: bank.source, count, seed: 2026 }).unwrap();
        assert_eq!(ids.len(), count);
    }
}

#[test]
fn our_own_sets() {
    let bank = own();
    assert_eq!((bank.source, bank.examples.len()), (Source::Own, 4));
    for group in Group::ALL {
        for difficulty in Difficulty::ALL {
            let count = bank.questions.iter().filter(|one| (one.group, one.difficulty) == (group, difficulty)).count();
            assert!(count >= 20, "{group:?} {difficulty:?}: {count}");
        }
    }
    assert_frozen(&bank, OWN);
}

fn table(file: &Path) -> Table {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_path(file).unwrap();
    let row = |record: csv::StringRecord| -> [String; 6] {
        record.iter().map(str::to_owned).collect::<Vec<_>>().try_into().unwrap()
    };
    Table { sha256: String::new(), rows: reader.records().map(|record| row(record.unwrap())).collect() }
}

fn subject(folder: &Path, name: &str) -> Subject {
    let file = |split: &str| folder.join(split).join(format!("{name}_{split}.csv"));
    Subject { dev: table(&file("dev")), test: table(&file("test")) }
}

#[test]
fn the_sets_of_mmlu() {
    let Some(data) = env::var_os("BENCHWRIGHT_DATA") else {
        eprintln!("SKIPPED: BENCHWRIGHT_DATA is not set, so the sets of MMLU were not compared with what they were");
        return;
    };
    let folder = PathBuf::from(data).join("mmlu");
    let subjects: BTreeMap<String, Subject> =
        mmlu::SUBJECTS.iter().map(|(name, ..)| ((*name).to_owned(), subject(&folder, name))).collect();
    let imported = mmlu::import(&subjects).unwrap();
    let rows: usize = subjects.values().map(|subject| subject.test.rows.len()).sum();
    assert_eq!((rows, imported.questions.len() + imported.left_out.len()), (3_018, 3_018));
    let rows_of = |wanted: Group| -> usize {
        mmlu::SUBJECTS
            .iter()
            .filter(|(_, group, _)| *group == wanted)
            .map(|(name, ..)| subjects[*name].test.rows.len())
            .sum()
    };
    assert_eq!(Group::ALL.map(rows_of), [412, 145, 1_064, 1_397]);
    let left_out = |why: mmlu::Why| imported.left_out.iter().filter(|row| row.reason == why).count();
    assert_eq!(mmlu::Why::ALL.map(left_out), [12, 7, 0]);
    assert_frozen(&imported.bank().unwrap(), MMLU);
}

/// What the data's own description says of all 57 subjects, by the same rules.
#[test]
fn repeats_and_equal_choices_of_all_of_mmlu() {
    let Some(data) = env::var_os("BENCHWRIGHT_DATA") else {
        eprintln!("SKIPPED: BENCHWRIGHT_DATA is not set, so the rows of MMLU were not counted");
        return;
    };
    let mut files: Vec<PathBuf> =
        fs::read_dir(PathBuf::from(data).join("mmlu/test")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let rows: Vec<[String; 6]> = files.iter().flat_map(|file| table(file).rows).collect();
    let mut seen = std::collections::BTreeSet::new();
    let repeats = rows.iter().filter(|row| !seen.insert(row[..5].to_vec())).count();
    let plain = |choice: &String| choice.trim().to_lowercase();
    let alike =
        rows.iter().filter(|row| row[1..5].iter().map(plain).collect::<std::collections::BTreeSet<_>>().len() < 4);
    assert_eq!((files.len(), rows.len(), repeats, alike.count()), (57, 14_042, 105, 14));
}
