//! The pinned Node with the real driver.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod support;

use benchwright_sandbox::process::is_root;
use benchwright_sandbox::{Confinement, Instrument, InstrumentError, Launch, Role, chromium};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use support::{LONG, browser, instruments, scratch};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

#[tokio::test]
async fn a_confined_instrument_runs_on_the_pinned_node() {
    let (_base, scratch) = scratch();
    let instruments = instruments();
    let role = Role::source(scratch.folder("work").unwrap());
    let mut instrument = Instrument::start(&instruments, &role, &scratch).unwrap();
    let versions = instrument.call("versions", Value::Null, LONG).await.unwrap();
    for name in ["node", "playwright-core", "axe-core", "lighthouse"] {
        assert_eq!(versions[name], instruments.versions()[name], "{name}");
    }
    assert_eq!(versions["running"], instruments.versions()["node"]);
    // The flags of the set-up and of the sandbox are the same, or what was compiled in advance would be of no use.
    assert_eq!(versions["compiled"], true);
    instrument.close().await;
}

#[tokio::test]
async fn an_unknown_method_is_a_failure_that_costs_nothing() {
    let (_base, scratch) = scratch();
    let role = Role::Source { work: scratch.folder("work").unwrap(), confinement: Confinement::Plain };
    let mut instrument = Instrument::start(&instruments(), &role, &scratch).unwrap();
    let before = instrument.pid();
    let error = instrument.call("no-such", Value::Null, LONG).await.unwrap_err();
    assert!(matches!(&error, InstrumentError::Failed { kind, .. } if kind == "unknown-method"), "{error:?}");
    assert!(instrument.call("versions", Value::Null, LONG).await.is_ok());
    assert_eq!(instrument.pid(), before);
}

#[tokio::test]
async fn a_call_over_its_limit_replaces_only_its_own_process() {
    let (_base, scratch) = scratch();
    let instruments = instruments();
    let role = Role::source(scratch.folder("work").unwrap());
    let mut hasty = Instrument::start(&instruments, &role, &scratch).unwrap();
    let mut other = Instrument::start(&instruments, &role, &scratch).unwrap();
    let (hasty_before, other_before) = (hasty.pid(), other.pid());
    let error = hasty.call("versions", Value::Null, Duration::ZERO).await.unwrap_err();
    assert!(matches!(error, InstrumentError::TimedOut { .. }), "{error:?}");
    assert!(hasty.call("versions", Value::Null, LONG).await.is_ok());
    assert_ne!(hasty.pid(), hasty_before);
    assert!(other.call("versions", Value::Null, LONG).await.is_ok());
    assert_eq!(other.pid(), other_before);
}

#[tokio::test]
async fn packages_are_seen_that_come_while_the_compiler_reads() {
    let (_base, scratch) = scratch();
    for confinement in [Confinement::Bubblewrap, Confinement::Plain] {
        let work = scratch.fresh_folder("types").unwrap();
        let source = work.join("source");
        std::fs::create_dir_all(&source).unwrap();
        std::fs::write(source.join("a.ts"), "import { seven } from 'typed';\nexport const a: string = seven;\n")
            .unwrap();
        let mut instrument = Instrument::start(&instruments(), &Role::Source { work, confinement }, &scratch).unwrap();
        instrument.call("prepare", json!({"folder": source}), LONG).await.unwrap();
        let package = scratch.fresh_folder("install").unwrap().join("node_modules/typed");
        std::fs::create_dir_all(&package).unwrap();
        std::fs::write(package.join("package.json"), r#"{"name": "typed", "types": "index.d.ts"}"#).unwrap();
        std::fs::write(package.join("index.d.ts"), "export declare const seven: number;").unwrap();
        std::fs::rename(package.parent().unwrap(), source.join("node_modules")).unwrap();
        let params = json!({"folder": source, "installed": true});
        let found = instrument.call("types", params, LONG).await.unwrap();
        assert_eq!(found["rules"][0]["rule"], "TS2322", "{found}");
        assert_eq!(found["missing_modules"], 0, "{found}");
        instrument.close().await;
    }
}

/// A GGUF file that says one thing of itself and holds no weights.
fn hollow_model(key: &str, value: &str) -> Vec<u8> {
    let text = |text: &str| [&(text.len() as u64).to_le_bytes(), text.as_bytes()].concat();
    let head = [b"GGUF".as_slice(), &3_u32.to_le_bytes(), &0_u64.to_le_bytes(), &1_u64.to_le_bytes()].concat();
    [head, text(key), 8_u32.to_le_bytes().to_vec(), text(value)].concat()
}

#[tokio::test]
async fn a_model_is_read_and_nothing_beside_it() {
    let (_base, scratch) = scratch();
    let folder = scratch.fresh_folder("models").unwrap();
    let (file, other) = (folder.join("hollow.gguf"), folder.join("other.gguf"));
    std::fs::write(&file, hollow_model("tokenizer.chat_template", "{{ messages }}")).unwrap();
    std::fs::write(&other, hollow_model("general.name", "no template")).unwrap();
    for confinement in [Confinement::Bubblewrap, Confinement::Plain] {
        let role = Role::Model { file: file.clone(), confinement };
        let mut instrument = Instrument::start(&instruments(), &role, &scratch).unwrap();
        let mut load = async |file: &Path| {
            let error = instrument.call("load", json!({"file": file, "threads": 1}), LONG).await.unwrap_err();
            let InstrumentError::Failed { kind, message } = error else { panic!("{error:?}") };
            (kind, message)
        };
        let (kind, message) = load(&file).await;
        assert!(matches!(kind.as_str(), "bad-model" | "failed"), "the engine itself refuses it: {kind}: {message}");
        let (kind, message) = load(&other).await;
        let expected = if confinement == Confinement::Bubblewrap { "bad-model" } else { "no-template" };
        assert_eq!(kind, expected, "{message}");
        instrument.close().await;
    }
}

const PAGE: &str = "<!doctype html><html lang=en><meta name=viewport content='width=device-width'>\
    <title>A small page</title><h1>Hello</h1><p>There is not much on it.</p>";

async fn serve_page(listener: TcpListener) {
    while let Ok((mut connection, _)) = listener.accept().await {
        let mut request = [0; 4096];
        let _ = connection.read(&mut request).await;
        let length = PAGE.len();
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
        );
        let _ = connection.write_all((head + PAGE).as_bytes()).await;
    }
}

#[tokio::test]
async fn lighthouse_measures_a_page_in_our_browser() {
    let (_base, scratch) = scratch();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let server = tokio::spawn(serve_page(listener));
    let mut instrument = Instrument::start(&instruments(), &Role::Lighthouse, &scratch).unwrap();
    instrument.call("warm", Value::Null, LONG).await.unwrap();
    let program = browser();
    let launch = Launch {
        program: &program,
        scratch: &scratch,
        debugging_port: true,
        as_root: is_root(),
        extra_args: Vec::new(),
        start_limit: LONG,
    };
    let running = chromium::launch(launch).await.unwrap();
    let params = json!({"url": url, "port": running.port, "maxWaitForLoadMs": 60_000});
    instrument.call("visit", params, Duration::from_mins(3)).await.unwrap();
    let facts = instrument.call("facts", Value::Null, LONG).await.unwrap();
    assert_eq!(facts["runtimeError"], Value::Null, "{facts}");
    assert!(facts["score"].as_f64().is_some_and(|score| (0.0..=1.0).contains(&score)), "{facts}");
    assert!(facts["metrics"]["fcpMs"].as_f64().is_some_and(|fcp| fcp > 0.0), "{facts}");
    assert!(facts["benchmarkIndex"].as_f64().is_some_and(|index| index > 0.0), "{facts}");
    running.close().await;
    instrument.close().await;
    server.abort();
}

/// One that could not start would cost every check its time twice, and nobody would notice.
#[tokio::test]
async fn the_compiler_starts_from_what_the_set_up_kept_of_it() {
    let (_base, scratch) = scratch();
    let role = Role::Compiler { work: scratch.folder("work").unwrap() };
    let mut instrument = Instrument::start(&instruments(), &role, &scratch).unwrap();
    let answer = instrument.call("warm", json!({"tool": "types"}), LONG).await.unwrap();
    assert_eq!(answer, json!({"warm": true, "from_snapshot": true}));
    instrument.close().await;
}

/// Runs a script with the pinned Node behind the same walls as the source tools: the script takes the driver's place.
async fn behind_walls(script: &str) -> Value {
    let (base, scratch) = scratch();
    let mut fake = instruments();
    // A folder that looks like the instruments, with the real Node and a driver of our own.
    let root = base.path().join("instruments");
    std::fs::create_dir_all(root.join("generated")).unwrap();
    std::fs::write(root.join("driver.mjs"), script).unwrap();
    fake.root = root;
    std::fs::write(base.path().join("secret"), "outside").unwrap();
    let work = scratch.folder("work").unwrap();
    let mut instrument = Instrument::start(&fake, &Role::source(&work), &scratch).unwrap();
    let params = json!({"work": work, "outside": base.path().join("secret"), "root": fake.root});
    let answer = instrument.call("try", params, LONG).await.unwrap();
    assert_eq!(std::fs::read_to_string(work.join("mine")).ok().as_deref(), answer["wrote"].as_str());
    assert_eq!(std::fs::read_to_string(base.path().join("secret")).unwrap(), "outside");
    assert!(!Path::new("/usr/benchwright-was-here").exists());
    instrument.close().await;
    answer
}

const ATTEMPTS: &str = r"
import fs from 'node:fs'; import net from 'node:net'; import os from 'node:os'; import readline from 'node:readline';
const attempt = (action) => { try { action(); return 'done'; } catch (error) { return error.code; } };
const connect = (host, port) => new Promise((resolve) => {
  const socket = net.connect({ host, port, timeout: 20000 });
  socket.on('connect', () => resolve('connected')); socket.on('error', (error) => resolve(error.code));
  socket.on('timeout', () => resolve('silence'));
});
for await (const line of readline.createInterface({ input: process.stdin })) {
  const { id, params } = JSON.parse(line);
  const result = {
    wrote: 'in the work folder',
    work: attempt(() => fs.writeFileSync(`${params.work}/mine`, 'in the work folder')),
    outside: attempt(() => fs.writeFileSync(params.outside, 'overwritten')),
    memory: ['/x', '/tmp/x', '/dev/x', '/dev/shm/x'].map((file) => attempt(() => fs.writeFileSync(file, ''))),
    read_outside: attempt(() => fs.readFileSync(params.outside)),
    instruments: attempt(() => fs.writeFileSync(`${params.root}/driver.mjs`, '')),
    usr: attempt(() => fs.writeFileSync('/usr/benchwright-was-here', '')),
    etc: attempt(() => fs.readFileSync('/etc/passwd')),
    network: await connect('192.0.2.1', 80),
    interfaces: Object.keys(os.networkInterfaces()).filter((name) => name !== 'lo'),
    uid: process.getuid(),
    processes: fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name)).length,
    folder: process.cwd() === params.work,
  };
  console.log(JSON.stringify({ id, result }));
}
";

#[tokio::test]
async fn behind_the_walls_there_is_no_network_and_one_writable_folder() {
    let answer = behind_walls(ATTEMPTS).await;
    assert_eq!(answer["work"], "done", "{answer}");
    assert_eq!(answer["folder"], true, "{answer}");
    assert_eq!(answer["outside"], "EROFS", "{answer}");
    assert_eq!(answer["memory"], json!(["EROFS", "EROFS", "EROFS", "EROFS"]), "{answer}");
    assert_eq!(answer["read_outside"], "ENOENT", "{answer}");
    assert_eq!(answer["instruments"], "EROFS", "{answer}");
    assert_eq!(answer["usr"], "EROFS", "{answer}");
    assert_eq!(answer["etc"], "ENOENT", "{answer}");
    assert_eq!(answer["network"], "ENETUNREACH", "{answer}");
    assert_eq!(answer["interfaces"], json!([]), "{answer}");
    assert!(answer["processes"].as_u64().is_some_and(|count| count <= 3), "{answer}");
    assert!(answer["uid"] != 0, "{answer}");
}
