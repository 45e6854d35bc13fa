//! The boundary to everything foreign: browsers, Node instruments, small system tools, archives, the network.
//!
//! Nothing else in the workspace starts a process. Whatever is started here has a process group of its own, a clean
//! environment, limits on time and bytes, and is written down in its [`Scratch`] folder, so that [`sweep`] can tell
//! after a crash what was ours and is still there.

pub mod allowance;
pub mod archive;
pub mod chromium;
pub mod containers;
pub mod egress;
mod error;
pub mod instrument;
pub mod machine;
pub mod packages;
pub mod process;
pub mod quiet;
mod ring;
pub mod scratch;
pub mod serve;
mod walls;

pub use chromium::{Launch, RunningChromium};
pub use error::SandboxError;
pub use instrument::{Confinement, Instrument, InstrumentError, Instruments, Role};
pub use machine::MachineFacts;
pub use packages::{Manager, RegistryAccess};
pub use process::{Finished, Foreign, Limits, Program};
pub use quiet::QuietLock;
pub use scratch::{Scratch, SweepReport, sweep};

/// Result of this crate.
pub type Result<T, E = SandboxError> = std::result::Result<T, E>;
