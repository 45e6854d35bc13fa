//! Scores one job, from its beginning or from what its run has.

use crate::args::{MeasureArguments, ScoreArguments, WorkArguments};
use crate::commands::{block_on, gather_until, report_of, score, why_nothing_answered};
use crate::exit::Failure;
use crate::progress::{self, Display};
use crate::run_folder::{self, LiveRun, Replayed};
use crate::{config, corpus, data_place};
use benchwright_domain::report::OutcomeKind;
use benchwright_domain::{ORDER_FORMAT, Order, Report};
use benchwright_sandbox::Scratch;
use benchwright_scoring::conduct::Workbench;
use benchwright_scoring::evidence::judgement::Expense;
use benchwright_scoring::prompt::Prompt;
use benchwright_scoring::record::{Lane, Progress};
use benchwright_scoring::request::{Access, Request, Submission};
use benchwright_store::index::{State, entry_of};
use benchwright_store::jobs::{Executed, Executor, JobDesk, Stop, Taken};
use benchwright_store::{Event, EventBody, Storage, StoreError};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The name a submitted source has in reports.
const SOURCE_NAME: &str = "source.zip";
/// How often a run that another process still has is looked at.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// What went wrong on our side is gathered once more before the run is closed without it.
const ROUNDS: usize = 2;

/// Scores jobs as `score` does.
pub struct JobScorer {
    storage: Arc<dyn Storage>,
    bench: Workbench,
    /// What is the same for all jobs.
    shared: MeasureArguments,
    prompts: Option<PathBuf>,
    allow_local: bool,
    quiet: bool,
}

impl Executor for JobScorer {
    fn execute(&self, job: &Taken, desk: &JobDesk) -> Executed {
        let id = &job.held.job;
        self.say(id, "taken");
        let executed = match block_on(self.score(job, desk)).and_then(|scored| scored) {
            Ok(executed) => executed,
            Err(Failure::BadInput(why)) => Executed::Failed(why),
            Err(Failure::Interrupted(_)) => Executed::Stopped,
            Err(failure) => {
                eprintln!("benchwright: job {id}: {failure}");
                Executed::Again("the worker's machine could not do it".to_owned())
            }
        };
        self.forget_source(job, &executed, desk.stop());
        self.say(id, words(&executed));
        executed
    }
}

impl JobScorer {
    pub fn new(arguments: &WorkArguments, storage: Arc<dyn Storage>, bench: Workbench) -> Self {
        let shared = MeasureArguments {
            config: arguments.config.clone(),
            judging: arguments.judging.clone(),
            ..MeasureArguments::default()
        };
        let (prompts, allow_local, quiet) = (arguments.prompts.clone(), arguments.allow_local, arguments.quiet);
        Self { storage, bench, shared, prompts, allow_local, quiet }
    }

    async fn score(&self, job: &Taken, desk: &JobDesk) -> Result<Executed, Failure> {
        let id = &job.held.job;
        if self.storage.result(id)?.is_some() {
            return self.done(id);
        }
        let scratch = Scratch::new(&self.bench.scratch_base, "job")?;
        let source = self.source(id, &job.order, &scratch)?;
        let request = self.request(&job.order, source)?;
        let Some(mut run) = self.open(id, &request, desk).await? else { return Ok(Executed::Stopped) };
        for round in 1..=ROUNDS {
            if !self.gather(&mut run, id, &request, desk).await? {
                return Ok(Executed::Stopped);
            }
            let replayed = self.replay(id, &request)?;
            if let Some(why) = why_nothing_answered(&replayed) {
                return Ok(Executed::Failed(format!("nothing to score at {}: {why}", request.url)));
            }
            let tier = replayed.tier();
            let report = report_of(replayed);
            if round == ROUNDS || !lacks_something(&report) {
                run.finish(&report, tier, true)?;
                break;
            }
            desk.tell("job", "something could not be measured; trying once more");
        }
        self.done(id)
    }

    /// Gathers what is missing; false when it was told to stop.
    async fn gather(&self, run: &mut LiveRun, id: &str, request: &Request, desk: &JobDesk) -> Result<bool, Failure> {
        let display = Display::labelled(self.quiet, id);
        let spent_before = spent(&self.replay(id, request)?);
        let told = std::sync::Mutex::new(spent_before);
        let listener = |event: Progress| {
            display.show(&event);
            if let Some((lane, words)) = progress::words(&event) {
                desk.tell(lane.name(), &words);
            }
            // A judge has spoken: what that cost is in the log by now.
            if matches!(event, Progress::Gathered { lane: Lane::Judge, .. })
                && let (Ok(replayed), Ok(mut told)) = (self.replay(id, request), told.lock())
            {
                let spent = spent(&replayed);
                desk.spent(spent - *told);
                *told = spent;
            }
        };
        let stop = async {
            match desk.stopped().await {
                Stop::WorkerEnds => "its worker was stopped",
                Stop::Cancelled => "cancelled",
                Stop::Lost => "another worker has the job",
                Stop::TooLong => "it took too long",
                Stop::Stalled => "nothing happened any more",
            }
        };
        let replayed = self.replay(id, request)?;
        Box::pin(gather_until(run, replayed, &Access::default(), &self.bench, &listener, stop)).await
    }

    /// Opens the run of a job, or begins it. Waits while a worker that was given up, but lives, still has it.
    async fn open(&self, id: &str, request: &Request, desk: &JobDesk) -> Result<Option<LiveRun>, Failure> {
        let path = PathBuf::from(id);
        loop {
            match self.storage.open(id) {
                Ok((writer, events)) => {
                    refuse_taken_down(id, &events)?;
                    return LiveRun::go_on(writer, path, &events).map(Some);
                }
                Err(StoreError::NotARun { .. } | StoreError::NeverStarted { .. }) => {
                    let now = jiff::Timestamp::now();
                    let frozen = score::freeze(request, &self.bench, id.to_owned(), now).await;
                    return LiveRun::begin_in(&*self.storage, path, &frozen).map(Some);
                }
                Err(StoreError::AlreadyRunning { .. }) => {}
                Err(error) => return Err(error.into()),
            }
            tokio::select! {
                _ = desk.stopped() => return Ok(None),
                () = tokio::time::sleep(LOOK_AGAIN) => {}
            }
        }
    }

    /// What the log says, with what is true of this attempt: where the source is, and what may be reached.
    fn replay(&self, id: &str, request: &Request) -> Result<Replayed, Failure> {
        let read = self.storage.read(id)?;
        let blobs = |blob: &_| self.storage.blob(id, blob);
        let mut replayed = run_folder::replay(Path::new(id), &read.events, read.run_json.is_some(), &blobs)?;
        let frozen = &mut replayed.frozen.request;
        frozen.source.clone_from(&request.source);
        (frozen.from_stranger, frozen.allow_local) = (request.from_stranger, request.allow_local);
        Ok(replayed)
    }

    /// What `score` would be asked. Nothing of the operator's settings file that is about one app gets near a stranger's address.
    fn request(&self, order: &Order, source: Option<PathBuf>) -> Result<Request, Failure> {
        if order.format > ORDER_FORMAT {
            return Err(Failure::Environment(format!("the job has format {}; update this worker", order.format)));
        }
        let measuring = MeasureArguments { only: order.only.clone(), ..self.shared.clone() };
        let arguments = ScoreArguments { url: Some(order.url.clone()), measuring, ..ScoreArguments::default() };
        let settings = config::settings(&arguments)?;
        let usual = settings.request;
        let tool = order.tool.as_deref().map(config::tool).transpose()?;
        let submission = tool.map(|tool| Submission {
            tool,
            tool_version: order.tool_version.clone(),
            run_index: order.run_index,
            first_render_seconds: None,
            working_build_seconds: order.working_build_seconds,
            cost_usd: order.cost_usd,
            note: order.note.clone(),
        });
        let mut judging = usual.judging;
        // Repeats must be judged anew, not answered from the cache of the first.
        judging.repeat = order.run_index;
        let mut request = Request::new(usual.url);
        request.prompt = order.prompt.as_deref().map(|id| self.prompt(id)).transpose()?;
        request.allow_local = self.allow_local;
        request.from_stranger = true;
        (request.source, request.only, request.judging) = (source, usual.only, judging);
        (request.lighthouse, request.limits, request.submission) = (usual.lighthouse, usual.limits, submission);
        Ok(request)
    }

    /// A prompt by its id, of the operator's own or of the corpus; never a path that somebody submitted.
    fn prompt(&self, id: &str) -> Result<Prompt, Failure> {
        let unknown = || Failure::BadInput(format!("there is no prompt `{}`", id.escape_default()));
        config::tool(id).map_err(|_| unknown())?;
        let own = self.prompts.as_ref().map(|folder| folder.join(format!("{id}.yaml"))).filter(|path| path.is_file());
        match own {
            Some(path) => config::read_prompt(&path.display().to_string()),
            None => corpus::find(id).ok_or_else(unknown)?,
        }
    }

    /// The submitted ZIP as a file, if there is one.
    fn source(&self, id: &str, order: &Order, scratch: &Scratch) -> Result<Option<PathBuf>, Failure> {
        let Some(blob) = &order.source else { return Ok(None) };
        let path = scratch.path().join(SOURCE_NAME);
        std::fs::write(&path, self.storage.blob(id, blob)?)
            .map_err(|error| Failure::Environment(format!("cannot write the source: {error}")))?;
        Ok(Some(path))
    }

    /// What somebody submitted is theirs. It goes as soon as nobody will need it again; what only the queue knows to be over, as a job
    /// whose workers died, is left to `data gc`.
    fn forget_source(&self, job: &Taken, executed: &Executed, stop: Option<Stop>) {
        let is_over = match executed {
            Executed::Done(_) | Executed::Closed | Executed::Failed(_) => true,
            Executed::Again(_) => false,
            Executed::Stopped => matches!(stop, Some(Stop::Cancelled | Stop::TooLong)),
        };
        if let (true, Some(blob)) = (is_over, &job.order.source)
            && let Err(error) = self.storage.remove_blob(&job.held.job, blob)
        {
            eprintln!("benchwright: failed to {error}");
        }
    }

    fn done(&self, id: &str) -> Result<Executed, Failure> {
        let entry = entry_of(&*self.storage, id, &*data_place::recorded(&self.storage))?;
        let entry = entry.ok_or_else(|| Failure::Bug(format!("run {id} has no result")))?;
        Ok(Executed::Done(Box::new(entry)))
    }

    fn say(&self, id: &str, words: &str) {
        if !self.quiet {
            eprintln!("job {id}: {words}");
        }
    }
}

pub fn words(executed: &Executed) -> &str {
    match executed {
        Executed::Done(_) => "done",
        Executed::Closed => "closed",
        Executed::Failed(why) | Executed::Again(why) => why,
        Executed::Stopped => "stopped",
    }
}

/// A take-down is final, whatever the queue says: the job may have been taken in the moment before.
fn refuse_taken_down(id: &str, events: &[Event]) -> Result<(), Failure> {
    let acts = events.iter().filter_map(|event| match &event.body {
        EventBody::Moderated { act } => Some(act),
        _ => None,
    });
    match State::after(acts) {
        State::TakenDown => Err(Failure::BadInput(format!("run {id} was taken down"))),
        State::Shown | State::Quarantined => Ok(()),
    }
}

fn lacks_something(report: &Report) -> bool {
    report.scorers.values().any(|scorer| scorer.outcome == OutcomeKind::Errored)
}

/// What the judges of a run have cost so far, in dollars.
fn spent(replayed: &Replayed) -> f64 {
    let evidence = &replayed.evidence;
    [&evidence.intent, &evidence.looks, &evidence.maintainability]
        .into_iter()
        .filter_map(|piece| Expense::of(piece.asked()).cost_usd)
        .sum()
}
