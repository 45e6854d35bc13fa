//! The peer's side: the npm package webappbench, installed into a folder of its own and run by the same Node as our instruments.

use super::memory;
use super::{Measured, SCORERS, best_of};
use crate::call::{Call, find_program};
use crate::failure::{Done, Failure, Naming};
use crate::json::Json;
use crate::setup;
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) const VERSION: &str = "webappbench 0.3.0";

/// The peer cannot be told which browser to use; this makes Playwright take the one that Lighthouse takes.
const PRELOAD: &str = r#"import { chromium } from "@playwright/test";
const launch = chromium.launch.bind(chromium);
chromium.launch = (options = {}) =>
  launch({ ...options, executablePath: process.env.CHROME_PATH, args: [...(options.args ?? []), "--no-sandbox"] });
"#;

const PROMPT: &str = "id: bench-page
tier: 1
prompt: A landing page for a small coffee roaster by the water.
seo_applicable: [title, meta_description, lang, heading_hierarchy]
";

pub(crate) struct Peer {
    folder: PathBuf,
    node: PathBuf,
    chromium: PathBuf,
}

impl Peer {
    pub fn install(folder: &Path) -> Result<Self, Failure> {
        println!("bench: installing {VERSION} into a temporary folder");
        fs::create_dir_all(folder.join("corpus")).naming("make the peer's folder")?;
        write(folder, "package.json", "{\"name\": \"peer\", \"private\": true}\n")?;
        write(folder, "preload.mjs", PRELOAD)?;
        write(folder, "corpus/bench-page.yaml", PROMPT)?;
        let npm = find_program(&["npm"]).ok_or_else(|| Failure::environment("npm is missing"))?;
        let package = VERSION.replace(' ', "@");
        Call::new(npm)
            .arg("install")
            .arg(package)
            .words("--ignore-scripts --no-audit --no-fund --loglevel=error")
            .dir(folder)
            .run()?;
        let chromium = setup::chromium().ok_or_else(|| Failure::environment("no Chromium"))?;
        Ok(Self { folder: folder.to_owned(), node: setup::pinned_node()?, chromium })
    }

    pub fn score(&self, url: &str) -> Result<Measured, Failure> {
        let artifacts = self.folder.join("artifacts");
        if artifacts.exists() {
            fs::remove_dir_all(&artifacts).naming("clear the peer's last run")?;
        }
        let entry = format!("schema: 1\nruns:\n  - tool: sample\n    prompt: bench-page\n    url: {url}\n");
        write(&self.folder, "submissions.yaml", &entry)?;
        let call = self.call().words("score sample --corpus corpus --no-leaderboard --scorer").arg(SCORERS);
        let watched = memory::watch(call.into_command())?;
        if !watched.status.success() {
            return Err(Failure::check(format!("the peer's run ended with {}", watched.status)));
        }
        let scores = Json::read(&artifacts.join("sample/bench-page/0/scores.json"))?;
        let lighthouse: Vec<f64> = scores
            .list("c4.details.outcomes")
            .iter()
            .filter_map(|run| run.number("elapsedMs").map(|milliseconds| milliseconds / 1000.0))
            .collect();
        Ok(Measured::new(&watched, &lighthouse, only_scores(&scores)))
    }

    pub fn version_seconds(&self, runs: usize) -> Result<f64, Failure> {
        best_of(runs, || self.call().arg("--version").text().map(|_| ()))
    }

    fn call(&self) -> Call {
        Call::new(&self.node)
            .words("--import ./preload.mjs node_modules/webappbench/dist/cli.js")
            .dir(&self.folder)
            .env("CHROME_PATH", &self.chromium)
            .env("BENCH_NO_INTERACTIVE", "1")
    }
}

fn only_scores(scores: &Json) -> Json {
    let each = SCORERS
        .split(',')
        .map(|id| (id.to_owned(), scores.number(&format!("{id}.score")).map_or(Json::Null, Json::Number)));
    Json::Object(each.collect())
}

fn write(folder: &Path, name: &str, text: &str) -> Done {
    fs::write(folder.join(name), text).naming("write the peer's files")
}
