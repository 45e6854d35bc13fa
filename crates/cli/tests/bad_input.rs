//! Bad input gets a clear error, ends within its time limit, keeps what was gathered, and leaves nothing behind.

#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

mod support;

use benchwright_fixtures::{Dying, Hostile, SelfSigned, Server, Site, refused_port};
use std::process::Command;
use support::{Corner, Said, WITHOUT_LIGHTHOUSE, outcome, score, signal, wait_until};

/// Scores an address and expects that nothing there could be scored.
fn nothing_there(url: &str, words: &[&str]) {
    let corner = Corner::new();
    let said = corner.run(&["score", url, "--timeout", "3", "--quiet"]).expect_code(2);
    said.expect_error(words);
    let report = corner.report();
    assert!(report["headline"].as_str().unwrap().starts_with("Did not render"), "{}", report["headline"]);
    assert_eq!(report["rankable"], false);
    assert_eq!(score(&report, "f1"), 0.0);
    assert_eq!(outcome(&report, "c3"), "no_input");
    assert_eq!(report["scorers"]["c3"]["reason"], "page did not render");
    corner.assert_left_clean();
}

/// Scores an address whose server answers with something that is not a page that renders.
fn does_not_render(path: &str, words: &[&str]) {
    let server = Hostile::start().unwrap();
    let corner = Corner::new();
    corner.run(&["score", &server.url(path), "--timeout", "15", "--quiet"]).expect_code(0);
    let report = corner.report();
    let headline = report["headline"].as_str().unwrap();
    assert!(headline.starts_with("Did not render"), "{headline}");
    for word in words {
        assert!(headline.to_lowercase().contains(word), "`{word}` is not in: {headline}");
    }
    assert_eq!(report["rankable"], false);
    assert_eq!(outcome(&report, "v4"), "no_input");
    corner.assert_left_clean();
}

/// Scores an evil page that does render, and expects every scorer but the named ones to come through.
fn survives(path: &str, limited: &[&str]) -> serde_json::Value {
    let server = Hostile::start().unwrap();
    let corner = Corner::new();
    corner.run(&["score", &server.url(path), "--only", WITHOUT_LIGHTHOUSE, "--quiet"]).expect_code(0);
    let report = corner.report();
    assert_eq!(score(&report, "f1"), 1.0, "{}", report["headline"]);
    for id in WITHOUT_LIGHTHOUSE.split(',').filter(|id| !limited.contains(id)) {
        assert_eq!(outcome(&report, id), "scored", "{id}: {}", report["scorers"][id]["reason"]);
    }
    corner.assert_left_clean();
    report
}

#[test]
fn a_dead_host() {
    nothing_there("http://no-such-host.invalid/", &["nothing to score", "no-such-host.invalid"]);
}

#[test]
fn a_refused_port() {
    nothing_there(&format!("http://127.0.0.1:{}/", refused_port().unwrap()), &["nothing listens"]);
}

#[test]
fn a_server_that_accepts_and_never_answers() {
    let server = Hostile::start().unwrap();
    nothing_there(&server.url("/hang"), &["3 s"]);
}

#[test]
fn an_endless_redirect() {
    let server = Hostile::start().unwrap();
    nothing_there(&server.url("/redirect-loop"), &["redirect"]);
}

#[test]
fn a_server_that_does_not_speak_http() {
    let server = Hostile::start().unwrap();
    nothing_there(&server.url("/garbage"), &["nothing to score"]);
}

#[test]
fn a_self_signed_certificate_is_refused_and_can_be_accepted() {
    let server = SelfSigned::start(Site::app("clean")).unwrap();
    nothing_there(&server.url(), &["certificate", "--accept-invalid-certificates"]);
    let corner = Corner::new();
    let arguments = ["score", &server.url(), "--accept-invalid-certificates", "--only", "f1,c3", "--quiet"];
    corner.run(&arguments).expect_code(0);
    assert_eq!(score(&corner.report(), "f1"), 1.0);
}

#[test]
fn a_page_that_drips_for_ever() {
    let server = Hostile::start().unwrap();
    let corner = Corner::new();
    corner.run(&["score", &server.url("/drip"), "--timeout", "3", "--only", "f1", "--quiet"]);
    assert_eq!(score(&corner.report(), "f1"), 0.0);
    corner.assert_left_clean();
}

#[test]
fn a_server_error() {
    does_not_render("/500", &["500"]);
}

#[test]
fn no_content() {
    does_not_render("/204", &["204"]);
}

#[test]
fn a_pdf() {
    does_not_render("/pdf", &[]);
}

#[test]
fn a_download() {
    does_not_render("/download", &["download"]);
}

#[test]
fn a_page_of_200_mb() {
    // How far the browser gets before its parser gives up the time limit depends on the machine; either way it is said.
    let server = Hostile::start().unwrap();
    let corner = Corner::new();
    corner.run(&["score", &server.url("/huge"), "--timeout", "15", "--quiet"]);
    let report = corner.report();
    let headline = report["headline"].as_str().unwrap();
    assert!(
        headline.starts_with("Did not render") && (headline.contains("MB") || headline.contains("15 s")),
        "{headline}"
    );
    corner.assert_left_clean();
}

#[test]
fn a_deployment_protection_wall() {
    does_not_render("/wall", &["401"]);
}

#[test]
fn an_endless_loop_while_loading() {
    let server = Hostile::start().unwrap();
    let corner = Corner::new();
    corner.run(&["score", &server.url("/loop-before-load"), "--timeout", "3", "--only", "f1,c3", "--quiet"]);
    assert_eq!(score(&corner.report(), "f1"), 0.0);
    corner.assert_left_clean();
}

#[test]
fn an_endless_loop_after_loading() {
    let server = Hostile::start().unwrap();
    let corner = Corner::new();
    corner.run(&["score", &server.url("/loop"), "--only", "f1,c3", "--quiet"]).expect_code(0);
    let report = corner.report();
    assert_eq!(score(&report, "f1"), 0.0, "{}", report["headline"]);
    corner.assert_left_clean();
}

#[test]
fn endless_alerts() {
    does_not_render("/alerts", &["dialog"]);
}

#[test]
fn twenty_thousand_nodes() {
    survives("/nodes", &["c3"]);
}

#[test]
fn ten_thousand_console_lines() {
    let report = survives("/spam", &[]);
    let bytes = serde_json::to_vec(&report).unwrap().len();
    assert!(bytes < 300_000, "a flooded console must not flood the report: {bytes} bytes");
}

#[test]
fn a_page_that_polls_for_ever() {
    survives("/poll", &[]);
}

#[test]
fn markup_in_every_text_reaches_no_report_unescaped() {
    let server = Hostile::start().unwrap();
    let corner = Corner::new();
    corner.run(&["score", &server.url("/xss"), "--only", WITHOUT_LIGHTHOUSE, "--quiet"]).expect_code(0);
    let html = std::fs::read_to_string(corner.out().join("report.html")).unwrap();
    assert!(!html.contains("<script") && !html.contains("<img src=x"), "markup of the page is in the report");
    assert!(html.contains("&lt;") || html.contains("&#60;"), "the page's texts are shown, escaped");
}

#[test]
fn a_server_that_dies_half_way_keeps_what_was_gathered() {
    let server = Dying::serving(Site::app("clean"), 3).unwrap();
    let corner = Corner::new();
    corner.run(&["score", &server.url(), "--only", WITHOUT_LIGHTHOUSE, "--quiet"]).expect_code(0);
    let report = corner.report();
    assert_eq!(score(&report, "f1"), 1.0);
    assert_eq!(outcome(&report, "c9"), "scored");
    assert_eq!(outcome(&report, "v4"), "errored", "the narrow viewports could not be loaded any more");
    assert_eq!(report["rankable"], false);
    assert!(report["headline"].as_str().unwrap().contains("V4"), "{}", report["headline"]);
    corner.assert_left_clean();
}

#[test]
fn a_tab_that_crashes() {
    let server = Hostile::start().unwrap();
    let corner = Corner::new();
    let child = corner.start(&["score", &server.url("/hang"), "--only", "f1,c3", "--timeout", "60"]);
    let renderers = || corner.processes().into_iter().filter(|(_, line)| line.contains("--type=renderer"));
    wait_until("the page is being loaded", || !server.requests().is_empty() && renderers().next().is_some());
    for (pid, _) in renderers() {
        signal(pid, "KILL");
    }
    let said = Said::of(&child.wait_with_output().unwrap());
    let report = corner.report();
    assert!(report["headline"].as_str().unwrap().contains("crash"), "{}\n{}", report["headline"], said.stderr);
    corner.assert_left_clean();
}

#[test]
fn a_browser_that_is_killed_is_started_once_more() {
    let server = Server::start(Site::app("clean")).unwrap();
    let corner = Corner::new();
    let child = corner.start(&["score", &server.url(), "--only", WITHOUT_LIGHTHOUSE, "--quiet"]);
    let browser = || corner.processes().into_iter().find(|(_, line)| !line.contains("--type=")).map(|(pid, _)| pid);
    wait_until("the page is being loaded", || !server.requests().is_empty() && browser().is_some());
    signal(browser().unwrap(), "KILL");
    Said::of(&child.wait_with_output().unwrap()).expect_code(0);
    let report = corner.report();
    assert_eq!(score(&report, "f1"), 1.0, "{}", report["headline"]);
    assert_eq!(outcome(&report, "v4"), "scored", "{}", report["scorers"]["v4"]["reason"]);
    corner.assert_left_clean();
}

#[test]
fn ctrl_c_keeps_what_was_gathered_and_the_run_can_be_continued() {
    let server = Server::start(Site::app("clean")).unwrap();
    let corner = Corner::new();
    let child = corner.start(&["score", &server.url(), "--only", WITHOUT_LIGHTHOUSE]);
    wait_until("the first piece is there", || corner.out().exists() && !server.requests().is_empty());
    signal(child.id(), "INT");
    let said = Said::of(&child.wait_with_output().unwrap());
    said.expect_code(130).expect_error(&["interrupted", "benchwright resume"]);
    corner.assert_left_clean();
    corner.run(&["resume", "benchwright-report", "--quiet"]).expect_code(0);
    assert_eq!(score(&corner.report(), "v4"), 1.0);
}

#[test]
fn no_browser() {
    let corner = Corner::new();
    let said = Said::of(&corner.command(&["score", "http://127.0.0.1:1/"]).env("PATH", "/nowhere").output().unwrap());
    said.expect_code(3).expect_error(&["chromium"]);
    let said = corner.run(&["score", "http://127.0.0.1:1/", "--browser", "/no/such/browser"]);
    said.expect_code(3).expect_error(&["/no/such/browser"]);
}

#[test]
fn no_instruments() {
    let corner = Corner::new();
    let mut command = corner.command(&["score", "http://127.0.0.1:1/"]);
    let said = Said::of(&command.env("BENCHWRIGHT_INSTRUMENTS", "/nowhere").output().unwrap());
    said.expect_code(3).expect_error(&["instruments", "cargo xtask setup"]);
}

#[test]
fn a_full_disk() {
    let corner = Corner::new();
    let server = Server::start(Site::app("clean")).unwrap();
    // A tiny file system of its own; needs the right to mount, which root has and a user namespace gives to the others.
    let script = format!(
        "mount -t tmpfs -o size=64k none '{out}' && exec '{binary}' score {url} --only f1 --quiet --out '{out}'",
        out = corner.path("home").display(),
        binary = env!("CARGO_BIN_EXE_benchwright"),
        url = server.url(),
    );
    let mut command = Command::new("unshare");
    // Root may mount as it is, and inside a chroot nobody gets a user namespace.
    let as_root = if benchwright_sandbox::process::is_root() { None } else { Some("--map-root-user") };
    command.arg("--mount").args(as_root).args(["sh", "-c", &script]).env("TMPDIR", corner.path("tmp"));
    let said = Said::of(&command.output().unwrap());
    said.expect_code(3).expect_error(&["disk is full"]);
    corner.assert_left_clean();
}

#[test]
fn a_folder_that_cannot_be_written() {
    let corner = Corner::new();
    std::fs::write(corner.path("work/taken"), "a file, not a folder").unwrap();
    let server = Server::start(Site::app("clean")).unwrap();
    corner.run(&["score", &server.url(), "--out", "taken/here"]).expect_code(3).expect_error(&["taken"]);
}

#[test]
fn words_that_make_no_sense() {
    let corner = Corner::new();
    std::fs::write(corner.path("work/broken.yaml"), "id: broken\ntier: 9\nprompt: short\n").unwrap();
    std::fs::write(corner.path("work/broken.toml"), "colour = \"red\"\n").unwrap();
    for (arguments, words) in [
        (&["score"][..], &["address"][..]),
        (&["score", "app.example"], &["https://app.example"]),
        (&["score", "file:///etc/passwd"], &["http and https"]),
        (&["score", "http://a.example", "--only", "f3"], &["`f3`", "f1, f2, f4"]),
        (&["score", "http://a.example", "--source", "nowhere"], &["nowhere"]),
        (&["score", "http://a.example", "--prompt", "nowhere.yaml"], &["nowhere.yaml"]),
        (&["score", "http://a.example", "--prompt", "broken.yaml"], &["broken.yaml"]),
        (&["score", "http://a.example", "--config", "broken.toml"], &["broken.toml", "colour"]),
        (&["score", "http://a.example", "--fail-under", "101"], &["0 and 100"]),
        (&["score", "http://a.example", "--prompt", "no-such-prompt"], &["no-such-prompt", "harbor-coffee-landing"]),
        (&["score", "http://a.example", "--routes", "//b.example/"], &["another origin"]),
        (&["score", "http://a.example", "--signed-in"], &["--accounts"]),
        (&["score", "http://a.example", "--runs", "0"], &["--runs 0", "1 and 50"]),
        (&["score", "http://a.example", "--baseline", "nowhere"], &["nowhere"]),
        (&["score", "http://a.example", "--format", "pdf"], &["pdf"]),
        (&["batch", "nowhere.yaml"], &["nowhere.yaml"]),
        (&["compare", "nowhere", "nowhere"], &["nowhere"]),
        (&["score", "http://a.example", "--header", "nonsense"], &["NAME:VALUE"]),
        (&["rescore", "nowhere"], &["nowhere"]),
        (&["resume", "nowhere"], &["nowhere"]),
        (&["explain", "f3"], &["`f3`"]),
        (&["frobnicate"], &["frobnicate"]),
    ] {
        corner.run(arguments).expect_code(2).expect_error(words);
    }
    assert!(!corner.out().exists(), "nothing is written for bad input");
}
