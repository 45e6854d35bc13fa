//! `benchwright vibe export` and `import`: evaluations with everything behind them, as one archive.

use super::DEFAULT_OUT;
use crate::args::{VibeExportArguments, VibeImportArguments};
use crate::commands::counted;
use crate::environment;
use crate::exit::Failure;
use crate::outputs::say;
use crate::vibe::{archive, run_folder};
use std::path::PathBuf;
use std::process::ExitCode;

/// Runs `vibe export`.
pub fn export(arguments: &VibeExportArguments) -> Result<ExitCode, Failure> {
    let runs = run_folder::locate_all(&arguments.runs)?;
    let exported = archive::export(&runs, &arguments.out, &environment::scratch_base())?;
    if !arguments.quiet {
        let (runs, secrets) = (counted(exported.runs, "evaluation"), counted(exported.scrubbed, "secret"));
        say(&format!("{}: {runs}, {secrets} taken out\n", arguments.out.display()));
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs `vibe import`.
pub fn import(arguments: &VibeImportArguments) -> Result<ExitCode, Failure> {
    let out = arguments.out.clone().unwrap_or_else(|| PathBuf::from(DEFAULT_OUT));
    let (taken, there) = archive::import(&arguments.archive, &out, &environment::scratch_base())?;
    if !arguments.quiet {
        say(&format!("{}: {} taken in, {there} were there before\n", out.display(), counted(taken, "evaluation")));
    }
    Ok(ExitCode::SUCCESS)
}
