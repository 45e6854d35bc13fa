//! Makes a package ready to be started: a copy with its dependencies, built. The user's own folder is only read.

use super::{ServeError, modules};
use crate::conduct::Workbench;
use crate::evidence::install::Attempt;
use crate::gather::install::target::Target;
use crate::gather::install::{ALL_LISTS, blocking, checkout, to_run};
use crate::gather::tree::Tree;
use benchwright_sandbox::Scratch;
use benchwright_sandbox::serve::{Package, quoted};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

const BUILD_LIMIT: Duration = Duration::from_mins(10);
/// What is not part of the app, or is brought in another way. Unlike for an install, what was built before is part of it.
const SKIPPED: [&str; 3] = ["node_modules", ".git", "benchwright-report"];

/// Copies a package, and sees to it that what it depends on is there.
pub async fn copy(
    folder: &Path,
    bench: &Workbench,
    scratch: &Scratch,
    tell: &(dyn Fn(String) + Sync),
) -> Result<PathBuf, ServeError> {
    let has_modules = folder.join("node_modules").symlink_metadata().is_ok_and(|found| found.is_dir());
    let target = Target::at(folder).filter(|target| !has_modules && needs_install(target));
    let (copy, left_out) = if let Some(target) = target {
        tell("installing what it depends on".to_owned());
        install(folder, &target, bench, scratch).await?
    } else {
        tell("copying it".to_owned());
        copy_as_it_is(folder, has_modules, scratch).await?
    };
    if !left_out.is_empty() {
        let list: Vec<String> = left_out.into_iter().collect();
        tell(format!("left out of the copy: {}", list.join(", ")));
    }
    Ok(copy)
}

fn needs_install(target: &Target) -> bool {
    !target.dependencies(&ALL_LISTS).is_empty() || target.has_members()
}

async fn install(
    folder: &Path,
    target: &Target,
    bench: &Workbench,
    scratch: &Scratch,
) -> Result<(PathBuf, BTreeSet<String>), ServeError> {
    let tree = Tree { root: folder.to_owned(), name: String::new() };
    match to_run(&tree, target, &SKIPPED, bench, scratch).await? {
        Some(Ok(copied)) => Ok(copied),
        Some(Err(attempt)) => Err(not_installed(attempt)),
        None => Err(ServeError::Nothing {
            folder: folder.to_owned(),
            why: "it has dependencies, but neither node_modules nor a lockfile to install them from; \
                  run `npm install` there first"
                .to_owned(),
        }),
    }
}

fn not_installed(attempt: Attempt) -> ServeError {
    let is_the_apps = attempt.failure.as_ref().is_none_or(|failure| failure.class.is_the_apps());
    let said = attempt.failure.map(|failure| failure.said).unwrap_or_default();
    ServeError::Install { command: attempt.command, said, is_the_apps }
}

async fn copy_as_it_is(
    folder: &Path,
    has_modules: bool,
    scratch: &Scratch,
) -> Result<(PathBuf, BTreeSet<String>), ServeError> {
    let (source, into) = (folder.to_owned(), scratch.fresh_folder("app")?.join("checkout"));
    let copy = into.clone();
    let left_out = blocking(move || {
        let left_out = checkout::make(&source, &into, &SKIPPED)?;
        if has_modules {
            modules::copy(&source, &into)?;
        }
        Ok(left_out)
    })
    .await?;
    Ok((copy, left_out))
}

/// Runs the package's own build.
pub async fn build(package: &Package<'_>) -> Result<(), ServeError> {
    let finished = package.run("build", BUILD_LIMIT).await?;
    if finished.succeeded() {
        return Ok(());
    }
    let how = match finished.status {
        Some(status) => format!("failed ({status})"),
        None => format!("was not done within {} minutes", BUILD_LIMIT.as_secs() / 60),
    };
    Err(ServeError::Build { how, said: quoted(&finished.stderr_tail) })
}
