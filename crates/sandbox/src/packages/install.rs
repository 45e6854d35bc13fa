//! Installs a package from one lockfile, into a copy.

use super::failure::{self, Failure, FailureClass};
use super::lockfile::{self, LOCKFILES, Lockfile};
use super::{Job, Manager, RegistryAccess, checkout, run};
use crate::instrument::Instruments;
use crate::scratch::Scratch;
use crate::{Result, SandboxError};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Name of the copy in the folder of an install.
pub const CHECKOUT: &str = "checkout";
const OUTPUT_LIMIT: usize = 2 * 1024 * 1024;

/// What is to be installed.
#[derive(Debug, Clone, Copy)]
pub struct Order<'a> {
    /// The tree that is copied. It is only read.
    pub source: &'a Path,
    /// The folder in it to install in, relative to it.
    pub root: &'a Path,
    /// What is installed.
    pub lockfile: &'a Lockfile,
    /// Names of folders that are not copied.
    pub skipped: &'static [&'static str],
    /// From start to end.
    pub time: Duration,
}

/// What came of it.
#[derive(Debug)]
pub struct Installed {
    /// The folder with the copy in it, which is called [`CHECKOUT`].
    pub work: PathBuf,
    /// What was left out of the copy, in words.
    pub left_out: BTreeSet<String>,
    /// Why it failed; none when it installed.
    pub failure: Option<Failure>,
}

/// Copies a tree and installs it, strictly as its lockfile says, without running a script of anybody's.
pub async fn install(
    order: Order<'_>,
    instruments: &Instruments,
    access: &RegistryAccess,
    scratch: &Scratch,
) -> Result<Installed> {
    let work = scratch.fresh_folder("install")?;
    let (left_out, cache_key) = copy(order, work.join(CHECKOUT)).await?;
    let manager = order.lockfile.manager;
    let folder = work.join(CHECKOUT).join(order.root);
    let job = Job {
        manager,
        words: words(manager),
        work: &work,
        folder: &folder,
        cache_key: &cache_key,
        time: order.time,
        output_bytes: OUTPUT_LIMIT,
    };
    let failure = match run(&job, instruments, access, scratch).await {
        Ok(done) if done.finished.succeeded() => None,
        Ok(done) => {
            let registries = registries(instruments, access);
            Some(failure::of(&done.finished, &done.traffic, &registries, &work.to_string_lossy()))
        }
        Err(SandboxError::Instruments { what, .. }) => Some(Failure { class: FailureClass::Unsupported, said: what }),
        Err(error) => return Err(error),
    };
    Ok(Installed { work, left_out, failure })
}

/// Hosts that everybody's packages come from: the registry in use, and the one that lockfiles name where it is another.
pub fn registries(instruments: &Instruments, access: &RegistryAccess) -> [String; 2] {
    [access.host(), instruments.public_registry.host()]
}

/// Makes the copy. Returns what was left out of it, and what names its corner of the cache.
async fn copy(order: Order<'_>, into: PathBuf) -> Result<(BTreeSet<String>, String)> {
    let (source, root, skipped) = (order.source.to_owned(), order.root.to_owned(), order.skipped);
    let (lockfile, path) = (order.lockfile.clone(), into.clone());
    let copying = tokio::task::spawn_blocking(move || {
        let left_out = checkout::make(&source, &into, skipped)?;
        prepare(&into.join(&root), lockfile.name, lockfile.manager)?;
        Ok((left_out, corner(&lockfile, &checkout::settings(&into, &root))))
    });
    let copied = copying.await.unwrap_or_else(|error| Err(std::io::Error::other(error)));
    copied.map_err(|source| SandboxError::Scratch { path, source })
}

/// Names a lockfile together with the settings that say where its packages come from.
fn corner(lockfile: &Lockfile, settings: &[u8]) -> String {
    if settings.is_empty() {
        return lockfile.key.clone();
    }
    lockfile::key(&[lockfile.key.as_bytes(), settings].concat())
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
pub fn typed(manager: Manager) -> &'static str {
    match manager {
        Manager::Npm => "npm ci --ignore-scripts",
        Manager::Pnpm => "pnpm install --frozen-lockfile --ignore-scripts",
        Manager::YarnClassic => "yarn install --frozen-lockfile --ignore-scripts",
        Manager::YarnBerry => "yarn install --immutable --mode=skip-build",
        Manager::Bun => "bun install --frozen-lockfile --ignore-scripts",
    }
}
