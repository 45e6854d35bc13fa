//! `benchwright data`: looks after a data folder.

mod copy;
mod export;
mod moderation;
mod review;

use crate::args::{DataCommand, GcArguments};
use crate::commands::block_on;
use crate::data_place;
use crate::exit::{BAD_INPUT, Failure};
use benchwright_store::index::{Index, follow_decisions};
use benchwright_store::jobs::Queue;
use benchwright_store::{Decision, KeptBlob, Storage, garbage};
use std::process::ExitCode;
use std::sync::Arc;
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
    let storage = data_place::storage(&arguments.place.data, true)?;
    let (mut blobs, mut bytes, mut bad) = (0, 0, 0);
    block_on(async {
        let queue = data_place::index_if_any(&arguments.place).await?.map(|index| Queue::of(Arc::new(index)));
        for run in storage.runs()? {
            match garbage_of(&*storage, queue.as_ref(), &run, arguments.dry_run).await {
                Ok(garbage) => {
                    blobs += garbage.len();
                    bytes += garbage.iter().map(|blob| blob.bytes).sum::<u64>();
                }
                Err(failure) => {
                    bad += 1;
                    eprintln!("benchwright: left run {run} alone: {failure}");
                }
            }
        }
        if !arguments.dry_run {
            garbage::sweep_shared(&*storage, SystemTime::now())?;
        }
        if let Some(queue) = queue {
            if !arguments.dry_run {
                bad += follow_up(arguments, &storage, queue.index()).await?;
            }
            queue.index().close().await?;
        }
        Ok::<_, Failure>(())
    })??;
    let verb = if arguments.dry_run { "would be removed" } else { "removed" };
    println!("{blobs} blobs that nobody needs {verb}, {:.1} MB", bytes as f64 / 1e6);
    Ok(if bad == 0 { ExitCode::SUCCESS } else { ExitCode::from(BAD_INPUT) })
}

/// Makes the index say what was decided by somebody who was killed before it followed. Says how many runs could not be read.
async fn follow_up(arguments: &GcArguments, storage: &Arc<dyn Storage>, index: &Arc<Index>) -> Result<usize, Failure> {
    let library = data_place::library(&arguments.place.data)?;
    let followed = follow_decisions(storage, index, data_place::recorded(storage), library).await?;
    for bad in &followed.bad {
        eprintln!("benchwright: left run {} alone: {}", bad.run, bad.reason);
    }
    if !followed.runs.is_empty() {
        println!("{} runs shown as was decided about them", followed.runs.len());
    }
    Ok(followed.bad.len())
}

/// What nobody needs of a run, removed unless this is only a look. Without a queue nobody knows which jobs still wait.
async fn garbage_of(
    storage: &dyn Storage,
    queue: Option<&Queue>,
    run: &str,
    is_look: bool,
) -> Result<Vec<KeptBlob>, Failure> {
    let now = SystemTime::now();
    if !is_look && !garbage::sweep(storage, run, now)? {
        return Ok(Vec::new());
    }
    let collect = if is_look { garbage::unnamed } else { garbage::collect };
    let unnamed = collect(storage, run, now)?;
    let Some(queue) = queue.filter(|_| unnamed.is_empty()) else { return Ok(unnamed) };
    if storage.result(run)?.is_some() {
        return Ok(unnamed);
    }
    let abandoned = garbage::abandoned(storage, run, queue.job(run).await?.as_ref(), now)?;
    if !is_look {
        garbage::remove(storage, run, &abandoned)?;
    }
    Ok(abandoned)
}
