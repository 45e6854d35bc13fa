//! The pinned JavaScript tools, run by the Node they were pinned with and spoken to over stdio.

mod call;
mod confine;
mod located;
mod wire;

pub use call::{Instrument, InstrumentError};
pub use confine::Confinement;
pub use located::Instruments;

use std::path::PathBuf;

/// What an instrument process is for.
#[derive(Debug, Clone)]
pub enum Role {
    /// Lighthouse against a browser on this machine; needs the loopback interface.
    Lighthouse,
    /// Tools that read untrusted source: no network, nothing writable but `work`.
    Source {
        /// The folder with the source; the only place the tools may write to.
        work: PathBuf,
        /// What holds them there.
        confinement: Confinement,
        /// Further folders they may read, at places inside `work`.
        mounts: Vec<Mount>,
    },
}

/// A folder that a program may read but not change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// Where it is.
    pub from: PathBuf,
    /// Where the program sees it; made when it is not there.
    pub at: PathBuf,
}

impl Role {
    /// Source tools in bubblewrap.
    pub fn source(work: impl Into<PathBuf>) -> Self {
        Self::source_with(work, Vec::new())
    }

    /// Source tools in bubblewrap that may also read some folders.
    pub fn source_with(work: impl Into<PathBuf>, mounts: Vec<Mount>) -> Self {
        Self::Source { work: work.into(), confinement: Confinement::Bubblewrap, mounts }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Lighthouse => "lighthouse",
            Self::Source { .. } => "source",
        }
    }
}
