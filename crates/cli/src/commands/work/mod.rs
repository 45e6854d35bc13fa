//! `benchwright work`: takes jobs out of the queue and scores them.

mod scorer;

use super::block_on;
use crate::args::WorkArguments;
use crate::exit::Failure;
use crate::interruption::Interruption;
use crate::{config, data_place, environment};
use benchwright_store::jobs::{Queue, Worked, Worker, WorkerSettings};
use scorer::JobScorer;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

const MOST_AT_ONCE: usize = 8;
/// A lease holds many signs of life; fewer than this and a busy machine would lose its jobs.
const SHORTEST_LEASE: usize = 10;

/// Runs the command.
pub fn run(arguments: &WorkArguments) -> Result<ExitCode, Failure> {
    let usual = WorkerSettings::default();
    let seconds = |lease: Duration| lease.as_secs() as usize;
    let lease = arguments.lease.or(Some(seconds(usual.lease)));
    let minutes = arguments.job_minutes.or(Some(seconds(usual.job_limit) / 60));
    let settings = WorkerSettings {
        parallel: config::between("--parallel", arguments.parallel, 1, MOST_AT_ONCE)?,
        lease: Duration::from_secs(config::between("--lease", lease, SHORTEST_LEASE, 3600)? as u64),
        job_limit: Duration::from_mins(config::between("--job-minutes", minutes, 1, 24 * 60)? as u64),
        until_empty: arguments.until_empty,
        ..usual
    };
    data_place::make(&arguments.place)?;
    let storage = data_place::storage(&arguments.place.data, false)?;
    let judging = config::judging(arguments.config.as_deref(), &arguments.judging)?;
    let bench = environment::workbench(arguments.browser.as_deref(), &judging)?;
    let scorer = JobScorer::new(arguments, storage, bench);
    let worked = block_on(work(arguments, settings, scorer))??;
    if !arguments.quiet {
        let Worked { done, failed, given_back } = worked;
        eprintln!("benchwright: {done} jobs done, {failed} went wrong or were called off, {given_back} handed back");
    }
    Ok(ExitCode::SUCCESS)
}

async fn work(arguments: &WorkArguments, settings: WorkerSettings, scorer: JobScorer) -> Result<Worked, Failure> {
    let index = Arc::new(data_place::index_or_new(&arguments.place, arguments.syncing).await?);
    let worker = Worker::new(Queue::of(Arc::clone(&index)), settings, Arc::new(scorer))?;
    if !arguments.quiet {
        eprintln!("benchwright: worker {} waits for jobs; ctrl-C hands back what is not finished", worker.id());
    }
    let mut interruption = Interruption::listen();
    let worked = worker.work(async move { interruption.arrives().await }).await?;
    index.close().await?;
    Ok(worked)
}
