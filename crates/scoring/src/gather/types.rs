//! Checks the source with the TypeScript compiler.

use super::StepError;
use super::install::Installed;
use super::tree::Tree;
use super::workspace::{SourceFile, Survey, copy_into, survey};
use crate::conduct::Workbench;
use crate::evidence::survey::SkipReason;
use crate::evidence::{Absence, Types};
use benchwright_sandbox::Scratch;
use benchwright_sandbox::instrument::{Instrument, InstrumentError, Role};
use serde_json::json;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

const LIMIT: Duration = Duration::from_mins(3);
/// What a program is made of: scripts, and the data and configurations they name.
const READ: [&str; 9] = ["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "json"];
/// Data that only package managers read.
const LOCKFILES: [&str; 2] = ["package-lock.json", "npm-shrinkwrap.json"];
const MAX_UNCOUNTED: usize = 2000;

/// The compiler with its own copy of the source, waiting for what is to be installed.
#[derive(Debug)]
pub struct Checker {
    instrument: Instrument,
    folder: PathBuf,
    survey: Survey,
    uncounted: Vec<String>,
}

impl Checker {
    /// Starts the compiler, which loads while the files are copied.
    pub async fn start(tree: &Tree, bench: &Workbench, scratch: &Scratch) -> Result<Self, StepError> {
        let work = scratch.fresh_folder("types")?;
        let folder = work.join("source");
        let ((survey, uncounted), instrument) = tokio::try_join!(copy(tree, &folder), load(bench, &work, scratch))?;
        Ok(Self { instrument, folder, survey, uncounted })
    }

    /// Reads what is there already, which is worth it only while an install is still running. Should that fail, the check says so.
    pub async fn read_ahead(&mut self) {
        let _ = self.instrument.call("prepare", json!({"folder": self.folder}), LIMIT).await;
    }

    /// Checks the source against what was installed, if anything was. The compiler takes that over: nobody else will find it again.
    pub async fn check(mut self, installed: Option<&Installed>, bench: &Workbench) -> Result<Types, StepError> {
        let has_modules = installed.is_some_and(|installed| take_over(installed, &self.folder));
        let params = json!({"folder": self.folder, "installed": has_modules, "uncounted": self.uncounted});
        let answer = self.instrument.call("types", params, LIMIT).await;
        self.instrument.close().await;
        let types: Types = serde_json::from_value(answer.map_err(no_verdict)?)
            .map_err(|error| StepError::Page(format!("the compiler's answer is not understood: {error}")))?;
        if types.loc == 0 {
            return Err(no_typescript());
        }
        let typescript = bench.instruments.versions().get("typescript").cloned().unwrap_or_default();
        Ok(Types { typescript, installed: has_modules, skipped: self.survey.skipped, ..types })
    }
}

/// The compiler, loaded: from the heap that the set-up kept, or anew where that was kept by another machine. Should loading fail, the check says so.
async fn load(bench: &Workbench, work: &Path, scratch: &Scratch) -> Result<Instrument, StepError> {
    let start = |role: Role| Instrument::start(&bench.instruments, &role, scratch);
    let mut instrument = start(Role::Compiler { work: work.to_owned() })?;
    if let Err(InstrumentError::Died { .. }) = instrument.call("warm", json!({"tool": "types"}), LIMIT).await {
        instrument = start(Role::source(work))?;
        let _ = instrument.call("warm", json!({"tool": "types"}), LIMIT).await;
    }
    Ok(instrument)
}

/// A compiler that crashed or ran out of time has found nothing, neither faults nor their absence.
fn no_verdict(error: InstrumentError) -> StepError {
    match error {
        InstrumentError::Failed { kind, .. } if kind == "no-typescript" => no_typescript(),
        other => StepError::Page(format!("the TypeScript compiler gave no verdict: failed to {other}")),
    }
}

fn no_typescript() -> StepError {
    StepError::Absent(Absence::NotAsked { reason: "the source holds no TypeScript".to_owned() })
}

/// Moves what was installed to the same places in the copy that the compiler reads; not if that would lead out of it.
fn take_over(installed: &Installed, folder: &Path) -> bool {
    let stays_inside = |place: &Path| place.components().all(|part| matches!(part, Component::Normal(_)));
    installed.folders.iter().all(|place| {
        let (from, to) = (installed.checkout.join(place), folder.join(place));
        stays_inside(place)
            && fs::create_dir_all(&to).is_ok()
            && fs::rename(from.join("node_modules"), to.join("node_modules")).is_ok()
    })
}

/// Copies what the compiler reads, and tells which of it is there for its types only.
async fn copy(tree: &Tree, folder: &Path) -> Result<(Survey, Vec<String>), StepError> {
    let mut survey = survey(&tree.root, &READ).await?;
    survey.files.retain(|file| !LOCKFILES.iter().any(|name| file.path.ends_with(name)));
    if !survey.files.iter().any(|file| is_typescript(file) && !file.generated) {
        return Err(no_typescript());
    }
    let files = std::mem::take(&mut survey.files);
    let generated = files.iter().filter(|file| file.generated).map(|file| file.path.clone());
    let uncounted: Vec<_> = generated.take(MAX_UNCOUNTED).collect();
    for path in &uncounted {
        survey.skipped.add(path, SkipReason::Generated);
    }
    copy_into(folder, files).await?;
    Ok((survey, uncounted))
}

fn is_typescript(file: &SourceFile) -> bool {
    let has_one_of = |endings: &[&str]| endings.iter().any(|ending| file.path.ends_with(ending));
    has_one_of(&[".ts", ".tsx", ".mts", ".cts"]) && !has_one_of(&[".d.ts", ".d.mts", ".d.cts"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crash_is_a_failure_and_no_typescript_is_not() {
        let crash = InstrumentError::Died { stderr: "out of memory".to_owned() };
        assert!(matches!(no_verdict(crash), StepError::Page(reason) if reason.contains("no verdict")));
        let late = InstrumentError::TimedOut { seconds: 180.0 };
        assert!(matches!(no_verdict(late), StepError::Page(_)));
        let none = InstrumentError::Failed { kind: "no-typescript".to_owned(), message: String::new() };
        assert!(matches!(no_verdict(none), StepError::Absent(Absence::NotAsked { .. })));
    }

    #[test]
    fn installed_packages_are_moved_to_the_same_places_and_only_into_the_copy() {
        let base = tempfile::tempdir().unwrap();
        let (checkout, copy) = (base.path().join("install/checkout"), base.path().join("types/source"));
        let taken = |places: &[&str]| {
            for place in places {
                fs::create_dir_all(checkout.join(place).join("node_modules/x")).unwrap();
            }
            let folders = places.iter().map(PathBuf::from).collect();
            take_over(&Installed { checkout: checkout.clone(), folders }, &copy)
        };
        assert!(taken(&["", "apps/web"]));
        assert!(copy.join("node_modules/x").is_dir() && copy.join("apps/web/node_modules/x").is_dir());
        assert!(!taken(&["../.."]) && base.path().join("node_modules/x").is_dir());
        assert!(!taken(&[base.path().join("away").to_str().unwrap()]));
    }
}
