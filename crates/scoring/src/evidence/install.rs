//! Clean, frozen installs from every committed lockfile.

pub use benchwright_sandbox::packages::failure::{Failure, FailureClass};

use benchwright_sandbox::Manager;
use serde::{Deserialize, Serialize};

/// Format version of [`Install`].
pub const VERSION: u32 = 1;

/// Clean, frozen installs from every committed lockfile.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Install {
    /// Folder of the app's package, relative to the source root; `.` is the root itself.
    pub package: String,
    /// Folder that is installed: the same, or the workspace the package belongs to.
    pub root: String,
    /// Packages named in `dependencies`, `devDependencies` and `optionalDependencies` of the installed folder.
    pub dependencies: usize,
    /// One for each lockfile, in a fixed order.
    pub attempts: Vec<Attempt>,
    /// Settings of the app that were not followed, because they run code or carry credentials.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// An install from one lockfile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// Name of the lockfile.
    pub lockfile: String,
    /// The manager it is for.
    pub manager: Manager,
    /// The manager's pinned version.
    pub version: String,
    /// What a user would type.
    pub command: String,
    /// Why it failed; none when it installed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
}
