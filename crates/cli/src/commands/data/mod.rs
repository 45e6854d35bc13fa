//! `benchwright data`: looks after a data folder.

mod copy;
mod export;
mod moderation;
mod review;

use crate::args::{DataCommand, GcArguments};
use crate::data_place;
use crate::exit::{BAD_INPUT, Failure};
use benchwright_store::{Decision, garbage};
use std::process::ExitCode;
use std::time::SystemTime;

/// Runs the command.
pub fn run(command: &DataCommand) -> Result<ExitCode, Failure> {
    match command {
        DataCommand::Export(arguments) => export::run(arguments),
        DataCommand::Backup(arguments) => copy::backup(arguments),
        DataCommand::Restore(arguments) => copy::restore(arguments),
        DataCommand::Gc(arguments) => collect_garbage(arguments),
        DataCommand::Quarantine(arguments) => moderation::act(arguments, Decision::Quarantine),
        DataCommand::Release(arguments) => moderation::act(arguments, Decision::Release),
        DataCommand::TakeDown(arguments) => moderation::act(arguments, Decision::TakeDown),
        DataCommand::Review(arguments) => review::run(arguments),
        DataCommand::Log(arguments) => moderation::log(arguments),
    }
}

fn collect_garbage(arguments: &GcArguments) -> Result<ExitCode, Failure> {
    let storage = data_place::storage(&arguments.data, true)?;
    let now = SystemTime::now();
    let (mut blobs, mut bytes, mut bad) = (0, 0, 0);
    for run in storage.runs()? {
        let collect = if arguments.dry_run { garbage::unnamed } else { garbage::collect };
        match collect(&*storage, &run, now) {
            Ok(unnamed) => {
                blobs += unnamed.len();
                bytes += unnamed.iter().map(|blob| blob.bytes).sum::<u64>();
            }
            Err(error) => {
                bad += 1;
                eprintln!("benchwright: left run {run} alone: failed to {error}");
            }
        }
    }
    let verb = if arguments.dry_run { "would be removed" } else { "removed" };
    println!("{blobs} blobs that nothing names {verb}, {:.1} MB", bytes as f64 / 1e6);
    Ok(if bad == 0 { ExitCode::SUCCESS } else { ExitCode::from(BAD_INPUT) })
}
