//! How much of the machine a foreign app may use, and how it is held to it.
//!
//! Control groups hold best, but making them needs rights that not everybody has. What they do not hold is held by the limits that every
//! process carries, or watched: whoever is found over a limit is ended. What held is part of the result.

mod group;
mod watch;

pub(crate) use group::Group;
pub(crate) use watch::{Watch, over_the_disk};

use crate::process::{Program, is_root, system_tool};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::OsString;

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

/// What holds each limit, by the limit's name.
pub type Enforced = BTreeMap<String, String>;

/// How much one app may use.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Allowance {
    /// Processors, all processes together.
    pub cpus: f64,
    /// Memory, all processes together.
    pub memory_bytes: u64,
    /// Processes and threads.
    pub processes: u64,
    /// What it may have written at any time.
    pub disk_bytes: u64,
    /// The end of its log that is kept; the rest is read and thrown away.
    pub log_bytes: usize,
}

impl Default for Allowance {
    fn default() -> Self {
        Self { cpus: 2.0, memory_bytes: 2048 * MIB, processes: 512, disk_bytes: 1024 * MIB, log_bytes: 256 * 1024 }
    }
}

impl Allowance {
    /// What to put before a command inside the walls, for what the group does not hold.
    pub(crate) fn bounds(&self, group: &Group) -> Vec<OsString> {
        let Some(prlimit) = system_tool("prlimit").filter(|path| path.starts_with("/usr")) else { return Vec::new() };
        let mut words: Vec<OsString> = vec![prlimit.into(), "--core=0".into()];
        words.push(format!("--fsize={}", self.disk_bytes).into());
        words.push(format!("--nproc={}", self.process_bound()).into());
        if !group.holds_memory() {
            words.push(format!("--data={}", self.memory_bytes).into());
        }
        words.push("--".into());
        words
    }

    /// The kernel counts all processes of a user. Where we are root that user is nobody, whom other apps run as, too: one app must
    /// not use up what the others need.
    fn process_bound(&self) -> u64 {
        if is_root() { self.processes.max(4096) } else { self.processes }
    }

    /// What holds each limit of an app behind walls.
    pub(crate) fn held_by(&self, group: &Group) -> Enforced {
        let by_group = |holds: bool, otherwise: &str| (if holds { "control group" } else { otherwise }).to_owned();
        let rest = "watched, and per process";
        [
            ("cpus", self.cpus.to_string(), by_group(group.holds_cpus(), "not held on this machine")),
            ("memory", format!("{} MiB", self.memory_bytes / MIB), by_group(group.holds_memory(), rest)),
            ("processes", self.processes.to_string(), by_group(group.holds_processes(), rest)),
            ("disk", format!("{} MiB", self.disk_bytes / MIB), "watched, and per file".to_owned()),
            ("log", format!("{} KiB", self.log_bytes as u64 / KIB), "only its end is kept".to_owned()),
        ]
        .into_iter()
        .map(|(name, limit, means)| (name.to_owned(), format!("{limit} ({means})")))
        .collect()
    }

    /// A program that joins a group before it begins.
    pub(crate) fn held(&self, program: Program, group: &Group) -> Program {
        Program { log_bytes: self.log_bytes, ..group.joined(program) }
    }
}
