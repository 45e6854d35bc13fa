//! A page may not lead the browser to this machine or its network, unless the user typed the address.
#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

mod support;

use benchwright_fixtures::{Server, Site};
use std::io::Read;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use support::{Corner, score};

/// A service nobody should reach, and how often it was.
fn secret_service() -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let visits = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&visits);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            counter.fetch_add(1, Ordering::SeqCst);
            let _ = stream.and_then(|mut stream| stream.read(&mut [0; 64]));
        }
    });
    (port, visits)
}

fn page(body: &str) -> Site {
    Site::html(format!(
        "<!doctype html><html lang=en><title>A page that reaches out</title><h1>A page that reaches out</h1>{body}"
    ))
}

#[test]
fn requests_redirects_and_sockets_to_local_addresses_are_refused() {
    let (port, visits) = secret_service();
    let reaching = format!(
        "<script>for (const host of ['127.0.0.1', 'localhost', '[::1]', '0.0.0.0', '2130706433']) {{ \
         fetch(`http://${{host}}:{port}/`).catch(() => {{}}); new WebSocket(`ws://${{host}}:{port}/`); }}\
         fetch('http://169.254.169.254/latest/meta-data/').catch(() => {{}});</script>\
         <img src=http://localhost:{port}/a.png alt=secret><iframe src=http://127.0.0.1:{port}/ title=secret></iframe>"
    );
    let server = Server::start(page(&reaching)).unwrap();
    let corner = Corner::new();
    corner.run(&["score", &server.url(), "--only", "f1,v4", "--quiet"]).expect_code(0);
    assert_eq!(visits.load(Ordering::SeqCst), 0, "the service was reached");
    let f1 = &corner.report()["scorers"]["f1"];
    assert_eq!(f1["score"], 1.0, "the page itself is the user's own address");
    let note = f1["details"]["notes"][0].as_str().unwrap();
    assert!(note.contains(&format!("127.0.0.1:{port}")) && note.contains("--allow-local"), "{note}");
    corner.assert_left_clean();
}

/// Scores an address that leads to a local one, and expects that nobody went there and that the report says why.
fn leads_nowhere(server: &Server, path: &str, visits: &AtomicUsize) {
    let corner = Corner::new();
    corner.run(&["score", &server.url_of(path), "--only", "f1,f5", "--quiet"]);
    assert_eq!(visits.load(Ordering::SeqCst), 0, "{path}: the service was reached");
    let report = corner.report();
    assert_eq!(score(&report, "f1"), 0.0, "{path}");
    let headline = report["headline"].as_str().unwrap();
    assert!(headline.contains("a local address") && headline.contains("--allow-local"), "{path}: {headline}");
    corner.assert_left_clean();
}

#[test]
fn a_script_that_goes_to_a_local_address_ends_with_a_reason() {
    let (port, visits) = secret_service();
    let jump = format!("<script>location.replace('http://localhost:{port}/')</script>");
    let server = Server::start(page(&jump)).unwrap();
    leads_nowhere(&server, "/", &visits);
}

#[test]
fn a_server_that_redirects_to_a_local_address_ends_with_a_reason() {
    let (port, visits) = secret_service();
    let server = Server::start(
        Site::html("unused")
            .redirect("/loopback", &format!("http://localhost:{port}/"))
            .redirect("/private", "http://10.0.0.1/")
            .redirect("/metadata", "http://169.254.169.254/latest/meta-data/")
            .redirect("/twice", "/loopback"),
    )
    .unwrap();
    for path in ["/private", "/metadata", "/twice"] {
        leads_nowhere(&server, path, &visits);
    }
}

#[test]
fn what_a_page_loads_may_not_be_redirected_to_a_local_address() {
    let (port, visits) = secret_service();
    let loading = "<img src=/picture alt=secret><script>fetch('/data').catch(() => {})</script>";
    let inside = format!("http://127.0.0.1:{port}/");
    let server = Server::start(page(loading).redirect("/picture", &inside).redirect("/data", &inside)).unwrap();
    let corner = Corner::new();
    corner.run(&["score", &server.url(), "--only", "f1,v4", "--quiet"]).expect_code(0);
    assert!(server.requests().iter().any(|request| request.path() == "/picture"), "the page was not loaded");
    assert_eq!(visits.load(Ordering::SeqCst), 0, "the service was reached");
    let note = corner.report()["scorers"]["f1"]["details"]["notes"][0].as_str().unwrap().to_owned();
    assert!(note.contains(&format!("127.0.0.1:{port}")), "{note}");
}

#[test]
fn whoever_trusts_the_page_can_let_it_reach_local_addresses() {
    let (port, visits) = secret_service();
    let picture = format!("<img src=http://localhost:{port}/a.png alt=trusted>");
    let server = Server::start(page(&picture)).unwrap();
    let corner = Corner::new();
    corner.run(&["score", &server.url(), "--only", "f1", "--allow-local", "--quiet"]).expect_code(0);
    assert!(visits.load(Ordering::SeqCst) > 0, "the picture was not asked for");
    let report = corner.report();
    assert_eq!(report["provenance"]["settings"]["allow_local"], true, "the report says what was allowed");
    assert!(!report["scorers"]["f1"]["details"].to_string().contains("--allow-local"), "nothing was refused");
}
