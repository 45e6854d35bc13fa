//! # What it measures
//!
//! Whether the app can be installed from a clean checkout. Every committed lockfile (`package-lock.json`, `npm-shrinkwrap.json`, `pnpm-lock.yaml`, `yarn.lock`,
//! `bun.lock`, `bun.lockb`) is installed strictly, exactly as written, with the pinned version of its package manager, each in a fresh copy of the source, 240 seconds
//! each. No script of a package or of the app runs. The package is the one that looks like the app (a web framework, something to build or start, dependencies),
//! the shallowest of those, at most four folders deep; a member of a workspace is installed from the workspace's lockfile. Packages come from the registry or from a cache of
//! Benchwright's own, which no app can spoil for another: npm and pnpm find and check what they keep by its hash, Yarn and Bun have a corner for each lockfile and its settings.
//!
//! # Why it matters
//!
//! A project that installs only on the machine it was made on cannot be built, deployed or taken over by anybody else.
//!
//! # How it is scored
//!
//! 0 when no lockfile installs, or when there is none. Otherwise 1, less 0.15 when there is more than one lockfile, and less 0.20 for each other lockfile that is out of sync with
//! `package.json`, damaged, or leads to a private registry; never below 0.5. It passes when something installed.
//!
//! Not applicable without a `package.json`, or when it names no dependencies and there is no lockfile: there is nothing to install. An attempt that failed because the
//! registry could not be reached, or because the pinned managers do not read the lockfile's format, says nothing about the app and counts neither way; when no other lockfile
//! installed, the outcome is no input.
//!
//! # Where we differ
//!
//! The peer harness takes the shallowest `package.json` even when it is a helper beside the app, ignores `npm-shrinkwrap.json`, copies the package without its workspace, uses whichever
//! managers the host has, and scores 0 when its own network is down.

use crate::evidence::install::{Attempt, Failure, FailureClass, Install};
use crate::evidence::{Evidence, EvidenceKind};
use crate::scorers::Scorer;
use crate::scorers::words::{count, cut, rounded};
use benchwright_domain::{Assessment, Details, Item, ItemStatus, Outcome, Place, ScorerId, UnitScore};

/// The scorer.
pub static SCORER: Scorer = Scorer {
    id: ScorerId::C8,
    version: "1.0.0",
    since: "0.1.0",
    passed_title: "The app installs from a clean checkout",
    failed_title: "The app does not install from a clean checkout",
    needs: &[EvidenceKind::Install],
    source: include_str!("c8_clean_install.rs"),
    score,
};

const SEVERAL_LOCKFILES: f64 = 0.15;
const BROKEN_SIBLING: f64 = 0.20;
const FLOOR: f64 = 0.5;

fn score(evidence: &Evidence) -> Assessment {
    match evidence.install.get() {
        Ok(install) => assess(install),
        Err(outcome) => outcome.into(),
    }
}

fn assess(install: &Install) -> Assessment {
    let installed = install.attempts.iter().filter(|attempt| attempt.failure.is_none()).count();
    let unknown = install.attempts.iter().find(|attempt| is_unknown(attempt));
    if let Some(attempt) = unknown.filter(|_| installed == 0) {
        return Outcome::NoInput { reason: why_unknown(attempt) }.into();
    }
    let several = install.attempts.len() > 1;
    let broken = install.attempts.iter().filter(|attempt| is_broken(attempt)).count();
    let docked = if several { SEVERAL_LOCKFILES } else { 0.0 } + BROKEN_SIBLING * broken as f64;
    let value = if installed == 0 { 0.0 } else { rounded(1.0 - docked, 2).max(FLOOR) };
    let details = details(install, installed, broken, several);
    Assessment::scored(UnitScore::new(value), installed > 0, details)
}

/// Failures that cost points beside an install that works.
fn is_broken(attempt: &Attempt) -> bool {
    let costly = [FailureClass::OutOfSync, FailureClass::Damaged, FailureClass::PrivateRegistry];
    attempt.failure.as_ref().is_some_and(|failure| costly.contains(&failure.class))
}

fn is_unknown(attempt: &Attempt) -> bool {
    attempt.failure.as_ref().is_some_and(|failure| !failure.class.is_the_apps())
}

fn why_unknown(attempt: &Attempt) -> String {
    match attempt.failure.as_ref().map(|failure| failure.class) {
        Some(FailureClass::Unsupported) => {
            format!("the pinned {} {} cannot read {}", attempt.manager.command(), attempt.version, attempt.lockfile)
        }
        _ => "the package registry could not be reached; check the network and score again".to_owned(),
    }
}

fn details(install: &Install, installed: usize, broken: usize, several: bool) -> Details {
    let mut details = Details::default()
        .fact("package", install.root.as_str())
        .fact("lockfiles", install.attempts.len())
        .fact("installed", installed)
        .fact("broken_lockfiles", broken);
    if install.attempts.is_empty() {
        details = details.item(no_lockfile(install));
    }
    for attempt in &install.attempts {
        details = details.item(item(attempt, installed));
    }
    if several {
        details = details.item(too_many(install));
    }
    if install.package != install.root {
        details = details.note(format!("`{}` was installed as a member of its workspace.", install.package));
    }
    if !install.left_out.is_empty() {
        details = details.note(format!(
            "Settings that run code, carry credentials or do not matter for an install were not followed: {}.",
            install.left_out.join(", ")
        ));
    }
    details
}

fn no_lockfile(install: &Install) -> Item {
    Item::new("lockfile", ItemStatus::Failed, "There is no lockfile, so nobody gets the versions the app was made with")
        .measured(format!("{} named, no lockfile", count(install.dependencies, "package")))
        .expected("one committed lockfile")
        .fix("Run `npm install` once in the app's folder and commit the `package-lock.json` it writes.")
        .gain(1.0)
}

fn too_many(install: &Install) -> Item {
    let names: Vec<_> = install.attempts.iter().map(|attempt| attempt.lockfile.as_str()).collect();
    Item::new(
        "several_lockfiles",
        ItemStatus::Failed,
        "Several lockfiles contradict each other about who installs what",
    )
    .measured(names.join(", "))
    .expected("one lockfile")
    .fix("Choose one package manager, delete the lockfiles of the others and commit that.")
    .gain(SEVERAL_LOCKFILES)
}

fn item(attempt: &Attempt, installed: usize) -> Item {
    let Attempt { lockfile, version, command, .. } = attempt;
    let id = lockfile.as_str();
    let Some(failure) = &attempt.failure else {
        return Item::new(id, ItemStatus::Passed, format!("`{lockfile}` installs cleanly"))
            .measured(format!("`{command}` with {} {version} succeeded", attempt.manager.command()));
    };
    let status = if failure.class.is_the_apps() { ItemStatus::Failed } else { ItemStatus::Info };
    let gain = match (installed, is_broken(attempt)) {
        (0, _) => 1.0,
        (_, true) => BROKEN_SIBLING,
        (_, false) => 0.0,
    };
    let item = Item::new(id, status, title(failure, lockfile))
        .measured(format!("`{command}` with {} {version} failed", attempt.manager.command()))
        .expected("an install that changes nothing and succeeds")
        .fix(fix(failure.class, attempt))
        .places(
            [Place::Log { channel: "install".to_owned(), text: cut(&failure.said, 1_000), url: None, line: None }],
            1,
        );
    if status == ItemStatus::Failed { item.gain(gain) } else { item }
}

fn title(failure: &Failure, lockfile: &str) -> String {
    match failure.class {
        FailureClass::PrivateRegistry => format!("`{lockfile}` leads to a registry that not everybody can use"),
        FailureClass::Damaged => format!("`{lockfile}` cannot be read"),
        FailureClass::OutOfSync => format!("`{lockfile}` does not agree with `package.json`"),
        FailureClass::Timeout => format!("Installing from `{lockfile}` took longer than the limit"),
        FailureClass::Other => format!("`{lockfile}` does not install"),
        FailureClass::RegistryUnreachable => format!("`{lockfile}` could not be tried: the registry did not answer"),
        FailureClass::Unsupported => format!("`{lockfile}` could not be tried: the pinned manager does not read it"),
    }
}

fn fix(class: FailureClass, attempt: &Attempt) -> String {
    let (lockfile, manager) = (attempt.lockfile.as_str(), attempt.manager.command());
    match class {
        FailureClass::OutOfSync => format!("Run `{manager} install`, and commit the `{lockfile}` it writes."),
        FailureClass::Damaged => format!("Delete `{lockfile}`, run `{manager} install`, and commit the new one."),
        FailureClass::PrivateRegistry => format!(
            "Take the private registry out of the settings, delete `{lockfile}`, run `{manager} install`, and commit the new one."
        ),
        FailureClass::Timeout => {
            "Remove dependencies the app does not need; a clean install should take seconds.".to_owned()
        }
        _ => format!("Read what `{}` says below, mend it, and commit the `{lockfile}` that results.", attempt.command),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Absence, Piece};
    use benchwright_sandbox::Manager;

    fn attempt(lockfile: &str, class: Option<FailureClass>) -> Attempt {
        Attempt {
            lockfile: lockfile.to_owned(),
            manager: Manager::Npm,
            version: "12".to_owned(),
            command: "npm ci".to_owned(),
            failure: class.map(|class| Failure { class, said: "npm error".to_owned() }),
        }
    }

    fn assessed(classes: &[Option<FailureClass>]) -> Assessment {
        let attempts = classes.iter().enumerate().map(|(number, class)| attempt(&format!("lock-{number}"), *class));
        assess(&Install { dependencies: 1, attempts: attempts.collect(), ..Install::default() })
    }

    fn value(classes: &[Option<FailureClass>]) -> Option<f64> {
        assessed(classes).outcome.score().map(UnitScore::value)
    }

    const OK: Option<FailureClass> = None;
    const STALE: Option<FailureClass> = Some(FailureClass::OutOfSync);
    const DAMAGED: Option<FailureClass> = Some(FailureClass::Damaged);
    const PRIVATE: Option<FailureClass> = Some(FailureClass::PrivateRegistry);
    const OTHER: Option<FailureClass> = Some(FailureClass::Other);
    const OFFLINE: Option<FailureClass> = Some(FailureClass::RegistryUnreachable);
    const OLD: Option<FailureClass> = Some(FailureClass::Unsupported);

    #[test]
    fn the_published_penalties_add_up_to_a_floor() {
        for (classes, expected) in [
            (&[OK][..], 1.0),
            (&[OK, OK], 0.85),
            (&[OK, STALE], 0.65),
            (&[DAMAGED, OK], 0.65),
            (&[OK, PRIVATE], 0.65),
            (&[OK, OTHER], 0.85),
            (&[OK, STALE, DAMAGED], 0.5),
            (&[], 0.0),
            (&[STALE], 0.0),
            (&[OTHER, Some(FailureClass::Timeout)], 0.0),
        ] {
            assert_eq!(value(classes), Some(expected), "{classes:?}");
        }
    }

    #[test]
    fn it_passes_when_something_installed() {
        assert!(matches!(assessed(&[OK, DAMAGED]).outcome, Outcome::Scored { passed: true, .. }));
        assert!(matches!(assessed(&[DAMAGED]).outcome, Outcome::Scored { passed: false, .. }));
    }

    #[test]
    fn peer_defect_our_own_network_costs_the_app_nothing() {
        assert!(matches!(assessed(&[OFFLINE]).outcome, Outcome::NoInput { .. }));
        assert!(matches!(assessed(&[OLD]).outcome, Outcome::NoInput { .. }));
        assert!(matches!(assessed(&[STALE, OFFLINE]).outcome, Outcome::NoInput { .. }));
        assert_eq!(value(&[OK, OFFLINE]), Some(0.85));
    }

    #[test]
    fn a_failure_says_what_to_do_and_shows_what_was_said() {
        let details = assessed(&[OK, STALE]).details;
        let failed: Vec<_> = details.items.iter().filter(|item| item.status == ItemStatus::Failed).collect();
        assert_eq!(failed.iter().map(|item| item.id.as_str()).collect::<Vec<_>>(), ["lock-1", "several_lockfiles"]);
        assert!(failed.iter().all(|item| item.fix.is_some() && item.gain.is_some()));
        assert_eq!(failed[0].places_total, 1);
        assert!(assessed(&[]).details.items[0].fix.is_some());
    }

    #[test]
    fn nothing_to_install_is_not_applicable() {
        let absence = Absence::NotAsked { reason: "nothing to install".to_owned() };
        let evidence = Evidence { install: Piece::absent(absence), ..Evidence::default() };
        assert!(matches!(score(&evidence).outcome, Outcome::NotApplicable { .. }));
    }
}
