//! The backend without containers.

use crate::support::{Site, eventually, get};
use benchwright_vibe::deploy::Prepared;
use tokio::net::TcpListener;

#[tokio::test]
async fn every_instance_begins_with_the_submitted_data_and_shares_nothing() {
    let site = Site::new();
    let bundle = site.bundle("notebook");
    let (prepared, one) = site.start("notebook").await;
    let other = prepared.start().await.unwrap();
    assert_ne!(one.origin(), other.origin());
    assert!(get(&one, "/?note=only+here").await.contains("only here"));
    let page = get(&other, "/").await;
    assert!(page.contains("the submitted note") && !page.contains("only here"), "{page}");
    one.stop().await;
    let fresh = prepared.start().await.unwrap();
    let page = get(&fresh, "/").await;
    assert!(page.contains("the submitted note") && !page.contains("only here"), "{page}");
    assert!(fresh.log().unwrap().contains("notebook is open"));
    assert!(fresh.is_running());
    fresh.stop().await;
    other.stop().await;
    prepared.finish().await;
    site.assert_nothing_is_left().await;
    assert_eq!(bundle.hash(), site.bundle("notebook").hash(), "the bundle is only read");
}

#[tokio::test]
async fn an_instance_that_was_started_ahead_is_as_fresh_as_any_and_none_is_started_in_vain() {
    let mut site = Site::new();
    site.settings.ahead = 1;
    let prepared = site.prepare("notebook").await.unwrap();
    prepared.expect(2);
    let first = prepared.start().await.unwrap();
    get(&first, "/?note=of+the+first").await;
    first.stop().await;
    let second = prepared.start().await.unwrap();
    assert!(!get(&second, "/").await.contains("of the first"));
    second.stop().await;
    eventually("nobody runs although nobody is awaited", || site.processes().is_empty()).await;
    prepared.finish().await;
    site.assert_nothing_is_left().await;
}

#[tokio::test]
async fn what_was_started_ahead_goes_when_nobody_wants_it() {
    let mut site = Site::new();
    site.settings.ahead = 2;
    let (prepared, instance) = site.start("notebook").await;
    drop(instance);
    drop(prepared);
    site.assert_nothing_is_left().await;
}

#[tokio::test]
async fn with_shared_state_there_is_one_instance_for_all() {
    let mut site = Site::new();
    site.settings.shared_state = true;
    let (prepared, one) = site.start("notebook").await;
    get(&one, "/?note=for+all").await;
    one.stop().await;
    let other = prepared.start().await.unwrap();
    assert!(get(&other, "/").await.contains("for all"));
    drop(other);
    prepared.finish().await;
    site.assert_nothing_is_left().await;
}

#[tokio::test]
async fn files_are_served_as_they_are_and_an_address_is_taken_as_it_is() {
    let site = Site::new();
    let (prepared, instance) = site.start("only-files").await;
    assert!(get(&instance, "/").await.contains("<h1>Only files</h1>"));
    assert_eq!((prepared.backend(), instance.log()), ("native", None));
    let elsewhere = Prepared::at("http://127.0.0.1:9/");
    let there = elsewhere.start().await.unwrap();
    assert_eq!((elsewhere.backend(), there.origin()), ("none", "http://127.0.0.1:9/"));
    assert!(there.is_running());
}

#[tokio::test]
async fn an_app_that_does_not_start_is_to_blame_and_its_log_is_kept() {
    let mut site = Site::new();
    let prepared = site.prepare("crashes-at-start").await.unwrap();
    let error = prepared.start().await.unwrap_err();
    assert!(!error.is_environment(), "{error}");
    assert!(error.log().unwrap().contains("no database at db:5432"), "{error}");
    prepared.finish().await;
    site.settings.start_seconds = 4.0;
    let prepared = site.prepare("never-listens").await.unwrap();
    let error = prepared.start().await.unwrap_err();
    assert!(!error.is_environment() && error.to_string().contains("within 4 s"), "{error}");
    prepared.finish().await;
    site.assert_nothing_is_left().await;
}

#[tokio::test]
async fn a_wrong_port_and_a_deaf_ear_change_nothing() {
    let site = Site::new();
    for (name, heading) in [("wrong-port", "Over here"), ("ignores-sigterm", "Still here")] {
        let (prepared, instance) = site.start(name).await;
        assert!(get(&instance, "/").await.contains(heading));
        instance.stop().await;
        prepared.finish().await;
        site.assert_nothing_is_left().await;
    }
}

#[tokio::test]
async fn an_app_made_for_a_container_is_looked_for_where_that_would_be_reached() {
    let mut site = Site::new();
    let prepared = site.prepare_contained("notebook", "").await.unwrap();
    let instance = prepared.start().await.unwrap();
    assert!(get(&instance, "/").await.contains("the submitted note"));
    instance.stop().await;
    prepared.finish().await;
    site.settings.start_seconds = 15.0;
    let prepared = site.prepare_contained("wrong-port", "").await.unwrap();
    let error = prepared.start().await.unwrap_err();
    assert!(!error.is_environment() && error.to_string().contains("nothing in it answered"), "{error}");
    prepared.finish().await;
    site.assert_nothing_is_left().await;
}

#[tokio::test]
async fn neither_the_network_nor_this_machine_is_reached() {
    let site = Site::new();
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let (_prepared, instance) = site.start("reaches-out").await;
    for (host, port) in [("127.0.0.1", port), ("localhost", port), ("1.1.1.1", 53), ("169.254.169.254", 80)] {
        let page = get(&instance, &format!("/?host={host}&port={port}")).await;
        assert!(page.contains("kept out"), "{host}:{port}: {page}");
    }
}
