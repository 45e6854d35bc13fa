//! `benchwright resume`: goes on where a run was cut off, or repairs what failed.

use super::{block_on, close, conduct};
use crate::args::ResumeArguments;
use crate::exit::Failure;
use crate::interruption::Interruption;
use crate::outputs::Destination;
use crate::progress::Display;
use crate::run_folder::{self, LiveRun, Replayed};
use crate::{config, environment, outputs, serving};
use benchwright_scoring::conduct::Workbench;
use benchwright_scoring::evidence::EvidenceKind;
use benchwright_scoring::plan::Plan;
use benchwright_scoring::request::{Access, Request};
use std::path::Path;
use std::process::ExitCode;

/// Runs the command.
pub fn run(arguments: &ResumeArguments) -> Result<ExitCode, Failure> {
    let printing = &arguments.printing;
    let expectations = config::expectations(printing)?;
    let path = run_folder::locate(&arguments.run)?;
    let door = &arguments.door;
    let mut access = config::access(&door.headers, &door.cookies, door.basic_auth.as_deref())?;
    access.accounts = door.accounts.as_deref().map(config::read_accounts).transpose()?;
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
    same_access(&before, &access)?;
    let unkeyed = missing_keys(&before);
    if !unkeyed.is_empty() {
        return Err(Failure::BadInput(format!(
            "this run's judges need {}; set it and resume again",
            unkeyed.join(" and ")
        )));
    }
    let bench = environment::workbench(arguments.browser.as_deref(), &before.frozen.request.judging)?;
    let display = Display::new(printing.quiet);
    let mut run = block_on(go_on(&path, &before.frozen.request, &access, &bench, &display))??;
    let report = close(&mut run)?;
    outputs::write(&report, &path, &to)?;
    outputs::print(&report, &to, printing);
    Ok(expectations.judge(&report, &[], printing.quiet))
}

/// Half a run with what opens doors and half without would be two runs.
fn same_access(before: &Replayed, access: &Access) -> Result<(), Failure> {
    let request = &before.frozen.request;
    let given = access.names();
    let missing: Vec<_> = request.access_names.iter().filter(|name| !given.contains(name)).cloned().collect();
    if !missing.is_empty() {
        return Err(Failure::BadInput(format!(
            "this run was made with {}; give the same again (--header, --cookie, --basic-auth, --accounts), values are not kept",
            missing.join(", ")
        )));
    }
    if access.accounts.is_some() && !request.accounts {
        return Err(Failure::BadInput(
            "this run was made without test accounts; to have its backend looked at, score again with --accounts"
                .to_owned(),
        ));
    }
    Ok(())
}

/// Gathers what is missing. A folder that was served is served again, at the same address: that is where its evidence is from.
async fn go_on(
    path: &Path,
    request: &Request,
    access: &Access,
    bench: &Workbench,
    display: &Display,
) -> Result<LiveRun, Failure> {
    let mut interruption = Interruption::listen();
    let serving = serving::open(request, serving::port(request), bench, display, &mut interruption).await?;
    let (mut run, events) = LiveRun::reopen(path)?;
    let replayed = run_folder::replay_folder(path, &events, false)?;
    let outcome = Box::pin(conduct(&mut run, replayed, access, bench, display, &mut interruption)).await;
    serving::close(serving, path).await;
    outcome.map(|()| run)
}

/// Keys that were there when the run began, are not there now, and are still needed.
fn missing_keys(before: &Replayed) -> Vec<String> {
    let request = &before.frozen.request;
    let judged = [EvidenceKind::Intent, EvidenceKind::Looks, EvidenceKind::Maintainability];
    let planned = Plan::of(request).evidence;
    let is_needed = judged.iter().any(|kind| planned.contains(kind) && !before.settled.contains(kind));
    if is_needed { environment::missing_keys(&request.judging) } else { Vec::new() }
}
