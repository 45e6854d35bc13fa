//! `benchwright resume`: goes on where a run was cut off, or repairs what failed.

use super::{block_on, close, conduct};
use crate::args::ResumeArguments;
use crate::exit::Failure;
use crate::outputs::Destination;
use crate::progress::Display;
use crate::run_folder::{self, LiveRun};
use crate::verdict::Expectations;
use crate::{config, environment, outputs};
use std::process::ExitCode;

/// Runs the command.
pub fn run(arguments: &ResumeArguments) -> Result<ExitCode, Failure> {
    let printing = &arguments.printing;
    let expectations = Expectations::of(printing.fail_under, None, printing.baseline.as_deref())?;
    let path = run_folder::locate(&arguments.run)?;
    let mut access = config::access(&arguments.headers, &arguments.cookies, arguments.basic_auth.as_deref())?;
    access.accounts = arguments.accounts.as_deref().map(config::read_accounts).transpose()?;
    let before = run_folder::read(&path)?;
    let to = Destination::of(arguments.out.as_deref(), &run_folder::reports_folder(&path), printing.format.as_deref());
    if before.finished {
        if !printing.quiet {
            eprintln!("benchwright: the run is complete; nothing was left to gather");
        }
        let report = super::report_of(before);
        outputs::write(&report, &path, &to)?;
        outputs::print(&report, &to, printing);
        return Ok(expectations.judge(&report, &[], printing.quiet));
    }
    let missing: Vec<_> =
        before.frozen.request.access_names.iter().filter(|name| !access.names().contains(name)).cloned().collect();
    if !missing.is_empty() {
        return Err(Failure::BadInput(format!(
            "this run was made with {}; give it again, its value was not kept",
            missing.join(", ")
        )));
    }
    let bench = environment::workbench(arguments.browser.as_deref())?;
    let display = Display::new(printing.quiet);
    let (mut run, events) = LiveRun::reopen(&path)?;
    let replayed = run_folder::replay(&path, &events, false)?;
    block_on(conduct(&mut run, replayed, &access, &bench, &display))??;
    let report = close(&mut run)?;
    outputs::write(&report, &path, &to)?;
    outputs::print(&report, &to, printing);
    Ok(expectations.judge(&report, &[], printing.quiet))
}
