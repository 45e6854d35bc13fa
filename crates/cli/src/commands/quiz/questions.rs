//! `benchwright quiz questions`: a frozen set with its hash, or the list of them.

use crate::args::QuestionsArguments;
use crate::exit::Failure;
use crate::outputs::say;
use crate::quiz::banks::{Asked, Banks};
use benchwright_report::json;
use serde_json::json;
use std::fmt::Write as _;
use std::process::ExitCode;

/// Runs the command.
pub fn run(arguments: &QuestionsArguments) -> Result<ExitCode, Failure> {
    let banks = Banks::open(arguments.data.as_deref())?;
    let text = match &arguments.set {
        Some(id) if arguments.json => json::pretty(&whole(&banks.set(id)?)),
        Some(id) => listed(&banks.set(id)?),
        None if arguments.json => json::pretty(&banks.sets().into_iter().map(|(set, _)| set).collect::<Vec<_>>()),
        None => all(&banks),
    };
    say(&text);
    Ok(ExitCode::SUCCESS)
}

fn whole(asked: &Asked) -> serde_json::Value {
    json!({
        "format": benchwright_quiz::FORMAT,
        "id": asked.set,
        "source": asked.source,
        "sha256": asked.set_sha256,
        "question_ids": asked.questions.iter().map(|question| &question.id).collect::<Vec<_>>(),
        "questions": asked.questions,
        "examples": asked.examples,
    })
}

fn listed(asked: &Asked) -> String {
    let name = asked.set.as_deref().unwrap_or_default();
    let hash = asked.set_sha256.as_deref().unwrap_or_default();
    let mut text = format!("{name}: {} questions\nsha256 {hash}\n\n", asked.questions.len());
    for question in &asked.questions {
        let _ = writeln!(text, "{:<48} {:<12} {}", question.id, question.group.as_str(), question.difficulty.as_str());
    }
    text
}

fn all(banks: &Banks) -> String {
    let mut text = String::new();
    for (set, _) in banks.sets() {
        let _ = writeln!(text, "{:<9} {:>3} questions  sha256 {}", set.id, set.question_ids.len(), set.sha256);
    }
    text
}
