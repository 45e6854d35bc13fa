//! The site among clients that mean no good: slow ones, idle ones, ones that send what is no request.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test may fail at once, and says what it skips")]

#[path = "support/running.rs"]
mod running;
mod support;

use benchwright_fixtures::{Schemathesis, Server, Site};
use running::Running;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::Duration;
use support::Corner;

const IDLE: usize = 10_000;

/// Files that this test and the site have open besides their connections.
const BESIDES: u64 = 300;
/// How long a site that has no room lets somebody wait who connects.
const PATIENCE: Duration = Duration::from_secs(20);

/// As many systems begin a process: room for a thousand files, though more are allowed.
fn with_little_room(command: &Command) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", r#"ulimit -Sn 1024 && exec "$0" "$@""#]).arg(command.get_program()).args(command.get_args());
    shell.current_dir(command.get_current_dir().unwrap()).stdin(Stdio::null()).stdout(Stdio::piped());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell
}

/// As many as ten thousand, where this machine allows that many files at all.
fn connections_allowed() -> usize {
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }).unwrap();
    let allowed = limit.maximum.map_or(IDLE as u64, |files| files.saturating_sub(BESIDES)) as usize;
    if allowed < IDLE {
        benchwright_fixtures::skip(&format!(
            "{IDLE} connections; the hard limit of this machine allows {allowed}, which were tested"
        ));
    }
    allowed.min(IDLE)
}

#[test]
fn ten_thousand_idle_connections_keep_nobody_out() {
    let corner = Corner::new();
    let serve = corner.command(&["serve", "--data", "data", "--listen", "127.0.0.1:0"]);
    let site = Running::of(with_little_room(&serve).spawn().unwrap());
    let address = site.host().parse().unwrap();
    let connect = |number| match TcpStream::connect_timeout(&address, PATIENCE) {
        Ok(stream) => stream,
        Err(error) => panic!("connection {number}: {error}"),
    };
    let idle: Vec<TcpStream> = (0..connections_allowed()).map(connect).collect();
    assert_eq!(site.get("/").0, 200);
    assert_eq!(site.get("/api/v1/status").0, 200);
    drop(idle);
    assert_eq!(site.get("/").0, 200);
}

#[test]
fn a_client_that_dribbles_is_let_go_and_others_are_served_meanwhile() {
    let corner = Corner::new();
    let site = Running::start(&corner, &[]);
    let mut slow: Vec<TcpStream> = (0..50).map(|_| TcpStream::connect(site.host()).unwrap()).collect();
    for stream in &mut slow {
        stream.write_all(b"GET / HTTP/1.1\r\nhost: x\r\nx-").unwrap();
    }
    assert_eq!(site.get("/").0, 200);
    let mut last = slow.pop().unwrap();
    last.set_read_timeout(Some(Duration::from_mins(2))).unwrap();
    let mut answer = Vec::new();
    // A head that never ends is cut off: the connection is closed, with or without a word.
    let ended = last.read_to_end(&mut answer);
    assert!(ended.is_ok() || ended.unwrap_err().kind() == std::io::ErrorKind::ConnectionReset);
    assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 408"), "{}", String::from_utf8_lossy(&answer));
    assert_eq!(site.get("/").0, 200);
}

#[test]
fn what_is_no_request_is_refused_and_nothing_breaks() {
    let corner = Corner::new();
    let site = Running::start(&corner, &[]);
    let long_header = format!("GET / HTTP/1.1\r\nhost: x\r\nx-long: {}\r\n\r\n", "x".repeat(100_000));
    let many_headers = format!("GET / HTTP/1.1\r\nhost: x\r\n{}\r\n", "x-a: b\r\n".repeat(2_000));
    let requests: [&[u8]; 10] = [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /\0 HTTP/1.1\r\nhost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nhost: x\r\nbad\x01name: y\r\n\r\n",
        b"GET / HTTP/1.1\r\nhost: x\r\na: b\r\n c: folded\r\n\r\n",
        b"POST /api/v1/jobs HTTP/1.1\r\nhost: x\r\ncontent-length: -5\r\n\r\n",
        b"POST /api/v1/jobs HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\nzzzzz\r\n",
        long_header.as_bytes(),
        many_headers.as_bytes(),
    ];
    for request in requests {
        let mut stream = TcpStream::connect(site.host()).unwrap();
        let _ = stream.write_all(request);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let head = String::from_utf8_lossy(&answer);
        let is_refused = answer.is_empty() || head.starts_with("HTTP/1.1 4");
        assert!(is_refused, "{:?}: {head}", String::from_utf8_lossy(&request[..request.len().min(60)]));
    }
    assert_eq!(site.get("/").0, 200);
}

#[test]
fn bodies_that_are_too_large_or_of_strangers_are_refused_before_they_are_read() {
    let corner = Corner::new();
    let arguments = ["token", "create", "--data", "data", "--name", "ada", "--scope", "submit"];
    let token = corner.run(&arguments).expect_code(0).stdout.trim().to_owned();
    let site = Running::start(&corner, &[]);
    let announced = |headers: &str, length: u64| {
        let mut stream = TcpStream::connect(site.host()).unwrap();
        let head = format!(
            "POST /api/v1/jobs HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{headers}content-length: {length}\r\n\r\n{{"
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).split(' ').nth(1).map(str::to_owned).unwrap_or_default()
    };
    let json = "content-type: application/json\r\n";
    assert_eq!(announced(json, 1 << 40), "401", "who has no token is not listened to");
    assert_eq!(announced(&format!("{json}authorization: Bearer bw_0_{}\r\n", "a".repeat(64)), 1 << 40), "401");
    assert_eq!(announced(&format!("{json}authorization: Bearer {token}\r\n"), 1 << 40), "413");
    assert_eq!(site.get("/").0, 200);
}

#[test]
fn forged_and_replayed_tokens_open_nothing() {
    let corner = Corner::new();
    let arguments = ["token", "create", "--data", "data", "--name", "ada", "--scope", "submit"];
    let token = corner.run(&arguments).expect_code(0).stdout.trim().to_owned();
    let id = token.split('_').nth(1).unwrap().to_owned();
    let site = Running::start(&corner, &[]);
    let asked = |token: &str| {
        let headers = format!("authorization: Bearer {token}\r\ncontent-type: application/json\r\n");
        site.post("/api/v1/jobs", &headers, br#"{"url":"https://app.example/"}"#).0
    };
    let last = token.chars().last().unwrap();
    let other = if last == 'a' { 'b' } else { 'a' };
    let forged = format!("{}{other}", &token[..token.len() - 1]);
    for wrong in [forged.as_str(), &token.to_uppercase(), &id, "' OR 1=1 --", "", &format!("{token}{token}")] {
        assert_eq!(asked(wrong), 401, "{wrong}");
    }
    assert_eq!(asked(&token), 201);
    corner.run(&["token", "revoke", &id, "--data", "data"]).expect_code(0);
    assert_eq!(asked(&token), 401, "a token that was seen once and is revoked opens nothing");
}

/// A request that changes something: method, target, headers, body.
type Change = (&'static str, String, String, String);

/// Everything on the site that changes something, as a page of the site would send it.
fn changes(site: &Running, token: &str, job: &str) -> Vec<Change> {
    let (_, head, page) = site.get("/submit");
    let cookie = head.lines().find_map(|line| line.strip_prefix("set-cookie: ")?.split(';').next()).unwrap();
    let page = String::from_utf8(page).unwrap();
    let proof = page.split_once("name=\"form\" value=\"").unwrap().1.split('"').next().unwrap();
    let form = |target: String| {
        let headers = format!("cookie: {cookie}\r\ncontent-type: application/x-www-form-urlencoded\r\n");
        ("POST", target, headers, format!("form={proof}&token={token}"))
    };
    let field =
        |name: &str, text: &str| format!("--XX\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{text}\r\n");
    let fields = [("form", proof), ("token", token), ("url", "https://app.example/")];
    let multipart = fields.map(|(name, text)| field(name, text)).concat() + "--XX--\r\n";
    let upload = format!("cookie: {cookie}\r\ncontent-type: multipart/form-data; boundary=XX\r\n");
    let program = |method, target: String, body: &str| {
        let headers = format!("authorization: Bearer {token}\r\ncontent-type: application/json\r\n");
        (method, target, headers, body.to_owned())
    };
    let ticket = r#"{"set":"own-12","model":"smollm2-135m-instruct-q4_1","protocol":"one-message-1"}"#;
    let mut changes = vec![
        program("POST", "/api/v1/jobs".to_owned(), r#"{"url":"https://app.example/"}"#),
        program("POST", format!("/api/v1/jobs/{job}/cancel"), ""),
        program("POST", "/api/v1/quiz/tickets".to_owned(), ticket),
        program("POST", "/api/v1/quiz/runs".to_owned(), "{}"),
        program("DELETE", format!("/api/v1/quiz/runs/{job}"), ""),
        ("POST", "/submit".to_owned(), upload, multipart),
    ];
    let forms = ["/sign-in", "/annotate", "/annotate/open", "/annotate/app", "/annotate/save", "/annotate/close"];
    changes.extend(forms.map(|target| form(target.to_owned())));
    changes.push(form(format!("/jobs/{job}/cancel")));
    changes
}

#[test]
fn whatever_changes_something_is_refused_when_a_foreign_page_sends_it() {
    let corner = Corner::new();
    let arguments = ["token", "create", "--data", "data", "--name", "ada", "--scope", "submit"];
    let token = corner.run(&arguments).expect_code(0).stdout.trim().to_owned();
    let site = Running::start(&corner, &[]);
    let headers = format!("authorization: Bearer {token}\r\ncontent-type: application/json\r\n");
    let answer = site.post("/api/v1/jobs", &headers, br#"{"url":"https://app.example/"}"#).2;
    let job = serde_json::from_slice::<serde_json::Value>(&answer).unwrap()["id"].as_str().unwrap().to_owned();
    let changes = changes(&site, &token, &job);
    let send = |(method, target, headers, body): &Change, from: &str| {
        site.send(method, target, &format!("{headers}{from}content-length: {}\r\n", body.len()), body.as_bytes()).0
    };
    for change in &changes {
        for from in
            ["origin: https://evil.example\r\n", "sec-fetch-site: cross-site\r\n", "sec-fetch-site: same-site\r\n"]
        {
            assert_eq!(send(change, from), 403, "{} {} with {from}", change.0, change.1);
        }
    }
    for change in &changes {
        let own = format!("origin: {}\r\nsec-fetch-site: same-origin\r\n", site.base);
        assert_ne!(send(change, &own), 403, "{} {} from its own page", change.0, change.1);
    }
    let document: serde_json::Value = serde_json::from_slice(&site.get("/api/openapi.json").2).unwrap();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys().filter(|method| *method != "get") {
            let target = path.replace("{id}", &job);
            let is_tried = changes.iter().any(|(known, at, ..)| known.eq_ignore_ascii_case(method) && *at == target);
            assert!(is_tried, "{method} {path} changes something and was not tried");
        }
    }
}

#[test]
fn whatever_the_api_is_asked_it_answers_as_its_document_says() {
    let Some(schemathesis) = Schemathesis::find() else { return };
    let corner = Corner::new();
    let arguments =
        ["token", "create", "--data", "data", "--name", "ada", "--scope", "submit", "--jobs-per-hour", "9999"];
    let token = corner.run(&arguments).expect_code(0).stdout.trim().to_owned();
    let app = Server::start(Site::app("harbor-coffee")).unwrap();
    corner.run(&["score", &app.url(), "--only", "f1", "--out", "data", "--quiet"]).expect_code(0);
    let site = Running::start(&corner, &[]);
    let output = schemathesis.ask(&format!("{}/api/openapi.json", site.base), &token, &corner.path("work"));
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("Test cases:"), "{said}");
}
