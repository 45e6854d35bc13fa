//! `benchwright vibe`: judges the models that build apps.

mod analyse;
mod evaluate;
mod exchange;
mod matrix;
mod rejudge;
mod resume;
pub mod trajectory;

use crate::args::VibeCommand;
use crate::exit::Failure;
use std::process::ExitCode;

/// Where evaluations go when nobody says.
const DEFAULT_OUT: &str = "benchwright-vibe";

/// Runs the command.
pub fn run(command: &VibeCommand) -> Result<ExitCode, Failure> {
    match command {
        VibeCommand::Evaluate(arguments) => evaluate::run(arguments),
        VibeCommand::Resume(arguments) => resume::run(arguments),
        VibeCommand::Rejudge(arguments) => rejudge::run(arguments),
        VibeCommand::Run(arguments) => matrix::run(arguments),
        VibeCommand::Analyse(arguments) => analyse::run(arguments),
        VibeCommand::Export(arguments) => exchange::export(arguments),
        VibeCommand::Import(arguments) => exchange::import(arguments),
        VibeCommand::Trajectory(arguments) => trajectory::run(arguments),
    }
}
