//! `score --serve`: folders of files, and packages that start behind walls.

#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

mod support;

use benchwright_fixtures::{Server, Site};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::{Corner, Said, outcome, score, signal, wait_until};

const PAGE: &str =
    "<!doctype html><html lang=en><title>A page</title><h1>There is enough text on this page to read</h1>";

/// A server without dependencies. `LISTEN` and `BEFORE` are replaced.
const SERVER: &str = "
import http from 'node:http';
import fs from 'node:fs';
let title = 'A page';
BEFORE
const page = `<!doctype html><html lang=en><title>${title}</title><h1>There is enough text on this page to read</h1>`;
const server = http.createServer((request, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(request.url === '/' ? page : '');
});
server.listen(LISTEN, () => console.log('the server listens', server.address().port));
";
const HONEST: &str = "process.env.PORT, process.env.HOST";

/// A package in a corner of its own. Its processes carry its mark on their command lines.
struct App {
    corner: Corner,
    mark: String,
}

impl App {
    fn new() -> Self {
        let corner = Corner::new();
        let mark = format!("mark-{}", corner.path("").file_name().unwrap().to_string_lossy().trim_start_matches('.'));
        fs::create_dir(corner.path("work/my-app")).unwrap();
        Self { corner, mark }
    }

    /// An app whose server does something before it listens somewhere.
    fn serving(before: &str, listen: &str) -> Self {
        let app = Self::new();
        app.put("server.mjs", &SERVER.replace("BEFORE", before).replace("LISTEN", listen));
        let scripts = json!({"start": format!("node server.mjs {}", app.mark)});
        app.scripts(&scripts)
    }

    fn put(&self, name: &str, text: &str) {
        fs::write(self.folder().join(name), text).unwrap();
    }

    fn scripts(self, scripts: &Value) -> Self {
        self.put("package.json", &json!({"name": "my-app", "type": "module", "scripts": scripts}).to_string());
        self
    }

    fn folder(&self) -> PathBuf {
        self.corner.path("work/my-app")
    }

    /// Scores it, and makes sure that its folder was only read and nothing is left.
    fn score(&self, more: &[&str]) -> Said {
        let before = snapshot(&self.folder());
        let said = self.corner.run(&[&["score", "--serve", "my-app", "--only", "f1"], more].concat());
        assert_eq!(snapshot(&self.folder()), before, "the app's own folder was written to");
        self.assert_left_clean();
        said
    }

    fn processes(&self) -> Vec<u32> {
        let is_ours = |pid: &u32| {
            let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line).contains(&self.mark)
        };
        let entries = fs::read_dir("/proc").unwrap().flatten();
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter(is_ours).collect()
    }

    fn assert_left_clean(&self) {
        wait_until("the app is gone", || self.processes().is_empty());
        self.corner.assert_left_clean();
    }

    fn title(&self) -> String {
        self.corner.report()["subject"]["title"].as_str().unwrap_or_default().to_owned()
    }
}

fn snapshot(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| (path.clone(), fs::read(&path).unwrap_or_default())).collect()
}

fn site(corner: &Corner) {
    fs::create_dir(corner.path("work/site")).unwrap();
    fs::write(corner.path("work/site/index.html"), PAGE).unwrap();
}

#[test]
fn a_folder_of_files_is_served_and_named() {
    let corner = Corner::new();
    site(&corner);
    corner.run(&["score", "--serve", "site", "--only", "f1,c5", "--quiet"]).expect_code(0);
    let report = corner.report();
    assert_eq!(score(&report, "f1"), 1.0);
    assert_eq!((score(&report, "c5"), outcome(&report, "c5")), (1.0, "scored"));
    assert_eq!(report["subject"]["url"], "folder://site/");
    assert_eq!(report["subject"]["final_url"], "folder://site/");
    assert_eq!(
        report["subject"]["source"],
        Value::Null,
        "files may be what a build made, so they are not taken for source"
    );
    assert_eq!(report["provenance"]["settings"]["serve"], "site");
    corner.assert_left_clean();
}

#[test]
fn the_settings_file_can_name_the_folder() {
    let corner = Corner::new();
    site(&corner);
    fs::write(corner.path("work/benchwright.toml"), "serve = 'site'\nonly = ['f1']\nquiet = true\n").unwrap();
    corner.run(&["score"]).expect_code(0);
    assert_eq!(corner.report()["subject"]["url"], "folder://site/");
}

#[test]
fn what_cannot_be_served_is_said_before_anything_runs() {
    let corner = Corner::new();
    fs::create_dir_all(corner.path("work/app/dist")).unwrap();
    fs::write(corner.path("work/app/dist/index.html"), PAGE).unwrap();
    let refused = |arguments: &[&str], words: &[&str]| {
        corner.run(&[&["score"], arguments].concat()).expect_code(2).expect_error(words);
    };
    refused(&["http://127.0.0.1:1/", "--serve", "app"], &["exclude each other"]);
    refused(&[], &["which app?", "--serve DIR"]);
    refused(&["--serve", "nowhere"], &["cannot serve nowhere"]);
    refused(&["--serve", "app"], &["no index.html", "--serve", "app/dist"]);
    refused(&["--serve", "app/dist", "--serve-timeout", "0"], &["--serve-timeout 0"]);
    std::os::unix::fs::symlink("/etc/passwd", corner.path("work/app/dist/passwd")).unwrap();
    refused(&["--serve", "app/dist", "--only", "f1"], &["dist/passwd", "leads out of the folder"]);
    assert!(!corner.out().exists(), "no run was begun");
    corner.assert_left_clean();
}

#[test]
fn a_package_is_built_and_started_from_a_copy() {
    let app = App::serving("title = fs.readFileSync('built.txt', 'utf8');", HONEST);
    let build = "node -e \"fs.writeFileSync('built.txt', 'Built by npm ' + require('child_process').execSync('npm --version'))\"";
    let app = app.scripts(&json!({"build": build, "start": "node server.mjs"}));
    let said = app.score(&[]).expect_code(0);
    assert!(said.stderr.contains("running its script `build`"), "{}", said.stderr);
    assert!(said.stderr.contains("it answers at http://127.0.0.1:") && !said.stderr.contains("ignores PORT"));
    assert!(app.title().starts_with("Built by npm 1"), "{}", app.title());
    let report = app.corner.report();
    assert_eq!(score(&report, "f1"), 1.0);
    assert_eq!(report["subject"]["url"], "folder://my-app/");
    assert_eq!(report["subject"]["source"], "my-app", "a package is its own source");
    let log = fs::read_to_string(app.corner.run_folder().join("app.log")).unwrap();
    assert!(log.contains("the server listens"), "{log}");
}

#[test]
fn an_app_that_ignores_port_is_found_where_it_listens() {
    let app = App::serving("", "5173, 'localhost'");
    app.score(&[]).expect_code(0).expect_error(&["ignores PORT and listens on 5173"]);
    assert_eq!(score(&app.corner.report(), "f1"), 1.0);
}

#[test]
fn a_page_goes_before_an_interface_that_answered_first() {
    let app = App::new().scripts(&json!({"serve": "node server.mjs"}));
    let server = "
        import http from 'node:http';
        const answering = (type, text) => http.createServer((_, response) => {
          response.setHeader('content-type', type);
          response.end(text);
        });
        const page = answering('text/html', `PAGE`);
        const listenLater = () => page.listen(8123, '0.0.0.0');
        answering('application/json', '{}').once('request', listenLater).listen(3000);";
    app.put("server.mjs", &server.replace("PAGE", PAGE));
    app.score(&[]).expect_code(0).expect_error(&["script `serve`", "listens on 8123"]);
}

#[test]
fn an_app_that_ends_at_once_is_quoted() {
    let app = App::serving(
        "console.log('first the database'); console.error('no such table: users'); process.exit(7);",
        HONEST,
    );
    let words = ["script `start` ended", "exit status: 7", "first the database", "no such table: users"];
    app.score(&[]).expect_code(2).expect_error(&words);
    assert!(!app.corner.out().exists(), "no run was begun");
}

#[test]
fn a_build_that_fails_is_quoted() {
    let app = App::new().scripts(&json!({"build": "echo cannot find module x; exit 3", "start": "node server.mjs"}));
    app.score(&[]).expect_code(2).expect_error(&["script `build` failed", "exit status: 3", "cannot find module x"]);
}

#[test]
fn an_app_that_never_listens_is_given_up() {
    let app =
        App::serving("console.log('thinking'); setInterval(() => {}, 1000); await new Promise(() => {});", HONEST);
    let words = ["script `start` runs", "within 3 s", "thinking"];
    app.score(&["--serve-timeout", "3"]).expect_code(2).expect_error(&words);
}

#[test]
fn an_app_cannot_reach_out_of_its_walls_and_is_scored_all_the_same() {
    let neighbour = Server::start(Site::html("internal")).unwrap();
    let app = App::new();
    let outside = app.corner.path("work/was-here");
    let own = app.folder().join("was-here");
    let tries = format!(
        "const calls = ['http://127.0.0.1:{}/', 'http://1.1.1.1/', 'http://example.com/'];
         const heard = await Promise.all(calls.map((url) => fetch(url).then(() => 'reached', () => 'refused')));
         const written = ['{}', '{}', '/usr/was-here', '/etc/was-here'].map((path) => {{
           try {{ fs.writeFileSync(path, ''); return 'written'; }} catch {{ return 'refused'; }}
         }});
         try {{ fs.mkdirSync('closed/deep', {{ recursive: true }}); fs.chmodSync('closed', 0); }} catch {{}}
         title = [...heard, ...written, process.env.HOME === '/root' ? 'home' : 'no home'].join(' ');",
        neighbour.port(),
        outside.display(),
        own.display(),
    );
    app.put("server.mjs", &SERVER.replace("BEFORE", &tries).replace("LISTEN", HONEST));
    let app = app.scripts(&json!({"start": "node server.mjs"}));
    app.score(&["--quiet"]).expect_code(0);
    assert_eq!(app.title(), "refused refused refused refused refused refused refused no home");
    assert_eq!(score(&app.corner.report(), "f1"), 1.0);
    assert_eq!(neighbour.requests().len(), 0);
    assert!(!outside.exists() && !own.exists() && !Path::new("/usr/was-here").exists());
}

#[test]
fn every_run_starts_the_app_anew() {
    let count = "fs.appendFileSync('starts', 'x'); title = 'start ' + fs.readFileSync('starts', 'utf8').length;";
    let app = App::serving(count, HONEST);
    app.score(&["--runs", "2", "--quiet"]).expect_code(0);
    let runs: Vec<_> = fs::read_dir(app.corner.out().join("runs")).unwrap().map(|run| run.unwrap().path()).collect();
    assert_eq!(runs.len(), 2);
    for run in runs {
        let report: Value = serde_json::from_slice(&fs::read(run.join("report.json")).unwrap()).unwrap();
        assert_eq!(report["subject"]["title"], "start 1");
    }
}

#[test]
fn nothing_is_left_when_the_user_loses_patience() {
    let starting = App::serving("setInterval(() => {}, 1000); await new Promise(() => {});", HONEST);
    let running = App::serving("", HONEST);
    let get_there: [(&App, &dyn Fn() -> bool); 2] = [
        (&starting, &|| !starting.processes().is_empty()),
        (&running, &|| running.corner.out().join("runs").exists() && !running.corner.processes().is_empty()),
    ];
    for (app, is_there) in get_there {
        let child = app.corner.start(&["score", "--serve", "my-app", "--quiet"]);
        wait_until("it got far enough", is_there);
        signal(child.id(), "INT");
        let said = Said::of(&child.wait_with_output().unwrap());
        said.expect_code(130).expect_error(&["interrupted"]);
        app.assert_left_clean();
    }
}

#[test]
fn a_killed_run_takes_the_app_along_and_continues_at_the_same_address() {
    let app = App::serving("", HONEST);
    let mut child = app.corner.start(&["score", "--serve", "my-app", "--only", "f1,f5,v4", "--quiet"]);
    wait_until("the load is there", || app.corner.gathered().contains(&"load".to_owned()));
    signal(child.id(), "KILL");
    child.wait().unwrap();
    wait_until("the app ends with us", || app.processes().is_empty() && app.corner.processes().is_empty());
    app.corner.run(&["doctor", "--clean"]).expect_code(0);
    app.assert_left_clean();
    app.corner.run(&["resume", "benchwright-report", "--quiet"]).expect_code(0);
    let report = app.corner.report();
    assert_eq!(report["subject"]["url"], "folder://my-app/");
    for id in ["f1", "f5", "v4"] {
        assert_eq!(outcome(&report, id), "scored", "{id}: {}", report["scorers"][id]);
    }
    app.assert_left_clean();
}

/// Runs the binary where something else stands in the place of bubblewrap.
fn with_bubblewrap(corner: &Corner, instead: &Path, arguments: &[&str]) -> Said {
    let inner = corner.command(arguments);
    let mut command = Command::new("/usr/bin/bwrap");
    command.args(["--dev-bind", "/", "/", "--ro-bind"]).arg(instead).arg("/usr/bin/bwrap");
    command.arg("--").arg(inner.get_program()).args(inner.get_args()).current_dir(inner.get_current_dir().unwrap());
    for (name, value) in inner.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    Said::of(&command.output().unwrap())
}

#[test]
fn without_walls_a_package_is_not_started_and_files_are_served() {
    let app = App::serving("", HONEST);
    site(&app.corner);
    let fake = app.corner.path("fake-bwrap");
    fs::write(&fake, "#!/bin/sh\necho 'bwrap: No permissions to create a new namespace' >&2\nexit 1\n").unwrap();
    Command::new("chmod").arg("755").arg(&fake).status().unwrap();
    let package = ["score", "--serve", "my-app", "--only", "f1", "--quiet"];
    let missing = with_bubblewrap(&app.corner, Path::new("/dev/null"), &package);
    missing.expect_code(3).expect_error(&["bubblewrap", "apt-get install bubblewrap"]);
    let forbidden = with_bubblewrap(&app.corner, &fake, &package);
    forbidden.expect_code(3).expect_error(&["not allowed to", "No permissions", "user namespaces"]);
    let files = ["score", "--serve", "site", "--only", "f1", "--quiet"];
    with_bubblewrap(&app.corner, Path::new("/dev/null"), &files).expect_code(0);
    app.assert_left_clean();
}
