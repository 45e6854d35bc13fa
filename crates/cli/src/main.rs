//! `benchwright`: judges AI-built web apps and the models that build them.
//!
//! The composition root: the only place that reads the environment, prints, and decides on an exit code.
#![allow(clippy::print_stdout, clippy::print_stderr)]

/// As in the standard library, but that a reader went away (`benchwright … | head`) is no bug of ours.
macro_rules! println {
    ($($words:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stdout().lock(), $($words)*);
    }};
}

/// The same for standard error.
macro_rules! eprintln {
    ($($words:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr().lock(), $($words)*);
    }};
}

mod args;
mod calibration;
mod commands;
mod config;
mod corpus;
mod data_place;
mod environment;
mod exit;
mod interruption;
mod judges;
mod loaded;
mod methodology;
mod models;
mod outputs;
mod places;
mod progress;
mod quiz;
mod reviewing;
mod run_folder;
mod serving;
mod submissions;
mod verdict;
mod vibe;

use args::{Arguments, Command};
use clap::Parser;
use exit::Failure;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { ExitCode::from(exit::BAD_INPUT) } else { ExitCode::SUCCESS };
        }
    };
    match std::panic::catch_unwind(|| run(arguments)) {
        Ok(Ok(code)) => code,
        Ok(Err(failure)) => {
            eprintln!("benchwright: {failure}");
            failure.exit_code()
        }
        Err(_) => {
            eprintln!("benchwright: this is a bug in benchwright; please report it with the lines above");
            ExitCode::from(exit::BUG)
        }
    }
}

fn run(arguments: Arguments) -> Result<ExitCode, Failure> {
    match arguments.command {
        Command::Score(arguments) => commands::score::run(&arguments),
        Command::Gather(arguments) => commands::gather::run(&arguments),
        Command::Rescore(arguments) => commands::rescore::run(&arguments),
        Command::Resume(arguments) => commands::resume::run(&arguments),
        Command::Compare(arguments) => commands::compare::run(&arguments),
        Command::Batch(arguments) => commands::batch::run(&arguments),
        Command::Leaderboard(arguments) => commands::leaderboard::run(&arguments),
        Command::Doctor(arguments) => commands::doctor::run(&arguments),
        Command::Explain(arguments) => commands::explain::run(&arguments),
        Command::Prompts(command) => commands::prompts::run(&command),
        Command::Quiz(arguments) => commands::quiz::run(&arguments),
        Command::Tasks(command) => commands::tasks::run(&command),
        Command::Index(command) => commands::index::run(&command),
        Command::Data(command) => commands::data::run(&command),
        Command::Serve(arguments) => commands::serve::run(&arguments),
        Command::Work(arguments) => commands::work::run(&arguments),
        Command::Token(command) => commands::token::run(&command),
        Command::Vibe(command) => commands::vibe::run(&command),
    }
}
