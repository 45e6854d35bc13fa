//! Nothing that was accepted is lost and nothing is shown twice: killed processes, full disks, folders one may not write to.
//!
//! The tests start this very program again as the victim, in a folder that holds a file named after the part it has to play.
#![expect(clippy::unwrap_used, reason = "all of this is test code, which fails by panicking")]

mod boundaries;
mod index;
mod power;
#[expect(dead_code, reason = "the suite of the quiz needs the rest")]
#[path = "../quiz/sample.rs"]
mod quiz_sample;
mod shares;
mod small_disk;

use benchwright_domain::RunRecord;
use benchwright_domain::board::CoverageClass;
use benchwright_domain::record::RECORD_FORMAT;
use benchwright_store::index::{Durability, Index};
use benchwright_store::{RUN_FORMAT, RunHeader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

async fn open_index(path: &Path) -> Index {
    Index::sqlite(path, Durability::Process).await.unwrap()
}

fn header(id: &str) -> RunHeader {
    RunHeader {
        format: RUN_FORMAT,
        id: id.to_owned(),
        started_at: "2026-11-16T08:00:00Z".to_owned(),
        benchwright: "0.1.0".to_owned(),
        request: serde_json::Value::Null,
    }
}

fn record(id: &str) -> RunRecord {
    RunRecord {
        format: RECORD_FORMAT,
        run: id.to_owned(),
        tool: "kiln".to_owned(),
        tool_version: None,
        run_index: None,
        prompt: None,
        tier: None,
        url: "https://kiln.example/".to_owned(),
        title: None,
        headline: "x".repeat(500),
        composite: Some(50.0),
        dimensions: [].into(),
        scores: [].into(),
        rankable: true,
        not_rankable_because: Vec::new(),
        class: CoverageClass {
            scored: [].into(),
            scanners: String::new(),
            methodology: "1.0".to_owned(),
            counts_unrendered_as_zero: false,
        },
        coverage: 0.5,
        started_at: "2026-11-16T08:00:00Z".to_owned(),
        seconds: 1.0,
        benchwright: "0.1.0".to_owned(),
        cost: None,
        verified: false,
        report: None,
        thumbnail: None,
    }
}

/// A process that does not outlive the test, whatever the test finds.
struct Victim(Child);

impl Victim {
    fn start(mut command: Command, folder: &Path) -> Self {
        command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::inherit());
        Self(command.spawn().unwrap())
    }

    /// This program again, running one test.
    fn playing(test: &str, folder: &Path) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(arguments(test));
        Self::start(command, folder)
    }

    fn wait_until(&mut self, what: &str, mut reached: impl FnMut() -> bool) {
        let begun = Instant::now();
        while !reached() {
            let ended = self.0.try_wait().unwrap();
            assert!(ended.is_none(), "the victim ended by itself ({ended:?}) before {what}");
            assert!(begun.elapsed() < Duration::from_mins(1), "waited in vain: {what}");
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for Victim {
    /// SIGKILL: it gets no chance to tidy up.
    fn drop(&mut self) {
        let _ = self.0.kill();
        self.0.wait().unwrap();
    }
}

fn arguments(test: &str) -> [&str; 4] {
    ["--exact", test, "--nocapture", "--test-threads=1"]
}
