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
    /// A language model in a file that somebody else made: no network, nothing to read but the file.
    Model {
        /// The file.
        file: PathBuf,
        /// What holds the engine that reads it.
        confinement: Confinement,
    },
    /// Tools that read untrusted source: no network, nothing writable but `work`.
    Source {
        /// The folder with the source; the only place the tools may write to.
        work: PathBuf,
        /// What holds them there.
        confinement: Confinement,
    },
    /// The TypeScript compiler, as [`Role::Source`], from the heap that the set-up kept of it. Node refuses one of another Node or another processor.
    Compiler {
        /// The folder with the source; the only place it may write to.
        work: PathBuf,
    },
}

impl Role {
    /// Source tools in bubblewrap.
    pub fn source(work: impl Into<PathBuf>) -> Self {
        Self::Source { work: work.into(), confinement: Confinement::Bubblewrap }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Lighthouse => "lighthouse",
            Self::Model { .. } => "model",
            Self::Source { .. } | Self::Compiler { .. } => "source",
        }
    }
}
