//! `benchwright work`: takes jobs out of the queue, scores them, and shows apps to people who review them.

mod reviewer;
mod scorer;

use super::block_on;
use crate::args::WorkArguments;
use crate::exit::Failure;
use crate::interruption::Interruption;
use crate::{config, data_place, environment};
use benchwright_store::jobs::{Executed, Executor, JobDesk, Queue, Taken, Worked, Worker, WorkerSettings};
use reviewer::JobReviewer;
use scorer::JobScorer;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

const MOST_AT_ONCE: usize = 8;
/// Apps that one worker shows at most.
const MOST_SHOWN: usize = 50;
/// Apps that are shown at once, unless somebody says otherwise.
const USUALLY_SHOWN: usize = 2;
/// A lease holds many signs of life; fewer than this and a busy machine would lose its jobs.
const SHORTEST_LEASE: usize = 10;

/// Runs the command.
pub fn run(arguments: &WorkArguments) -> Result<ExitCode, Failure> {
    let settings = settings(arguments)?;
    data_place::make(&arguments.place)?;
    let worked = block_on(work(arguments, settings))??;
    if !arguments.quiet {
        let Worked { done, failed, given_back } = worked;
        eprintln!("benchwright: {done} jobs done, {failed} went wrong or were called off, {given_back} handed back");
    }
    Ok(ExitCode::SUCCESS)
}

fn settings(arguments: &WorkArguments) -> Result<WorkerSettings, Failure> {
    let usual = WorkerSettings::default();
    let seconds = |lease: Duration| lease.as_secs() as usize;
    let minutes = |name: &str, set: Option<usize>, usual: Duration| {
        let minutes = config::between(name, set.or(Some(seconds(usual) / 60)), 1, 24 * 60)?;
        Ok::<_, Failure>(Duration::from_mins(minutes as u64))
    };
    let lease = arguments.lease.or(Some(seconds(usual.lease)));
    let (shows, fewest) = if arguments.review_listen.is_some() { (USUALLY_SHOWN, 0) } else { (0, 1) };
    let reviews = arguments.reviews.map(|reviews| config::between("--reviews", Some(reviews), 1, MOST_SHOWN));
    Ok(WorkerSettings {
        parallel: config::between("--parallel", arguments.parallel.or(Some(1)), fewest, MOST_AT_ONCE)?,
        reviews: reviews.transpose()?.unwrap_or(shows),
        lease: Duration::from_secs(config::between("--lease", lease, SHORTEST_LEASE, 3600)? as u64),
        job_limit: minutes("--job-minutes", arguments.job_minutes, usual.job_limit)?,
        review_limit: minutes("--review-minutes", arguments.review_minutes, usual.review_limit)?,
        until_empty: arguments.until_empty,
        ..usual
    })
}

async fn work(arguments: &WorkArguments, settings: WorkerSettings) -> Result<Worked, Failure> {
    let storage = data_place::storage(&arguments.place.data, false)?;
    let judging = config::judging(arguments.config.as_deref(), &arguments.judging)?;
    let bench = environment::workbench(arguments.browser.as_deref(), &judging)?;
    let reviewer = JobReviewer::open(arguments, &settings, Arc::clone(&storage), &bench).await?;
    let hands = Hands { scorer: JobScorer::new(arguments, storage, bench), reviewer };
    let index = Arc::new(data_place::index_or_new(&arguments.place, arguments.syncing).await?);
    let worker = Worker::new(Queue::of(Arc::clone(&index)), settings, Arc::new(hands))?;
    if !arguments.quiet {
        eprintln!("benchwright: worker {} waits for jobs; ctrl-C hands back what is not finished", worker.id());
    }
    let mut interruption = Interruption::listen();
    let worked = worker.work(async move { interruption.arrives().await }).await?;
    index.close().await?;
    Ok(worked)
}

/// Does whatever kind of job there is.
struct Hands {
    scorer: JobScorer,
    reviewer: Option<JobReviewer>,
}

impl Executor for Hands {
    fn execute(&self, job: &Taken, desk: &JobDesk) -> Executed {
        match (&job.order.review, &self.reviewer) {
            (None, _) => self.scorer.execute(job, desk),
            (Some(review), Some(reviewer)) => reviewer.execute(&job.held.job, review, desk),
            (Some(_), None) => Executed::Again("this worker shows no apps".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Args as _, Command, FromArgMatches as _};

    fn limit(more: &[&str]) -> Option<Duration> {
        let words = [&["work", "--data", "x", "--review-listen", "127.0.0.1:0"], more].concat();
        let found = WorkArguments::augment_args(Command::new("work")).try_get_matches_from(words).unwrap();
        settings(&WorkArguments::from_arg_matches(&found).unwrap()).ok().map(|settings| settings.review_limit)
    }

    #[test]
    fn an_app_is_shown_for_two_hours_unless_told_otherwise_and_never_for_ever() {
        assert_eq!(limit(&[]), Some(Duration::from_hours(2)));
        assert_eq!(limit(&["--review-minutes", "5"]), Some(Duration::from_mins(5)));
        assert_eq!(limit(&["--review-minutes", "0"]), None);
        assert_eq!(limit(&["--review-minutes", "100000"]), None);
    }
}
