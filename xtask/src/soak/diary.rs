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
    /// Whether it is there the next time.
    is_kept: bool,
}

impl Diary {
    /// The one of a sweep over all that is committed, as far as it came; a new one over a few tasks, or over what is not committed.
    pub(super) fn of(part: &str, soak: &Soak) -> Result<Self, Failure> {
        let Some(state) = committed_state().filter(|_| soak.tasks.is_empty()) else {
            return Ok(Self { file: soak.scratch.path().join(format!("{part}.jsonl")), is_kept: false });
        };
        let folder = project::root().join("target/soak");
        fs::create_dir_all(&folder).naming("make a folder for the diary")?;
        let file = folder.join(format!("{part}-{state}.jsonl"));
        let known = fs::read_to_string(&file).unwrap_or_default().lines().count();
        if known > 0 {
            println!("soak: {known} apps were walked before; to walk them again, remove {}", file.display());
        }
        Ok(Self { file, is_kept: true })
    }

    pub(super) fn file(&self) -> &Path {
        &self.file
    }

    /// What it says in the end. A sweep that found nothing wrong and did not pass was broken off, and is no result.
    pub(super) fn close(self, passed: bool) -> Result<Vec<Json>, Failure> {
        let text = fs::read_to_string(&self.file).unwrap_or_default();
        let lines: Vec<Json> = text.lines().map(Json::parse).collect::<Result<_, _>>().naming("read the diary")?;
        if lines.is_empty() {
            return Err(Failure::environment("nothing was walked; what was said above tells why"));
        }
        if !passed && lines.iter().all(is_as_expected) {
            let next = if self.is_kept { "; the same command goes on there" } else { "" };
            return Err(Failure::check(format!("the sweep was broken off after {} apps{next}", lines.len())));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::Scratch;

    /// What comes of a diary with these lines, and whether it is there afterwards.
    fn closed(lines: &str, passed: bool) -> (Result<usize, String>, bool) {
        let scratch = Scratch::new("diary").unwrap();
        let file = scratch.path().join("tasks.jsonl");
        fs::write(&file, lines).unwrap();
        let outcome = Diary { file: file.clone(), is_kept: true }.close(passed);
        (outcome.map(|lines| lines.len()).map_err(|failure| failure.message), file.exists())
    }

    #[test]
    fn a_sweep_that_was_broken_off_is_no_result_and_goes_on() {
        let (right, wrong) = ("{\"as_expected\": true}\n", "{\"as_expected\": false}\n");
        let (outcome, is_there) = closed(right, false);
        assert!(outcome.unwrap_err().contains("after 1 apps; the same command goes on") && is_there);
        assert_eq!(closed(right, true), (Ok(1), false));
        assert_eq!(closed(&format!("{right}{wrong}"), false), (Ok(2), false));
        assert!(closed("", true).0.unwrap_err().contains("nothing was walked"));
    }
}
