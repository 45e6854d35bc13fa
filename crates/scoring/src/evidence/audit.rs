//! What the registry's advisories say of the production dependencies.

use serde::{Deserialize, Serialize};

/// Format version of [`Audit`].
pub const VERSION: u32 = 1;

/// What the registry's advisories say of the production dependencies.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Audit {
    /// Folder of the audited package, relative to the source root; `.` is the root itself.
    pub package: String,
    /// The lockfile whose versions were audited.
    pub lockfile: AuditedLockfile,
    /// The pinned npm that asked.
    pub npm: String,
    /// The day the advisories were asked for (UTC, `2026-11-16`). The same app may have other advisories on another day.
    pub date: String,
    /// Production packages that were asked about.
    pub production_packages: u64,
    /// Vulnerable packages by severity.
    pub counts: Severities,
    /// The worst of them.
    pub vulnerable: Vec<Vulnerable>,
}

/// Where the audited versions come from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum AuditedLockfile {
    /// A lockfile of the app.
    Committed {
        /// Its name.
        name: String,
    },
    /// There was none that npm can read, so npm chose the versions on that day.
    Generated {
        /// Whether it took `--legacy-peer-deps`.
        legacy_peer_deps: bool,
        /// Dependencies that come from no registry and were left out, with what they asked for.
        left_out: Vec<String>,
    },
    /// There are no production dependencies, so nobody was asked.
    #[default]
    NothingToAudit,
}

/// Packages by the worst severity of their advisories.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Severities {
    /// Critical.
    pub critical: u64,
    /// High.
    pub high: u64,
    /// Moderate.
    pub moderate: u64,
    /// Low.
    pub low: u64,
    /// For information only.
    #[serde(default)]
    pub info: u64,
}

/// A vulnerable package.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vulnerable {
    /// Its name.
    pub name: String,
    /// critical, high, moderate, low or info.
    pub severity: String,
    /// Versions that are vulnerable.
    pub range: String,
    /// What is wrong: titles of advisories, or names of packages that bring it in.
    pub via: Vec<String>,
    /// Addresses of the advisories.
    pub links: Vec<String>,
    /// From a direct dependency to the package itself.
    pub path: Vec<String>,
    /// What mends it.
    pub remedy: Remedy,
}

/// What mends a vulnerable package.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Remedy {
    /// Nothing that npm knows of.
    #[default]
    None,
    /// A newer version within the range that `package.json` allows.
    Update,
    /// A direct dependency in another version.
    Upgrade {
        /// The dependency.
        name: String,
        /// The version.
        version: String,
        /// Whether its interface may have changed.
        major: bool,
    },
}
