//! What is left when a run is killed without a chance to clean up.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod support;

use benchwright_sandbox::process::ProcessIdentity;
use benchwright_sandbox::{QuietLock, SandboxError, sweep};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use support::{LONG, browser, eventually, processes_mentioning};

struct Held {
    probe: Child,
    process: ProcessIdentity,
    scratch: PathBuf,
}

fn hold(base: &Path, order: &Value) -> Held {
    let mut probe =
        Command::new(env!("CARGO_BIN_EXE_sandbox-probe")).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = probe.stdin.take().unwrap();
    let mut order = order.clone();
    order["base"] = json!(base);
    writeln!(stdin, "{order}").unwrap();
    let mut line = String::new();
    BufReader::new(probe.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let held: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"));
    let process = ProcessIdentity::of(held["pid"].as_u64().unwrap().try_into().unwrap());
    Held { probe, process, scratch: held["scratch"].as_str().unwrap().into() }
}

fn kill_without_warning(probe: &mut Child) {
    probe.kill().unwrap();
    probe.wait().unwrap();
}

#[tokio::test]
async fn a_browser_does_not_outlive_a_killed_parent() {
    let base = tempfile::tempdir().unwrap();
    let mut held = hold(base.path(), &json!({"browser": browser()}));
    let mark = held.scratch.to_str().unwrap().to_owned();
    assert!(processes_mentioning(&mark).contains(&held.process.pid));
    kill_without_warning(&mut held.probe);
    eventually("every process of the browser ends", || processes_mentioning(&mark).is_empty()).await;
    let report = sweep(base.path());
    assert_eq!(report.removed_folders.len(), 1);
    assert!(!held.scratch.exists());
}

#[tokio::test]
async fn a_sweep_ends_what_does_not_end_by_itself() {
    let base = tempfile::tempdir().unwrap();
    let mut held = hold(base.path(), &json!({}));
    assert!(sweep(base.path()).removed_folders.is_empty(), "its owner lives");
    assert!(held.process.is_running());
    kill_without_warning(&mut held.probe);
    assert!(held.process.is_running(), "nothing tells it that its parent is gone");
    let report = sweep(base.path());
    assert_eq!(report.ended_processes, [held.process.pid]);
    assert!(!held.process.is_running());
    assert!(!held.scratch.exists());
    assert!(sweep(base.path()).removed_folders.is_empty(), "and there is nothing left to do");
}

#[tokio::test]
async fn a_killed_holder_of_the_quiet_lock_releases_it() {
    let base = tempfile::tempdir().unwrap();
    let lock = base.path().join("quiet.lock");
    let mut held = hold(base.path(), &json!({"lock": lock}));
    let refused = QuietLock::shared(&lock, Duration::from_millis(100)).await.unwrap_err();
    assert!(matches!(refused, SandboxError::QuietLockBusy { .. }), "{refused:?}");
    kill_without_warning(&mut held.probe);
    QuietLock::exclusive(&lock, LONG).await.unwrap();
    assert_eq!(sweep(base.path()).removed_folders, [held.scratch]);
}
