//! The peer's side: the npm package webappbench, installed into a folder of its own and run by the same Node and npm as our instruments.

use super::best_of;
use super::measured::{Job, Measured};
use super::memory;
use crate::call::{Call, find_program};
use crate::failure::{Done, Failure, Naming};
use crate::json::Json;
use crate::{project, setup};
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

pub(crate) const VERSION: &str = "webappbench 0.3.0";

/// The peer cannot be told which browser to use; this makes Playwright take the one that Lighthouse takes.
const PRELOAD: &str = r#"import { chromium } from "@playwright/test";
const launch = chromium.launch.bind(chromium);
chromium.launch = (options = {}) =>
  launch({ ...options, executablePath: process.env.CHROME_PATH, args: [...(options.args ?? []), "--no-sandbox"] });
"#;

pub(crate) struct Peer {
    folder: PathBuf,
    node: PathBuf,
    chromium: PathBuf,
}

impl Peer {
    pub fn install(folder: &Path) -> Result<Self, Failure> {
        println!("bench: installing {VERSION} into a temporary folder");
        for name in ["corpus", "bin"] {
            fs::create_dir_all(folder.join(name)).naming("make the peer's folder")?;
        }
        write(folder, "package.json", "{\"name\": \"peer\", \"private\": true}\n")?;
        write(folder, "preload.mjs", PRELOAD)?;
        let npm = find_program(&["npm"]).ok_or_else(|| Failure::environment("npm is missing"))?;
        let package = VERSION.replace(' ', "@");
        Call::new(npm)
            .arg("install")
            .arg(package)
            .words("--ignore-scripts --no-audit --no-fund --loglevel=error")
            .dir(folder)
            .run()?;
        let node = setup::pinned_node()?;
        link_tools(&folder.join("bin"), &node)?;
        let chromium = setup::chromium().ok_or_else(|| Failure::environment("no Chromium"))?;
        Ok(Self { folder: folder.to_owned(), node, chromium })
    }

    pub fn score(&self, job: &Job<'_>) -> Result<Measured, Failure> {
        let artifacts = self.folder.join("artifacts");
        if artifacts.exists() {
            fs::remove_dir_all(&artifacts).naming("clear the peer's last run")?;
        }
        let prompt = job.prompt.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let corpus = self.folder.join("corpus").join(format!("{prompt}.yaml"));
        fs::copy(job.prompt, corpus).naming("copy the prompt")?;
        write(&self.folder, "submissions.yaml", &submission(job, &prompt))?;
        let call = self.call().words("score sample --corpus corpus --no-leaderboard --scorer").arg(job.scorers);
        let watched = memory::watch(call.into_command())?;
        if !watched.status.success() {
            return Err(Failure::check(format!("the peer's run ended with {}", watched.status)));
        }
        let scores = Json::read(&artifacts.join("sample").join(prompt).join("0/scores.json"))?;
        let lighthouse: Vec<f64> = scores
            .list("c4.details.outcomes")
            .iter()
            .filter_map(|run| run.number("elapsedMs").map(|milliseconds| milliseconds / 1000.0))
            .collect();
        let mut measured = Measured::new(&watched, job.scorers, |id| scores.number(&format!("{id}.score")));
        measured.lighthouse_seconds = (!lighthouse.is_empty()).then(|| lighthouse.iter().sum());
        measured.lighthouse_runs = lighthouse.len();
        Ok(measured)
    }

    pub fn version_seconds(&self, runs: usize) -> Result<f64, Failure> {
        best_of(runs, || self.call().arg("--version").text().map(|_| ()))
    }

    fn call(&self) -> Call {
        let mut path = OsString::from(self.folder.join("bin"));
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        Call::new(&self.node)
            .words("--import ./preload.mjs node_modules/webappbench/dist/cli.js")
            .dir(&self.folder)
            .env("PATH", path)
            .env("CHROME_PATH", &self.chromium)
            .env("npm_config_cache", self.folder.join("cache"))
            .env("npm_config_update_notifier", "false")
            .env("BENCH_NO_INTERACTIVE", "1")
            // Judges are off on both sides.
            .env("OPENROUTER_API_KEY", "")
    }
}

/// node, npm and npx for whatever the peer starts.
fn link_tools(bin: &Path, node: &Path) -> Done {
    let npm = project::root().join("instruments/node_modules/npm/bin");
    for (name, file) in [("node", node.to_owned()), ("npm", npm.join("npm-cli.js")), ("npx", npm.join("npx-cli.js"))] {
        symlink(file, bin.join(name)).naming("link the pinned tools")?;
    }
    Ok(())
}

/// The peer's file of submissions, with this one in it.
fn submission(job: &Job<'_>, prompt: &str) -> String {
    let source = job.source.map(|source| format!("    source: {}\n", source.display())).unwrap_or_default();
    let backend = job.accounts.map(|accounts| format!("    backend:\n{}", accounts.yaml(6))).unwrap_or_default();
    format!("schema: 1\nruns:\n  - tool: sample\n    prompt: {prompt}\n    url: {}\n{source}{backend}", job.url)
}

fn write(folder: &Path, name: &str, text: &str) -> Done {
    fs::write(folder.join(name), text).naming("write the peer's files")
}

#[cfg(test)]
mod tests {
    use super::super::measured::Accounts;
    use super::*;

    #[test]
    fn a_submission_has_what_the_job_has() {
        let accounts = Accounts { a: ("a@x.test", "one-1"), b: ("b@x.test", "two-2") };
        let mut job =
            Job { url: "http://x.test/", scorers: "f1", prompt: Path::new("p.yaml"), source: None, accounts: None };
        assert!(submission(&job, "p").ends_with("    prompt: p\n    url: http://x.test/\n"));
        job.source = Some(Path::new("/tmp/app.zip"));
        job.accounts = Some(&accounts);
        let text = submission(&job, "p");
        assert!(text.contains("    source: /tmp/app.zip\n    backend:\n      user_a: { email: a@x.test"), "{text}");
    }
}
