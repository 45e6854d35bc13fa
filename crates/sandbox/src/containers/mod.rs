//! Containers, through the programs `docker` and `docker compose` (or the older `docker-compose`).
//!
//! What is run here was read, understood and written anew by the caller; a file that a stranger wrote never reaches these programs. Every
//! container, network, volume and image carries a label, and a janitor with that label waits at the end of a pipe to us: however we end, it
//! removes everything that carries it. See `docs/decisions/0022-deploying-bundles.md`.

mod image;
mod janitor;
mod project;
#[cfg(test)]
mod tests;

pub use image::{Base, Build, Images};
pub use project::{Project, Running};

use crate::process::{self, Finished, Limits, Program, system_tool};
use crate::scratch::Scratch;
use crate::serve::quoted;
use crate::{Result, SandboxError};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

const QUICK: Duration = Duration::from_mins(1);
/// Asks the service for its version, which it tells if it is there at all.
const SERVER_VERSION: [&str; 3] = ["version", "--format", "{{.Server.Version}}"];

/// Why containers cannot be used. Messages complete "failed to …".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ContainerError {
    /// There is no Docker here.
    #[error("use containers: {said}; install Docker (Debian: `apt-get install docker.io docker-compose`) and start it")]
    NoDocker {
        /// What is missing.
        said: String,
    },
    /// A command that should work did not.
    #[error("{what}: {said}")]
    Command {
        /// What it was for.
        what: String,
        /// What it said.
        said: String,
    },
    /// The app asks for an image that nobody has.
    #[error("fetch the image {image}: {said}")]
    NoImage {
        /// Its name.
        image: String,
        /// What the registry said.
        said: String,
    },
    /// The app's image cannot be built.
    #[error("build the image of the service `{service}`: {how}{}", quoted(log))]
    Build {
        /// Whose image.
        service: String,
        /// How it ended.
        how: String,
        /// The end of what was said.
        log: String,
    },
    /// The app ended instead of serving.
    #[error("start the app: the container of its service `{service}` ended before anything answered{}", quoted(log))]
    Ended {
        /// The service.
        service: String,
        /// The end of what the containers wrote.
        log: String,
    },
    /// The app runs, but nothing answers.
    #[error("reach the app: its service `{service}` did not answer HTTP within {seconds:.0} s{}", quoted(log))]
    Silent {
        /// The service.
        service: String,
        /// How long it was given.
        seconds: f64,
        /// The end of what the containers wrote.
        log: String,
    },
    /// Something else this machine lacks.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
}

impl ContainerError {
    /// Whether this machine is to blame, not the app.
    pub fn is_environment(&self) -> bool {
        matches!(self, Self::NoDocker { .. } | Self::Command { .. } | Self::Sandbox(_))
    }

    /// The end of what the app, or its build, wrote.
    pub fn log(&self) -> Option<&str> {
        match self {
            Self::Build { log, .. } | Self::Ended { log, .. } | Self::Silent { log, .. } => Some(log),
            _ => None,
        }
    }
}

/// The programs that speak to Docker, with settings of their own: nobody's credentials are used.
#[derive(Debug, Clone)]
pub struct Docker {
    program: PathBuf,
    compose: Vec<OsString>,
    /// Where the service is, if not where it usually is.
    host: Option<String>,
    scratch: Arc<Scratch>,
    version: String,
}

impl Docker {
    /// Finds the programs and asks whether the service answers. `host` is an address as in `DOCKER_HOST`.
    pub async fn find(host: Option<String>, scratch: Arc<Scratch>) -> Result<Self, ContainerError> {
        let missing = |said: &str| ContainerError::NoDocker { said: said.to_owned() };
        let program = system_tool("docker").ok_or_else(|| missing("the program `docker` was not found"))?;
        let mut docker = Self { program, compose: Vec::new(), host, scratch, version: String::new() };
        docker.version = docker
            .words("ask Docker for its version", &SERVER_VERSION)
            .await
            .map_err(|error| missing(&error.to_string()))?;
        docker.compose = docker.find_compose().await.ok_or_else(|| missing("Docker Compose was not found"))?;
        Ok(docker)
    }

    /// The version of the service, and which compose is used.
    pub fn version(&self) -> String {
        let compose = if self.compose.len() > 1 { "compose 2" } else { "compose 1" };
        format!("docker {} with {compose}", self.version)
    }

    /// The plugin, or the older program of its own.
    async fn find_compose(&self) -> Option<Vec<OsString>> {
        if self.words("ask for compose", &["compose", "version", "--short"]).await.is_ok() {
            return Some(vec![self.program.clone().into(), "compose".into()]);
        }
        system_tool("docker-compose").map(|path| vec![path.into()])
    }

    fn program(&self, path: impl Into<PathBuf>) -> Program {
        let settings = self.scratch.path();
        let program = Program::new(path).env("HOME", settings).env("DOCKER_CONFIG", settings.join("docker"));
        // The builder that lets a build have a network of our choice.
        let program = program.env("DOCKER_BUILDKIT", "0").env("COMPOSE_DOCKER_CLI_BUILD", "0");
        match &self.host {
            Some(host) => program.env("DOCKER_HOST", host),
            None => program,
        }
    }

    async fn run(&self, program: Program, time: Duration) -> Result<Finished> {
        process::run(&program, b"", Limits { time, stdout_bytes: 1024 * 1024 }, Some(&self.scratch)).await
    }

    /// What a docker command prints.
    async fn words(&self, what: &str, words: &[&str]) -> Result<String, ContainerError> {
        let finished = self.run(self.program(&self.program).args(words), QUICK).await?;
        if finished.succeeded() {
            return Ok(String::from_utf8_lossy(&finished.stdout).trim().to_owned());
        }
        let said = if finished.timed_out { "no answer in time".to_owned() } else { last_line(&finished.stderr_tail) };
        Err(ContainerError::Command { what: what.to_owned(), said })
    }
}

fn last_line(text: &str) -> String {
    let line = text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
    line.chars().filter(|c| !c.is_control()).take(500).collect()
}
