//! Data folders of any size, made by an example program of `store` through the store's own interface.

use crate::call::Call;
use crate::failure::{Done, Failure};
use crate::project;
use std::path::{Path, PathBuf};

/// A real run, gathered once and committed.
const FROZEN: &str = "fixtures/runs/harbor-coffee-format-1";

pub(super) fn build() -> Done {
    Call::cargo("build --release --quiet --package benchwright-store --example scale").run()
}

/// `words` as the program explains them.
pub(super) fn make(folder: &Path, words: &str) -> Done {
    println!("bench: making {words}");
    call(folder).words(words).text().map(|_| ())
}

/// Copies of the real run, each with so many events.
pub(super) fn make_events(folder: &Path, runs: usize, events: usize, report: &Path) -> Done {
    let words = format!("events {runs} {events}");
    println!("bench: making {words}");
    call(folder).words(&words).arg(project::root().join(FROZEN)).arg(report).text().map(|_| ())
}

/// The report of the real run, written into a folder.
pub(super) fn report(folder: &Path) -> Result<PathBuf, Failure> {
    Call::new(project::release_binary()).words("rescore --quiet").arg(FROZEN).arg("--out").arg(folder).run()?;
    Ok(folder.join("report.json"))
}

fn call(folder: &Path) -> Call {
    Call::new(project::release_binary().with_file_name("examples").join("scale")).arg(folder)
}
