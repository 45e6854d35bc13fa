//! Packages that have to be installed before they can be started.

use crate::support::{LONG, Yard, small_registry};
use benchwright_fixtures::Registry;
use benchwright_sandbox::Manager;
use benchwright_scoring::record::Progress;
use benchwright_scoring::request::Serve;
use benchwright_scoring::serve::{ServeError, Serving};
use std::fs;
use std::sync::Mutex;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

const APP: &str = r#"{"name":"app","version":"1.0.0","dependencies":{"trunk":"^1.0.0"},
    "scripts":{"start":"node server.js","postinstall":"touch was-here"}}"#;
const SERVER: &str = "
    const text = require('trunk') + ' ' + require('fs').existsSync('was-here');
    require('http').createServer((_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(text);
    }).listen(process.env.PORT);";

async fn serve(yard: &Yard) -> (Result<Serving, ServeError>, Vec<String>) {
    let told = Mutex::new(Vec::new());
    let listener = |event: Progress| {
        if let Progress::Step { what, .. } = event {
            told.lock().unwrap().push(what);
        }
    };
    let serve = Serve { folder: yard.source(), start_seconds: LONG.as_secs_f64() };
    let serving = Serving::begin(&serve, None, &yard.bench, &listener).await;
    (serving, told.into_inner().unwrap())
}

async fn page(serving: &Serving) -> String {
    let host = serving.url().trim_start_matches("http://").trim_end_matches('/');
    let mut stream = TcpStream::connect(host).await.unwrap();
    let request = format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

fn yard(registry: &Registry) -> Yard {
    let yard = Yard::new(&registry.url());
    yard.put("package.json", APP).put("server.js", SERVER);
    yard
}

#[tokio::test]
async fn dependencies_are_installed_from_the_lockfile_and_their_scripts_do_not_run() {
    let registry = small_registry();
    for manager in [Manager::Npm, Manager::Pnpm, Manager::Bun] {
        let yard = yard(&registry);
        yard.lock(manager).await;
        let (serving, told) = serve(&yard).await;
        let serving = serving.unwrap();
        let answer = page(&serving).await;
        assert!(answer.contains("trunk false"), "{manager:?}: {answer}");
        assert!(told.contains(&"installing what it depends on".to_owned()), "{told:?}");
        serving.stop().await;
        assert!(!yard.source().join("node_modules").exists());
        let left: Vec<_> = fs::read_dir(&yard.bench.scratch_base).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(left.len(), 1, "only the test's own folder is left: {left:?}");
    }
}

#[tokio::test]
async fn what_is_installed_already_is_taken_along() {
    let registry = small_registry();
    let yard = yard(&registry);
    yard.put("node_modules/trunk/index.js", "module.exports = 'carried along';")
        .put("node_modules/trunk/package.json", r#"{"name":"trunk","version":"1.0.0"}"#);
    let (serving, _) = serve(&yard).await;
    assert!(page(&serving.unwrap()).await.contains("carried along false"));
    assert_eq!(registry.requests().len(), 0);
}

#[tokio::test]
async fn a_second_lockfile_is_tried_when_the_first_is_out_of_date() {
    let registry = small_registry();
    let yard = yard(&registry);
    yard.put("package.json", r#"{"name":"app","version":"1.0.0","dependencies":{"leaf":"^1.0.0"}}"#);
    yard.lock(Manager::Npm).await.put("package.json", APP).lock(Manager::Bun).await;
    let (serving, _) = serve(&yard).await;
    assert!(page(&serving.unwrap()).await.contains("trunk"));
    fs::remove_file(yard.source().join("bun.lock")).unwrap();
    let (serving, _) = serve(&yard).await;
    let error = serving.unwrap_err();
    assert!(error.to_string().contains("npm ci --ignore-scripts") && !error.is_environment(), "{error}");
}

#[tokio::test]
async fn without_a_lockfile_the_user_is_told_what_to_do() {
    let registry = small_registry();
    let (serving, _) = serve(&yard(&registry)).await;
    let error = serving.unwrap_err();
    assert!(error.to_string().contains("nor a lockfile") && error.to_string().contains("`npm install`"), "{error}");
}
