//! Temporary folders that know whom they belong to.

mod ledger;
mod sweep;

pub use ledger::Ledger;
pub use sweep::{SweepReport, sweep};

use crate::{Result, SandboxError};
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

/// Every folder of ours begins with this.
const PREFIX: &str = "benchwright-";
/// How long processes that are still there may take to disappear when their folder goes.
const DISAPPEARANCE: Duration = Duration::from_secs(2);

/// A temporary folder `<base>/benchwright-<label>-<pid>-<random>`, open to its owner only and removed on drop.
///
/// Its `owner.json` tells who made it and which programs were started with it.
#[derive(Debug)]
pub struct Scratch {
    folder: TempDir,
    ledger: Arc<Ledger>,
}

impl Scratch {
    /// Makes a folder under `base`, which is made when missing. Of the label only letters, digits and dashes are kept.
    pub fn new(base: &Path, label: &str) -> Result<Self> {
        let failed = |source| SandboxError::Scratch { path: base.to_owned(), source };
        fs::create_dir_all(base).map_err(failed)?;
        let base = fs::canonicalize(base).map_err(failed)?;
        let label: String = label.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(40).collect();
        let prefix = format!("{PREFIX}{label}-{}-", std::process::id());
        let folder = private_folder(&prefix, &base).map_err(failed)?;
        spread(folder.path());
        let ledger = Arc::new(Ledger::open(folder.path(), &label)?);
        Ok(Self { folder, ledger })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Makes a folder in it, or takes the one that is there.
    pub fn folder(&self, name: &str) -> Result<PathBuf> {
        let path = self.path().join(name);
        match fs::create_dir_all(&path) {
            Ok(()) => Ok(path),
            Err(source) => Err(SandboxError::Scratch { path, source }),
        }
    }

    /// Makes a folder in it that was not there before.
    pub fn fresh_folder(&self, prefix: &str) -> Result<PathBuf> {
        private_folder(&format!("{prefix}-"), self.path())
            .map(TempDir::keep)
            .map_err(|source| SandboxError::Scratch { path: self.path().to_owned(), source })
    }

    /// The list of programs started with this folder.
    pub fn ledger(&self) -> Arc<Ledger> {
        Arc::clone(&self.ledger)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A browser that still writes would make the removal fail half-way.
        self.ledger.end_all(DISAPPEARANCE);
        remove_stubbornly(self.folder.path());
    }
}

fn private_folder(prefix: &str, base: &Path) -> io::Result<TempDir> {
    tempfile::Builder::new().prefix(prefix).permissions(fs::Permissions::from_mode(0o700)).tempdir_in(base)
}

/// Lets the folders in this one lie apart on an ext4 disk. It would put thousands of new files where those of the last run were just
/// deleted, and step over each of these for every new one: half the time of an install. Other file systems know no such wish.
#[cfg(target_os = "linux")]
fn spread(folder: &Path) {
    use rustix::fs::{IFlags, ioctl_getflags, ioctl_setflags};
    let Ok(folder) = fs::File::open(folder) else { return };
    let _ = ioctl_getflags(&folder).and_then(|flags| ioctl_setflags(&folder, flags | IFlags::TOPDIR));
}

#[cfg(not(target_os = "linux"))]
fn spread(_: &Path) {}

/// Removes a folder although somebody may just have put a last file into it.
fn remove_stubbornly(path: &Path) -> bool {
    for _ in 0..10 {
        match fs::remove_dir_all(path) {
            Ok(()) => return true,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return true,
            Err(_) => {
                open_to_us(path);
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    }
    !path.exists()
}

/// A foreign program may have closed a folder to everybody, us included.
fn open_to_us(folder: &Path) {
    let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_to_us(&entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_named_after_its_owner_and_goes_with_it() {
        let base = tempfile::tempdir().unwrap();
        let scratch = Scratch::new(&base.path().join("made/on demand"), "score/../x").unwrap();
        let path = scratch.path().to_owned();
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(name.starts_with(&format!("benchwright-scorex-{}-", std::process::id())), "{name}");
        assert!(path.join("owner.json").is_file());
        fs::write(scratch.folder("deep").unwrap().join("file"), "x").unwrap();
        drop(scratch);
        assert!(!path.exists());
    }

    #[test]
    fn only_the_owner_may_look_inside() {
        let base = tempfile::tempdir().unwrap();
        let scratch = Scratch::new(base.path(), "x").unwrap();
        assert_eq!(fs::metadata(scratch.path()).unwrap().permissions().mode() & 0o077, 0);
    }

    #[test]
    fn a_folder_that_somebody_closed_is_removed_all_the_same() {
        let base = tempfile::tempdir().unwrap();
        let scratch = Scratch::new(base.path(), "x").unwrap();
        let path = scratch.path().to_owned();
        let closed = scratch.folder("work/closed").unwrap();
        fs::write(closed.join("file"), "x").unwrap();
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
        drop(scratch);
        assert!(!path.exists());
    }

    #[test]
    fn fresh_folders_differ() {
        let base = tempfile::tempdir().unwrap();
        let scratch = Scratch::new(base.path(), "x").unwrap();
        assert_ne!(scratch.fresh_folder("profile").unwrap(), scratch.fresh_folder("profile").unwrap());
    }

    #[test]
    fn a_base_that_is_a_file_is_an_error_that_names_it() {
        let base = tempfile::tempdir().unwrap();
        let file = base.path().join("file");
        fs::write(&file, "").unwrap();
        let error = Scratch::new(&file, "x").unwrap_err().to_string();
        assert!(error.contains("file"), "{error}");
    }
}
