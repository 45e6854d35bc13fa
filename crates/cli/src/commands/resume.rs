//! `benchwright resume`: goes on where a run was cut off, or repairs what failed.

use super::{block_on, close, conduct};
use crate::args::ResumeArguments;
use crate::exit::Failure;
use crate::outputs::Destination;
use crate::progress::Display;
use crate::run_folder::{self, LiveRun, Replayed};
use crate::verdict::Expectations;
use crate::{config, environment, outputs};
use benchwright_scoring::evidence::EvidenceKind;
use benchwright_scoring::plan::Plan;
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
    let unkeyed = missing_keys(&before);
    if !unkeyed.is_empty() {
        return Err(Failure::BadInput(format!(
            "this run's judges need {}; set it and resume again",
            unkeyed.join(" and ")
        )));
    }
    let bench = environment::workbench(arguments.browser.as_deref(), &before.frozen.request.judging)?;
    let display = Display::new(printing.quiet);
    let (mut run, events) = LiveRun::reopen(&path)?;
    let replayed = run_folder::replay_folder(&path, &events, false)?;
    block_on(conduct(&mut run, replayed, &access, &bench, &display))??;
    let report = close(&mut run)?;
    outputs::write(&report, &path, &to)?;
    outputs::print(&report, &to, printing);
    Ok(expectations.judge(&report, &[], printing.quiet))
}

/// Keys that were there when the run began, are not there now, and are still needed.
fn missing_keys(before: &Replayed) -> Vec<String> {
    let request = &before.frozen.request;
    let judged = [EvidenceKind::Intent, EvidenceKind::Looks, EvidenceKind::Maintainability];
    let planned = Plan::of(request).evidence;
    let is_needed = judged.iter().any(|kind| planned.contains(kind) && !before.settled.contains(kind));
    if is_needed { environment::missing_keys(&request.judging) } else { Vec::new() }
}
