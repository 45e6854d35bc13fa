//! Apps that take more than their share, without containers.

use crate::support::{Site, eventually, get};

const MIB: u64 = 1024 * 1024;

#[tokio::test]
async fn an_app_that_multiplies_is_held_and_gone_afterwards() {
    let mut site = Site::new();
    site.settings.allowance.processes = 120;
    let (prepared, instance) = site.start("fork-bomb").await;
    assert!(instance.enforced()["processes"].starts_with("120 ("));
    get(&instance, "/").await;
    let sleepers = || std::fs::read_dir("/proc").unwrap().flatten().filter(|entry| is_sleeper(&entry.path())).count();
    eventually("the bomb goes off, or is ended for it", || sleepers() > 20 || !instance.is_running()).await;
    assert!(sleepers() <= 120);
    instance.stop().await;
    eventually("nobody sleeps on", || sleepers() == 0).await;
    prepared.finish().await;
    site.assert_nothing_is_left().await;
}

/// Told from other people's by how long it wants to sleep.
fn is_sleeper(process: &std::path::Path) -> bool {
    std::fs::read(process.join("cmdline")).is_ok_and(|line| line == b"sleep\x00617\x00")
}

#[tokio::test]
async fn an_app_that_fills_the_disk_is_ended_and_its_log_says_why() {
    let mut site = Site::new();
    site.settings.allowance.disk_bytes = 64 * MIB;
    let (prepared, instance) = site.start("fills-the-disk").await;
    eventually("the app is ended", || !instance.is_running()).await;
    let log = instance.log().unwrap();
    assert!(log.contains("more than 64 MiB") || log.contains("EFBIG"), "{log}");
    instance.stop().await;
    prepared.finish().await;
    site.assert_nothing_is_left().await;
}

#[tokio::test]
async fn an_app_that_eats_memory_is_ended() {
    let mut site = Site::new();
    site.settings.allowance.memory_bytes = 320 * MIB;
    let (prepared, instance) = site.start("eats-memory").await;
    get(&instance, "/").await;
    eventually("the app is ended", || !instance.is_running()).await;
    instance.stop().await;
    prepared.finish().await;
    site.assert_nothing_is_left().await;
}

#[tokio::test]
async fn of_an_endless_log_the_end_is_kept() {
    let mut site = Site::new();
    site.settings.allowance.log_bytes = 20_000;
    let (_prepared, instance) = site.start("endless-log").await;
    eventually("the log is longer than what is kept", || instance.log().unwrap().contains("earlier bytes left out"))
        .await;
    assert!(instance.log().unwrap().len() < 21_000);
    assert!(get(&instance, "/").await.contains("Listen to me"));
}
