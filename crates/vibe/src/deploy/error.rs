use crate::bundle::Bundle;
use benchwright_domain::yaml::Problem;
use benchwright_sandbox::SandboxError;
use benchwright_sandbox::containers::ContainerError;
use benchwright_sandbox::serve::ServeError;

/// Why an app cannot be deployed. Messages complete "failed to …".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeployError {
    /// It could not be installed, built, started or reached.
    #[error(transparent)]
    Serve(#[from] ServeError),
    /// Its containers could not be built, started or reached.
    #[error(transparent)]
    Containers(#[from] ContainerError),
    /// This machine has none, and the bundle has something that could be started without, although that is not all there is to it.
    #[error(
        "{0}; or choose `--backend native`, which starts what is in the bundle without what its compose file and its Dockerfile \
         say besides"
    )]
    NoDocker(#[source] ContainerError),
    /// Its compose file asks for something that no app gets.
    #[error("accept the compose file {}:{}:{}: {}", .0.file, .0.line, .0.column, .0.problem)]
    Refused(Problem),
    /// Its bundle cannot be opened, has nothing to start, or builds on what it may not.
    #[error("{0}")]
    Bundle(String),
    /// The native backend was asked for, and the bundle has nothing for it.
    #[error(
        "run the bundle without containers: it has neither a script `start`, `preview` or `serve` in a package.json nor an \
         index.html; use the compose backend"
    )]
    NotNative,
    /// The compose backend was asked for.
    #[error("run the bundle in containers: it has no compose file; use the native backend")]
    NoComposeFile,
}

impl From<SandboxError> for DeployError {
    fn from(error: SandboxError) -> Self {
        Self::Serve(error.into())
    }
}

impl DeployError {
    /// Whether whoever asked for a backend is to blame, which the bundle has nothing for.
    pub fn is_bad_input(&self) -> bool {
        matches!(self, Self::NotNative | Self::NoComposeFile)
    }

    /// Whether this machine has no Docker, which only some apps need.
    pub fn lacks_containers(&self) -> bool {
        matches!(self, Self::NoDocker(_) | Self::Containers(ContainerError::NoDocker { .. }))
    }

    /// The same error; where containers are missing that not everything in a bundle needs, that is said.
    pub(super) fn with_way_out(self, bundle: &Bundle) -> Self {
        match self {
            Self::Containers(error @ ContainerError::NoDocker { .. }) if bundle.content().is_some() => {
                Self::NoDocker(error)
            }
            other => other,
        }
    }

    /// Whether this machine is to blame. If nobody else is, the app is, and fails every workflow.
    pub fn is_environment(&self) -> bool {
        match self {
            Self::Serve(error) => error.is_environment(),
            Self::Containers(error) | Self::NoDocker(error) => error.is_environment(),
            Self::Refused(_) | Self::Bundle(_) | Self::NotNative | Self::NoComposeFile => false,
        }
    }

    /// The end of what the app wrote, where it came so far.
    pub fn log(&self) -> Option<&str> {
        match self {
            Self::Serve(ServeError::Ended { log, .. } | ServeError::Silent { log, .. }) => Some(log),
            Self::Serve(ServeError::Install { said, .. } | ServeError::Build { said, .. }) => Some(said),
            Self::Containers(error) => error.log(),
            _ => None,
        }
    }
}
