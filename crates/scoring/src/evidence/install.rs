//! Clean, frozen installs from every committed lockfile.

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

/// Why an install failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The kind of failure.
    pub class: FailureClass,
    /// What the manager said, cut and without paths of this machine.
    pub said: String,
}

/// Kinds of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureClass {
    /// The lockfile leads to a registry that not everybody may use.
    PrivateRegistry,
    /// The lockfile cannot be read.
    Damaged,
    /// The lockfile and `package.json` do not agree.
    OutOfSync,
    /// It took too long.
    Timeout,
    /// Anything else the app is to blame for.
    Other,
    /// The network or the registry failed us: says nothing about the app.
    RegistryUnreachable,
    /// The pinned managers cannot read this format, or are not there for this platform: says nothing about the app.
    Unsupported,
}

impl FailureClass {
    /// Whether the failure is the app's, not ours.
    pub fn is_the_apps(self) -> bool {
        !matches!(self, Self::RegistryUnreachable | Self::Unsupported)
    }
}
