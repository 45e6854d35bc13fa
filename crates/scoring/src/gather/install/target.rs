//! Which package of a source tree is the app, and where it is installed from.

use benchwright_sandbox::packages::lockfile::{Lockfile, lockfiles, manifest};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders that hold what somebody else wrote or a tool made.
pub(super) const SKIPPED_FOLDERS: [&str; 12] = [
    "node_modules",
    ".git",
    "dist",
    "build",
    ".next",
    "out",
    ".cache",
    "coverage",
    ".turbo",
    ".nuxt",
    ".svelte-kit",
    "benchwright-report",
];
const MAX_DEPTH: usize = 4;
const MAX_FOLDERS: usize = 20_000;

/// What makes a package a web app rather than a tool beside it.
const FRAMEWORKS: [&str; 24] = [
    "next",
    "vite",
    "react",
    "react-dom",
    "react-scripts",
    "vue",
    "nuxt",
    "svelte",
    "@sveltejs/kit",
    "astro",
    "gatsby",
    "solid-js",
    "@angular/core",
    "@remix-run/react",
    "preact",
    "lit",
    "@builder.io/qwik",
    "ember-source",
    "express",
    "fastify",
    "koa",
    "hono",
    "@tanstack/react-start",
    "react-router",
];

/// The app's package and where to install it.
#[derive(Debug, Clone)]
pub(in crate::gather) struct Target {
    /// Folder of the package, relative to the source root.
    pub package: PathBuf,
    /// Folder to install in: the package's own, or its workspace's.
    pub root: PathBuf,
    /// `package.json` of that folder.
    pub manifest: Value,
    /// Committed lockfiles in that folder.
    pub lockfiles: Vec<Lockfile>,
}

struct Candidate {
    folder: PathBuf,
    depth: usize,
    manifest: Value,
}

/// Finds the app. None when there is no `package.json` at all.
pub(in crate::gather) fn find(source: &Path) -> Option<Target> {
    let candidates = candidates(source);
    let best = candidates.iter().max_by_key(|candidate| {
        let rank = rank(&candidate.manifest);
        (rank, std::cmp::Reverse((candidate.depth, &candidate.folder)))
    })?;
    let own = lockfiles(&source.join(&best.folder));
    let above = candidates.iter().filter(|other| other.folder != best.folder && best.folder.starts_with(&other.folder));
    let workspace = above.filter(|other| is_workspace(source, other)).min_by_key(|other| other.depth);
    match workspace.filter(|_| own.is_empty()) {
        Some(workspace) => Some(Target {
            package: best.folder.clone(),
            root: workspace.folder.clone(),
            manifest: workspace.manifest.clone(),
            lockfiles: lockfiles(&source.join(&workspace.folder)),
        }),
        None => Some(Target {
            package: best.folder.clone(),
            root: best.folder.clone(),
            manifest: best.manifest.clone(),
            lockfiles: own,
        }),
    }
}

/// Packages of a tree that something is installed in, as folders relative to it.
pub(super) fn with_modules(tree: &Path) -> Vec<PathBuf> {
    let is_folder = |path: PathBuf| fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
    let packages = candidates(tree).into_iter().map(|candidate| candidate.folder);
    packages.filter(|folder| is_folder(tree.join(folder).join("node_modules"))).collect()
}

impl Target {
    /// Names in some of the manifest's lists of dependencies.
    pub fn dependencies(&self, lists: &[&str]) -> BTreeSet<&str> {
        let named = lists.iter().filter_map(|list| self.manifest.get(list)?.as_object());
        named.flat_map(|list| list.keys().map(String::as_str)).collect()
    }

    /// Whether it is the root of a workspace, whose members have dependencies of their own.
    pub fn has_members(&self) -> bool {
        self.manifest.get("workspaces").is_some() || self.package != self.root
    }
}

/// How much a package looks like the app: a framework and something to start, one of the two, dependencies, nothing.
fn rank(manifest: &Value) -> u8 {
    let has = |list: &str| manifest.get(list).and_then(Value::as_object).filter(|list| !list.is_empty());
    let lists = [has("dependencies"), has("devDependencies")];
    let framework = lists.iter().flatten().any(|list| FRAMEWORKS.iter().any(|name| list.contains_key(*name)));
    let dependencies = lists.iter().flatten().next().is_some();
    let starts =
        has("scripts").is_some_and(|scripts| ["build", "dev", "start"].iter().any(|name| scripts.contains_key(*name)));
    match (framework, starts && dependencies) {
        (true, true) => 3,
        (true, false) | (false, true) => 2,
        (false, false) => u8::from(dependencies),
    }
}

fn is_workspace(source: &Path, candidate: &Candidate) -> bool {
    candidate.manifest.get("workspaces").is_some()
        || is_file(&source.join(&candidate.folder).join("pnpm-workspace.yaml"))
}

/// All packages down to a depth, in a stable order. Links are not followed.
fn candidates(source: &Path) -> Vec<Candidate> {
    let mut found = Vec::new();
    let mut level = vec![PathBuf::new()];
    let mut looked_at = 0;
    for depth in 0..=MAX_DEPTH {
        let mut next = Vec::new();
        for folder in level {
            looked_at += 1;
            if looked_at > MAX_FOLDERS {
                return found;
            }
            if let Some(manifest) = manifest(&source.join(&folder)) {
                found.push(Candidate { folder: folder.clone(), depth, manifest });
            }
            next.extend(folders_in(source, &folder));
        }
        next.sort();
        level = next;
    }
    found
}

fn folders_in(source: &Path, folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(source.join(folder)).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| !name.starts_with('.') && !SKIPPED_FOLDERS.contains(&name.as_str()))
        .map(|name| folder.join(name))
        .collect()
}

fn is_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gather::tree::tests::tree;
    use benchwright_sandbox::Manager;

    const APP: &str = r#"{"scripts":{"dev":"vite"},"dependencies":{"react":"18"},"devDependencies":{"vite":"5"}}"#;
    const TOOL: &str = r#"{"devDependencies":{"prettier":"3"}}"#;

    #[test]
    fn peer_defect_a_helper_package_at_the_root_does_not_hide_the_app() {
        let folder = tree(&[("package.json", TOOL), ("web/package.json", APP), ("web/package-lock.json", "{}")]);
        let target = find(folder.path()).unwrap();
        assert_eq!((target.package, target.root), ("web".into(), "web".into()));
        assert_eq!(target.lockfiles.len(), 1);
    }

    #[test]
    fn of_two_apps_the_shallower_is_taken_and_of_two_equal_the_first_by_name() {
        let folder = tree(&[("b/package.json", APP), ("a/package.json", APP), ("c/d/package.json", APP)]);
        assert_eq!(find(folder.path()).unwrap().package, Path::new("a"));
    }

    #[test]
    fn a_member_is_installed_from_its_workspace() {
        let root = r#"{"private":true,"workspaces":["apps/*"]}"#;
        let folder =
            tree(&[("package.json", root), ("yarn.lock", "# yarn lockfile v1\n"), ("apps/web/package.json", APP)]);
        let target = find(folder.path()).unwrap();
        assert_eq!((target.package.as_path(), target.root.as_path()), (Path::new("apps/web"), Path::new("")));
        assert_eq!(target.lockfiles[0].manager, Manager::YarnClassic);
        assert!(target.has_members());
    }

    #[test]
    fn a_neighbour_that_is_no_workspace_lends_no_lockfile() {
        let folder = tree(&[("package.json", TOOL), ("package-lock.json", "{}"), ("web/package.json", APP)]);
        assert_eq!(find(folder.path()).unwrap().lockfiles, []);
    }

    #[test]
    fn lockfiles_are_known_by_name_and_yarns_by_content() {
        let berry = "# generated\n\n__metadata:\n  version: 8\n";
        let folder = tree(&[
            ("package.json", APP),
            ("package-lock.json", "{}"),
            ("npm-shrinkwrap.json", "{}"),
            ("pnpm-lock.yaml", "x"),
            ("yarn.lock", berry),
            ("bun.lock", "{}"),
            ("bun.lockb", "x"),
        ]);
        let found: Vec<_> = find(folder.path()).unwrap().lockfiles.into_iter().map(|l| (l.name, l.manager)).collect();
        assert_eq!(found.len(), 6);
        assert_eq!(found[3], ("yarn.lock", Manager::YarnBerry));
    }

    #[test]
    fn what_is_installed_generated_or_too_deep_is_no_app() {
        for place in ["node_modules/x", "dist", ".hidden", "a/b/c/d/e"] {
            let folder = tree(&[(&format!("{place}/package.json"), APP)]);
            assert!(find(folder.path()).is_none(), "{place}");
        }
        assert!(find(tree(&[("a/b/c/d/package.json", APP)]).path()).is_some());
    }

    #[test]
    fn a_manifest_that_is_no_json_is_still_a_package() {
        let folder = tree(&[("package.json", "{,}"), ("package-lock.json", "{}")]);
        assert_eq!(find(folder.path()).unwrap().lockfiles.len(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let folder = tree(&[("web/package.json", APP)]);
        let outside = tree(&[("package.json", APP), ("package-lock.json", "{}")]);
        std::os::unix::fs::symlink(outside.path(), folder.path().join("aaa")).unwrap();
        std::os::unix::fs::symlink(
            outside.path().join("package-lock.json"),
            folder.path().join("web/package-lock.json"),
        )
        .unwrap();
        let target = find(folder.path()).unwrap();
        assert_eq!((target.package.as_path(), target.lockfiles.len()), (Path::new("web"), 0));
    }
}
