#![allow(dead_code, reason = "each test file uses its own part of this")]
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use benchwright_sandbox::{Instruments, Scratch, chromium};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// Generous: the tests share two noisy cores with other tests.
pub const LONG: Duration = Duration::from_secs(90);

pub fn scratch() -> (TempDir, Scratch) {
    let base = tempfile::tempdir().unwrap();
    let scratch = Scratch::new(base.path(), "test").unwrap();
    (base, scratch)
}

pub fn browser() -> PathBuf {
    let path = "/usr/local/bin:/usr/bin:/bin:/snap/bin:/opt/google/chrome";
    chromium::find(None, Some(OsStr::new(path))).expect("these tests need a browser; `cargo xtask setup` installs one")
}

pub fn instruments() -> Instruments {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../instruments");
    Instruments::locate(&root).expect("these tests need the instruments; run `cargo xtask setup`")
}

/// Waits for something that must happen, however slow the machine is.
pub async fn eventually(what: &str, mut happened: impl FnMut() -> bool) {
    let deadline = tokio::time::Instant::now() + LONG;
    while !happened() {
        assert!(tokio::time::Instant::now() < deadline, "waited in vain for: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Living processes whose command line mentions a text.
pub fn processes_mentioning(text: &str) -> Vec<u32> {
    std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|pid| {
            let read = |name| std::fs::read(format!("/proc/{pid}/{name}")).unwrap_or_default();
            // A zombie has an empty command line.
            *pid != std::process::id() && String::from_utf8_lossy(&read("cmdline")).contains(text)
        })
        .collect()
}
