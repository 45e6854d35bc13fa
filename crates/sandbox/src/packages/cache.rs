//! Where downloads are kept from run to run.

use super::Manager;
use crate::{Result, SandboxError};
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

/// A cache is thrown away whole after this time, so that it cannot grow for ever.
const LIFE: Duration = Duration::from_hours(24 * 30);
/// Corners of single lockfiles that are kept.
const MAX_CORNERS: usize = 24;

/// The folder a manager keeps its downloads in. `key` names the lockfile and its settings.
pub(super) fn corner(base: &Path, manager: Manager, key: &str) -> Result<PathBuf> {
    let name = if manager.shares_cache() { manager.key().to_owned() } else { format!("{}-{key}", manager.key()) };
    let folder = base.join(&name);
    prepare(base, &folder, &name).map_err(|source| SandboxError::Scratch { path: folder.clone(), source })?;
    Ok(folder)
}

fn prepare(base: &Path, folder: &Path, name: &str) -> io::Result<()> {
    fs::create_dir_all(base)?;
    // The age is told by a file of ours: what is in the folder belongs to the manager.
    let stamp = base.join(format!("{name}.since"));
    if age(&stamp).is_some_and(|age| age > LIFE) {
        discard(base, name);
    }
    if !stamp.exists() {
        fs::write(&stamp, "")?;
    }
    fs::create_dir_all(folder)?;
    let mut corners: Vec<_> = stamps(base).into_iter().filter(|(_, name)| !is_shared(name)).collect();
    corners.sort();
    let surplus = corners.len().saturating_sub(MAX_CORNERS);
    for (_, oldest) in corners.into_iter().rev().take(surplus) {
        discard(base, &oldest);
    }
    Ok(())
}

fn is_shared(name: &str) -> bool {
    [Manager::Npm, Manager::Pnpm].iter().any(|manager| manager.key() == name)
}

/// Age and name of everything that is kept, youngest first when sorted.
fn stamps(base: &Path) -> Vec<(Duration, String)> {
    let entries = fs::read_dir(base).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| {
            let name = entry.file_name().to_str()?.strip_suffix(".since")?.to_owned();
            Some((age(&entry.path())?, name))
        })
        .collect()
}

fn age(file: &Path) -> Option<Duration> {
    fs::metadata(file).ok()?.modified().ok()?.elapsed().ok()
}

/// Moves a folder aside before it is removed: whoever still works in it keeps it until the end.
fn discard(base: &Path, name: &str) {
    let aside = base.join(format!("{name}.old-{}", std::process::id()));
    let _ = fs::rename(base.join(name), &aside);
    let _ = fs::remove_file(base.join(format!("{name}.since")));
    let _ = fs::remove_dir_all(aside);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::SystemTime;

    #[test]
    fn managers_that_name_what_they_keep_by_its_content_share_and_the_others_have_a_corner_for_each_lockfile() {
        let base = tempfile::tempdir().unwrap();
        let at = |manager, key| corner(base.path(), manager, key).unwrap();
        for manager in [Manager::Npm, Manager::Pnpm] {
            assert_eq!(at(manager, "a"), at(manager, "b"));
        }
        for manager in [Manager::Bun, Manager::YarnClassic, Manager::YarnBerry] {
            assert_ne!(at(manager, "a"), at(manager, "b"));
            assert_eq!(at(manager, "a"), at(manager, "a"));
        }
    }

    #[test]
    fn an_old_cache_begins_anew() {
        let base = tempfile::tempdir().unwrap();
        let folder = corner(base.path(), Manager::Npm, "").unwrap();
        fs::write(folder.join("x"), "").unwrap();
        assert!(corner(base.path(), Manager::Npm, "").unwrap().join("x").exists());
        let stamp = fs::File::options().write(true).open(base.path().join("npm.since")).unwrap();
        stamp.set_modified(SystemTime::now() - LIFE - Duration::from_secs(5)).unwrap();
        assert!(!corner(base.path(), Manager::Npm, "").unwrap().join("x").exists());
    }

    #[test]
    fn there_are_only_so_many_corners() {
        let base = tempfile::tempdir().unwrap();
        for number in 0..MAX_CORNERS + 5 {
            corner(base.path(), Manager::Bun, &number.to_string()).unwrap();
        }
        assert_eq!(stamps(base.path()).len(), MAX_CORNERS);
        assert!(base.path().join(format!("bun-{}", MAX_CORNERS + 4)).is_dir());
    }
}
