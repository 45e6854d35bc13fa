//! Does what is not done yet: a copy of the app for each workflow, a walk, a verdict, and everything kept at once.

use super::arena::Arena;
use super::grading::Grading;
use super::plan::Plan;
use super::plans::Plans;
use super::record::{Listener, Progress, RecordError, SharedRecorder, Start};
use super::unwalked::{app_down, out_of_time};
use super::walking::{Errand, Walking};
use crate::deploy::{DeployError, Enforced, Instance, Prepared};
use crate::llm::Stop;
use crate::task::{Task, Workflow};
use crate::walk::{Keeper, Settings, WalkError};
use benchwright_browser::BrowserError;
use benchwright_domain::BlobId;
use benchwright_domain::vibe::evaluation::JudgedWorkflow;
use benchwright_domain::vibe::trace::{Ending, Trace};
use benchwright_sandbox::{QuietLock, SandboxError};
use futures_util::future::try_join_all;
use jiff::civil::Date;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long we wait for somebody who measures in silence.
const LOCK_LIMIT: Duration = Duration::from_mins(30);
/// A walk looks at the clock between actions; one that hangs in an action is cut off so long after its time.
const GRACE: Duration = Duration::from_secs(90);
/// A browser that died is our fault: the workflow is walked once more.
const ATTEMPTS: usize = 2;

/// Why an evaluation cannot go on. Messages complete "failed to …".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluateError {
    /// This machine is to blame, or whoever chose the backend, and not the app.
    #[error(transparent)]
    Deploy(#[from] DeployError),
    /// The browser cannot be started.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// The browser cannot be spoken to.
    #[error("speak to the browser: {0}")]
    Browser(#[from] BrowserError),
    /// The browser's way out cannot be opened.
    #[error("open the browser's way out: {0}")]
    Egress(#[source] std::io::Error),
    /// Nothing can be kept.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// Walking cannot begin.
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// A trace cannot be written down.
    #[error("write down a trace: {0}")]
    Trace(#[from] serde_json::Error),
    /// Going on would cost more than allowed.
    #[error("go on: {0}")]
    BudgetSpent(String),
    /// A model that walks or judges cannot be asked.
    #[error("go on: {0}")]
    Refused(String),
    /// The plan is not of this task.
    #[error("follow the plan: {task} has no workflow `{workflow}`")]
    UnknownWorkflow {
        /// The task.
        task: String,
        /// What is planned.
        workflow: String,
    },
}

impl From<Stop> for EvaluateError {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Budget(reason) => Self::BudgetSpent(reason),
            Stop::Refusal(reason) => Self::Refused(reason),
        }
    }
}

/// An app that is ready to be started, or cannot be.
pub enum Deployed {
    /// It can be started.
    Ready(Prepared),
    /// It cannot, and that is its own fault.
    Broken(DeployError),
}

impl Deployed {
    /// What preparing an app gave. That this machine lacks something, or that a backend was asked for in vain, is no fault of the app's.
    pub fn of(prepared: Result<Prepared, DeployError>) -> Result<Self, EvaluateError> {
        match prepared {
            Ok(prepared) => Ok(Self::Ready(prepared)),
            Err(error) if error.is_environment() || error.is_bad_input() => Err(error.into()),
            Err(error) => Ok(Self::Broken(error)),
        }
    }

    /// Ends everything and waits until it is gone.
    pub async fn finish(self) {
        if let Self::Ready(prepared) = self {
            prepared.finish().await;
        }
    }
}

/// An evaluation that can be conducted.
pub struct Conduct<'a> {
    /// The task.
    pub task: &'a Task,
    /// Hash of its files.
    pub task_hash: &'a str,
    /// What is done and how.
    pub plan: &'a Plan,
    /// The app.
    pub app: &'a Deployed,
    /// The browser.
    pub arena: &'a Arena,
    /// Who walks.
    pub walking: &'a Walking,
    /// Where walks are recorded, to be walked again.
    pub plans: Option<Plans>,
    /// Who judges.
    pub grading: &'a Grading,
    /// Where everything goes.
    pub recorder: SharedRecorder,
    /// Who is told.
    pub listener: Listener<'a>,
    /// The machine-wide lock of those who measure in silence.
    pub quiet_lock: PathBuf,
    /// Which day it is in the browser, asked when a walk begins.
    pub today: Calendar<'a>,
}

/// Says which day it is.
pub type Calendar<'a> = &'a (dyn Fn() -> Date + Send + Sync);

/// What workers share.
struct Shift<'a> {
    prepared: &'a Prepared,
    queue: Mutex<VecDeque<&'a Workflow>>,
    /// The copy that proved that the app starts, for whoever comes first.
    first: Mutex<Option<Instance>>,
    end: Instant,
}

impl<'a> Conduct<'a> {
    /// Walks and judges the workflows that are left. `used` is the time that was used before a run was interrupted.
    pub async fn go(&self, left: &[String], used: Duration) -> Result<(), EvaluateError> {
        let end = Instant::now() + Duration::from_secs(self.plan.limits.app_seconds.into()).saturating_sub(used);
        let left = left.iter().map(|id| self.workflow(id)).collect::<Result<VecDeque<_>, _>>()?;
        if left.is_empty() {
            return Ok(());
        }
        let prepared = match self.app {
            Deployed::Ready(prepared) => prepared,
            Deployed::Broken(error) => return self.not_started(&left, "none", error),
        };
        prepared.forget_shared().await;
        prepared.expect(left.len());
        (self.listener)(Progress::Step("starting the app".to_owned()));
        let first = match prepared.start().await {
            Ok(instance) => instance,
            Err(error) if error.is_environment() => return Err(error.into()),
            Err(error) => return self.not_started(&left, prepared.backend(), &error),
        };
        self.recorder.lock().start(&started(prepared, &first, None))?;
        let workers = self.plan.concurrency.clamp(1, left.len());
        let shift = Shift { prepared, queue: Mutex::new(left), first: Mutex::new(Some(first)), end };
        try_join_all((0..workers).map(|_| self.work(&shift))).await?;
        Ok(())
    }

    fn workflow(&self, id: &str) -> Result<&'a Workflow, EvaluateError> {
        self.task
            .workflows
            .iter()
            .find(|workflow| workflow.id == id)
            .ok_or_else(|| EvaluateError::UnknownWorkflow { task: self.task.id.clone(), workflow: id.to_owned() })
    }

    /// An app that does not start fails every workflow that is left. Where some were judged before, it stays true that it started, and what it
    /// wrote then stays its log; the reason quotes the end of what it wrote now.
    fn not_started(&self, left: &VecDeque<&Workflow>, backend: &str, error: &DeployError) -> Result<(), EvaluateError> {
        let reason = format!("failed to {error}");
        let mut recorder = self.recorder.lock();
        if left.len() == self.plan.workflows.len() {
            let log = error.log().map(|log| recorder.blob(log.as_bytes())).transpose()?;
            let (note, backend) = (reason.clone(), backend.to_owned());
            recorder.start(&Start { started: false, note, log, backend, held: Enforced::new() })?;
        }
        for workflow in left {
            let judged = app_down(workflow, &reason, 0.0);
            recorder.judged(&judged)?;
            (self.listener)(Progress::Ended(judged));
        }
        Ok(())
    }

    /// Takes workflows from the queue until it is empty.
    async fn work(&self, shift: &Shift<'a>) -> Result<(), EvaluateError> {
        loop {
            let next = shift.queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            let Some(workflow) = next else { return Ok(()) };
            (self.listener)(Progress::Began { workflow: workflow.id.clone() });
            let judged = Box::pin(self.evaluate(shift, workflow)).await?;
            self.recorder.lock().judged(&judged)?;
            (self.listener)(Progress::Ended(judged));
        }
    }

    async fn evaluate(&self, shift: &Shift<'a>, workflow: &Workflow) -> Result<JudgedWorkflow, EvaluateError> {
        let begun = Instant::now();
        for attempt in 1..=ATTEMPTS {
            if Instant::now() >= shift.end {
                break;
            }
            let instance = match self.instance(shift).await {
                Ok(instance) => instance,
                Err(error) if error.is_environment() => return Err(error.into()),
                Err(error) => return Ok(app_down(workflow, &format!("failed to {error}"), seconds_since(begun))),
            };
            let walked = self.walk(shift, &instance, workflow).await;
            self.leave(shift, instance).await?;
            match walked? {
                Some((trace, true)) => return self.judge(workflow, &trace, begun).await,
                Some((trace, false)) if attempt == ATTEMPTS => return self.judge(workflow, &trace, begun).await,
                Some(_) => {}
                None => break,
            }
        }
        Ok(out_of_time(workflow, &self.plan.limits, seconds_since(begun)))
    }

    async fn instance(&self, shift: &Shift<'a>) -> Result<Instance, DeployError> {
        let first = shift.first.lock().unwrap_or_else(PoisonError::into_inner).take();
        match first {
            Some(instance) => Ok(instance),
            None => shift.prepared.start().await,
        }
    }

    /// Walks a workflow through an instance. Also says whether the browser lived to see the end; nothing comes of a walk that hung until
    /// the app's time was over.
    async fn walk(
        &self,
        shift: &Shift<'a>,
        instance: &Instance,
        workflow: &Workflow,
    ) -> Result<Option<(Trace, bool)>, EvaluateError> {
        let _busy = QuietLock::shared(&self.quiet_lock, LOCK_LIMIT).await?;
        let _admission = self.arena.admit(instance.origin());
        let settings = Settings {
            limits: self.plan.limits,
            app_end: Some(shift.end),
            files: Some(self.arena.files(&workflow.id)?),
            ..Settings::default()
        };
        let keeper = || -> Box<dyn Keeper> { Box::new(self.recorder.clone()) };
        let (browser, mut stage) = self.arena.stage(instance.origin(), settings, keeper).await?;
        let errand = Errand {
            task: &self.task.id,
            task_hash: self.task_hash,
            workflow,
            occasion: &self.plan.occasion((self.today)()),
            bundle: self.plan.app.bundle.as_deref(),
            plans: self.plans.as_ref(),
        };
        let limit = shift.end.saturating_duration_since(Instant::now()) + GRACE;
        let walked = tokio::time::timeout(limit, self.walking.walk(&mut stage, &errand)).await;
        let _ = stage.close().await;
        let Ok(mut trace) = walked else { return Ok(None) };
        if !matches!(trace.ending, Ending::AppDown { .. }) && !instance.answers().await {
            trace.ending = Ending::AppDown { reason: "the app ended during the walk".to_owned() };
        }
        match trace.ending {
            Ending::BudgetSpent { reason } => Err(EvaluateError::BudgetSpent(reason)),
            Ending::Refused { reason } => Err(EvaluateError::Refused(reason)),
            _ => Ok(Some((trace, browser.is_connected()))),
        }
    }

    /// Keeps what the app wrote, and ends it.
    async fn leave(&self, shift: &Shift<'a>, instance: Instance) -> Result<(), EvaluateError> {
        let ended = !instance.is_running();
        let is_last = shift.queue.lock().unwrap_or_else(PoisonError::into_inner).is_empty();
        if let Some(log) = instance.log().filter(|log| !log.is_empty() && (ended || is_last)) {
            let mut recorder = self.recorder.lock();
            let blob = recorder.blob(log.as_bytes())?;
            recorder.start(&started(shift.prepared, &instance, Some(blob)))?;
        }
        instance.stop().await;
        Ok(())
    }

    async fn judge(&self, workflow: &Workflow, trace: &Trace, begun: Instant) -> Result<JudgedWorkflow, EvaluateError> {
        let blob = self.recorder.lock().blob(&serde_json::to_vec(trace)?)?;
        let verdict = self.grading.judge(trace, workflow.kind, &self.recorder).await?;
        Ok(JudgedWorkflow {
            title: workflow.title.clone(),
            verdict,
            trace: Some(blob),
            others: Vec::new(),
            seconds: seconds_since(begun),
        })
    }
}

fn started(prepared: &Prepared, instance: &Instance, log: Option<BlobId>) -> Start {
    let (backend, held) = (prepared.backend().to_owned(), instance.enforced());
    Start { started: true, note: String::new(), log, backend, held }
}

fn seconds_since(begun: Instant) -> f64 {
    begun.elapsed().as_secs_f64()
}
