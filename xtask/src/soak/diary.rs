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

/// The tests of a part, as they call themselves when they have walked all their apps.
fn tests_of(part: &str) -> &'static [&'static str] {
    match part {
        "tasks" => &["references", "fakes", "mutants"],
        _ => &["backends"],
    }
}

pub(super) struct Diary {
    file: PathBuf,
    /// Who writes in it, and says so at the end.
    tests: &'static [&'static str],
    /// Whether it is there the next time.
    is_kept: bool,
}

impl Diary {
    /// The one of a sweep over all that is committed, as far as it came; a new one over a few tasks, or over what is not committed.
    pub(super) fn of(part: &str, soak: &Soak) -> Result<Self, Failure> {
        let tests = tests_of(part);
        let Some(state) = committed_state().filter(|_| soak.tasks.is_empty()) else {
            return Ok(Self { file: soak.scratch.path().join(format!("{part}.jsonl")), tests, is_kept: false });
        };
        let folder = project::root().join("target/soak");
        fs::create_dir_all(&folder).naming("make a folder for the diary")?;
        let file = folder.join(format!("{part}-{state}.jsonl"));
        let diary = Self { file, tests, is_kept: true };
        let known = diary.read()?.0.len();
        if known > 0 {
            println!("soak: {known} apps were walked before; to walk them again, remove {}", diary.file.display());
        }
        Ok(diary)
    }

    pub(super) fn file(&self) -> &Path {
        &self.file
    }

    /// What it says in the end. A sweep that did not come to its end, or found nothing wrong and did not pass, was broken off and is no
    /// result.
    pub(super) fn close(self, passed: bool) -> Result<Vec<Json>, Failure> {
        let (apps, ends) = self.read()?;
        if apps.is_empty() {
            return Err(Failure::environment("nothing was walked; what was said above tells why"));
        }
        let is_whole = self.tests.iter().all(|test| ends.iter().any(|end| end.text("closed") == Some(*test)));
        if !is_whole || (!passed && apps.iter().all(is_as_expected)) {
            let next = if self.is_kept { "; the same command goes on there" } else { "" };
            return Err(Failure::check(format!("the sweep was broken off after {} apps{next}", apps.len())));
        }
        // Whoever asks again wants to see it again.
        fs::remove_file(&self.file).naming("remove the diary")?;
        Ok(apps)
    }

    /// What became of each app, and what tests said when they had walked all of theirs.
    fn read(&self) -> Result<(Vec<Json>, Vec<Json>), Failure> {
        let text = fs::read_to_string(&self.file).unwrap_or_default();
        let lines: Vec<Json> = text.lines().map(Json::parse).collect::<Result<_, _>>().naming("read the diary")?;
        Ok(lines.into_iter().partition(|line| line.text("closed").is_none()))
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
        let outcome = Diary { file: file.clone(), tests: &["one", "other"], is_kept: true }.close(passed);
        (outcome.map(|lines| lines.len()).map_err(|failure| failure.message), file.exists())
    }

    #[test]
    fn a_sweep_that_was_broken_off_is_no_result_and_goes_on() {
        let (right, wrong) = ("{\"as_expected\": true}\n", "{\"as_expected\": false}\n");
        let (one, other) = ("{\"closed\": \"one\"}\n", "{\"closed\": \"other\"}\n");
        let (whole, half) = (format!("{right}{one}{other}"), format!("{one}{wrong}{one}"));
        for (lines, passed) in [(whole.as_str(), false), (right, true), (wrong, false), (half.as_str(), false)] {
            let (outcome, is_there) = closed(lines, passed);
            assert!(outcome.unwrap_err().contains("after 1 apps; the same command goes on") && is_there, "{lines}");
        }
        assert_eq!(closed(&whole, true), (Ok(1), false));
        assert_eq!(closed(&format!("{one}{right}{wrong}{other}"), false), (Ok(2), false));
        assert!(closed(&format!("{one}{other}"), true).0.unwrap_err().contains("nothing was walked"));
    }
}
