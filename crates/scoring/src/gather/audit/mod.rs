//! Asks the registry which advisories the production dependencies have.

mod answer;
mod manifest;
mod ways;

use super::StepError;
use super::install::target::{self, Target};
use super::install::{blocking, shown};
use super::tree::Tree;
use crate::conduct::Workbench;
use crate::evidence::audit::AuditedLockfile;
use crate::evidence::install::FailureClass;
use crate::evidence::{Absence, Audit};
use answer::Answer;
use benchwright_sandbox::packages::install::registries;
use benchwright_sandbox::packages::{self, Done, Job, failure};
use benchwright_sandbox::{Manager, Scratch};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use ways::Ways;

const AUDIT_LIMIT: Duration = Duration::from_mins(1);
const LOCK_LIMIT: Duration = Duration::from_mins(2);
const OUTPUT_LIMIT: usize = 32 * 1024 * 1024;
const PRODUCTION: [&str; 2] = ["dependencies", "optionalDependencies"];
/// Lockfiles that npm reads, the one it prefers first.
const NPM_LOCKFILES: [&str; 2] = ["npm-shrinkwrap.json", "package-lock.json"];

/// Asks the registry which advisories the production dependencies have.
pub async fn run(tree: &Tree, bench: &Workbench, scratch: &Scratch) -> Result<Audit, StepError> {
    let source = tree.root.clone();
    let Some(target) = blocking(move || Ok(target::find(&source))).await? else {
        let reason = "the source has no package.json, so it has no dependencies".to_owned();
        return Err(StepError::Absent(Absence::NotAsked { reason }));
    };
    let audit = Audit {
        package: shown(&target.package),
        npm: Manager::Npm.version(&bench.instruments)?,
        date: jiff::Timestamp::now().strftime("%Y-%m-%d").to_string(),
        ..Audit::default()
    };
    if target.dependencies(&PRODUCTION).is_empty() && !target.has_members() {
        return Ok(audit);
    }
    let desk = Counter { tree, bench, scratch, target: &target };
    let (lockfile, answer, ways) = match desk.committed().await? {
        Some(found) => found,
        None => desk.generated().await?,
    };
    Ok(answer.into_audit(Audit { lockfile, ..audit }, &ways))
}

fn no_input(reason: impl Into<String>) -> StepError {
    StepError::Absent(Absence::NoInput { reason: reason.into() })
}

struct Counter<'a> {
    tree: &'a Tree,
    bench: &'a Workbench,
    scratch: &'a Scratch,
    target: &'a Target,
}

impl Counter<'_> {
    /// Audits what the app's own lockfile says. None when there is no such lockfile, or npm cannot read it.
    async fn committed(&self) -> Result<Option<(AuditedLockfile, Answer, Ways)>, StepError> {
        let committed = |name: &str| self.target.lockfiles.iter().any(|lockfile| lockfile.name == name);
        let Some(name) = NPM_LOCKFILES.into_iter().find(|name| committed(name)) else { return Ok(None) };
        let work = self.scratch.fresh_folder("audit")?;
        let (source, root, app) = (self.tree.root.clone(), self.target.root.clone(), work.join("app"));
        blocking(move || manifest::copy(&source, &root, &app, name)).await?;
        let answer = self.ask(&work).await?;
        let ways = Ways::read(&work.join("app"));
        remove(work).await;
        match answer {
            Answer::Unreadable { .. } => Ok(None),
            answer => {
                judged(answer).map(|answer| Some((AuditedLockfile::Committed { name: name.to_owned() }, answer, ways)))
            }
        }
    }

    /// Lets npm choose the versions, and audits those.
    async fn generated(&self) -> Result<(AuditedLockfile, Answer, Ways), StepError> {
        let work = self.scratch.fresh_folder("audit")?;
        let folder = work.join("app");
        let (source, target, app) = (self.tree.root.clone(), self.target.clone(), folder.clone());
        let left_out = blocking(move || manifest::write(&source, &target, &app)).await?;
        let mut words = vec![
            "install",
            "--package-lock-only",
            "--ignore-scripts",
            "--omit=dev",
            "--no-audit",
            "--no-fund",
            "--prefer-offline",
            "--loglevel=error",
        ];
        let mut done = self.npm(&work, &words, LOCK_LIMIT).await?;
        let legacy_peer_deps = !done.finished.succeeded() && failure::output(&done.finished).contains("ERESOLVE");
        if legacy_peer_deps {
            words.push("--legacy-peer-deps");
            done = self.npm(&work, &words, LOCK_LIMIT).await?;
        }
        if !done.finished.succeeded() {
            return Err(self.no_lockfile(&done, &work));
        }
        let answer = self.ask(&work).await?;
        let ways = Ways::read(&work.join("app"));
        remove(work).await;
        let answer = judged(answer)?;
        Ok((AuditedLockfile::Generated { legacy_peer_deps, left_out }, answer, ways))
    }

    async fn ask(&self, work: &Path) -> Result<Answer, StepError> {
        let words = ["audit", "--json", "--omit=dev", "--package-lock-only"];
        let done = self.npm(work, &words, AUDIT_LIMIT).await?;
        if done.finished.timed_out {
            return Err(no_input("the registry did not answer the question for advisories within a minute"));
        }
        let unreachable = done.traffic.unreachable.contains(&self.bench.registry.host());
        Ok(if unreachable { Answer::Unreachable } else { Answer::read(&done.finished.stdout) })
    }

    fn no_lockfile(&self, done: &Done, work: &Path) -> StepError {
        let found = failure::of(
            &done.finished,
            &done.traffic,
            &registries(&self.bench.instruments, &self.bench.registry),
            &work.to_string_lossy(),
        );
        no_input(match found.class {
            FailureClass::RegistryUnreachable => {
                "the registry could not be reached; check the network and score again".to_owned()
            }
            FailureClass::Timeout => "npm could not choose versions for the dependencies within two minutes".to_owned(),
            _ => format!("npm could not choose versions for the dependencies: {}", found.said),
        })
    }

    async fn npm(&self, work: &Path, words: &[&str], time: Duration) -> Result<Done, StepError> {
        let folder = work.join("app");
        let job = Job {
            manager: Manager::Npm,
            words,
            work,
            folder: &folder,
            cache_key: "",
            time,
            output_bytes: OUTPUT_LIMIT,
        };
        Ok(packages::run(&job, &self.bench.instruments, &self.bench.registry, self.scratch).await?)
    }
}

/// A report, or why there is none.
fn judged(answer: Answer) -> Result<Answer, StepError> {
    match answer {
        Answer::Unreachable => Err(no_input("the registry could not be reached; check the network and score again")),
        Answer::NoEndpoint { status } => Err(no_input(format!(
            "the registry in use offers no advisories (HTTP {status}); use one that does, such as the public npm registry"
        ))),
        Answer::Unreadable { said } => Err(StepError::Page(format!("npm audit gave no answer: {said}"))),
        answer @ Answer::Report(_) => Ok(answer),
    }
}

async fn remove(work: PathBuf) {
    let _ = tokio::task::spawn_blocking(move || fs::remove_dir_all(work)).await;
}
