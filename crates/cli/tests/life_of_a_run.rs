//! A run from its first load to its rescored report.

#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

mod support;

use benchwright_fixtures::{Server, Site};
use serde_json::Value;
use std::fs;
use support::{Corner, Said, WITHOUT_LIGHTHOUSE, outcome, score, signal, wait_until};

fn clean_app() -> Server {
    Server::start(Site::app("clean").secured()).unwrap()
}

#[test]
fn a_page_without_faults_scores_full_marks_everywhere() {
    let server = clean_app();
    let corner = Corner::new();
    corner.run(&["score", &server.url(), "--only", WITHOUT_LIGHTHOUSE, "--quiet"]).expect_code(0);
    let report = corner.report();
    for id in WITHOUT_LIGHTHOUSE.split(',') {
        assert_eq!(score(&report, id), 1.0, "{id}: {:#}", report["scorers"][id]["details"]);
    }
    assert_eq!(report["composite"], 100.0);
    corner.assert_left_clean();
}

#[test]
fn rescoring_gives_the_identical_reports_without_browser_node_or_network() {
    let server = Server::start(Site::app("harbor-coffee")).unwrap();
    let corner = Corner::new();
    corner.run(&["score", &server.url(), "--only", WITHOUT_LIGHTHOUSE, "--quiet"]).expect_code(0);
    drop(server);
    let names = ["report.html", "report.json", "report.md"];
    let before = names.map(|name| fs::read(corner.out().join(name)).unwrap());
    let mut command = corner.command(&["rescore", "benchwright-report", "--quiet", "--out", "again"]);
    Said::of(&command.env("PATH", "/nowhere").env("BENCHWRIGHT_INSTRUMENTS", "/nowhere").output().unwrap())
        .expect_code(0);
    for (name, before) in names.iter().zip(before) {
        assert_eq!(fs::read(corner.path("work/again").join(name)).unwrap(), before, "{name} differs");
    }
}

#[test]
fn what_is_published_of_a_run_holds_no_path_of_this_machine() {
    let server = clean_app();
    let corner = Corner::new();
    let source = corner.path("home/a-private-place/app");
    fs::create_dir_all(&source).unwrap();
    fs::write(source.join("index.js"), "export const a = 1;\nconsole.log(a);\n").unwrap();
    let named = source.to_str().unwrap();
    corner.run(&["score", &server.url(), "--only", "f1,c1,s1,s2", "--source", named, "--quiet"]).expect_code(0);
    assert!(score(&corner.report(), "c1") < 1.0, "the source was read");
    // Only what `resume` needs knows the place, and that file is in no archive of the run.
    let places = corner.run_folder().join("places.json");
    assert!(fs::read_to_string(&places).unwrap().contains(named));
    fs::remove_file(&places).unwrap();
    assert_eq!(corner.output_contains("a-private-place"), None);
    corner.run(&["rescore", "benchwright-report", "--quiet"]).expect_code(0);
    assert_eq!(corner.report()["subject"]["source"], "app");
}

#[test]
fn a_killed_run_continues_from_the_evidence_it_has() {
    let server = Server::start(Site::app("harbor-coffee")).unwrap();
    let whole = Corner::new();
    whole.run(&["score", &server.url(), "--only", WITHOUT_LIGHTHOUSE, "--quiet"]).expect_code(0);
    let whole = whole.report();
    for pieces in [0, 1, 3] {
        let corner = Corner::new();
        let mut child = corner.start(&["score", &server.url(), "--only", WITHOUT_LIGHTHOUSE, "--quiet"]);
        wait_until("the run got far enough", || {
            corner.out().join("runs").exists()
                && fs::read_dir(corner.out().join("runs")).unwrap().next().is_some()
                && corner.run_folder().join("log").metadata().is_ok_and(|log| log.len() > 0)
                && corner.gathered().len() >= pieces
        });
        signal(child.id(), "KILL");
        child.wait().unwrap();
        let kept = corner.gathered();
        wait_until("the browser ends with us", || corner.processes().is_empty());
        corner.run(&["doctor", "--clean"]).expect_code(0);
        corner.assert_left_clean();
        corner.run(&["resume", "benchwright-report", "--quiet"]).expect_code(0);
        let report = corner.report();
        for id in WITHOUT_LIGHTHOUSE.split(',') {
            assert_eq!(report["scorers"][id]["score"], whole["scorers"][id]["score"], "{id} after {pieces} pieces");
        }
        let now = corner.gathered();
        assert_eq!(now[..kept.len()], kept[..], "what was gathered is not gathered again");
        assert_eq!(now.iter().filter(|kind| *kind == "load").count(), 1);
        assert!(corner.run_folder().join("run.json").exists());
    }
}

#[test]
fn a_run_that_was_cut_off_can_be_looked_at_and_says_what_is_missing() {
    let server = clean_app();
    let corner = Corner::new();
    let mut child = corner.start(&["score", &server.url(), "--only", WITHOUT_LIGHTHOUSE, "--quiet"]);
    wait_until("the load is there", || corner.gathered().contains(&"load".to_owned()));
    signal(child.id(), "KILL");
    child.wait().unwrap();
    corner.run(&["rescore", "benchwright-report", "--quiet"]).expect_code(0);
    let report = corner.report();
    assert_eq!(score(&report, "f1"), 1.0);
    assert_eq!(report["rankable"], false);
    let missing = report["scorers"].as_object().unwrap().values().filter(|scorer| scorer["outcome"] == "errored");
    assert!(missing.clone().count() > 0);
    for scorer in missing {
        assert!(scorer["reason"].as_str().unwrap().contains("benchwright resume"), "{scorer}");
    }
    wait_until("the browser ends with us", || corner.processes().is_empty());
}

#[test]
fn the_gate_can_be_read_both_ways() {
    let server = Server::start(Site::app("blank-script")).unwrap();
    let corner = Corner::new();
    corner.run(&["score", &server.url(), "--quiet"]).expect_code(0);
    let report = corner.report();
    assert_eq!(score(&report, "f1"), 0.0, "inline script is not text");
    assert_eq!(outcome(&report, "c4"), "no_input");
    corner.run(&["rescore", "benchwright-report", "--gate", "zero", "--quiet"]).expect_code(0);
    let report = corner.report();
    for id in ["f5", "c3", "c4", "c9", "v2", "v4"] {
        assert_eq!(score(&report, id), 0.0, "{id}");
    }
    assert_eq!(outcome(&report, "f2"), "no_input", "what could not be asked without a prompt is not zero");
    assert_eq!(report["rankable"], false);
}

#[test]
fn credentials_open_the_door_and_are_found_nowhere_afterwards() {
    let other =
        Server::start(Site::default().page("/pixel.svg", "image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg'/>"))
            .unwrap();
    let page = format!(
        "<!doctype html><html lang=en><title>A page with a guest</title><h1>Hello there, visitor</h1><img alt='' src='http://localhost:{}/pixel.svg'>",
        other.port()
    );
    let server = Server::start(Site::html(page).header("Set-Cookie", "session=topsecretvalue; Path=/")).unwrap();
    let corner = Corner::new();
    let arguments = ["score", &server.url(), "--only", "f1,f5,c4", "--quiet", "--header", "X-Door: opensesame-header"];
    let more = ["--allow-local", "--cookie", "door=opensesame-cookie", "--basic-auth", "me:opensesame-password"];
    corner.run(&[&arguments[..], &more].concat()).expect_code(0);
    let seen = server.requests();
    assert_eq!(seen[0].header("x-door"), Some("opensesame-header"));
    assert!(seen[0].header("cookie").is_some_and(|cookie| cookie.contains("door=opensesame-cookie")));
    for request in other.requests() {
        assert_eq!(request.header("x-door"), None, "a header went to another origin");
        assert_eq!(request.header("authorization"), None, "a password went to another origin");
    }
    assert!(!other.requests().is_empty(), "the other origin was asked");
    for secret in ["opensesame", "topsecretvalue"] {
        assert_eq!(corner.output_contains(secret), None, "`{secret}` was kept");
    }
    let report = corner.report();
    assert_eq!(outcome(&report, "c4"), "no_input", "Lighthouse would send the header everywhere");
    assert!(report["provenance"]["settings"]["access"].as_str().unwrap().contains("header X-Door"));
}

#[test]
fn a_scorer_of_the_users_own_stands_in_the_report_at_weight_zero() {
    let server = clean_app();
    let corner = Corner::new();
    let settings = format!(
        "url = '{}'\nonly = ['f1']\nquiet = true\n[[scorer]]\nid = 'long-enough'\ncommand = ['sh', './long-enough.sh']\n",
        server.url(),
    );
    fs::write(corner.path("work/benchwright.toml"), settings).unwrap();
    let script = r#"grep -q visible_text_length && echo '{"outcome":"scored","score":0.25}'"#;
    fs::write(corner.path("work/long-enough.sh"), script).unwrap();
    corner.run(&["score"]).expect_code(0);
    let report = corner.report();
    assert_eq!(score(&report, "long-enough"), 0.25, "{}", report["scorers"]["long-enough"]);
    assert_eq!(report["scorers"]["long-enough"]["share"], 0.0);
    assert_eq!(report["composite"], 100.0);
    corner.run(&["rescore", "benchwright-report", "--quiet"]).expect_code(0);
    assert_eq!(corner.report(), report, "the command's answer is evidence; it is not asked again");
}

#[test]
fn thresholds_and_printing() {
    let server = clean_app();
    let corner = Corner::new();
    let said = corner.run(&["score", &server.url(), "--only", "f1", "--json", "--fail-under", "99"]).expect_code(0);
    let printed: Value = serde_json::from_str(&said.stdout).expect("standard output is report.json alone");
    assert_eq!(printed, corner.report());
    assert!(said.stderr.contains("loading the page"), "progress is plain lines off a terminal: {}", said.stderr);
    let said = corner.run(&["rescore", "benchwright-report", "--quiet", "--fail-under", "100"]).expect_code(0);
    assert_eq!((said.stdout.as_str(), said.stderr.as_str()), ("", ""));

    let server = Server::start(Site::app("blank-script")).unwrap();
    let corner = Corner::new();
    let said = corner.run(&["score", &server.url(), "--only", "f1", "--fail-under", "50"]).expect_code(1);
    said.expect_error(&["0.0 is below the threshold of 50"]);
}

#[test]
fn a_second_run_into_the_same_folder_keeps_the_first() {
    let server = clean_app();
    let corner = Corner::new();
    for _ in 0..2 {
        corner.run(&["score", &server.url(), "--only", "f1", "--quiet"]).expect_code(0);
    }
    assert_eq!(fs::read_dir(corner.out().join("runs")).unwrap().count(), 2);
}

#[test]
fn our_own_report_passes_our_own_checks() {
    let server = Server::start(Site::app("harbor-coffee")).unwrap();
    let corner = Corner::new();
    corner.run(&["score", &server.url(), "--only", WITHOUT_LIGHTHOUSE, "--quiet"]).expect_code(0);
    let own = Server::start(Site::html(fs::read_to_string(corner.out().join("report.html")).unwrap())).unwrap();
    let arguments = ["score", &own.url(), "--only", "f1,f5,c3,v2,v4", "--quiet", "--out", "own"];
    corner.run(&arguments).expect_code(0);
    let report: Value = serde_json::from_slice(&fs::read(corner.path("work/own/report.json")).unwrap()).unwrap();
    for id in ["f1", "f5", "c3", "v2", "v4"] {
        assert_eq!(score(&report, id), 1.0, "{id}: {:#}", report["scorers"][id]["details"]);
    }
}

#[test]
fn a_run_that_comes_to_nothing_is_not_taken_for_the_series_before_it() {
    let corner = Corner::new();
    fs::create_dir(corner.out()).unwrap();
    for name in ["runs.json", "runs.md"] {
        fs::write(corner.out().join(name), "{}").unwrap();
    }
    // Nobody listens on the port that the system has just given away and taken back.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    corner.run(&["score", &format!("http://{free}/"), "--only", "f1", "--quiet"]).expect_code(2);
    for name in ["runs.json", "runs.md"] {
        assert!(!corner.out().join(name).exists(), "{name}");
    }
}
