//! Exit codes with meaning, and the failures behind them.

use benchwright_scoring::gather::GatherError;
use benchwright_scoring::serve::ServeError;
use benchwright_store::StoreError;
use benchwright_store::index::IndexError;
use std::fmt;
use std::process::ExitCode;

/// The composite is below the threshold the user set.
pub const BELOW_THRESHOLD: u8 = 1;
/// The command line, a file or the address is wrong, or nothing answers there.
pub const BAD_INPUT: u8 = 2;
/// This machine lacks something, or its disk refused.
pub const ENVIRONMENT: u8 = 3;
/// A bug of ours.
pub const BUG: u8 = 70;
/// The user pressed ctrl-C.
pub const INTERRUPTED: u8 = 130;

/// Why a command could not do its work. Its text says what happened and what to do.
#[derive(Debug, Clone)]
pub enum Failure {
    /// Exit code 2.
    BadInput(String),
    /// Exit code 3.
    Environment(String),
    /// The same where only containers are lacking: apps that need none can go on.
    NoContainers(String),
    /// Exit code 70.
    Bug(String),
    /// Exit code 130.
    Interrupted(String),
}

impl Failure {
    /// The code the process ends with.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::BadInput(_) => BAD_INPUT,
            Self::Environment(_) | Self::NoContainers(_) => ENVIRONMENT,
            Self::Bug(_) => BUG,
            Self::Interrupted(_) => INTERRUPTED,
        })
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadInput(text) | Self::Environment(text) | Self::NoContainers(text) | Self::Interrupted(text) => {
                f.write_str(text)
            }
            Self::Bug(text) => write!(f, "{text} (this is a bug in benchwright)"),
        }
    }
}

impl From<GatherError> for Failure {
    fn from(error: GatherError) -> Self {
        match error {
            GatherError::Environment(error) => Self::Environment(format!("failed to {error}")),
            other => Self::Environment(other.to_string()),
        }
    }
}

impl From<ServeError> for Failure {
    fn from(error: ServeError) -> Self {
        let text = format!("failed to {error}");
        if error.is_environment() { Self::Environment(text) } else { Self::BadInput(text) }
    }
}

impl From<benchwright_sandbox::SandboxError> for Failure {
    fn from(error: benchwright_sandbox::SandboxError) -> Self {
        Self::Environment(format!("failed to {error}"))
    }
}

impl From<IndexError> for Failure {
    fn from(error: IndexError) -> Self {
        match error {
            IndexError::Store(error) => error.into(),
            IndexError::BadRecord { .. } | IndexError::NewerSchema { .. } => {
                Self::BadInput(format!("failed to {error}"))
            }
            _ => Self::Environment(format!("failed to {error}")),
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        use StoreError::{Bucket, Denied, DiskFull, Io, TooMuch, Unwritable};
        let text = match &error {
            Io { source, .. } => format!("failed to {error}: {source}"),
            _ => format!("failed to {error}"),
        };
        match error {
            DiskFull { .. } | Denied { .. } | Io { .. } | TooMuch { .. } | Unwritable { .. } | Bucket { .. } => {
                Self::Environment(text)
            }
            _ => Self::BadInput(text),
        }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// What is said of bad input.
    pub fn text_of<T: fmt::Debug>(result: Result<T, Failure>) -> String {
        match result {
            Err(Failure::BadInput(text)) => text,
            other => panic!("expected bad input, got {other:?}"),
        }
    }
}
