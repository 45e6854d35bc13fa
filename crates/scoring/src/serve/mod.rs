//! Serves a folder that the user wants scored: files as they are, a package by starting it behind walls, from a copy.
//!
//! See `docs/decisions/0011-serving-a-folder.md`.

mod content;
mod modules;
mod prepare;

pub use content::Content;

use crate::conduct::{LOCK_LIMIT, Workbench};
use crate::gather::StepError;
use crate::record::{Lane, Listener, Progress};
use crate::request::{Serve, seconds};
use benchwright_sandbox::quiet::QuietLock;
use benchwright_sandbox::serve::{self, Package, Served};
use benchwright_sandbox::{SandboxError, Scratch};
use std::path::PathBuf;

/// Why a folder cannot be served. Messages complete "failed to …".
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// There is nothing in it that could be served.
    #[error("serve {}: {why}", folder.display())]
    Nothing {
        /// The folder.
        folder: PathBuf,
        /// What is missing, and what to do.
        why: String,
    },
    /// Its dependencies could not be installed.
    #[error("install what the app needs (`{command}`; a `node_modules` that is there is taken as it is): {said}")]
    Install {
        /// What a user would type.
        command: String,
        /// What the package manager said.
        said: String,
        /// Whether the app is to blame.
        is_the_apps: bool,
    },
    /// Its build failed.
    #[error("build the app: its script `build` {how}{said}")]
    Build {
        /// How it ended.
        how: String,
        /// The end of what it said.
        said: String,
    },
    /// It could not be copied.
    #[error("prepare the app: {0}")]
    Copy(#[from] StepError),
    /// It could not be started or reached.
    #[error(transparent)]
    Serve(#[from] serve::ServeError),
}

impl From<SandboxError> for ServeError {
    fn from(error: SandboxError) -> Self {
        Self::Serve(error.into())
    }
}

impl ServeError {
    /// Whether this machine is to blame, not the folder.
    pub fn is_environment(&self) -> bool {
        match self {
            Self::Nothing { .. } | Self::Build { .. } => false,
            Self::Install { is_the_apps, .. } => !is_the_apps,
            Self::Copy(_) => true,
            Self::Serve(error) => error.is_environment(),
        }
    }
}

/// A folder that is being served. It ends with this value, and so does the copy it is served from.
#[derive(Debug)]
pub struct Serving {
    // The app goes before the folder it works in.
    served: Served,
    _scratch: Option<Scratch>,
}

impl Serving {
    /// Serves a folder, at a free port unless one is named.
    pub async fn begin(
        serve: &Serve,
        port: Option<u16>,
        bench: &Workbench,
        listener: Listener<'_>,
    ) -> Result<Self, ServeError> {
        let tell = |what: String| listener(Progress::Step { lane: Lane::App, what });
        let sockets = serve::listen(port).await?;
        let begun = match Content::of(&serve.folder)? {
            Content::Files => {
                tell("serving the files as they are".to_owned());
                Self { served: serve::files(&serve.folder, sockets).await?, _scratch: None }
            }
            Content::Package { script, builds } => {
                // Whoever measures in silence must not hear us install and build.
                let _busy = QuietLock::shared(&bench.quiet_lock, LOCK_LIMIT).await?;
                let scratch = Scratch::new(&bench.scratch_base, "serve")?;
                Package::prove_walls(&scratch).await?;
                let copy = prepare::copy(&serve.folder, bench, &scratch, &tell).await?;
                let work = copy.parent().unwrap_or(&copy);
                let package = Package::new(work, &copy, &bench.instruments, &scratch)?;
                if builds {
                    tell("running its script `build`".to_owned());
                    prepare::build(&package).await?;
                }
                tell(format!("starting it with its script `{script}`"));
                let served = package.start(script, seconds(serve.start_seconds), sockets).await?;
                Self { served, _scratch: Some(scratch) }
            }
        };
        tell(begun.whereabouts());
        Ok(begun)
    }

    /// Where it is.
    pub fn url(&self) -> &str {
        self.served.url()
    }

    /// The end of what a package wrote.
    pub fn log(&self) -> Option<String> {
        self.served.log()
    }

    /// Ends it and waits until it is gone.
    pub async fn stop(self) {
        self.served.stop().await;
    }

    fn whereabouts(&self) -> String {
        let url = self.url();
        match self.served.inner_port() {
            Some(port) if !url.ends_with(&format!(":{port}/")) => {
                format!("it answers at {url} (it ignores PORT and listens on {port} inside)")
            }
            _ => format!("it answers at {url}"),
        }
    }
}
