//! Floods, deaf programs and grandchildren.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod support;

use benchwright_sandbox::process::{Foreign, Limits, Program, Stream, run};
use std::time::Duration;
use support::{LONG, eventually, processes_mentioning};

fn shell(script: &str) -> Program {
    Program::new("/bin/sh").args(["-c", script])
}

fn limits(time: Duration) -> Limits {
    Limits { time, stdout_bytes: 10_000 }
}

#[tokio::test]
async fn input_goes_in_and_output_and_status_come_out() {
    let finished = run(&shell("cat; echo oops >&2; exit 3"), b"hello", limits(LONG), None).await.unwrap();
    assert_eq!(finished.stdout, b"hello");
    assert_eq!(finished.stderr_tail, "oops\n");
    assert_eq!(finished.status.and_then(|status| status.code()), Some(3));
    assert!(!finished.succeeded() && !finished.timed_out && !finished.truncated);
}

#[tokio::test]
async fn the_environment_is_exactly_what_was_given() {
    let program = Program { environment: vec![("ONLY".into(), "this".into())], ..Program::new("/usr/bin/env") };
    let finished = run(&program, &[], limits(LONG), None).await.unwrap();
    assert_eq!(String::from_utf8_lossy(&finished.stdout), "ONLY=this\n");
}

#[tokio::test]
async fn an_endless_flood_is_cut_and_its_program_ended() {
    let finished = run(&Program::new("/usr/bin/yes"), &[], limits(LONG), None).await.unwrap();
    assert!(finished.truncated && !finished.timed_out);
    assert_eq!(finished.stdout.len(), 10_000);
    assert_eq!(finished.status, None);
}

#[tokio::test]
async fn of_a_flood_on_stderr_the_end_is_kept() {
    let script = "i=0; while [ $i -lt 20000 ]; do echo 0123456789 >&2; i=$((i+1)); done; echo the end >&2";
    let finished = run(&shell(script), &[], limits(LONG), None).await.unwrap();
    assert!(finished.succeeded());
    assert!(finished.stderr_tail.len() < 70_000, "{}", finished.stderr_tail.len());
    assert!(finished.stderr_tail.ends_with("the end\n"));
    assert!(finished.stderr_tail.contains("earlier bytes left out"));
}

#[tokio::test]
async fn a_program_over_its_time_is_ended_with_its_children() {
    let finished =
        run(&shell("sleep 598765 & sleep 598766"), &[], limits(Duration::from_millis(300)), None).await.unwrap();
    assert!(finished.timed_out && finished.status.is_none());
    assert_eq!(processes_mentioning("59876"), [0; 0]);
}

#[tokio::test]
async fn a_program_that_does_not_read_its_input_does_not_block_us() {
    let input = vec![b'x'; 4 * 1024 * 1024];
    let finished = run(&shell("exec <&-; echo done"), &input, limits(LONG), None).await.unwrap();
    assert_eq!(finished.stdout, b"done\n");
    assert!(finished.succeeded());
}

#[tokio::test]
async fn children_left_behind_end_with_their_program() {
    let mut foreign = Foreign::spawn(&shell("sleep 587654 & exit 0"), Stream::Null, Stream::Null, None).unwrap();
    assert!(foreign.wait(LONG).await.unwrap().is_some());
    assert_eq!(processes_mentioning("587654"), [0; 0]);
}

#[tokio::test]
async fn who_ignores_the_request_to_end_is_killed() {
    let script = "trap '' TERM; while :; do sleep 576543; done";
    let mut foreign = Foreign::spawn(&shell(script), Stream::Null, Stream::Null, None).unwrap();
    eventually("it has begun", || processes_mentioning("sleep\x00576543").len() == 1).await;
    foreign.kill().await;
    assert!(!foreign.is_running());
    assert_eq!(processes_mentioning("576543"), [0; 0]);
}

#[tokio::test]
async fn dropping_kills_the_whole_group() {
    let foreign = Foreign::spawn(&shell("sleep 565432 & sleep 565433"), Stream::Null, Stream::Null, None).unwrap();
    eventually("both have begun", || processes_mentioning("sleep\x0056543").len() == 2).await;
    drop(foreign);
    eventually("both have ended", || processes_mentioning("sleep\x0056543").is_empty()).await;
}
