//! Installs from every committed lockfile, in a sandbox, into a folder that is thrown away.

pub(crate) mod checkout;
pub(super) mod failure;
pub(crate) mod target;

use super::StepError;
use super::tree::Tree;
use crate::conduct::Workbench;
use crate::evidence::install::{Attempt, Failure, FailureClass};
use crate::evidence::{Absence, Install};
use benchwright_sandbox::packages::{self, Job};
use benchwright_sandbox::{Manager, SandboxError, Scratch};
use std::collections::{BTreeSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use target::{LOCKFILES, Lockfile, SKIPPED_FOLDERS, Target};

/// For one install, as published.
const TIME_LIMIT: Duration = Duration::from_mins(4);
const OUTPUT_LIMIT: usize = 2 * 1024 * 1024;
pub(crate) const ALL_LISTS: [&str; 3] = ["dependencies", "devDependencies", "optionalDependencies"];
const MAX_LEFT_OUT: usize = 20;
/// Name of the copy in the folder of an attempt.
const CHECKOUT: &str = "checkout";

/// A copy of a package with its dependencies installed, for whoever needs their types.
#[derive(Debug, Clone)]
pub struct Installed {
    /// The package's folder relative to the source root.
    pub package: PathBuf,
    /// Where its `node_modules` is.
    pub node_modules: PathBuf,
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
    let dependencies = target.dependencies(&ALL_LISTS).len();
    if dependencies == 0 && target.lockfiles.is_empty() && !target.has_members() {
        return Err(nothing("package.json names no dependencies, so there is nothing to install"));
    }
    let shop = Shop { tree, bench, scratch, target: &target, limit, skipped: &SKIPPED_FOLDERS };
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

/// Installs a package in the root of a tree into a copy that somebody wants to run, from the first of its lockfiles that can be
/// installed. Returns the copy and what was left out of it, or what was tried in vain first; nothing when there is no lockfile.
pub(crate) async fn to_run(
    tree: &Tree,
    target: &Target,
    skipped: &'static [&'static str],
    bench: &Workbench,
    scratch: &Scratch,
) -> Result<Option<Result<(PathBuf, BTreeSet<String>), Attempt>>, StepError> {
    let shop = Shop { tree, bench, scratch, target, limit: TIME_LIMIT, skipped };
    let mut in_vain = None;
    for lockfile in &target.lockfiles {
        let tried = shop.attempt(lockfile).await?;
        if tried.attempt.failure.is_none() {
            return Ok(Some(Ok((tried.work.join(CHECKOUT), tried.left_out))));
        }
        in_vain = in_vain.or(Some(tried.attempt));
    }
    Ok(in_vain.map(Err))
}

fn nothing(reason: &str) -> StepError {
    StepError::Absent(Absence::NotAsked { reason: reason.to_owned() })
}

/// A folder of the source as it is shown.
pub(super) fn shown(folder: &Path) -> String {
    if folder.as_os_str().is_empty() { ".".to_owned() } else { folder.to_string_lossy().replace('\\', "/") }
}

/// Hosts that everybody's packages come from: the registry in use, and the one that lockfiles name where it is another.
pub(super) fn registries(bench: &Workbench) -> [String; 2] {
    [bench.registry.host(), bench.instruments.public_registry.host()]
}

/// Work on files, off the threads that wait.
pub(crate) async fn blocking<T: Send + 'static>(
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
    /// Names of folders that are not copied.
    skipped: &'static [&'static str],
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
        let work = self.scratch.fresh_folder("install")?;
        let (source, copy, root) = (self.tree.root.clone(), work.join(CHECKOUT), self.target.root.clone());
        let (name, manager, skipped) = (lockfile.name, lockfile.manager, self.skipped);
        let left_out = blocking(move || {
            let left_out = checkout::make(&source, &copy, skipped)?;
            prepare(&copy.join(root), name, manager)?;
            Ok(left_out)
        })
        .await?;
        let words = words(manager);
        let folder = work.join(CHECKOUT).join(&self.target.root);
        let job = Job {
            manager,
            words,
            work: &work,
            folder: &folder,
            cache_key: &lockfile.key,
            time: self.limit,
            output_bytes: OUTPUT_LIMIT,
        };
        let instruments = &self.bench.instruments;
        let failure = match packages::run(&job, instruments, &self.bench.registry, self.scratch).await {
            Ok(done) if done.finished.succeeded() => None,
            Ok(done) => {
                let registries = registries(self.bench);
                Some(failure::of(&done.finished, &done.traffic, &registries, &work.to_string_lossy()))
            }
            Err(SandboxError::Instruments { what, .. }) => {
                Some(Failure { class: FailureClass::Unsupported, said: what })
            }
            Err(error) => return Err(error.into()),
        };
        let attempt = Attempt {
            lockfile: lockfile.name.to_owned(),
            manager,
            version: manager.version(instruments).unwrap_or_default(),
            command: typed(manager).to_owned(),
            failure,
        };
        Ok(Tried { attempt, work, left_out })
    }

    /// Keeps the first install that has a `node_modules`, and throws the others away.
    async fn keep_one(&self, tried: &[Tried]) -> Option<Installed> {
        let mut kept = None;
        for tried in tried {
            if kept.is_none() && tried.attempt.failure.is_none() {
                kept = self.modules(&tried.work);
                if kept.is_some() {
                    continue;
                }
            }
            let work = tried.work.clone();
            let _ = tokio::task::spawn_blocking(move || fs::remove_dir_all(work)).await;
        }
        kept
    }

    fn modules(&self, work: &Path) -> Option<Installed> {
        let copy = work.join(CHECKOUT);
        let folders = [&self.target.package, &self.target.root].map(|folder| copy.join(folder).join("node_modules"));
        let is_folder = |path: &PathBuf| fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
        let node_modules = folders.into_iter().find(is_folder)?;
        Some(Installed { package: self.target.package.clone(), node_modules })
    }
}

/// Leaves a copy with only one lockfile, and with settings where the pinned manager looks for them.
fn prepare(folder: &Path, lockfile: &str, manager: Manager) -> std::io::Result<()> {
    for (other, _) in LOCKFILES.iter().filter(|(name, _)| *name != lockfile) {
        match fs::remove_file(folder.join(other)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    match manager {
        Manager::Pnpm => checkout::move_pnpm_settings(folder),
        Manager::YarnBerry => checkout::lift_yarn_format(&folder.join(lockfile)),
        _ => Ok(()),
    }
}

/// The strict install of each manager. None runs a script of a package, of the app, or of a setting.
fn words(manager: Manager) -> &'static [&'static str] {
    match manager {
        Manager::Npm => &[
            "ci",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--prefer-offline",
            "--no-progress",
            "--loglevel=error",
        ],
        Manager::Pnpm => &[
            "install",
            "--frozen-lockfile",
            "--ignore-scripts",
            "--ignore-pnpmfile",
            "--prefer-offline",
            "--reporter=append-only",
        ],
        Manager::YarnClassic => &[
            "install",
            "--frozen-lockfile",
            "--ignore-scripts",
            "--ignore-engines",
            "--non-interactive",
            "--no-progress",
            "--prefer-offline",
        ],
        Manager::YarnBerry => &["install", "--immutable", "--mode=skip-build"],
        Manager::Bun => {
            &["install", "--frozen-lockfile", "--ignore-scripts", "--no-progress", "--no-summary", "--backend=copyfile"]
        }
    }
}

/// What a user would type for the same.
fn typed(manager: Manager) -> &'static str {
    match manager {
        Manager::Npm => "npm ci --ignore-scripts",
        Manager::Pnpm => "pnpm install --frozen-lockfile --ignore-scripts",
        Manager::YarnClassic => "yarn install --frozen-lockfile --ignore-scripts",
        Manager::YarnBerry => "yarn install --immutable --mode=skip-build",
        Manager::Bun => "bun install --frozen-lockfile --ignore-scripts",
    }
}
