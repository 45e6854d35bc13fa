//! `benchwright gather`: evidence only.

use super::{block_on, score};
use crate::args::ScoreArguments;
use crate::exit::Failure;
use crate::progress::Display;
use crate::{config, environment};
use std::process::ExitCode;

/// Runs the command.
pub fn run(arguments: &ScoreArguments) -> Result<ExitCode, Failure> {
    let settings = config::settings(arguments)?;
    if settings.runs > 1 {
        return Err(Failure::BadInput("`gather` makes one run; for --runs use `benchwright score`".to_owned()));
    }
    let bench = environment::workbench(settings.browser.as_deref(), &settings.request.judging)?;
    let display = Display::new(settings.printing.quiet);
    let run = block_on(score::gather(&settings, &bench, &display))??;
    if !settings.printing.quiet {
        println!("Evidence: {0}\nScore it: benchwright rescore {0}", run.path().display());
    }
    Ok(ExitCode::SUCCESS)
}
