//! Shows one app to somebody who reviews it: deploys its bundle, lets a browser in, and takes everything down again.

use super::scorer::words;
use crate::args::WorkArguments;
use crate::environment;
use crate::exit::Failure;
use crate::reviewing;
use benchwright_domain::ReviewOrder;
use benchwright_sandbox::Scratch;
use benchwright_scoring::conduct::Workbench;
use benchwright_store::Storage;
use benchwright_store::jobs::{Executed, JobDesk, Stop, WorkerSettings};
use benchwright_vibe::bundle::Bundle;
use benchwright_vibe::deploy::{self, Backend, DeployError, Workshop};
use benchwright_vibe::showing::{Gate, Showing};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::time::{Instant, sleep, sleep_until};

/// Somebody who looks at an app gives no sign of life, so it is given for them.
const SAY_SO_EVERY: Duration = Duration::from_secs(30);
/// The copy that most reviewers ask for first.
const FIRST: &str = "w0x0";

/// Shows apps.
pub struct JobReviewer {
    storage: Arc<dyn Storage>,
    workshop: Workshop,
    gate: Gate,
    bundles: Option<PathBuf>,
    /// Carries the connections of all apps that are shown.
    runtime: Handle,
    limit: Duration,
    quiet: bool,
}

impl JobReviewer {
    /// Listens for browsers, if the operator said where.
    pub async fn open(
        arguments: &WorkArguments,
        settings: &WorkerSettings,
        storage: Arc<dyn Storage>,
        bench: &Workbench,
    ) -> Result<Option<Self>, Failure> {
        let Some(listen) = arguments.review_listen else { return Ok(None) };
        let gate = Gate::open(listen, arguments.review_address.as_deref()).await;
        let gate = gate.map_err(|error| Failure::BadInput(format!("failed to {error}")))?;
        let workshop = Workshop {
            instruments: bench.instruments.clone(),
            scratch_base: bench.scratch_base.clone(),
            quiet_lock: bench.quiet_lock.clone(),
            registry: bench.registry.clone(),
            docker_host: environment::docker_host(),
        };
        let (bundles, runtime) = (arguments.bundles.clone(), Handle::current());
        let (limit, quiet) = (settings.review_limit, arguments.quiet);
        Ok(Some(Self { storage, workshop, gate, bundles, runtime, limit, quiet }))
    }

    /// Shows an app until its reviewer closes it, its time is up, or the worker ends.
    pub fn execute(&self, job: &str, review: &ReviewOrder, desk: &JobDesk) -> Executed {
        self.say(job, "an app is opened for a reviewer");
        let executed = match self.runtime.block_on(self.show(review, desk)) {
            Ok(executed) => executed,
            Err(Failure::BadInput(why)) => Executed::Failed(why),
            Err(failure) => {
                eprintln!("benchwright: job {job}: {failure}");
                Executed::Again("the worker's machine could not do it".to_owned())
            }
        };
        if let Executed::Failed(why) = &executed {
            eprintln!("benchwright: job {job}: {why}");
        } else {
            self.say(job, words(&executed));
        }
        executed
    }

    async fn show(&self, review: &ReviewOrder, desk: &JobDesk) -> Result<Executed, Failure> {
        let until = Instant::now() + self.limit;
        let scratch = Scratch::new(&self.workshop.scratch_base, "review")?;
        let bundle = self.bundle(review, &scratch)?;
        let backend = match &review.run {
            None => Backend::Auto,
            Some(run) => reviewing::backend(&*self.storage, run)?,
        };
        let key = Gate::fresh_key().map_err(|error| Failure::Environment(format!("failed to {error}")))?;
        let opened = tokio::select! {
            opened = self.opened(&key, &bundle, backend, desk) => opened,
            stop = desk.stopped() => return Ok(ended(stop)),
        };
        let showing = match opened {
            Ok(showing) => showing,
            Err(error) if error.is_environment() => return Err(Failure::Environment(format!("failed to {error}"))),
            Err(error) => return Ok(Executed::Failed(format!("failed to {error}"))),
        };
        desk.show_at(showing.place());
        let executed = attend(desk, until).await;
        showing.close().await;
        Ok(executed)
    }

    /// The app, with one copy that answers.
    async fn opened(
        &self,
        key: &str,
        bundle: &Bundle,
        backend: Backend,
        desk: &JobDesk,
    ) -> Result<Showing, DeployError> {
        let tell = |what: String| desk.tell("review", &what);
        let settings = deploy::Settings { backend, ..deploy::Settings::new(self.workshop.clone()) };
        let prepared = deploy::prepare(bundle, &settings, &tell).await?;
        let showing = self.gate.admit(key, prepared);
        match showing.start(FIRST).await {
            Ok(()) => Ok(showing),
            Err(error) => {
                showing.close().await;
                Err(error)
            }
        }
    }

    /// The bundle of a run, from the run itself or from where the operator keeps those that are too large for it.
    fn bundle(&self, review: &ReviewOrder, scratch: &Scratch) -> Result<Bundle, Failure> {
        let path = match &review.run {
            None => reviewing::practice_app(&scratch.folder("app")?)?,
            Some(run) => self.kept(run, scratch)?,
        };
        Bundle::open(&path, &self.workshop.scratch_base)
            .map_err(|error| Failure::BadInput(format!("failed to {error}")))
    }

    fn kept(&self, run: &str, scratch: &Scratch) -> Result<PathBuf, Failure> {
        if let Some(bytes) = reviewing::bundle(&*self.storage, run)? {
            return written(&scratch.path().join("bundle.zip"), &bytes);
        }
        let folder = self.bundles.as_deref().unwrap_or(Path::new(""));
        let named = [folder.join(run), folder.join(format!("{run}.zip"))];
        let found = named.into_iter().find(|path| self.bundles.is_some() && path.exists());
        found.ok_or_else(|| {
            Failure::BadInput(format!(
                "run {run} keeps no bundle, because it was larger than 200 MiB; put it into DIR/{run} and say --bundles DIR"
            ))
        })
    }

    fn say(&self, job: &str, words: &str) {
        if !self.quiet {
            eprintln!("job {job}: {words}");
        }
    }
}

/// Waits until it is time to close.
async fn attend(desk: &JobDesk, until: Instant) -> Executed {
    loop {
        tokio::select! {
            stop = desk.stopped() => return ended(stop),
            () = sleep_until(until) => return Executed::Closed,
            () = sleep(SAY_SO_EVERY) => desk.is_well(),
        }
    }
}

/// Whoever closes an app is done with it; whoever stops for another reason hands it back.
fn ended(stop: Stop) -> Executed {
    match stop {
        Stop::Cancelled | Stop::TooLong => Executed::Closed,
        Stop::WorkerEnds | Stop::Lost | Stop::Stalled => Executed::Stopped,
    }
}

fn written(path: &Path, bytes: &[u8]) -> Result<PathBuf, Failure> {
    let failed = |error| Failure::Environment(format!("cannot write {}: {error}", path.display()));
    fs::write(path, bytes).map_err(failed)?;
    Ok(path.to_owned())
}
