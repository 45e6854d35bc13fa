//! `benchwright vibe`: judges the models that build apps.

mod trajectory;

use crate::args::VibeCommand;
use crate::exit::Failure;
use std::process::ExitCode;

/// Runs the command.
pub fn run(command: &VibeCommand) -> Result<ExitCode, Failure> {
    match command {
        VibeCommand::Trajectory(arguments) => trajectory::run(arguments),
    }
}
