//! `benchwright rescore`: the report again, from evidence alone.

use super::report_of;
use crate::args::RescoreArguments;
use crate::exit::Failure;
use crate::outputs::Destination;
use crate::{config, outputs, run_folder};
use std::process::ExitCode;

/// Runs the command.
pub fn run(arguments: &RescoreArguments) -> Result<ExitCode, Failure> {
    let printing = &arguments.printing;
    let expectations = config::expectations(printing)?;
    let run = run_folder::locate(&arguments.run)?;
    let mut replayed = run_folder::read(&run)?;
    if let Some(choice) = arguments.gate {
        replayed.frozen.request.gate = config::gate(choice);
    }
    let report = report_of(replayed);
    let to = Destination::of(arguments.out.as_deref(), &run_folder::reports_folder(&run), printing.format.as_deref());
    outputs::write(&report, &run, &to)?;
    outputs::print(&report, &to, printing);
    Ok(expectations.judge(&report, &[], printing.quiet))
}
