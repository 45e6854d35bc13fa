use super::ledger::{Ownership, current_boot, current_pid_space, end_all};
use super::{DISAPPEARANCE, PREFIX, remove_stubbornly};
use crate::process::ProcessIdentity;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// What [`sweep`] cleared away.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct SweepReport {
    /// Folders that a dead owner had left.
    pub removed_folders: Vec<PathBuf>,
    /// Programs that a dead owner had started and that still ran.
    pub ended_processes: Vec<u32>,
    /// Folders of a dead owner that could not be removed.
    pub stuck_folders: Vec<PathBuf>,
}

/// Clears away what dead owners left under `base`: their folders, and the programs written down there that still
/// are the same processes. Folders of living owners, of other users and of other containers are left alone.
pub fn sweep(base: &Path) -> SweepReport {
    let mut report = SweepReport::default();
    let Ok(entries) = fs::read_dir(base) else { return report };
    for folder in entries.flatten().map(|entry| entry.path()) {
        let Some(left) = left_behind(&folder) else { continue };
        report.ended_processes.extend(end_all(&left, DISAPPEARANCE));
        if remove_stubbornly(&folder) {
            report.removed_folders.push(folder);
        } else {
            report.stuck_folders.push(folder);
        }
    }
    report.removed_folders.sort();
    report
}

/// The processes listed in a folder whose owner is dead; `None` when the folder is not ours to remove.
fn left_behind(folder: &Path) -> Option<Vec<ProcessIdentity>> {
    let owner_in_name = pid_in_name(folder.file_name()?.to_str()?)?;
    let metadata = fs::symlink_metadata(folder).ok()?;
    if !metadata.is_dir() || metadata.uid() != rustix::process::geteuid().as_raw() {
        return None;
    }
    let Some(ownership) = Ownership::read(folder) else {
        // Its owner is just making it, or died while doing so.
        let unsure = ProcessIdentity { pid: owner_in_name, started: None };
        return (!unsure.is_running()).then(Vec::new);
    };
    if ownership.boot.is_some() && ownership.boot != current_boot() {
        return Some(Vec::new());
    }
    if ownership.pid_space != current_pid_space() || ownership.owner.is_running() {
        return None;
    }
    Some(ownership.processes)
}

/// `benchwright-<label>-<pid>-<random>`; the label may hold dashes.
fn pid_in_name(name: &str) -> Option<u32> {
    let mut parts = name.strip_prefix(PREFIX)?.rsplit('-');
    parts.next()?;
    parts.next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::super::ledger::FILE_NAME;
    use super::*;
    use crate::Scratch;
    use std::process::{Command, Stdio};

    const DEAD_PID: u32 = 4_194_305; // One above the largest pid that Linux gives out.

    fn abandoned(base: &Path, change: impl FnOnce(&mut Ownership)) -> PathBuf {
        let folder = base.join(format!("benchwright-two-words-{DEAD_PID}-abc123"));
        let scratch = Scratch::new(base, "model").unwrap();
        let mut ownership = Ownership::read(scratch.path()).unwrap();
        ownership.owner = ProcessIdentity { pid: DEAD_PID, started: Some(1) };
        change(&mut ownership);
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join(FILE_NAME), serde_json::to_vec(&ownership).unwrap()).unwrap();
        folder
    }

    #[test]
    fn removes_what_a_dead_owner_left_and_nothing_of_a_living_one() {
        let base = tempfile::tempdir().unwrap();
        let living = Scratch::new(base.path(), "living").unwrap();
        fs::create_dir(base.path().join("benchwright-notes")).unwrap();
        fs::create_dir(base.path().join("other-1-x")).unwrap();
        let dead = abandoned(base.path(), |_| ());
        assert_eq!(sweep(base.path()).removed_folders, [dead]);
        assert!(living.path().exists());
        assert!(base.path().join("benchwright-notes").exists());
        assert!(base.path().join("other-1-x").exists());
    }

    #[test]
    fn ends_a_recorded_process_but_not_one_that_only_has_its_pid() {
        use std::os::unix::process::CommandExt;
        let base = tempfile::tempdir().unwrap();
        let start = || Command::new("sleep").arg("600").stdin(Stdio::null()).process_group(0).spawn().unwrap();
        let (mut recorded, mut stranger) = (start(), start());
        let recorded_identity = ProcessIdentity::of(recorded.id());
        let mistaken = ProcessIdentity { pid: stranger.id(), started: Some(1) };
        abandoned(base.path(), |ownership| ownership.processes = vec![recorded_identity, mistaken]);
        let report = sweep(base.path());
        assert_eq!(report.ended_processes, [recorded.id()]);
        assert!(!recorded_identity.is_running());
        assert!(stranger.try_wait().unwrap().is_none());
        stranger.kill().unwrap();
        stranger.wait().unwrap();
        recorded.wait().unwrap();
    }

    #[test]
    fn a_folder_from_before_the_last_boot_goes_although_its_pid_is_in_use_again() {
        let base = tempfile::tempdir().unwrap();
        let folder = abandoned(base.path(), |ownership| {
            ownership.owner = ProcessIdentity::own();
            ownership.processes = vec![ProcessIdentity::own()];
            ownership.boot = Some("another boot".to_owned());
        });
        let report = sweep(base.path());
        assert_eq!(report.removed_folders, [folder]);
        assert_eq!(report.ended_processes, [0; 0]);
    }

    #[test]
    fn pids_of_another_container_are_not_judged() {
        let base = tempfile::tempdir().unwrap();
        let folder = abandoned(base.path(), |ownership| ownership.pid_space = Some("pid:[1]".to_owned()));
        assert_eq!(sweep(base.path()), SweepReport::default());
        assert!(folder.exists());
    }

    #[test]
    fn a_garbled_ledger_and_a_planted_link_kill_nothing() {
        let base = tempfile::tempdir().unwrap();
        let folder = abandoned(base.path(), |_| ());
        fs::write(folder.join(FILE_NAME), b"{\"format\":1,").unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let link = base.path().join(format!("benchwright-x-{DEAD_PID}-link"));
        std::os::unix::fs::symlink(elsewhere.path(), &link).unwrap();
        let report = sweep(base.path());
        assert_eq!(report.removed_folders, [folder]);
        assert_eq!(report.ended_processes, [0; 0]);
        assert!(elsewhere.path().exists() && link.is_symlink());
    }

    #[test]
    fn a_base_that_is_not_there_is_already_clean() {
        assert_eq!(sweep(Path::new("/no/such/folder")), SweepReport::default());
    }
}
