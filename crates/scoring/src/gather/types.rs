//! Checks the source with the TypeScript compiler.

use super::StepError;
use super::install::Installed;
use super::tree::Tree;
use super::workspace::{SourceFile, Survey, copy_into, survey};
use crate::conduct::Workbench;
use crate::evidence::survey::SkipReason;
use crate::evidence::{Absence, Types};
use benchwright_sandbox::Scratch;
use benchwright_sandbox::instrument::{Instrument, InstrumentError, Mount, Role};
use serde_json::json;
use std::path::{Component, Path};
use std::time::Duration;

const LIMIT: Duration = Duration::from_mins(3);
/// What a program is made of: scripts, and the data and configurations they name.
const READ: [&str; 9] = ["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "json"];
/// Data that only package managers read.
const LOCKFILES: [&str; 2] = ["package-lock.json", "npm-shrinkwrap.json"];
const MAX_UNCOUNTED: usize = 2000;

/// Checks the source against what was installed, if anything was.
pub async fn check(
    tree: &Tree,
    installed: Option<&Installed>,
    bench: &Workbench,
    scratch: &Scratch,
) -> Result<Types, StepError> {
    let work = scratch.fresh_folder("types")?;
    let folder = work.join("source");
    let mounts: Vec<Mount> = installed.and_then(|installed| mount(installed, &folder)).into_iter().collect();
    let has_modules = !mounts.is_empty();
    let role = Role::source_with(&work, mounts);
    let mut instrument = Instrument::start(&bench.instruments, &role, scratch)?;
    // The compiler loads while the files are read. Should loading fail, the call below says so.
    let warming = async {
        let _ = instrument.call("warm", json!({"tool": "types"}), LIMIT).await;
        Ok(())
    };
    let ((surveyed, uncounted), ()) = tokio::try_join!(prepare(tree, &folder), warming)?;
    let params = json!({"folder": folder, "installed": has_modules, "uncounted": uncounted});
    let answer = instrument.call("types", params, LIMIT).await;
    instrument.close().await;
    let types: Types = serde_json::from_value(answer.map_err(no_verdict)?)
        .map_err(|error| StepError::Page(format!("the compiler's answer is not understood: {error}")))?;
    if types.loc == 0 {
        return Err(no_typescript());
    }
    let typescript = bench.instruments.versions().get("typescript").cloned().unwrap_or_default();
    Ok(Types { typescript, installed: has_modules, skipped: surveyed.skipped, ..types })
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

/// Where the compiler finds what was installed; nothing if that would lead out of the copy.
fn mount(installed: &Installed, folder: &Path) -> Option<Mount> {
    let plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    let inside = installed.package.components().all(plain) && installed.node_modules.is_dir();
    let at = || folder.join(&installed.package).join("node_modules");
    inside.then(|| Mount { from: installed.node_modules.clone(), at: at() })
}

/// Copies what the compiler reads, and tells which of it is there for its types only.
async fn prepare(tree: &Tree, folder: &Path) -> Result<(Survey, Vec<String>), StepError> {
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
    fn installed_packages_are_seen_only_inside_the_copy() {
        let modules = tempfile::tempdir().unwrap();
        let installed = |package: &str| Installed { package: package.into(), node_modules: modules.path().to_owned() };
        let at = |package: &str| mount(&installed(package), Path::new("/w/source")).map(|mount| mount.at);
        assert_eq!(at(""), Some("/w/source/node_modules".into()));
        assert_eq!(at("web"), Some("/w/source/web/node_modules".into()));
        assert_eq!(at("../.."), None);
        assert_eq!(at("/etc"), None);
    }
}
