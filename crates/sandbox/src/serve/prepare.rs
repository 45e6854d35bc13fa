//! Makes a package ready to be started: a copy with its dependencies, built. The user's own folder is only read.

use super::{Package, ServeError, quoted, tree};
use crate::instrument::Instruments;
use crate::packages::install::{self, CHECKOUT, Order};
use crate::packages::lockfile::{Lockfile, lockfiles, manifest, needs_install};
use crate::packages::{RegistryAccess, checkout};
use crate::scratch::Scratch;
use crate::{Result, SandboxError};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

const INSTALL_LIMIT: Duration = Duration::from_mins(4);
/// What is not part of the app, or is brought in another way. Unlike for an install, what was built before is part of it.
const SKIPPED: [&str; 3] = ["node_modules", ".git", "benchwright-report"];

/// What it takes to make a package ready.
#[derive(Clone, Copy)]
pub struct Shop<'a> {
    /// The pinned programs.
    pub instruments: &'a Instruments,
    /// How packages are fetched.
    pub registry: &'a RegistryAccess,
    /// Whether a `node_modules` that is there is taken along; otherwise it counts as not there.
    pub takes_modules: bool,
    /// Where copies are made.
    pub scratch: &'a Scratch,
    /// Hears what is being done.
    pub tell: &'a (dyn Fn(String) + Sync),
}

impl Shop<'_> {
    /// Copies a package, and sees to it that what it depends on is there. The copy is alone in the folder above it.
    pub async fn copy(&self, folder: &Path) -> Result<PathBuf, ServeError> {
        let has_modules =
            self.takes_modules && folder.join("node_modules").symlink_metadata().is_ok_and(|found| found.is_dir());
        let installs = !has_modules && manifest(folder).is_some_and(|manifest| needs_install(&manifest));
        let (copy, left_out) = if installs {
            (self.tell)("installing what it depends on".to_owned());
            self.install(folder).await?
        } else {
            (self.tell)("copying it".to_owned());
            self.copy_as_it_is(folder, has_modules).await?
        };
        if !left_out.is_empty() {
            let list: Vec<String> = left_out.into_iter().collect();
            (self.tell)(format!("left out of the copy: {}", list.join(", ")));
        }
        Ok(copy)
    }

    /// Installs from the first lockfile that can be; what is said of a failure is about the first of all.
    async fn install(&self, folder: &Path) -> Result<(PathBuf, BTreeSet<String>), ServeError> {
        let mut in_vain = None;
        for lockfile in lockfiles(folder) {
            match self.install_from(folder, &lockfile).await? {
                Ok(copied) => return Ok(copied),
                Err(error) => in_vain = in_vain.or(Some(error)),
            }
        }
        Err(in_vain.unwrap_or_else(|| ServeError::Nothing {
            folder: folder.to_owned(),
            why: "it has dependencies, but neither node_modules nor a lockfile to install them from; \
                  run `npm install` there first"
                .to_owned(),
        }))
    }

    async fn install_from(
        &self,
        folder: &Path,
        lockfile: &Lockfile,
    ) -> Result<Result<(PathBuf, BTreeSet<String>), ServeError>> {
        let order = Order { source: folder, root: Path::new(""), lockfile, skipped: &SKIPPED, time: INSTALL_LIMIT };
        let installed = install::install(order, self.instruments, self.registry, self.scratch).await?;
        Ok(match installed.failure {
            None => Ok((installed.work.join(CHECKOUT), installed.left_out)),
            Some(failure) => Err(ServeError::Install {
                command: install::typed(lockfile.manager).to_owned(),
                is_the_apps: failure.class.is_the_apps(),
                said: failure.said,
            }),
        })
    }

    async fn copy_as_it_is(&self, folder: &Path, has_modules: bool) -> Result<(PathBuf, BTreeSet<String>)> {
        let (source, into) = (folder.to_owned(), self.scratch.fresh_folder("app")?.join(CHECKOUT));
        let copy = into.clone();
        let copying = tokio::task::spawn_blocking(move || {
            let left_out = checkout::make(&source, &into, &SKIPPED)?;
            if has_modules {
                tree::copy(&source, &into, Path::new("node_modules"), &[])?;
            }
            Ok(left_out)
        });
        let copied = copying.await.unwrap_or_else(|error| Err(std::io::Error::other(error)));
        let left_out = copied.map_err(|source| SandboxError::Scratch { path: copy.clone(), source })?;
        Ok((copy, left_out))
    }
}

/// Runs the package's own build.
pub async fn build(package: &Package<'_>, limit: Duration) -> Result<(), ServeError> {
    let finished = package.run("build", limit).await?;
    if finished.succeeded() {
        return Ok(());
    }
    let how = match finished.status {
        Some(status) => format!("failed ({status})"),
        None => format!("was not done within {:.0} minutes", limit.as_secs_f64() / 60.0),
    };
    Err(ServeError::Build { how, said: quoted(&finished.stderr_tail) })
}
