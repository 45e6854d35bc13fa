//! The backend with containers. One test, because every Docker service takes its time and the same addresses.

use crate::support::{LONG, Site, eventually, get};
use benchwright_fixtures::Docker;
use benchwright_vibe::deploy::{Backend, DeployError};
use std::time::Duration;
use tokio::net::TcpListener;

const MIB: u64 = 1024 * 1024;
const MOST_PROCESSES: u64 = 60;

#[tokio::test]
async fn apps_in_containers_behave_and_are_held_like_those_behind_walls() {
    let Some(docker) = Docker::start() else { return };
    let mut site = Site::new();
    site.settings.backend = Backend::Compose;
    site.settings.workshop.docker_host = Some(docker.host().to_owned());
    data_are_restored(&site, &docker).await;
    what_was_dropped_goes(&site, &docker).await;
    builds_fetch_packages_and_nothing_else(&site).await;
    images_that_cannot_be_had_are_told_apart(&site).await;
    apps_that_do_not_start_keep_their_logs(&mut site, &docker).await;
    links_are_no_part_of_what_is_mounted(&site, &docker).await;
    nobody_is_reached(&site).await;
    shares_are_kept(&mut site).await;
    memory_is_held(&mut site).await;
    processes_are_held(&mut site).await;
    refusals_come_before_anything_runs(&site).await;
    eventually("nothing is left in Docker", || docker.everything().is_empty()).await;
    site.assert_nothing_is_left().await;
}

async fn data_are_restored(site: &Site, docker: &Docker) {
    let prepared = site.prepare_contained("notebook", "volumes: ['./data:/app/data', 'kept:/kept']").await.unwrap();
    assert_eq!(prepared.backend(), "compose");
    let one = prepared.start().await.unwrap();
    let other = prepared.start().await.unwrap();
    assert_ne!(one.origin(), other.origin());
    assert!(get(&one, "/?note=only+here").await.contains("only here"));
    let page = get(&other, "/").await;
    assert!(page.contains("the submitted note") && !page.contains("only here"), "{page}");
    assert!(one.is_running() && one.log().unwrap().contains("notebook is open"));
    assert!(one.enforced()["memory"].contains("each container"));
    one.stop().await;
    let fresh = prepared.start().await.unwrap();
    assert!(!get(&fresh, "/").await.contains("only here"));
    fresh.stop().await;
    other.stop().await;
    assert!(docker.everything().iter().all(|line| line.starts_with("image ")), "{:?}", docker.everything());
    prepared.finish().await;
    assert_eq!(docker.everything(), [""; 0]);
}

async fn what_was_dropped_goes(site: &Site, docker: &Docker) {
    let prepared = site.prepare_contained("ignores-sigterm", "restart: always").await.unwrap();
    let instance = prepared.start().await.unwrap();
    assert!(get(&instance, "/").await.contains("Still here"));
    drop(instance);
    drop(prepared);
    eventually("the janitor has come", || docker.everything().is_empty()).await;
}

/// The steps of a build reach public addresses through our proxy, and this machine not at all.
async fn builds_fetch_packages_and_nothing_else(site: &Site) {
    let listener = TcpListener::bind(("0.0.0.0", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let ask = format!(
        "const [,, host] = process.argv; fetch('http://' + host + ':{port}/', {{signal: AbortSignal.timeout(4000)}})\
         .then(() => process.exit(0), () => process.exit(9))"
    );
    for host in ["127.0.0.1", "localhost"] {
        let step = format!("RUN node -e \"{ask}\" -- {host}");
        let error = site.prepare_with_step("notebook", &step).await.unwrap_err();
        assert!(!error.is_environment() && error.log().unwrap().contains("returned a non-zero code: 9"), "{error}");
    }
}

/// Whoever cannot reach a registry cannot say anything of an app that is built on one of its images; nobody asks this machine for one.
async fn images_that_cannot_be_had_are_told_apart(site: &Site) {
    let error = site.prepare_with_step("notebook", "FROM registry.invalid/acme/app:1").await.unwrap_err();
    assert!(error.is_environment(), "{error}");
    let error = site.prepare_with_step("notebook", "COPY --from=127.0.0.1:1/acme/app /x /x").await.unwrap_err();
    assert!(!error.is_environment() && error.to_string().contains("this machine"), "{error}");
    let error = site.prepare_with_step("notebook", "RUN --network=host true").await.unwrap_err();
    assert!(matches!(error, DeployError::Refused(_)), "{error}");
}

/// A service that may write to a folder cannot decide where what another one mounts from below it comes from. Mounts are looked up whenever a
/// container starts, so the other one is started again behind the swap.
async fn links_are_no_part_of_what_is_mounted(site: &Site, docker: &Docker) {
    let swap = "volumes: ['.:/all']\n    command: sh -c 'rm -rf /all/data && ln -s / /all/data && exec npm start'\n  \
                other:\n    image: node:22-alpine\n    volumes: ['./data:/seen']\n    \
                command: sh -c 'ls /seen && sleep 1000'";
    let prepared = site.prepare_contained("notebook", swap).await.unwrap();
    let instance = prepared.start().await.unwrap();
    let other = docker.run(&["ps", "--all", "--quiet", "--filter", "label=com.docker.compose.service=other"]);
    let seen = || docker.run(&["logs", other.trim()]);
    eventually("the other service has looked", || seen().contains("notes.txt")).await;
    docker.run(&["restart", "--time", "0", other.trim()]);
    eventually("it has looked again", || seen().lines().count() > 1).await;
    assert_eq!(seen(), "notes.txt\nnotes.txt\n");
    instance.stop().await;
    prepared.finish().await;
}

async fn apps_that_do_not_start_keep_their_logs(site: &mut Site, docker: &Docker) {
    let prepared = site.prepare_contained("crashes-at-start", "").await.unwrap();
    let error = prepared.start().await.unwrap_err();
    assert!(!error.is_environment() && error.log().unwrap().contains("no database at db:5432"), "{error}");
    prepared.finish().await;
    let usual = site.settings.start_seconds;
    site.settings.start_seconds = 15.0;
    let prepared = site.prepare_contained("never-listens", "").await.unwrap();
    let error = prepared.start().await.unwrap_err();
    assert!(
        error.to_string().contains("within 15 s") && error.log().unwrap().contains("waiting for a sign"),
        "{error}"
    );
    prepared.finish().await;
    site.settings.start_seconds = usual;
    assert_eq!(docker.everything(), [""; 0]);
}

async fn nobody_is_reached(site: &Site) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let prepared = site.prepare_contained("reaches-out", "").await.unwrap();
    let instance = prepared.start().await.unwrap();
    for (host, port) in [("127.0.0.1", port), ("1.1.1.1", 53), ("169.254.169.254", 80)] {
        let page = get(&instance, &format!("/?host={host}&port={port}")).await;
        assert!(page.contains("kept out"), "{host}:{port}: {page}");
    }
    instance.stop().await;
    prepared.finish().await;
}

async fn shares_are_kept(site: &mut Site) {
    let usual = site.settings.allowance;
    site.settings.allowance.disk_bytes = 64 * MIB;
    site.settings.allowance.log_bytes = 20_000;
    let prepared = site.prepare_contained("fills-the-disk", "").await.unwrap();
    let instance = prepared.start().await.unwrap();
    eventually("the app is ended", || !instance.is_running()).await;
    let log = instance.log().unwrap();
    assert!(log.contains("more than 64 MiB") || log.contains("EFBIG"), "{log}");
    instance.stop().await;
    prepared.finish().await;
    let prepared = site.prepare_contained("endless-log", "").await.unwrap();
    let instance = prepared.start().await.unwrap();
    eventually("the log is longer than what is kept", || instance.log().unwrap().contains("earlier bytes left out"))
        .await;
    assert!(instance.log().unwrap().len() < 22_000);
    instance.stop().await;
    prepared.finish().await;
    site.settings.allowance = usual;
}

async fn memory_is_held(site: &mut Site) {
    let usual = site.settings.allowance;
    site.settings.allowance.memory_bytes = 320 * MIB;
    let prepared = site.prepare_contained("eats-memory", "").await.unwrap();
    let instance = prepared.start().await.unwrap();
    get(&instance, "/").await;
    eventually("the app is ended", || !instance.is_running()).await;
    instance.stop().await;
    prepared.finish().await;
    site.settings.allowance = usual;
}

/// An app that multiplies gets as many processes and threads as it may have, and answers still.
async fn processes_are_held(site: &mut Site) {
    let usual = site.settings.allowance;
    site.settings.allowance.processes = MOST_PROCESSES;
    let prepared = site.prepare_contained("fork-bomb", "").await.unwrap();
    let instance = prepared.start().await.unwrap();
    let deadline = tokio::time::Instant::now() + LONG;
    // The bomb has gone off when a few more would be too many.
    while threads(&get(&instance, "/").await) + 10 < MOST_PROCESSES {
        assert!(tokio::time::Instant::now() < deadline, "the bomb never goes off");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    for _ in 0..10 {
        let page = get(&instance, "/").await;
        assert!(threads(&page) <= MOST_PROCESSES, "{page}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    instance.stop().await;
    prepared.finish().await;
    site.settings.allowance = usual;
}

/// What the page of an app that multiplies says.
fn threads(page: &str) -> u64 {
    let (_, told) = page.split_once("<h1>").unwrap();
    told.split_once(" threads").unwrap().0.parse().unwrap()
}

async fn refusals_come_before_anything_runs(site: &Site) {
    let error = site.prepare_contained("notebook", "privileged: true").await.unwrap_err();
    assert!(matches!(error, DeployError::Refused(_)) && error.to_string().contains("compose.yaml:6:"), "{error}");
    let mut elsewhere = Site::new();
    elsewhere.settings.backend = Backend::Compose;
    elsewhere.settings.workshop.docker_host = Some("unix:///no/such/socket".to_owned());
    let error = elsewhere.prepare_contained("notebook", "").await.unwrap_err();
    assert!(error.is_environment(), "{error}");
}
