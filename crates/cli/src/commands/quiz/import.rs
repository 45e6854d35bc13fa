//! `benchwright quiz import`: questions that others wrote, from their original files.

use crate::args::{ImportCommand, ImportMmluArguments};
use crate::exit::Failure;
use crate::outputs::{replace, say};
use crate::quiz::banks::mmlu_file;
use crate::quiz::digest;
use benchwright_quiz::mmlu::{self, Imported, MmluError, RULE_OF_THIRDS, SUBJECTS, Subject, Table, Why, rule_of_rows};
use benchwright_quiz::{Difficulty, Group};
use benchwright_report::json;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

/// The largest of the original files has 300 KB.
const MAX_FILE_BYTES: u64 = 8 * 1024 * 1024;

/// Runs the command.
pub fn run(command: &ImportCommand) -> Result<ExitCode, Failure> {
    let ImportCommand::Mmlu(arguments) = command;
    import(arguments)
}

fn import(arguments: &ImportMmluArguments) -> Result<ExitCode, Failure> {
    let mut subjects = BTreeMap::new();
    for (name, ..) in SUBJECTS {
        let table = |split: &str| read(&arguments.folder.join(split).join(format!("{name}_{split}.csv")));
        subjects.insert(name.to_owned(), Subject { dev: table("dev")?, test: table("test")? });
    }
    let imported =
        mmlu::import(&subjects).map_err(|error: MmluError| Failure::BadInput(format!("failed to {error}")))?;
    let path = mmlu_file(&arguments.data);
    replace(&path, json::pretty(&imported).as_bytes())?;
    say(&summary(&imported, &path));
    Ok(ExitCode::SUCCESS)
}

fn read(path: &Path) -> Result<Table, Failure> {
    let wrong = |what: String| Failure::BadInput(format!("cannot read {}: {what}", path.display()));
    let size = fs::metadata(path).map_err(|error| wrong(error.to_string()))?.len();
    if size > MAX_FILE_BYTES {
        return Err(wrong(format!("it is larger than {} MB", MAX_FILE_BYTES >> 20)));
    }
    let bytes = fs::read(path).map_err(|error| wrong(error.to_string()))?;
    let sha256 = digest::sha256(&bytes[..]).map_err(|error| wrong(error.to_string()))?;
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(&bytes[..]);
    let mut rows = Vec::new();
    for (number, record) in reader.records().enumerate() {
        let record = record.map_err(|error| wrong(error.to_string()))?;
        let fields: Vec<String> = record.iter().map(str::to_owned).collect();
        let count = fields.len();
        let row = fields.try_into().map_err(|_| wrong(format!("row {number} has {count} fields, not six")))?;
        rows.push(row);
    }
    Ok(Table { sha256, rows })
}

fn summary(imported: &Imported, path: &Path) -> String {
    let mut text = format!("{} questions in {}\n\n", imported.questions.len(), path.display());
    let count = |group: Group, difficulty: Difficulty| {
        imported.questions.iter().filter(|one| (one.group, one.difficulty) == (group, difficulty)).count()
    };
    let _ = writeln!(text, "{:<12} {:>6} {:>6} {:>6}", "", "easy", "medium", "hard");
    for group in Group::ALL {
        let [easy, medium, hard] = Difficulty::ALL.map(|difficulty| count(group, difficulty));
        let _ = writeln!(text, "{:<12} {easy:>6} {medium:>6} {hard:>6}", group.as_str());
    }
    let _ = writeln!(text, "\nLeft out: {}", imported.left_out.len());
    for reason in Why::ALL {
        let rows = imported.left_out.iter().filter(|left| left.reason == reason);
        let names: Vec<_> = rows.map(|left| format!("{} {}", left.subject, left.row)).collect();
        if !names.is_empty() {
            let _ = writeln!(text, "  {:>3}  {}: {}", names.len(), reason.words(), names.join(", "));
        }
    }
    let _ = writeln!(text, "\n{}", rule_of_rows());
    let _ = writeln!(
        text,
        "\nMMLU names no difficulty: the level of schooling a file is named after stands for it, and electrical_engineering is\ndivided {RULE_OF_THIRDS}."
    );
    text
}
