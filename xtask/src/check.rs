//! `cargo xtask test`: every check and test, in the order in which they fail cheapest.

use crate::arguments::Arguments;
use crate::call::{Call, find_program};
use crate::failure::{Done, Failure};
use crate::{docs, project, services, setup, site, tidy};
use std::path::{Path, PathBuf};
use std::time::Instant;

const NEXTEST_VERSION: &str = "0.9.143";

struct Step {
    name: &'static str,
    run: fn() -> Done,
}

const STEPS: [Step; 9] = [
    Step { name: "setup", run: setup::install_missing },
    Step {
        name: "services",
        run: || {
            services::install_missing();
            Ok(())
        },
    },
    Step { name: "format", run: || Call::cargo("fmt --all --check").run() },
    Step { name: "tidy", run: || tidy::run(Arguments::none()) },
    Step { name: "methodology", run: docs::check_noise },
    Step {
        name: "clippy",
        run: || Call::cargo("clippy --workspace --all-targets --all-features -- -D warnings").run(),
    },
    Step { name: "Rust tests", run: run_rust_tests },
    Step { name: "instruments' tests", run: instruments_tests },
    Step { name: "site's tests", run: site::test },
];

pub fn run(arguments: Arguments) -> Done {
    arguments.finish()?;
    let begun = Instant::now();
    let mut times = Vec::new();
    for (index, step) in STEPS.iter().enumerate() {
        println!("\n== {} of {}: {}", index + 1, STEPS.len(), step.name);
        let started = Instant::now();
        let outcome = (step.run)();
        let seconds = started.elapsed().as_secs_f64();
        if let Err(failure) = outcome {
            let passed = format!("{index} of {} steps passed", STEPS.len());
            let message = format!("{} failed after {seconds:.0} s ({passed}): {}", step.name, failure.message);
            return Err(Failure { message, ..failure });
        }
        println!("== {}: passed in {seconds:.1} s", step.name);
        times.push(format!("{} {seconds:.0} s", step.name));
    }
    println!(
        "\ntest: all {} steps passed in {:.0} s ({})",
        STEPS.len(),
        begun.elapsed().as_secs_f64(),
        times.join(", ")
    );
    Ok(())
}

/// Runs them, and says at the end which of them did less than they could.
fn run_rust_tests() -> Done {
    let skips = project::root().join("target/skips.txt");
    let _ = std::fs::remove_file(&skips);
    let outcome = rust_tests()?.env("BENCHWRIGHT_SKIPS_FILE", &skips).run();
    let said = std::fs::read_to_string(&skips).unwrap_or_default();
    let said: std::collections::BTreeSet<&str> = said.lines().collect();
    for line in said {
        println!("{line}");
    }
    outcome
}

/// All Rust tests, with nextest.
pub fn rust_tests() -> Result<Call, Failure> {
    let nextest = nextest()?;
    let call = Call::new(nextest).words("nextest run --workspace --all-features --no-fail-fast");
    let data = project::root().join("../shared/data");
    if data.is_dir() {
        return Ok(call.env("BENCHWRIGHT_DATA", data));
    }
    // The tests say so too, but nextest shows what they print only when they fail.
    println!("SKIPPED: there is no ../shared/data, so MMLU and published trajectories are tested with miniatures only");
    Ok(call)
}

/// The tasks' own tests with all apps instead of a sample, on the program as users get it. They append what became of each to `diary`.
/// Only those of the named tasks, or of all.
pub fn every_task_app(diary: &Path, tasks: &[String]) -> Result<Call, Failure> {
    let call = Call::new(nextest()?)
        .words("nextest run --release -p benchwright --all-features --no-capture --no-fail-fast --test vibe_corpus");
    Ok(call.env("BENCHWRIGHT_EVERY_TASK_APP", diary).env("BENCHWRIGHT_TASKS", tasks.join(",")))
}

/// The test that evaluates references on both backends, with the named tasks, or all, instead of two of them.
pub fn both_backends(diary: &Path, tasks: &[String]) -> Result<Call, Failure> {
    let call = Call::new(nextest()?)
        .words("nextest run --release -p benchwright --all-features --no-capture --test vibe_backends");
    Ok(call.env("BENCHWRIGHT_EVERY_TASK_APP", diary).env("BENCHWRIGHT_TASKS", tasks.join(",")))
}

/// The corpus' own test with all mutants instead of a sample, on the program as users get it. It says how far it is, and writes what
/// became of each mutant to `diary`.
pub fn every_mutant(diary: &Path) -> Result<Call, Failure> {
    let call = Call::new(nextest()?)
        .words("nextest run --release -p benchwright --all-features --no-capture --test corpus every_mutant");
    Ok(call.env("BENCHWRIGHT_EVERY_MUTANT", diary))
}

/// The queue's own tests with a thousand jobs, three workers, kills and restarts instead of a few, on both databases.
pub fn many_jobs() -> Result<Call, Failure> {
    let call = Call::new(nextest()?).words("nextest run -p benchwright-store --all-features --test jobs");
    Ok(without_skips(call.env("BENCHWRIGHT_SOAK", "1")))
}

/// The store's tests in which processes are killed, disks are full and the power fails.
pub fn crashes() -> Result<Call, Failure> {
    Ok(without_skips(Call::new(nextest()?).words("nextest run -p benchwright-store --all-features --test crash")))
}

/// Where a result is kept of what tests say, one that lacks something it needs has failed.
fn without_skips(call: Call) -> Call {
    call.env("BENCHWRIGHT_NO_SKIPS", "1")
}

/// nextest from the path, or one of our own under `target/`, built once.
///
/// Optimising nextest would take longer than it can ever win back here, so the one of our own is a debug build.
fn nextest() -> Result<PathBuf, Failure> {
    if let Some(installed) = find_program(&["cargo-nextest"]) {
        return Ok(installed);
    }
    let folder = project::root().join("target/tools");
    let program = folder.join("bin/cargo-nextest");
    if !program.is_file() {
        println!("building cargo-nextest {NEXTEST_VERSION} once, into target/tools");
        Call::cargo("install cargo-nextest --locked --debug --no-default-features --quiet")
            .words("--version")
            .arg(NEXTEST_VERSION)
            .arg("--root")
            .arg(&folder)
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .env("CARGO_TARGET_DIR", folder.join("build"))
            .run()?;
        // Half a gigabyte that nothing will read again.
        let _ = std::fs::remove_dir_all(folder.join("build"));
    }
    Ok(program)
}

fn instruments_tests() -> Done {
    Call::new(setup::pinned_node()?).arg("--test").dir(&project::root().join("instruments")).run()
}
