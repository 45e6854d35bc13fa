//! What tests write down of each app while they walk for hours, and where a sweep that was broken off goes on.

use super::Soak;
use crate::call::Call;
use crate::failure::{Failure, Naming};
use crate::json::Json;
use crate::project;
use std::fs;
use std::path::{Path, PathBuf};

/// What the verdicts depend on.
const WALKED: [&str; 4] = ["crates", "corpus/tasks", "fixtures", "Cargo.lock"];

pub(super) struct Diary {
    file: PathBuf,
}

impl Diary {
    /// The one of a sweep over what is committed, as far as it came; a new one over what is not.
    pub(super) fn of(part: &str, soak: &Soak) -> Result<Self, Failure> {
        let Some(state) = committed_state() else {
            return Ok(Self { file: soak.scratch.path().join(format!("{part}.jsonl")) });
        };
        let folder = project::root().join("target/soak");
        fs::create_dir_all(&folder).naming("make a folder for the diary")?;
        let file = folder.join(format!("{part}-{state}.jsonl"));
        let known = fs::read_to_string(&file).unwrap_or_default().lines().count();
        if known > 0 {
            println!("soak: {known} apps were walked before; to walk them again, remove {}", file.display());
        }
        Ok(Self { file })
    }

    pub(super) fn file(&self) -> &Path {
        &self.file
    }

    /// What it says in the end. A sweep that found nothing wrong and did not pass was broken off, and is no result.
    pub(super) fn close(self, passed: bool) -> Result<Vec<Json>, Failure> {
        let text = fs::read_to_string(&self.file).unwrap_or_default();
        let lines: Vec<Json> = text.lines().map(Json::parse).collect::<Result<_, _>>().naming("read the diary")?;
        if lines.is_empty() || (!passed && lines.iter().all(is_as_expected)) {
            let count = lines.len();
            return Err(Failure::check(format!(
                "the sweep was broken off after {count} apps; the same command goes on there"
            )));
        }
        // Whoever asks again wants to see it again.
        fs::remove_file(&self.file).naming("remove the diary")?;
        Ok(lines)
    }
}

pub(super) fn is_as_expected(one: &Json) -> bool {
    one.at("as_expected") == Some(&Json::Bool(true))
}

/// A name for what is committed; none where something is not.
fn committed_state() -> Option<String> {
    let git = |words: &str| Call::new("git").words(words).dir(&project::root()).text().ok();
    let changed = git(&format!("status --porcelain -- {}", WALKED.join(" ")))?;
    let objects = git(&format!("rev-parse {}", WALKED.map(|path| format!("HEAD:{path}")).join(" ")))?;
    let state: Vec<&str> = objects.lines().filter_map(|object| object.get(..8)).collect();
    (changed.trim().is_empty() && state.len() == WALKED.len()).then(|| state.join("-"))
}
