//! `benchwright compare`: two runs side by side.

use crate::args::CompareArguments;
use crate::exit::Failure;
use crate::loaded::Loaded;
use crate::outputs;
use benchwright_domain::BlobId;
use benchwright_domain::comparison::Comparison;
use benchwright_report::{compare, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const DEFAULT_OUT: &str = "benchwright-compare";

/// Runs the command.
pub fn run(arguments: &CompareArguments) -> Result<ExitCode, Failure> {
    let before = Loaded::read(&arguments.before)?;
    let after = Loaded::read(&arguments.after)?;
    let comparison = Comparison::of(before.side(), after.side());
    let folder = arguments.out.clone().unwrap_or_else(|| PathBuf::from(DEFAULT_OUT));
    write(&comparison, &before, &after, &folder)?;
    if arguments.json {
        outputs::say(&json::pretty(&comparison));
    } else if !arguments.quiet {
        let page = folder.join("compare.html");
        outputs::say(&format!("{}\nPage: {}\n", compare::terminal(&comparison, outputs::style()), page.display()));
    }
    Ok(ExitCode::SUCCESS)
}

fn write(comparison: &Comparison, before: &Loaded, after: &Loaded, folder: &Path) -> Result<(), Failure> {
    let old = |id: &BlobId| before.blob(id);
    let new = |id: &BlobId| after.blob(id);
    let page = compare::html(comparison, (&before.report, &old), (&after.report, &new));
    outputs::replace(&folder.join("compare.html"), page.as_bytes())?;
    outputs::replace(&folder.join("compare.json"), json::pretty(comparison).as_bytes())?;
    outputs::replace(&folder.join("compare.md"), compare::markdown(comparison).as_bytes())
}
