//! What stands in for Docker here is a script that answers as Docker does.

use super::*;
use crate::allowance::Allowance;
use crate::packages::RegistryAccess;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;
use tempfile::TempDir;
use tokio::net::TcpListener;

const LONG: Duration = Duration::from_mins(2);
const REFUSES: &str = "echo 'no' >&2; exit 1";

/// A command that contains the words is answered by the lines of script behind them, every other one by success and silence.
fn stand_in(answers: &[(&str, &str)]) -> (TempDir, Docker) {
    let folder = tempfile::tempdir().unwrap();
    let lines: Vec<String> = answers.iter().map(|(words, script)| format!("*\"{words}\"*) {script} ;;\n")).collect();
    let program = folder.path().join("docker");
    fs::write(&program, format!("#!/bin/bash\ncase \"$*\" in\n{}esac\n", lines.concat())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    // A program that another test is about to start may hold the file open for a moment, and then nobody can start it.
    while Command::new(&program).status().is_err_and(|error| error.kind() == ErrorKind::ExecutableFileBusy) {}
    let scratch = Arc::new(Scratch::new(&folder.path().join("scratch"), "test").unwrap());
    let compose = vec![program.clone().into(), "compose".into()];
    (folder, Docker { program, compose, host: None, scratch, version: String::new() })
}

async fn fetched(answers: &[(&str, &str)], image: &str) -> Result<(), ContainerError> {
    let (_folder, docker) = stand_in(answers);
    let images = Images::begin(docker, "template-test".to_owned()).unwrap();
    let fetched = images.fetch(&Base(image.to_owned()), LONG).await;
    assert!(images.remove().await);
    fetched
}

#[tokio::test]
async fn an_image_that_cannot_be_fetched_now_is_no_fault_of_the_app() {
    let busy = ("pull --quiet", "echo 'toomanyrequests: You have reached your pull rate limit.' >&2; exit 1");
    let error = fetched(&[("image inspect", REFUSES), busy], "node:22-alpine").await.unwrap_err();
    assert!(error.is_environment() && error.to_string().contains("toomanyrequests"), "{error}");
    fetched(&[busy], "node:22-alpine").await.unwrap();
    let local = fetched(&[("image inspect", REFUSES)], "127.0.0.1:5000/app").await.unwrap_err();
    assert!(matches!(local, ContainerError::NoImage { .. }), "nobody is asked: {local}");
}

#[tokio::test]
async fn steps_that_an_image_adds_to_builds_are_told() {
    let told = r#"echo '[{"Config": {"OnBuild": ["ADD http://10.0.0.1/ /x", "RUN true"]}}]'"#;
    for (told, steps) in [(told, 2), (r#"echo '[{"Config": {"OnBuild": null}}]'"#, 0), ("echo '[{}]'", 0)] {
        let (_folder, docker) = stand_in(&[("image inspect", told)]);
        let images = Images::begin(docker, "template-test".to_owned()).unwrap();
        assert_eq!(images.triggers(&Base("acme/app".to_owned())).await.unwrap().len(), steps, "{told}");
        images.remove().await;
    }
}

/// Builds with a builder that is a script, and a registry at a port of this machine where nobody listens.
async fn built(builder: &str, version: &str) -> ContainerError {
    let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let gateway = ("network inspect", "echo 127.0.0.1");
    let builder = builder.replace("REGISTRY", &format!("127.0.0.1:{port}"));
    let (folder, docker) = stand_in(&[("build --force-rm", &builder), gateway, ("version --format", version)]);
    let images = Images::begin(docker, "template-test".to_owned()).unwrap();
    let access = RegistryAccess::at(&format!("http://127.0.0.1:{port}/")).unwrap();
    let build = Build {
        service: "app".to_owned(),
        context: folder.path().to_owned(),
        dockerfile: folder.path().join("Dockerfile"),
        arguments: Vec::new(),
        target: None,
    };
    let registries = [access.host()];
    let error = images.build(&build, &access, &registries, &Allowance::default(), LONG).await.unwrap_err();
    assert!(images.remove().await);
    error
}

#[tokio::test]
async fn a_build_fails_for_the_app_only_where_docker_and_the_packages_were_there() {
    let error = built("echo 'The command npm ci returned a non-zero code: 1'; exit 1", "echo 20").await;
    assert!(!error.is_environment() && error.log().unwrap().contains("non-zero code"), "{error}");
    let asks = r#"all="$*"; address=${all#*HTTP_PROXY=http://}; address=${address%% *}
        exec 3<>/dev/tcp/${address%:*}/${address#*:}; printf 'CONNECT REGISTRY HTTP/1.1\r\n\r\n' >&3; head -n 1 <&3; exit 1"#;
    let error = built(asks, "echo 20").await;
    assert!(error.is_environment() && error.to_string().contains("could not be reached"), "{error}");
    let error = built("exit 1", "echo 'Cannot connect to the Docker daemon' >&2; exit 1").await;
    assert!(error.is_environment() && error.to_string().contains("Cannot connect"), "{error}");
}

async fn started(answers: &[(&str, &str)], limit: Duration) -> ContainerError {
    let (folder, docker) = stand_in(answers);
    let project = Project {
        name: "instance-test".to_owned(),
        file: folder.path().join("compose.json"),
        service: "app".to_owned(),
        ports: vec![1],
        folder: folder.path().to_owned(),
        disk_bytes: 1 << 30,
        log_bytes: 10_000,
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    project.start(docker, limit, listener).await.unwrap_err()
}

#[tokio::test]
async fn where_no_container_could_be_made_docker_is_to_blame_unless_the_app_asked_too_much() {
    let crowded = (" up --detach", "echo 'could not find an available, non-overlapping IPv4 address pool' >&2; exit 1");
    let error = started(&[crowded], LONG).await;
    assert!(error.is_environment() && error.to_string().contains("address pool"), "{error}");
    let error = started(&[crowded, ("config --quiet", REFUSES)], LONG).await;
    assert!(!error.is_environment(), "{error}");
    let twice = (" up --detach", "echo 'Duplicate mount point: /data' >&2; exit 1");
    let error = started(&[twice], LONG).await;
    assert!(!error.is_environment() && error.log().unwrap().contains("Duplicate mount point"), "{error}");
    let one = [crowded, ("--no-trunc", "echo 'c0ffee app'"), ("logs --follow c0ffee", "echo 'no database'")];
    let error = started(&one, LONG).await;
    assert!(!error.is_environment() && error.log().unwrap().contains("no database"), "{error}");
}

#[tokio::test]
async fn where_docker_hangs_the_app_is_not_what_is_silent() {
    let hangs = (" up --detach", "sleep 600");
    let soon = Duration::from_secs(1);
    let error = started(&[hangs], soon).await;
    assert!(error.is_environment() && error.to_string().contains("after 1 s"), "{error}");
    let gone = ("--no-trunc", "echo 'Cannot connect to the Docker daemon' >&2; exit 1");
    let error = started(&[hangs, gone], soon).await;
    assert!(error.is_environment() && error.to_string().contains("Cannot connect"), "{error}");
    let one = ("--no-trunc", "echo 'c0ffee app'");
    let error = started(&[hangs, one], soon).await;
    assert!(matches!(error, ContainerError::Silent { .. }), "{error}");
}
