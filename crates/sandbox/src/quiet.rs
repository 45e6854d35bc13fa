//! The machine-wide lock named quiet: held exclusively while Lighthouse measures, shared by everything else.
//!
//! There are two files. Whoever wants the lock passes the gate first. A waiting exclusive taker keeps the gate, so
//! that those who hold the lock already finish and nobody new enters: it cannot starve. The kernel releases both when
//! their holder dies.

use crate::{Result, SandboxError};
use rustix::fs::{FlockOperation, Mode, OFlags, flock};
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::time::{Instant, sleep};

const POLL: Duration = Duration::from_millis(20);

/// Where the lock is unless a setting says otherwise: one file for all users of the machine.
pub fn default_lock_path() -> PathBuf {
    PathBuf::from("/tmp/benchwright-quiet.lock")
}

/// The lock, held until dropped.
#[derive(Debug)]
pub struct QuietLock {
    // Closing the file releases the lock.
    _held: File,
}

impl QuietLock {
    /// Waits until nobody holds the lock exclusively.
    pub async fn shared(path: &Path, limit: Duration) -> Result<Self> {
        let (gate, lock) = open_both(path)?;
        let deadline = Instant::now() + limit;
        loop {
            // The gate is held for this moment only: it must not be in the way of an exclusive taker.
            let entered = attempt(&gate, FlockOperation::NonBlockingLockShared, path)?
                && attempt(&lock, FlockOperation::NonBlockingLockShared, path)?;
            let _ = flock(&gate, FlockOperation::Unlock);
            if entered {
                return Ok(Self { _held: lock });
            }
            pause(path, deadline, limit).await?;
        }
    }

    /// Waits until nobody else holds the lock at all.
    pub async fn exclusive(path: &Path, limit: Duration) -> Result<Self> {
        let (gate, lock) = open_both(path)?;
        let deadline = Instant::now() + limit;
        for file in [&gate, &lock] {
            while !attempt(file, FlockOperation::NonBlockingLockExclusive, path)? {
                pause(path, deadline, limit).await?;
            }
        }
        drop(gate);
        Ok(Self { _held: lock })
    }
}

async fn pause(path: &Path, deadline: Instant, limit: Duration) -> Result<()> {
    if Instant::now() >= deadline {
        return Err(SandboxError::QuietLockBusy { path: path.to_owned(), seconds: limit.as_secs_f64() });
    }
    sleep(POLL).await;
    Ok(())
}

fn attempt(file: &File, operation: FlockOperation, path: &Path) -> Result<bool> {
    match flock(file, operation) {
        Ok(()) => Ok(true),
        Err(Errno::WOULDBLOCK | Errno::INTR) => Ok(false),
        Err(error) => Err(SandboxError::QuietLock { path: path.to_owned(), source: error.into() }),
    }
}

fn open_both(path: &Path) -> Result<(File, File)> {
    let mut gate = path.as_os_str().to_owned();
    gate.push(".gate");
    Ok((open(Path::new(&gate))?, open(path)?))
}

/// Opens a lock file that any user may have made. Reading is enough to lock it.
fn open(path: &Path) -> Result<File> {
    let failed = |source: io::Error| SandboxError::QuietLock { path: path.to_owned(), source };
    // Not created when it exists: in a shared folder Linux refuses `O_CREAT` on somebody else's file.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    for _ in 0..3 {
        match rustix::fs::open(path, flags, Mode::empty()) {
            Ok(file) => return Ok(file.into()),
            Err(Errno::NOENT) => {}
            Err(error) => return Err(failed(error.into())),
        }
        let mode = Mode::from_raw_mode(0o666);
        match rustix::fs::open(path, flags | OFlags::CREATE | OFlags::EXCL, mode) {
            Ok(file) => {
                // Against the mask of whoever is first; the others can live with less.
                let _ = rustix::fs::fchmod(&file, mode);
                return Ok(file.into());
            }
            // Somebody was quicker.
            Err(Errno::EXIST) => {}
            Err(error) => return Err(failed(error.into())),
        }
    }
    Err(failed(io::Error::other("it comes and goes")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    const SOON: Duration = Duration::from_millis(100);
    const LONG: Duration = Duration::from_mins(1);

    fn lock_path() -> (tempfile::TempDir, PathBuf) {
        let base = tempfile::tempdir().unwrap();
        let path = base.path().join("quiet.lock");
        (base, path)
    }

    #[tokio::test]
    async fn sharers_live_together_and_exclude_the_exclusive() {
        let (_base, path) = lock_path();
        let first = QuietLock::shared(&path, LONG).await.unwrap();
        let second = QuietLock::shared(&path, SOON).await.unwrap();
        let refused = QuietLock::exclusive(&path, SOON).await.unwrap_err();
        assert!(matches!(refused, SandboxError::QuietLockBusy { .. }));
        drop((first, second));
        let alone = QuietLock::exclusive(&path, LONG).await.unwrap();
        assert!(QuietLock::shared(&path, SOON).await.is_err());
        assert!(QuietLock::exclusive(&path, SOON).await.is_err());
        drop(alone);
        QuietLock::shared(&path, LONG).await.unwrap();
    }

    #[tokio::test]
    async fn a_waiting_exclusive_is_not_overtaken_by_new_sharers() {
        let (_base, path) = lock_path();
        let early = QuietLock::shared(&path, LONG).await.unwrap();
        let waiting = tokio::spawn({
            let path = path.clone();
            async move { QuietLock::exclusive(&path, LONG).await }
        });
        // Sharers may still enter until the exclusive taker has the gate; from then on none can.
        while QuietLock::shared(&path, Duration::ZERO).await.is_ok() {
            sleep(Duration::from_millis(5)).await;
        }
        assert!(!waiting.is_finished());
        drop(early);
        waiting.await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn a_taker_that_gives_up_leaves_the_gate_open() {
        let (_base, path) = lock_path();
        let _sharer = QuietLock::shared(&path, LONG).await.unwrap();
        QuietLock::exclusive(&path, SOON).await.unwrap_err();
        QuietLock::shared(&path, LONG).await.unwrap();
    }

    #[tokio::test]
    async fn everybody_may_use_the_files_and_links_are_not_followed() {
        let (base, path) = lock_path();
        QuietLock::shared(&path, LONG).await.unwrap();
        for name in ["quiet.lock", "quiet.lock.gate"] {
            let mode = std::fs::metadata(base.path().join(name)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o666);
        }
        let link = base.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let error = QuietLock::shared(&link, SOON).await.unwrap_err();
        assert!(matches!(error, SandboxError::QuietLock { .. }));
    }
}
