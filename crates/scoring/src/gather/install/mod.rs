//! Installs from every committed lockfile, in a sandbox, into a folder that is thrown away.

pub(super) mod target;

use super::StepError;
use super::tree::Tree;
use crate::conduct::Workbench;
use crate::evidence::install::Attempt;
use crate::evidence::{Absence, Install};
use benchwright_sandbox::Scratch;
use benchwright_sandbox::packages::install::{self, CHECKOUT, Order};
use benchwright_sandbox::packages::lockfile::{DEPENDENCY_LISTS, LOCKFILES, Lockfile};
use std::collections::{BTreeSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use target::{SKIPPED_FOLDERS, Target};

/// For one install, as published.
const TIME_LIMIT: Duration = Duration::from_mins(4);
const MAX_LEFT_OUT: usize = 20;

/// A copy of the source with its dependencies installed, for whoever needs their types.
#[derive(Debug, Clone)]
pub struct Installed {
    /// Where the copy is.
    pub checkout: PathBuf,
    /// Folders of it, relative to it, that have a `node_modules`. In a workspace these are its root and its members, whose packages lead to each other.
    pub folders: Vec<PathBuf>,
}

/// Installs from every committed lockfile.
pub async fn run(tree: &Tree, bench: &Workbench, scratch: &Scratch) -> Result<(Install, Option<Installed>), StepError> {
    within(tree, bench, scratch, TIME_LIMIT).await
}

/// The same with a time limit for each install.
pub async fn within(
    tree: &Tree,
    bench: &Workbench,
    scratch: &Scratch,
    limit: Duration,
) -> Result<(Install, Option<Installed>), StepError> {
    let source = tree.root.clone();
    let found = blocking(move || Ok(target::find(&source))).await?;
    let Some(target) = found else {
        return Err(nothing("the source has no package.json, so there is nothing to install"));
    };
    let dependencies = target.dependencies(&DEPENDENCY_LISTS).len();
    if dependencies == 0 && target.lockfiles.is_empty() && !target.has_members() {
        return Err(nothing("package.json names no dependencies, so there is nothing to install"));
    }
    let shop = Shop { tree, bench, scratch, target: &target, limit };
    let mut tried = shop.try_all().await?;
    tried.sort_by_key(|tried| LOCKFILES.iter().position(|(name, _)| *name == tried.attempt.lockfile));
    let installed = shop.keep_one(&tried).await;
    let left_out: BTreeSet<String> = tried.iter().flat_map(|tried| tried.left_out.iter().cloned()).collect();
    let install = Install {
        package: shown(&target.package),
        root: shown(&target.root),
        dependencies,
        attempts: tried.into_iter().map(|tried| tried.attempt).collect(),
        left_out: left_out.into_iter().take(MAX_LEFT_OUT).collect(),
    };
    Ok((install, installed))
}

fn nothing(reason: &str) -> StepError {
    StepError::Absent(Absence::NotAsked { reason: reason.to_owned() })
}

/// A folder of the source as it is shown.
pub(super) fn shown(folder: &Path) -> String {
    if folder.as_os_str().is_empty() { ".".to_owned() } else { folder.to_string_lossy().replace('\\', "/") }
}

/// Work on files, off the threads that wait.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> std::io::Result<T> + Send + 'static,
) -> Result<T, StepError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(StepError::Page(format!("failed to copy the source: {error}"))),
        Err(error) => Err(StepError::Page(error.to_string())),
    }
}

/// Everything an attempt needs.
struct Shop<'a> {
    tree: &'a Tree,
    bench: &'a Workbench,
    scratch: &'a Scratch,
    target: &'a Target,
    limit: Duration,
}

struct Tried {
    attempt: Attempt,
    work: PathBuf,
    left_out: BTreeSet<String>,
}

impl Shop<'_> {
    /// Two at a time: one waits for the network while the other unpacks.
    async fn try_all(&self) -> Result<Vec<Tried>, StepError> {
        let queue: Mutex<VecDeque<&Lockfile>> = Mutex::new(self.target.lockfiles.iter().collect());
        let worker = || async {
            let mut tried = Vec::new();
            loop {
                let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                let Some(lockfile) = next else { return Ok::<_, StepError>(tried) };
                tried.push(self.attempt(lockfile).await?);
            }
        };
        let (one, other) = tokio::join!(worker(), worker());
        let mut tried = one?;
        tried.extend(other?);
        Ok(tried)
    }

    async fn attempt(&self, lockfile: &Lockfile) -> Result<Tried, StepError> {
        let order = Order {
            source: &self.tree.root,
            root: &self.target.root,
            lockfile,
            skipped: &SKIPPED_FOLDERS,
            time: self.limit,
        };
        let Workbench { instruments, registry, .. } = self.bench;
        let installed = install::install(order, instruments, registry, self.scratch).await?;
        let attempt = Attempt {
            lockfile: lockfile.name.to_owned(),
            manager: lockfile.manager,
            version: lockfile.manager.version(instruments).unwrap_or_default(),
            command: install::typed(lockfile.manager).to_owned(),
            failure: installed.failure,
        };
        Ok(Tried { attempt, work: installed.work, left_out: installed.left_out })
    }

    /// Keeps the first install that has a `node_modules`, and throws the others away.
    async fn keep_one(&self, tried: &[Tried]) -> Option<Installed> {
        let mut kept = None;
        for tried in tried {
            if kept.is_none() && tried.attempt.failure.is_none() {
                kept = modules(&tried.work).await;
                if kept.is_some() {
                    continue;
                }
            }
            let work = tried.work.clone();
            let _ = tokio::task::spawn_blocking(move || fs::remove_dir_all(work)).await;
        }
        kept
    }
}

async fn modules(work: &Path) -> Option<Installed> {
    let checkout = work.join(CHECKOUT);
    let copy = checkout.clone();
    let folders = blocking(move || Ok(target::with_modules(&copy))).await.ok()?;
    (!folders.is_empty()).then_some(Installed { checkout, folders })
}
