//! Copies what is there already: what somebody has installed, what a build has made. Links are part of it: commands, and with some
//! managers all packages, are links.

use std::os::unix::fs::symlink;
use std::path::{Component, Path, PathBuf};
use std::{fs, io};

const MAX_ENTRIES: usize = 500_000;
const MAX_BYTES: u64 = 4 * 1024 * 1024 * 1024;

/// More links than this on one way are a circle; the system gives up there, too.
const MOST_LINKS: usize = 40;

/// Copies one folder of a tree to another tree, without folders of some names. Links that lead out of the tree are left out.
/// Returns the folders that were not copied, relative to the root.
pub fn copy(from: &Path, to: &Path, start: &Path, skipped: &[&str]) -> io::Result<Vec<PathBuf>> {
    copy_with(from, to, start, skipped, |folder, target| stays_inside(from, folder, target))
}

/// Copies a tree without any of its links, and without folders of some names.
pub fn copy_without_links(from: &Path, to: &Path, skipped: &[&str]) -> io::Result<()> {
    copy_with(from, to, Path::new(""), skipped, |_, _| false).map(|_| ())
}

/// `keeps` is told the folder of a link, relative to the root, and where the link leads.
fn copy_with(
    from: &Path,
    to: &Path,
    start: &Path,
    skipped: &[&str],
    keeps: impl Fn(&Path, &Path) -> bool,
) -> io::Result<Vec<PathBuf>> {
    let mut left = Left { entries: MAX_ENTRIES, bytes: MAX_BYTES };
    let mut not_copied = Vec::new();
    let mut folders = vec![start.to_owned()];
    while let Some(folder) = folders.pop() {
        fs::create_dir(to.join(&folder))?;
        for entry in fs::read_dir(from.join(&folder))? {
            let entry = entry?;
            let kind = entry.file_type()?;
            let path = folder.join(entry.file_name());
            left.take(if kind.is_file() { entry.metadata()?.len() } else { 0 })?;
            if kind.is_dir() {
                let is_skipped = skipped.iter().any(|name| entry.file_name() == *name);
                (if is_skipped { &mut not_copied } else { &mut folders }).push(path);
            } else if kind.is_file() {
                fs::copy(entry.path(), to.join(&path))?;
            } else if kind.is_symlink() {
                let target = fs::read_link(entry.path())?;
                if keeps(&folder, &target) {
                    symlink(target, to.join(&path))?;
                }
            }
        }
    }
    not_copied.sort();
    Ok(not_copied)
}

struct Left {
    entries: usize,
    bytes: u64,
}

impl Left {
    fn take(&mut self, bytes: u64) -> io::Result<()> {
        let left = self.entries.checked_sub(1).zip(self.bytes.checked_sub(bytes));
        let too_much = || {
            io::Error::other("it is too large to be copied; if node_modules is, remove it, and it is installed anew")
        };
        (self.entries, self.bytes) = left.ok_or_else(too_much)?;
        Ok(())
    }
}

/// Whether a link in a folder, which is relative to the root, leads to somewhere below the root by a way that never leaves it, whatever other
/// links are on that way: what comes back from outside would be outside of a copy. Where something is missing, the way may only go on
/// downwards, because nobody knows what will be there.
fn stays_inside(root: &Path, folder: &Path, target: &Path) -> bool {
    let (mut place, mut ahead) = (folder.to_owned(), target.to_owned());
    let (mut is_there, mut links) = (true, 0);
    loop {
        let mut parts = ahead.components();
        let Some(part) = parts.next() else { return true };
        let mut rest = parts.as_path().to_owned();
        match part {
            Component::CurDir => {}
            Component::ParentDir if is_there && place.pop() => {}
            Component::Normal(name) => {
                place.push(name);
                if let Ok(next) = fs::read_link(root.join(&place)) {
                    place.pop();
                    rest = next.join(rest);
                    links += 1;
                }
                is_there = is_there && root.join(&place).symlink_metadata().is_ok();
            }
            _ => return false,
        }
        if links > MOST_LINKS {
            return false;
        }
        ahead = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_and_the_links_among_them_are_copied_and_no_link_leads_out() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let modules = from.path().join("node_modules");
        fs::create_dir_all(modules.join(".bin")).unwrap();
        fs::create_dir_all(modules.join("tool")).unwrap();
        fs::write(modules.join("tool/cli.js"), "x").unwrap();
        symlink("../tool/cli.js", modules.join(".bin/tool")).unwrap();
        symlink("../packages/own", modules.join("own")).unwrap();
        symlink("/etc/passwd", modules.join("absolute")).unwrap();
        symlink("../../../etc/passwd", modules.join(".bin/climbing")).unwrap();
        copy(from.path(), to.path(), Path::new("node_modules"), &[]).unwrap();
        let copied = to.path().join("node_modules");
        assert_eq!(fs::read_to_string(copied.join(".bin/tool")).unwrap(), "x");
        assert!(copied.join("own").is_symlink());
        assert!(!copied.join("absolute").is_symlink() && !copied.join(".bin/climbing").is_symlink());
    }

    #[test]
    fn links_that_lead_out_by_way_of_others_are_left_out() {
        let (base, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (from, to) = (base.path().join("app"), to.path().join("copy"));
        let deep = "deep/a/b/c/d/e/f";
        fs::create_dir_all(from.join(deep)).unwrap();
        fs::write(from.join("page.html"), "x").unwrap();
        let link = |target: &str, name: &str| symlink(target, from.join(name)).unwrap();
        link("../../../../../../..", "deep/a/b/c/d/e/f/up");
        link(&format!("{deep}/up/page.html"), "page");
        link(&format!("{deep}/up/../../../../../../../.."), "evil");
        link("evil/etc", "chained");
        link(&format!("{deep}/up/../app/page.html"), "there-and-back");
        link("missing/../../secrets", "later");
        link("missing/page.html", "dangling");
        link("circle", "circle");
        copy(&from, &to, Path::new(""), &[]).unwrap();
        assert_eq!(fs::read_to_string(to.join("page")).unwrap(), "x");
        for (name, is_kept) in [
            ("deep/a/b/c/d/e/f/up", true),
            ("dangling", true),
            ("evil", false),
            ("chained", false),
            ("there-and-back", false),
            ("later", false),
            ("circle", false),
        ] {
            assert_eq!(to.join(name).is_symlink(), is_kept, "{name}");
        }
    }

    #[test]
    fn a_copy_without_links_has_none() {
        let (from, base) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let to = base.path().join("copy");
        fs::create_dir(from.path().join("data")).unwrap();
        fs::write(from.path().join("data/seed.sql"), "x").unwrap();
        symlink("data", from.path().join("same")).unwrap();
        symlink("seed.sql", from.path().join("data/first.sql")).unwrap();
        copy_without_links(from.path(), &to, &[]).unwrap();
        assert!(to.join("data/seed.sql").is_file());
        assert!(!to.join("same").is_symlink() && !to.join("data/first.sql").is_symlink());
    }

    #[test]
    fn folders_that_are_not_copied_are_named() {
        let (from, base) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let to = base.path().join("copy");
        for folder in ["node_modules/a", "web/node_modules/b/node_modules", "web/src"] {
            fs::create_dir_all(from.path().join(folder)).unwrap();
        }
        fs::write(from.path().join("web/src/index.js"), "x").unwrap();
        let not_copied = copy(from.path(), &to, Path::new(""), &["node_modules"]).unwrap();
        assert_eq!(not_copied, [Path::new("node_modules"), Path::new("web/node_modules")]);
        assert!(to.join("web/src/index.js").is_file() && !to.join("node_modules").exists());
    }

    #[test]
    fn what_is_too_large_is_refused() {
        let mut left = Left { entries: 2, bytes: 10 };
        assert!(left.take(10).is_ok());
        assert!(left.take(1).unwrap_err().to_string().contains("too large"));
        assert!(Left { entries: 0, bytes: 10 }.take(0).is_err());
    }
}
