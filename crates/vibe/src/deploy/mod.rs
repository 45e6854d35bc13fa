//! From a bundle to a running app: prepared once, started as often as a fresh one is needed, and gone for certain afterwards.
//!
//! Two backends do the same with the same interface: `native` runs the package behind walls, `compose` runs its containers. See
//! `docs/decisions/0022-deploying-bundles.md`.

mod compose;
mod error;
mod instance;
mod native;
mod prepared;

pub use benchwright_sandbox::allowance::{Allowance, Enforced};
pub use error::DeployError;
pub use instance::{Instance, is_listening};
pub use prepared::Prepared;

use crate::bundle::Bundle;
use benchwright_sandbox::serve::{Content, Listening};
use benchwright_sandbox::{Instruments, QuietLock, RegistryAccess};
use prepared::Template;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long an app has until it answers, as the published benchmark has it.
pub const START_SECONDS: f64 = 180.0;
/// How long a build, or the building of one image, may take.
pub const BUILD_SECONDS: f64 = 600.0;
/// How long we wait for somebody who measures in silence.
const LOCK_LIMIT: Duration = Duration::from_mins(30);

/// Hears what is being done, in a few words each time.
pub type Tell<'a> = &'a (dyn Fn(String) + Sync);

/// What deploys an app.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Backend {
    /// The native one where containers would do the same, else containers.
    #[default]
    Auto,
    /// The package's own scripts, behind walls.
    Native,
    /// Its compose file.
    Compose,
}

impl Backend {
    /// The one of a name in a plan or in a result; whatever fits the bundle where none is named.
    pub fn named(name: &str) -> Self {
        match name {
            "native" => Self::Native,
            "compose" => Self::Compose,
            _ => Self::Auto,
        }
    }
}

/// What deploying works with. The command line finds it; libraries do not look around.
#[derive(Debug, Clone)]
pub struct Workshop {
    /// The pinned npm instruments.
    pub instruments: Instruments,
    /// Where temporary folders go.
    pub scratch_base: PathBuf,
    /// The machine-wide lock of those who measure in silence.
    pub quiet_lock: PathBuf,
    /// How packages are fetched.
    pub registry: RegistryAccess,
    /// Where Docker is, if not where it usually is, as in `DOCKER_HOST`.
    pub docker_host: Option<String>,
}

/// How an app is deployed.
#[derive(Debug, Clone)]
pub struct Settings {
    /// What to work with.
    pub workshop: Workshop,
    /// What deploys it.
    pub backend: Backend,
    /// Until it answers.
    pub start_seconds: f64,
    /// Until it is built.
    pub build_seconds: f64,
    /// What each instance may use.
    pub allowance: Allowance,
    /// How many instances are started before they are asked for, so that whoever asks need not wait.
    pub ahead: usize,
    /// One instance for everybody who asks, with whatever others left in it.
    pub shared_state: bool,
}

impl Settings {
    /// The usual settings.
    pub fn new(workshop: Workshop) -> Self {
        Self {
            workshop,
            backend: Backend::Auto,
            start_seconds: START_SECONDS,
            build_seconds: BUILD_SECONDS,
            allowance: Allowance::default(),
            ahead: 1,
            shared_state: false,
        }
    }

    fn start_limit(&self) -> Duration {
        Duration::try_from_secs_f64(self.start_seconds).unwrap_or_default()
    }

    fn build_limit(&self) -> Duration {
        Duration::try_from_secs_f64(self.build_seconds).unwrap_or_default()
    }
}

/// Does everything about an app that needs to be done only once: copying, installing, building.
pub async fn prepare(bundle: &Bundle, settings: &Settings, tell: Tell<'_>) -> Result<Prepared, DeployError> {
    let began = Instant::now();
    // Whoever measures in silence must not hear us install and build.
    let _busy = QuietLock::shared(&settings.workshop.quiet_lock, LOCK_LIMIT).await?;
    let template = match Way::of(bundle, settings.backend)? {
        Way::Native(content, listening) => {
            Template::Native(native::prepare(bundle, content, listening, settings, tell).await?)
        }
        Way::Compose(file) => {
            let prepared = compose::prepare(bundle, file, settings, tell).await;
            Template::Compose(Box::new(prepared.map_err(|error| error.with_way_out(bundle))?))
        }
    };
    Ok(Prepared::new(template, settings, began.elapsed()))
}

/// How a bundle is started.
#[derive(Debug, PartialEq, Eq)]
enum Way<'a> {
    /// The package's own scripts; where they have to listen, if that is said.
    Native(Content, Option<Listening>),
    Compose(&'a Path),
}

impl<'a> Way<'a> {
    /// A compose file says what there is to an app. Only where that is nothing else than what happens without it, nobody needs containers.
    fn of(bundle: &'a Bundle, backend: Backend) -> Result<Self, DeployError> {
        match (backend, bundle.content(), bundle.compose()) {
            (Backend::Native, Some(content), _) | (Backend::Auto, Some(content), None) => {
                Ok(Self::Native(content, None))
            }
            (Backend::Auto, Some(content), Some(file)) => Ok(compose::like_native(bundle.root(), file, content)
                .map_or(Self::Compose(file), |listening| Self::Native(content, Some(listening)))),
            (Backend::Auto | Backend::Compose, _, Some(file)) => Ok(Self::Compose(file)),
            (Backend::Native, None, _) => Err(DeployError::NotNative),
            (Backend::Auto | Backend::Compose, _, None) => Err(DeployError::NoComposeFile),
        }
    }
}

#[cfg(test)]
mod tests;
