//! `benchwright quiz`: asks a model, and what goes with it.

mod extract;
mod import;
mod questions;
mod run;
mod seed;

use crate::args::{QuizArguments, QuizCommand, QuizRescoreArguments};
use crate::exit::Failure;
use crate::quiz::{outputs, run_folder};
use std::process::ExitCode;

/// Runs the command.
pub fn run(arguments: &QuizArguments) -> Result<ExitCode, Failure> {
    match &arguments.command {
        None => run::run(&arguments.run),
        Some(QuizCommand::Rescore(arguments)) => rescore(arguments),
        Some(QuizCommand::Extract(arguments)) => extract::run(arguments),
        Some(QuizCommand::Questions(arguments)) => questions::run(arguments),
        Some(QuizCommand::Seed(arguments)) => seed::run(arguments),
        Some(QuizCommand::Import(command)) => import::run(command),
    }
}

/// The report again, from the raw answers alone.
fn rescore(arguments: &QuizRescoreArguments) -> Result<ExitCode, Failure> {
    let path = run_folder::locate(&arguments.run)?;
    let report = run_folder::read(&path)?.report()?;
    let folder = arguments.out.clone().unwrap_or_else(|| run_folder::reports_folder(&path));
    outputs::publish(&report, &folder, &arguments.printing)?;
    Ok(ExitCode::SUCCESS)
}
