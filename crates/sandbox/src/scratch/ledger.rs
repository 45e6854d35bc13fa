use crate::process::ProcessIdentity;
use crate::process::identity::wait_for_group_end;
use crate::{Result, SandboxError};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

pub(super) const FILE_NAME: &str = "owner.json";
const FORMAT: u32 = 1;
/// A ledger lists a handful of processes; anything much larger was not written by us.
const MAX_BYTES: u64 = 1024 * 1024;

/// The content of `owner.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Ownership {
    pub format: u32,
    pub label: String,
    pub owner: ProcessIdentity,
    /// Identifies the boot that pids and start times belong to.
    pub boot: Option<String>,
    /// Identifies the space that the pids are numbers of: in another container they mean other processes.
    pub pid_space: Option<String>,
    pub processes: Vec<ProcessIdentity>,
}

impl Ownership {
    fn ours(label: &str) -> Self {
        Self {
            format: FORMAT,
            label: label.to_owned(),
            owner: ProcessIdentity::own(),
            boot: current_boot(),
            pid_space: current_pid_space(),
            processes: Vec::new(),
        }
    }

    pub fn read(folder: &Path) -> Option<Self> {
        let mut text = String::new();
        let file = fs::File::open(folder.join(FILE_NAME)).ok()?;
        file.take(MAX_BYTES).read_to_string(&mut text).ok()?;
        serde_json::from_str::<Self>(&text).ok().filter(|read| read.format == FORMAT)
    }
}

pub(super) fn current_boot() -> Option<String> {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").ok().map(|id| id.trim().to_owned())
}

pub(super) fn current_pid_space() -> Option<String> {
    Some(fs::read_link("/proc/self/ns/pid").ok()?.to_string_lossy().into_owned())
}

/// The programs started with a scratch folder, kept on disk so that they can be found after a crash.
#[derive(Debug)]
pub struct Ledger {
    path: PathBuf,
    content: Mutex<Ownership>,
}

impl Ledger {
    pub(super) fn open(folder: &Path, label: &str) -> Result<Self> {
        let ledger = Self { path: folder.join(FILE_NAME), content: Mutex::new(Ownership::ours(label)) };
        ledger.change(|_| ())?;
        Ok(ledger)
    }

    /// Writes down a program that was just started.
    pub fn started(&self, process: ProcessIdentity) -> Result<()> {
        self.change(|content| content.processes.push(process))
    }

    /// Strikes out a program that has ended. What cannot be struck out is recognised as dead by whoever sweeps.
    pub fn ended(&self, process: ProcessIdentity) {
        let _ = self.change(|content| content.processes.retain(|listed| *listed != process));
    }

    /// Kills what is still there of the listed programs.
    pub(super) fn end_all(&self, limit: Duration) {
        let listed = self.content.lock().unwrap_or_else(PoisonError::into_inner).processes.clone();
        end_all(&listed, limit);
    }

    fn change(&self, change: impl FnOnce(&mut Ownership)) -> Result<()> {
        let failed = |source| SandboxError::Scratch { path: self.path.clone(), source };
        let mut content = self.content.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut content);
        let text = serde_json::to_vec(&*content).map_err(|error| failed(error.into()))?;
        // Renamed into place, so that a reader never sees half a ledger.
        let draft = self.path.with_extension("json.new");
        fs::write(&draft, text).and_then(|()| fs::rename(&draft, &self.path)).map_err(failed)
    }
}

/// Kills the groups of those processes that are still the ones meant. Returns their pids.
pub(super) fn end_all(processes: &[ProcessIdentity], limit: Duration) -> Vec<u32> {
    let ended: Vec<u32> = processes.iter().filter(|process| process.kill_group()).map(|process| process.pid).collect();
    for group in &ended {
        wait_for_group_end(*group, limit);
    }
    ended
}
