//! MMLU from its original files: a miniature that is always there, and the real one where it is.

use crate::support::Corner;
use crate::table::{Table, says};
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

const SUBJECTS: [&str; 18] = [
    "computer_security",
    "high_school_computer_science",
    "college_computer_science",
    "machine_learning",
    "electrical_engineering",
    "elementary_mathematics",
    "high_school_mathematics",
    "high_school_statistics",
    "college_mathematics",
    "abstract_algebra",
    "conceptual_physics",
    "astronomy",
    "high_school_biology",
    "high_school_chemistry",
    "high_school_physics",
    "college_biology",
    "college_chemistry",
    "college_physics",
];

/// Twelve questions and five examples of every subject, with commas, quotes and line breaks as the original has them.
fn miniature(folder: &Path) {
    for split in ["dev", "test"] {
        fs::create_dir_all(folder.join(split)).unwrap();
        for subject in SUBJECTS {
            let count = if split == "dev" { 5 } else { 12 };
            let row = |n: usize| {
                format!(
                    "\"{subject}, {split} number {n}: \"\"which\"\"\nis right?\",one,\"two, or more\",three {n},four,{}\n",
                    ["A", "B", "C", "D"][n % 4]
                )
            };
            fs::write(
                folder.join(split).join(format!("{subject}_{split}.csv")),
                (0..count).map(row).collect::<String>(),
            )
            .unwrap();
        }
    }
}

#[test]
fn a_miniature_is_imported_listed_and_asked() {
    let table = Table::new();
    let folder = table.corner.path("work/mmlu");
    miniature(&folder);
    let mut astronomy = fs::read_to_string(folder.join("test/astronomy_test.csv")).unwrap();
    astronomy.push_str("Which?,same, Same,other,third,A\n");
    let first: String = astronomy.split_inclusive("is right?\",").take(2).collect();
    let first = first.rsplit_once("\n\"").unwrap().0.to_owned();
    let _ = writeln!(astronomy, "{first}");
    fs::write(folder.join("test/astronomy_test.csv"), astronomy).unwrap();

    let said = table.corner.run(&["quiz", "import", "mmlu", "mmlu", "--data", "data"]).expect_code(0);
    assert!(said.stdout.starts_with("216 questions in data/questions/mmlu.json"), "{}", said.stdout);
    for words in [
        "Left out: 2",
        "1  repeats an earlier row: astronomy 13",
        "1  two of its choices are the same: astronomy 12",
        "engineering       4      4      4",
    ] {
        assert!(said.stdout.contains(words), "`{words}` is not in {}", said.stdout);
    }
    let listed = table.corner.run(&["quiz", "questions", "--data", "data"]).expect_code(0).stdout;
    let names: Vec<_> = listed.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.starts_with(&["own-12", "own-36", "own-120", "mmlu-12", "mmlu-36"]), "{listed}");

    let llm = says("three");
    let base = llm.base_url();
    table
        .corner
        .run(&["quiz", "--model", "m", "--base-url", &base, "--data", "data", "--set", "mmlu-12", "--quiet"])
        .expect_code(0);
    let report = table.report();
    assert_eq!(
        (&report["submission"]["set"], &report["run"]["source"]),
        (&Value::from("mmlu-12"), &Value::from("mmlu"))
    );
    assert_eq!(report["derived"]["accuracy"]["n"], 12);
    assert!(report["questions"][0]["question"].as_str().unwrap().contains("\"which\"\nis right?"));
}

#[test]
fn a_file_that_was_changed_is_noticed_and_what_is_missing_is_named() {
    let corner = Corner::new();
    let folder = corner.path("work/mmlu");
    miniature(&folder);
    corner.run(&["quiz", "import", "mmlu", "mmlu", "--data", "data"]).expect_code(0);
    let path = corner.path("work/data/questions/mmlu.json");
    fs::write(&path, fs::read_to_string(&path).unwrap().replacen("three 0", "three 9", 1)).unwrap();
    corner
        .run(&["quiz", "questions", "--set", "mmlu-12", "--data", "data"])
        .expect_code(2)
        .expect_error(&["was changed", "import it again"]);
    fs::write(folder.join("dev/astronomy_dev.csv"), "only,five,fields,are,here\n").unwrap();
    corner
        .run(&["quiz", "import", "mmlu", "mmlu", "--data", "other"])
        .expect_code(2)
        .expect_error(&["astronomy_dev.csv", "row 0 has 5 fields"]);
    fs::remove_file(folder.join("dev/astronomy_dev.csv")).unwrap();
    corner
        .run(&["quiz", "import", "mmlu", "mmlu", "--data", "other"])
        .expect_code(2)
        .expect_error(&["astronomy_dev.csv"]);
    assert!(!corner.path("work/other").exists());
}

#[test]
fn the_real_one_is_imported_whole() {
    let Some(data) = std::env::var_os("BENCHWRIGHT_DATA") else {
        benchwright_fixtures::skip("BENCHWRIGHT_DATA names no folder with mmlu/, so the real MMLU was not imported");
        return;
    };
    let corner = Corner::new();
    let folder = Path::new(&data).join("mmlu");
    let said = corner.run(&["quiz", "import", "mmlu", folder.to_str().unwrap(), "--data", "data"]).expect_code(0);
    assert!(said.stdout.starts_with("2999 questions in "), "{}", said.stdout);
    for words in [
        "Left out: 19",
        "12  repeats an earlier row: elementary_mathematics 289",
        "7  two of its choices are the same: electrical_engineering 21",
    ] {
        assert!(said.stdout.contains(words), "`{words}` is not in {}", said.stdout);
    }
    let listed = corner.run(&["quiz", "questions", "--set", "mmlu-120", "--data", "data"]).expect_code(0).stdout;
    assert!(listed.starts_with("mmlu-120: 120 questions\nsha256 "), "{listed}");
}
