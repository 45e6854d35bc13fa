//! Conducts an evaluation from its folder: what is not done yet is done, and nothing is left running, however it ends.

use super::job::{self, App};
use super::outputs;
use super::progress::Watch;
use super::run_folder::{self, LiveRun, Replayed};
use crate::args::{AskArguments, VibePrinting};
use crate::environment;
use crate::exit::Failure;
use crate::interruption::Interruption;
use crate::models::{self, DEFAULT_MODEL};
use benchwright_domain::vibe::Evaluation;
use benchwright_llm::{Client, Settings};
use benchwright_scoring::conduct::Workbench;
use benchwright_scoring::request::Judging;
use benchwright_vibe::deploy::{self, Backend, DeployError, Prepared, Workshop};
use benchwright_vibe::evaluate::{
    Arena, Conduct, Deployed, EvaluateError, Grading, Plan, Plans, Progress, SharedRecorder, Surroundings, Walking,
};
use benchwright_vibe::judge::llm::LlmJudge;
use benchwright_vibe::llm;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// What all evaluations of a command share.
#[derive(Clone)]
pub struct Session {
    bench: Arc<Workbench>,
    purse: Arc<Purse>,
    asking: AskArguments,
    stop: watch::Receiver<bool>,
}

/// One budget for everything a command asks, whatever the limits of each plan are.
#[derive(Default)]
struct Purse(OnceLock<Client>);

impl Purse {
    /// A client for a plan. The budget is that of the first one.
    fn client(&self, settings: Settings) -> Client {
        let limits = settings.limits.clone();
        self.0.get_or_init(|| Client::new(settings)).within(limits)
    }
}

/// How conducting ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// No workflow is left.
    Done,
    /// Somebody wants to end.
    Interrupted,
}

impl Session {
    /// Finds everything that evaluations work with. Must be called within a runtime, because it listens for ctrl-C from now on.
    pub fn open(browser: Option<&Path>, asking: &AskArguments) -> Result<Self, Failure> {
        let bench = environment::workbench(browser, &Judging::nobody())?;
        let (told, stop) = watch::channel(false);
        let mut interruption = Interruption::listen();
        tokio::spawn(async move {
            interruption.arrives().await;
            let _ = told.send(true);
        });
        Ok(Self { bench: Arc::new(bench), purse: Arc::default(), asking: asking.clone(), stop })
    }

    /// The same for a plan: what it needs of models is at hand, or that is said before anything is walked.
    pub fn for_plan(&self, plan: &Plan) -> Result<Self, Failure> {
        self.walking(plan)?;
        self.grading(plan)?;
        Ok(self.clone())
    }

    /// A client within the limits of a plan, which keeps the budget of everything this command asks.
    fn client(&self, plan: &Plan) -> Result<Arc<Client>, Failure> {
        let settings = llm::settings(&plan.limits, models::budget(&self.asking)?);
        Ok(Arc::new(self.purse.client(settings)))
    }

    /// Where temporary folders go.
    pub fn scratch_base(&self) -> &Path {
        &self.bench.scratch_base
    }

    /// Whether somebody wants to end.
    pub fn is_stopped(&self) -> bool {
        *self.stop.borrow()
    }

    /// Deploys an app: once, however often it is evaluated.
    pub async fn deploy(&self, app: &App, plan: &Plan, watch: &Watch) -> Result<Deployed, Failure> {
        let tell = |what: String| watch.show(&Progress::Step(what));
        let deploying = async {
            match app {
                App::Address(url) => reachable(url).await.map(|()| Deployed::Ready(Prepared::at(url))),
                App::Broken { why, .. } => Ok(Deployed::Broken(DeployError::Bundle(why.clone()))),
                App::Bundle(bundle, _) => {
                    let prepared = deploy::prepare(bundle, &self.deploy_settings(plan), &tell).await;
                    Deployed::of(prepared).map_err(|error| failure(&error))
                }
            }
        };
        tokio::select! {
            deployed = deploying => deployed,
            () = self.stopped() => Err(Failure::Interrupted("interrupted before anything was walked".to_owned())),
        }
    }

    fn deploy_settings(&self, plan: &Plan) -> deploy::Settings {
        let workshop = Workshop {
            instruments: self.bench.instruments.clone(),
            scratch_base: self.bench.scratch_base.clone(),
            quiet_lock: self.bench.quiet_lock.clone(),
            registry: self.bench.registry.clone(),
            docker_host: environment::docker_host(),
        };
        deploy::Settings {
            backend: plan.evaluator.settings.get("backend").map_or(Backend::Auto, |name| Backend::named(name)),
            start_seconds: plan.limits.start_seconds.into(),
            allowance: plan.allowance,
            ahead: plan.concurrency,
            shared_state: plan.shared_state,
            ..deploy::Settings::new(workshop)
        }
    }

    /// Does what an evaluation lacks, until nothing is left or somebody wants to end. Whatever happens, it is written down.
    pub async fn conduct(&self, run: LiveRun, app: &Deployed, watch: &Watch) -> Result<(LiveRun, Ended), Failure> {
        let before = run_folder::read(run.path())?;
        let left = before.outcome.left();
        let run = Arc::new(Mutex::new(run));
        let ended = if left.is_empty() {
            Ok(Ended::Done)
        } else {
            self.walk(&before, &left, Arc::clone(&run), app, watch).await
        };
        watch.clear();
        // The conduct that shared it is over, so nobody else holds it.
        let run = Arc::into_inner(run).ok_or_else(|| Failure::Bug("the run is still being written".to_owned()))?;
        let mut run = run.into_inner().unwrap_or_else(PoisonError::into_inner);
        match ended {
            Ok(Ended::Done) => Ok((run, Ended::Done)),
            Ok(Ended::Interrupted) => {
                run.interrupted("ctrl-C")?;
                Ok((run, Ended::Interrupted))
            }
            Err(failure) => {
                run.interrupted(&failure.to_string())?;
                let next = format!("\n  continue: benchwright vibe resume {}", run.path().display());
                Err(match failure {
                    Failure::Environment(text) => Failure::Environment(text + &next),
                    other => other,
                })
            }
        }
    }

    async fn walk(
        &self,
        before: &Replayed,
        left: &[String],
        run: Arc<Mutex<LiveRun>>,
        app: &Deployed,
        watch: &Watch,
    ) -> Result<Ended, Failure> {
        let plan = &before.frozen.plan;
        let (walking, grading) = (self.walking(plan)?, self.grading(plan)?);
        let arena = Arena::new(self.surroundings(), plan.app.url.as_deref()).await.map_err(|error| failure(&error))?;
        let listener = |progress: Progress| watch.show(&progress);
        let task_hash = before.task_hash();
        let conduct = Conduct {
            task: &before.task,
            task_hash: &task_hash,
            plan,
            app,
            arena: &arena,
            walking: &walking,
            plans: environment::walks_folder().map(|folder| Plans::at(folder, plan.app.evaluation)),
            grading: &grading,
            recorder: SharedRecorder::new(run),
            listener: &listener,
            quiet_lock: self.bench.quiet_lock.clone(),
            today: &job::today,
        };
        let used = Duration::try_from_secs_f64(before.outcome.seconds).unwrap_or_default();
        let ended = tokio::select! {
            result = conduct.go(left, used) => result.map(|()| Ended::Done).map_err(|error| failure(&error)),
            () = self.stopped() => Ok(Ended::Interrupted),
        };
        drop(conduct);
        arena.close().await;
        ended
    }

    fn surroundings(&self) -> Surroundings {
        Surroundings {
            chromium: self.bench.chromium.clone(),
            instruments: self.bench.instruments.clone(),
            scratch_base: self.bench.scratch_base.clone(),
            as_root: self.bench.as_root,
        }
    }

    async fn stopped(&self) {
        let mut stop = self.stop.clone();
        // The sender lives as long as the runtime, so this ends by a request to end alone.
        if stop.wait_for(|stop| *stop).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    fn walking(&self, plan: &Plan) -> Result<Walking, Failure> {
        let model = || {
            let name = plan.evaluator.settings.get("model").map_or(DEFAULT_MODEL, String::as_str);
            Ok::<_, Failure>(models::find(name, &self.asking)?.evaluator(self.client(plan)?))
        };
        match plan.evaluator.walker.as_str() {
            "resolver" => Ok(Walking::Resolver),
            "agent" => Ok(Walking::Agent(model()?)),
            "hybrid" => Ok(Walking::Hybrid(model()?)),
            // A recorded walk does without a model, but not instead of the one that its results name.
            "replay" => {
                let named = plan.evaluator.settings.contains_key("model");
                Ok(Walking::Replay(named.then(model).transpose()?))
            }
            other => Err(Failure::BadInput(format!("this version cannot walk as `{other}`"))),
        }
    }

    fn grading(&self, plan: &Plan) -> Result<Grading, Failure> {
        grading(&plan.evaluator.judge, &self.asking, || self.client(plan))
    }
}

/// The judge of a name.
pub fn grading(
    judge: &str,
    asking: &AskArguments,
    client: impl FnOnce() -> Result<Arc<Client>, Failure>,
) -> Result<Grading, Failure> {
    if judge == "rules" {
        return Ok(Grading::Rules);
    }
    Ok(Grading::Model(LlmJudge::new(models::find(judge, asking)?.evaluator(client()?))))
}

/// That nobody listens at an address is said before anything is walked.
async fn reachable(url: &str) -> Result<(), Failure> {
    if deploy::is_listening(url).await {
        return Ok(());
    }
    Err(Failure::BadInput(format!("nothing answers at {url}; start the app, or name its --bundle")))
}

/// Closes a run that lacks nothing, and gives its document. Its reports are written first, so that a run that is closed has them.
pub fn close(run: &mut LiveRun, printing: &VibePrinting) -> Result<Evaluation, Failure> {
    let replayed = run_folder::read(run.path())?;
    let evaluation = replayed.evaluation();
    outputs::write(&evaluation, run.path(), run.path(), printing)?;
    if replayed.finished.is_none() && replayed.outcome.left().is_empty() {
        run.finish(&evaluation)?;
    }
    Ok(evaluation)
}

fn failure(error: &EvaluateError) -> Failure {
    let text = format!("failed to {error}");
    match error {
        EvaluateError::Deploy(error) if error.is_bad_input() => Failure::BadInput(text),
        EvaluateError::Deploy(error) if error.lacks_containers() => Failure::NoContainers(text),
        _ => Failure::Environment(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchwright_vibe::task::Limits;

    #[test]
    fn every_plan_has_its_own_limits_and_all_share_one_budget() {
        let purse = Purse::default();
        let client = |call_seconds: u32| {
            let limits = Limits { call_seconds, ..Limits::default() };
            purse.client(llm::settings(&limits, Some(5.0)))
        };
        let (first, second) = (client(90), client(7));
        assert_eq!([&first, &second].map(|client| client.limits().attempt.as_secs()), [90, 7]);
        assert!(std::ptr::eq(first.budget(), second.budget()), "they spend the same money");
    }
}
