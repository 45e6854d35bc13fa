use super::{Allowance, Group};
use crate::process::ProcessIdentity;
use crate::process::identity::family;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::sleep;

const LOOK_EVERY: Duration = Duration::from_millis(500);
/// More files than any app writes; whoever has more is taken to have filled the disk.
const MAX_FILES: usize = 200_000;
const MIB: u64 = 1024 * 1024;

/// Watches a running app and ends it when it uses more than it may. It watches for as long as this value is there.
#[derive(Debug)]
pub struct Watch {
    found: Arc<OnceLock<String>>,
    task: JoinHandle<()>,
}

impl Watch {
    /// Watches the processes that descend from one, and a folder.
    pub fn over(process: ProcessIdentity, folder: PathBuf, allowance: Allowance, group: &Group) -> Self {
        let found = Arc::new(OnceLock::new());
        let (note, memory, processes) = (Arc::clone(&found), group.holds_memory(), group.holds_processes());
        let watching = async move {
            tokio::select! {
                why = over_the_disk(&folder, allowance.disk_bytes) => { let _ = note.set(why); }
                why = over_the_rest(process, allowance, !memory, !processes) => { let _ = note.set(why); }
            }
            process.kill_group();
        };
        Self { found, task: tokio::spawn(watching) }
    }

    /// Why the app was ended, if it was.
    pub fn found(&self) -> Option<&str> {
        self.found.get().map(String::as_str)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Returns, with what to say, as soon as a folder holds more than it may.
pub async fn over_the_disk(folder: &Path, most: u64) -> String {
    loop {
        sleep(LOOK_EVERY).await;
        let folder = folder.to_owned();
        if tokio::task::spawn_blocking(move || holds_more_than(&folder, most)).await.unwrap_or(false) {
            return format!("it was ended because it had written more than {} MiB to its disk", most / MIB);
        }
    }
}

async fn over_the_rest(process: ProcessIdentity, allowance: Allowance, memory: bool, processes: bool) -> String {
    loop {
        sleep(LOOK_EVERY).await;
        if !memory && !processes {
            continue;
        }
        let Ok(family) = tokio::task::spawn_blocking(move || family(process.pid)).await else { continue };
        if memory && family.resident_bytes > allowance.memory_bytes {
            return format!("it was ended because it used more than {} MiB of memory", allowance.memory_bytes / MIB);
        }
        if processes && family.threads > allowance.processes {
            return format!("it was ended because it ran more than {} processes and threads", allowance.processes);
        }
    }
}

/// Counts what files take on the disk, not how long they say they are. Links are not followed.
fn holds_more_than(folder: &Path, most: u64) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    const BLOCK: u64 = 512;
    let (mut bytes, mut files) = (0, 0);
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(found) = entry.metadata() else { continue };
            bytes += found.blocks() * BLOCK;
            files += 1;
            if bytes > most || files > MAX_FILES {
                return true;
            }
            if found.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_deep_counts_and_what_a_link_leads_to_does_not() {
        let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::create_dir_all(folder.path().join("a/b")).unwrap();
        std::fs::write(folder.path().join("a/b/file"), vec![7; 300_000]).unwrap();
        std::fs::write(outside.path().join("large"), vec![7; 3_000_000]).unwrap();
        std::os::unix::fs::symlink(outside.path(), folder.path().join("link")).unwrap();
        assert!(holds_more_than(folder.path(), 200_000));
        assert!(!holds_more_than(folder.path(), 1_000_000));
    }
}
