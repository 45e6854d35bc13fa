//! `benchwright rescore`: the report again, from evidence alone.

use super::report_of;
use crate::args::RescoreArguments;
use crate::exit::Failure;
use crate::{config, outputs, run_folder};
use std::process::ExitCode;

/// Runs the command.
pub fn run(arguments: &RescoreArguments) -> Result<ExitCode, Failure> {
    let mut printing = arguments.printing.clone();
    printing.fail_under = config::threshold(printing.fail_under)?;
    let run = run_folder::locate(&arguments.run)?;
    let mut replayed = run_folder::read(&run)?;
    if let Some(choice) = arguments.gate {
        replayed.frozen.request.gate = config::gate(choice);
    }
    let report = report_of(replayed);
    let folder = arguments.out.clone().unwrap_or_else(|| run_folder::reports_folder(&run));
    outputs::write(&report, &run, &folder)?;
    Ok(outputs::print(&report, &folder, &printing))
}
