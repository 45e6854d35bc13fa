//! Against the real browser.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod support;

use benchwright_sandbox::process::is_root;
use benchwright_sandbox::{Launch, RunningChromium, SandboxError, Scratch, chromium};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;
use support::{LONG, browser, eventually, processes_mentioning, scratch};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

async fn launch(program: &Path, scratch: &Scratch, debugging_port: bool) -> Result<RunningChromium, SandboxError> {
    let as_root = is_root();
    let start_limit = LONG;
    let extra_args = Vec::new();
    chromium::launch(Launch { program, scratch, debugging_port, as_root, extra_args, start_limit }).await
}

fn fake_browser(folder: &Path, script: &str) -> std::path::PathBuf {
    let path = folder.join("browser");
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[tokio::test]
async fn the_version_is_told_without_the_builder() {
    let version = chromium::version(&browser()).await.unwrap();
    assert!(version.contains("Chrom") && version.contains(char::is_numeric), "{version}");
    assert!(!version.contains("built on"), "{version}");
}

#[tokio::test]
async fn the_pipe_can_be_handed_on_and_its_end_ends_the_browser() {
    let (_base, scratch) = scratch();
    let mut running = launch(&browser(), &scratch, false).await.unwrap();
    assert!(running.product.starts_with("Chrome/"), "{}", running.product);
    assert_eq!(running.port, None);
    let (mut reader, mut writer) = running.take_pipe().unwrap();
    assert!(running.take_pipe().is_none());
    writer.write_all(b"{\"id\":7,\"method\":\"Target.getTargets\"}\0").await.unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(b"\0") {
        assert_ne!(reader.read_buf(&mut answer).await.unwrap(), 0);
    }
    assert!(String::from_utf8_lossy(&answer).contains("\"id\":7"));
    drop((reader, writer));
    eventually("the browser ends with its pipe", || !running.is_running()).await;
    running.close().await;
}

#[tokio::test]
async fn a_browser_with_a_port_answers_there_too_and_leaves_nothing_behind() {
    let (base, scratch) = scratch();
    let mut running = launch(&browser(), &scratch, true).await.unwrap();
    let port = running.port.unwrap();
    let mut connection = tokio::net::TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let request = format!("GET /json/version HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n");
    connection.write_all(request.as_bytes()).await.unwrap();
    let mut answer = vec![0; 2048];
    let length = connection.read(&mut answer).await.unwrap();
    assert!(String::from_utf8_lossy(&answer[..length]).starts_with("HTTP/1.1 200"));
    assert!(running.is_running());
    running.close().await;
    assert_eq!(processes_mentioning(scratch.path().to_str().unwrap()), [0; 0]);
    drop(scratch);
    assert_eq!(std::fs::read_dir(base.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn a_scratch_folder_with_a_long_name_does_not_stop_the_browser() {
    let base = tempfile::tempdir().unwrap();
    let scratch = Scratch::new(&base.path().join("a-long-name/".repeat(12)), "test").unwrap();
    let running = launch(&browser(), &scratch, true).await.unwrap();
    let ours = format!("benchwright-tmp-{}-", std::process::id());
    let short_folders = || {
        let names = std::fs::read_dir("/tmp").unwrap().flatten().map(|entry| entry.file_name());
        names.filter(|name| name.to_string_lossy().starts_with(&ours)).count()
    };
    assert_eq!(short_folders(), 1);
    running.close().await;
    assert_eq!(short_folders(), 0);
}

#[tokio::test]
async fn two_browsers_share_a_scratch_folder_but_no_profile() {
    let (_base, scratch) = scratch();
    let program = browser();
    let (first, second) = tokio::join!(launch(&program, &scratch, true), launch(&program, &scratch, true));
    let (first, second) = (first.unwrap(), second.unwrap());
    assert_ne!(first.port, second.port);
    let second_pid = second.pid();
    drop(second);
    eventually("a dropped browser is killed", || !processes_mentioning("profile-").contains(&second_pid)).await;
    first.close().await;
}

#[tokio::test]
async fn a_browser_that_ends_at_once_is_told_with_its_last_words() {
    let (base, scratch) = scratch();
    let program = fake_browser(base.path(), "echo 'missing libnss3.so' >&2; exit 127");
    let error = launch(&program, &scratch, false).await.unwrap_err();
    assert!(matches!(error, SandboxError::BrowserExited { .. }), "{error:?}");
    let text = error.to_string();
    assert!(text.contains("missing libnss3.so") && text.contains("127"), "{text}");
}

#[tokio::test]
async fn a_browser_that_stays_silent_is_given_up_and_killed() {
    let (base, scratch) = scratch();
    let program = fake_browser(base.path(), "sleep 600");
    let start_limit = Duration::from_millis(300);
    let launch = Launch {
        program: &program,
        scratch: &scratch,
        debugging_port: false,
        as_root: false,
        extra_args: vec![format!("--mark={}", base.path().display())],
        start_limit,
    };
    let error = chromium::launch(launch).await.unwrap_err();
    assert!(matches!(error, SandboxError::BrowserSilent { .. }), "{error:?}");
    assert_eq!(processes_mentioning(&format!("--mark={}", base.path().display())), [0; 0]);
}

#[tokio::test]
async fn a_program_that_is_not_there_is_an_error() {
    let (_base, scratch) = scratch();
    let error = launch(Path::new("/no/such/browser"), &scratch, false).await.unwrap_err();
    assert!(matches!(error, SandboxError::BrowserExited { .. }), "{error:?}");
}
