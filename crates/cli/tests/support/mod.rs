//! Runs the real binary in a corner of its own and looks at what it leaves behind.
#![allow(dead_code, clippy::unwrap_used, reason = "each test file uses its own part, and may fail at once")]

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The scorers that need no quiet machine.
pub const WITHOUT_LIGHTHOUSE: &str = "f1,f5,c3,c5,c9,v2,v4,s1";

/// A private set of folders: working folder, temporary folder, state, output.
pub struct Corner {
    root: tempfile::TempDir,
}

/// What a finished command said.
pub struct Said {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Corner {
    pub fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for folder in ["work", "tmp", "state", "home"] {
            fs::create_dir(root.path().join(folder)).unwrap();
        }
        Self { root }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    pub fn out(&self) -> PathBuf {
        self.path("work/benchwright-report")
    }

    /// The binary, with everything it may write to inside this corner.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_benchwright"));
        command
            .args(arguments)
            .current_dir(self.path("work"))
            .env("TMPDIR", self.path("tmp"))
            .env("XDG_STATE_HOME", self.path("state"))
            .env("HOME", self.path("home"))
            // Whoever runs the tests must not pay for them.
            .env_remove("OPENROUTER_API_KEY")
            .env_remove("ANTHROPIC_API_KEY")
            .env_remove("XDG_CACHE_HOME")
            .env("NO_COLOR", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Said {
        Said::of(&self.command(arguments).output().unwrap())
    }

    pub fn start(&self, arguments: &[&str]) -> Child {
        self.command(arguments).spawn().unwrap()
    }

    pub fn report(&self) -> Value {
        let path = self.out().join("report.json");
        serde_json::from_slice(&fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))).unwrap()
    }

    /// The one run folder.
    pub fn run_folder(&self) -> PathBuf {
        self.latest_run().expect("there is a run")
    }

    fn latest_run(&self) -> Option<PathBuf> {
        let mut runs: Vec<_> = fs::read_dir(self.out().join("runs")).ok()?.map(|e| e.unwrap().path()).collect();
        runs.sort();
        runs.pop()
    }

    /// Kinds of evidence the run has, from its log; none before there is a run.
    pub fn gathered(&self) -> Vec<String> {
        let log =
            self.latest_run().map_or_else(String::new, |run| fs::read_to_string(run.join("log")).unwrap_or_default());
        log.lines()
            .filter_map(|line| serde_json::from_str::<Value>(line.splitn(3, ' ').nth(2)?).ok())
            .filter(|event| event["body"]["event"] == "evidence")
            .filter_map(|event| event["body"]["kind"].as_str().map(str::to_owned))
            .collect()
    }

    /// Processes that work in this corner: every browser and instrument has its temporary folder on its command line.
    pub fn processes(&self) -> Vec<(u32, String)> {
        let mark = self.path("tmp").to_string_lossy().into_owned();
        let mut found = Vec::new();
        for entry in fs::read_dir("/proc").unwrap().flatten() {
            let Some(pid) = entry.file_name().to_string_lossy().parse::<u32>().ok() else { continue };
            let Ok(line) = fs::read(entry.path().join("cmdline")) else { continue };
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            if line.contains(&mark) {
                found.push((pid, line));
            }
        }
        found
    }

    /// Nothing may be left: no process and no temporary folder.
    pub fn assert_left_clean(&self) {
        wait_until("all processes of the run are gone", || self.processes().is_empty());
        // A worker that goes on removes a folder a moment after the processes in it.
        let left =
            || fs::read_dir(self.path("tmp")).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>();
        let begun = Instant::now();
        while !left().is_empty() {
            assert!(begun.elapsed() < Duration::from_mins(1), "left behind: {:?}", left());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Looks for a text in every file below the output folder.
    pub fn output_contains(&self, needle: &str) -> Option<PathBuf> {
        find_in(&self.out(), needle.as_bytes())
    }
}

pub fn find_in(folder: &Path, needle: &[u8]) -> Option<PathBuf> {
    for entry in fs::read_dir(folder).ok()?.flatten() {
        let path = entry.path();
        let found = if path.is_dir() {
            find_in(&path, needle)
        } else {
            let bytes = fs::read(&path).ok()?;
            bytes.windows(needle.len()).any(|window| window == needle).then_some(path)
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

impl Said {
    pub fn of(output: &Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    #[track_caller]
    pub fn expect_code(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    #[track_caller]
    pub fn expect_error(self, words: &[&str]) -> Self {
        for word in words {
            assert!(self.stderr.contains(word), "`{word}` is not in:\n{}", self.stderr);
        }
        self
    }
}

/// Waits until `done` says so; a run that never gets there fails the test.
pub fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < Duration::from_mins(5), "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

pub fn signal(pid: u32, name: &str) {
    let status = Command::new("kill").args([&format!("-{name}"), &pid.to_string()]).status().unwrap();
    assert!(status.success(), "kill -{name} {pid}");
}

/// The score of one scorer.
pub fn score(report: &Value, id: &str) -> f64 {
    report["scorers"][id]["score"].as_f64().unwrap_or_else(|| panic!("{id}: {}", report["scorers"][id]))
}

pub fn outcome<'a>(report: &'a Value, id: &str) -> &'a str {
    report["scorers"][id]["outcome"].as_str().unwrap()
}
