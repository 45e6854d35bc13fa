//! What became of each app of the tasks, a line of JSON for each, for whoever waits for hours. What is written there is not walked again.
#![allow(dead_code, clippy::unwrap_used, reason = "each test file uses its own part, and may fail at once")]

use serde_json::{Value, json};
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;

/// All apps of all tasks are walked where this variable names a file for the diary, as `cargo xtask soak` does; a sample otherwise.
const EVERY_APP: &str = "BENCHWRIGHT_EVERY_TASK_APP";
/// Of all tasks only these, with commas between them; it narrows the variable above.
const CHOSEN: &str = "BENCHWRIGHT_TASKS";

pub struct Diary {
    file: PathBuf,
    /// All when it is empty.
    pub chosen: String,
}

impl Diary {
    /// The one that is asked for, if any is.
    pub fn wanted() -> Option<Self> {
        let file = PathBuf::from(std::env::var_os(EVERY_APP)?);
        Some(Self { file, chosen: std::env::var(CHOSEN).unwrap_or_default() })
    }

    pub fn is_about(&self, task: &str) -> bool {
        self.chosen.is_empty() || self.chosen.split(',').any(|one| one == task)
    }

    /// Whether it says already what became of an app.
    pub fn knows(&self, task: &str, app: &str) -> bool {
        let text = fs::read_to_string(&self.file).unwrap_or_default();
        text.lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok())
            .any(|it| it["task"] == task && it["app"] == app)
    }

    /// Says that every app of one test is written down. Without that line the test was broken off.
    pub fn close(&self, test: &str) {
        self.note(&json!({ "closed": test }));
    }

    pub fn note(&self, line: &Value) {
        let mut file = OpenOptions::new().create(true).append(true).open(&self.file).unwrap();
        // In one piece: others write too.
        file.write_all(format!("{line}\n").as_bytes()).unwrap();
    }
}
