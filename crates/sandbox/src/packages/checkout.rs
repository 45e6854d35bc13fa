//! A fresh copy of a source tree, without what would make a package manager run code or send credentials.

use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

const MAX_FILES: usize = 50_000;
const MAX_BYTES: u64 = 1024 * 1024 * 1024;
const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;
const MAX_SETTINGS_BYTES: u64 = 1024 * 1024;

/// Settings of `.npmrc` that decide what is installed. All others are left out: some name programs to run, some carry tokens.
const NPM_SETTINGS: [&str; 22] = [
    "registry",
    "legacy-peer-deps",
    "strict-peer-deps",
    "strict-peer-dependencies",
    "auto-install-peers",
    "shamefully-hoist",
    "hoist",
    "hoist-pattern",
    "public-hoist-pattern",
    "node-linker",
    "link-workspace-packages",
    "prefer-workspace-packages",
    "shared-workspace-lockfile",
    "inject-workspace-packages",
    "install-links",
    "install-strategy",
    "dedupe-peer-dependents",
    "resolution-mode",
    "exclude-links-from-lockfile",
    "lockfile-include-tarball-url",
    "workspaces",
    "include-workspace-root",
];
/// Settings of `.yarnrc.yml` that decide what is installed; `plugins` and `yarnPath` run code, and `checksumBehavior` would let other
/// packages pass for those of the lockfile.
const YARN_SETTINGS: [&str; 9] = [
    "npmRegistryServer",
    "npmScopes",
    "packageExtensions",
    "compressionLevel",
    "nmHoistingLimits",
    "nmMode",
    "supportedArchitectures",
    "catalog",
    "catalogs",
];
/// Settings of pnpm that decide what is installed; `configDependencies` and `pnpmfile` run code.
const PNPM_SETTINGS: [&str; 22] = [
    "packages",
    "catalog",
    "catalogs",
    "overrides",
    "packageExtensions",
    "patchedDependencies",
    "peerDependencyRules",
    "allowedDeprecatedVersions",
    "ignoredOptionalDependencies",
    "autoInstallPeers",
    "dedupePeerDependents",
    "linkWorkspacePackages",
    "sharedWorkspaceLockfile",
    "injectWorkspacePackages",
    "nodeLinker",
    "hoist",
    "hoistPattern",
    "publicHoistPattern",
    "shamefullyHoist",
    "supportedArchitectures",
    "excludeLinksFromLockfile",
    "allowUnusedPatches",
];
/// Files that say where packages come from, as far as they are taken over.
const SETTINGS: [&str; 3] = [".npmrc", ".yarnrc", ".yarnrc.yml"];
/// Files that are programs or settings that name programs.
const LEFT_BEHIND: [&str; 4] = ["bunfig.toml", ".pnpmfile.cjs", ".pnpmfile.mjs", "pnpmfile.js"];
/// Demands on the tools, which are ours, and pinned.
const DEMANDS: [&str; 3] = ["packageManager", "engines", "devEngines"];

/// The format that the pinned Yarn writes.
const YARN_FORMAT: u32 = 10;

/// Copies a tree, without folders of some names, into a folder that is made. Returns what was left out, in words.
pub fn make(source: &Path, into: &Path, skipped: &[&str]) -> io::Result<BTreeSet<String>> {
    let mut copy = Copy { source, into, left_out: BTreeSet::new(), files: 0, bytes: 0 };
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        // Not with its parents: once somebody removes the copy, copying has to end.
        fs::create_dir(into.join(&folder))?;
        let listing = match fs::read_dir(source.join(&folder)) {
            Err(error) if is_refusal(&error) && !folder.as_os_str().is_empty() => {
                copy.closed(&folder);
                continue;
            }
            listing => listing?,
        };
        for entry in listing {
            let entry = entry?;
            let kind = entry.file_type()?;
            let path = folder.join(entry.file_name());
            let is_skipped = skipped.iter().any(|name| entry.file_name() == *name);
            if kind.is_dir() && !is_skipped {
                folders.push(path);
            } else if kind.is_file() {
                match copy.file(&path) {
                    // Only what is read may be refused; that our own copy cannot be written is an error.
                    Err(_) if fs::File::open(source.join(&path)).is_err_and(|error| is_refusal(&error)) => {
                        copy.closed(&path);
                    }
                    done => done?,
                }
            }
        }
    }
    Ok(copy.left_out)
}

/// The settings that hold in a folder of a copy: its own, and those of the folders around it.
pub(super) fn settings(copy: &Path, folder: &Path) -> Vec<u8> {
    let around = copy.join(folder);
    let folders = around.ancestors().take_while(|folder| folder.starts_with(copy));
    let files = folders.flat_map(|folder| SETTINGS.map(|name| folder.join(name)));
    let told = files.filter_map(|file| Some((file.strip_prefix(copy).ok()?.to_owned(), fs::read(&file).ok()?)));
    told.flat_map(|(name, text)| [name.as_os_str().as_encoded_bytes(), &[0], &text, &[0]].concat()).collect()
}

fn is_refusal(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied
}

struct Copy<'a> {
    source: &'a Path,
    into: &'a Path,
    left_out: BTreeSet<String>,
    files: usize,
    bytes: u64,
}

impl Copy<'_> {
    /// What this user may not open is no reason not to install the rest.
    fn closed(&mut self, path: &Path) {
        self.left_out.insert(format!("`{}`, which may not be opened", plain(&path.to_string_lossy())));
    }

    fn file(&mut self, path: &Path) -> io::Result<()> {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let from = self.source.join(path);
        let length = fs::symlink_metadata(&from)?.len();
        self.files += 1;
        self.bytes += length;
        if self.files > MAX_FILES || self.bytes > MAX_BYTES || length > MAX_FILE_BYTES {
            self.left_out.insert("files beyond the limits on number and size".to_owned());
            return Ok(());
        }
        let to = self.into.join(path);
        match name {
            name if LEFT_BEHIND.contains(&name) => {
                self.left_out.insert(format!("`{name}`"));
                Ok(())
            }
            "package.json" => self.rewritten(&from, &to, without_demands),
            ".npmrc" => self.rewritten(&from, &to, |text| Some(npm_settings(text))),
            ".yarnrc" => self.rewritten(&from, &to, |text| Some(classic_settings(text))),
            ".yarnrc.yml" => self.rewritten(&from, &to, |text| yaml_settings(text, ".yarnrc.yml", &YARN_SETTINGS)),
            "pnpm-workspace.yaml" => {
                self.rewritten(&from, &to, |text| yaml_settings(text, "pnpm-workspace.yaml", &PNPM_SETTINGS))
            }
            _ => fs::copy(&from, &to).map(|_| ()),
        }
    }

    fn rewritten(&mut self, from: &Path, to: &Path, rewrite: impl FnOnce(&str) -> Option<Rewritten>) -> io::Result<()> {
        let text = fs::read(from)?;
        let fits = text.len() as u64 <= MAX_SETTINGS_BYTES;
        match std::str::from_utf8(&text).ok().filter(|_| fits).and_then(rewrite) {
            Some(rewritten) => {
                self.left_out.extend(rewritten.left_out);
                fs::write(to, rewritten.text)
            }
            // A manifest that we cannot read is the manager's to judge; settings that we cannot read are not followed.
            None if to.ends_with("package.json") => fs::write(to, text),
            None => {
                self.left_out.insert(format!("`{}`", to.file_name().unwrap_or_default().to_string_lossy()));
                Ok(())
            }
        }
    }
}

struct Rewritten {
    text: String,
    left_out: Vec<String>,
}

fn without_demands(text: &str) -> Option<Rewritten> {
    let mut manifest: Map<String, Value> = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()?;
    for demand in DEMANDS {
        manifest.remove(demand);
    }
    Some(Rewritten { text: Value::Object(manifest).to_string(), left_out: Vec::new() })
}

fn npm_settings(text: &str) -> Rewritten {
    settings_lines(text, ".npmrc", |line| {
        let name = line.split_once('=').map_or(line, |(name, _)| name).trim().trim_end_matches("[]");
        (NPM_SETTINGS.contains(&name) || is_scope(name)).then_some(()).ok_or_else(|| name.to_owned())
    })
}

fn classic_settings(text: &str) -> Rewritten {
    settings_lines(text, ".yarnrc", |line| {
        let name = line.split_whitespace().next().unwrap_or_default().trim_matches('"');
        (name == "registry" || is_scope(name)).then_some(()).ok_or_else(|| name.to_owned())
    })
}

fn is_scope(name: &str) -> bool {
    name.starts_with('@') && name.ends_with(":registry")
}

fn settings_lines(text: &str, file: &str, judge: impl Fn(&str) -> Result<(), String>) -> Rewritten {
    let mut kept = String::new();
    let mut left_out = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(['#', ';', '['])) {
        match judge(line) {
            Ok(()) if !line.contains("${") => {
                kept.push_str(line);
                kept.push('\n');
            }
            Ok(()) => left_out.push(format!("a setting of `{file}` that needs a variable")),
            Err(name) if name.contains(":_") || name.starts_with('_') => {
                left_out.push(format!("credentials in `{file}`"));
            }
            Err(name) => left_out.push(named(file, &name)),
        }
    }
    Rewritten { text: kept, left_out }
}

/// Keeps the settings on the list. JSON is YAML, so it is written as JSON.
fn yaml_settings(text: &str, file: &str, list: &[&str]) -> Option<Rewritten> {
    let settings: Option<Map<String, Value>> = serde_saphyr::from_str(text).ok()?;
    let mut kept = settings.unwrap_or_default();
    let strange: Vec<String> = kept.keys().filter(|name| !list.contains(&name.as_str())).cloned().collect();
    for name in &strange {
        kept.remove(name);
    }
    if let Some(Value::Object(scopes)) = kept.get_mut("npmScopes") {
        for scope in scopes.values_mut().filter_map(Value::as_object_mut) {
            scope.retain(|name, _| name == "npmRegistryServer");
        }
    }
    let left_out = strange.iter().map(|name| named(file, name)).collect();
    Some(Rewritten { text: Value::Object(kept).to_string(), left_out })
}

fn named(file: &str, name: &str) -> String {
    format!("`{}` in `{file}`", plain(name))
}

/// Without what could mean something where it is shown.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_ascii_alphanumeric() || "-_.:@/".contains(*c)).take(60).collect()
}

/// Older pnpm took settings from `package.json`; the pinned one takes them from its own file only.
pub(super) fn move_pnpm_settings(folder: &Path) -> io::Result<()> {
    let Some(Value::Object(manifest)) = super::lockfile::manifest(folder) else { return Ok(()) };
    let Some(Value::Object(old)) = manifest.get("pnpm") else { return Ok(()) };
    let file = folder.join("pnpm-workspace.yaml");
    let mut settings: Map<String, Value> =
        fs::read_to_string(&file).ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    for (name, value) in old.iter().filter(|(name, _)| PNPM_SETTINGS.contains(&name.as_str())) {
        settings.entry(name.clone()).or_insert_with(|| value.clone());
    }
    fs::write(file, Value::Object(settings).to_string())
}

/// Yarn refuses an immutable install when it would write nothing but a newer format number. Yarn 4 has had several such numbers for one format, so
/// the number is lifted; older formats differ in more than that and are left alone.
pub(super) fn lift_yarn_format(lockfile: &Path) -> io::Result<()> {
    let Ok(text) = fs::read_to_string(lockfile) else { return Ok(()) };
    let lifted = ["8", "9"].iter().fold(text, |text, old| {
        let from = format!("__metadata:\n  version: {old}\n");
        text.replacen(&from, &format!("__metadata:\n  version: {YARN_FORMAT}\n"), 1)
    });
    fs::write(lockfile, lifted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchwright_fixtures::while_closed;

    const SKIPPED: [&str; 1] = ["node_modules"];

    fn copied(files: &[(&str, &str)]) -> (tempfile::TempDir, BTreeSet<String>) {
        let source = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = source.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let base = tempfile::tempdir().unwrap();
        let left_out = make(source.path(), &base.path().join("copy"), &SKIPPED).unwrap();
        (base, left_out)
    }

    fn read(folder: &tempfile::TempDir, file: &str) -> String {
        fs::read_to_string(folder.path().join("copy").join(file)).unwrap()
    }

    #[test]
    fn what_names_programs_or_carries_credentials_is_left_out() {
        let npmrc = "registry=https://npm.example/\n//npm.example/:_authToken=abc\n@team:registry=https://t.example\ngit=./evil\nscript-shell=./evil\n; note\n";
        let (copy, left_out) = copied(&[
            (".npmrc", npmrc),
            (".yarnrc", "yarn-path \"./evil.js\"\nregistry \"https://npm.example\"\n"),
            (
                ".yarnrc.yml",
                "yarnPath: .yarn/releases/evil.cjs\nplugins:\n  - evil.cjs\nnpmScopes:\n  team:\n    npmAuthToken: abc\n    npmRegistryServer: https://t.example\n",
            ),
            ("pnpm-workspace.yaml", "packages: [apps/*]\nconfigDependencies:\n  evil: 1.0.0\noverrides: {a: 1.0.0}\n"),
            ("bunfig.toml", "[install.security]\nscanner = \"evil\"\n"),
            (".pnpmfile.cjs", "evil()"),
        ]);
        assert_eq!(read(&copy, ".npmrc"), "registry=https://npm.example/\n@team:registry=https://t.example\n");
        assert_eq!(read(&copy, ".yarnrc"), "registry \"https://npm.example\"\n");
        assert_eq!(read(&copy, ".yarnrc.yml"), r#"{"npmScopes":{"team":{"npmRegistryServer":"https://t.example"}}}"#);
        assert_eq!(read(&copy, "pnpm-workspace.yaml"), r#"{"overrides":{"a":"1.0.0"},"packages":["apps/*"]}"#);
        assert!(!copy.path().join("copy/bunfig.toml").exists() && !copy.path().join("copy/.pnpmfile.cjs").exists());
        let words: Vec<_> = left_out.iter().map(String::as_str).collect();
        for word in [
            "credentials in `.npmrc`",
            "`git` in `.npmrc`",
            "`plugins` in `.yarnrc.yml`",
            "`.pnpmfile.cjs`",
            "`bunfig.toml`",
        ] {
            assert!(words.contains(&word), "{word}: {words:?}");
        }
        assert!(!words.concat().contains("abc"));
    }

    #[test]
    fn demands_on_tools_are_dropped_and_a_broken_manifest_is_copied_as_it_is() {
        let (copy, _) = copied(&[
            ("package.json", r#"{"name":"a","packageManager":"pnpm@9","engines":{"node":"1"}}"#),
            ("b/package.json", "{,}"),
        ]);
        assert_eq!(read(&copy, "package.json"), r#"{"name":"a"}"#);
        assert_eq!(read(&copy, "b/package.json"), "{,}");
    }

    #[test]
    fn settings_that_cannot_be_read_are_not_followed() {
        let (copy, left_out) = copied(&[(".yarnrc.yml", "plugins: [")]);
        assert!(!copy.path().join("copy/.yarnrc.yml").exists());
        assert_eq!(left_out, BTreeSet::from(["`.yarnrc.yml`".to_owned()]));
    }

    #[cfg(unix)]
    #[test]
    fn links_and_installed_packages_are_not_copied() {
        let source = tempfile::tempdir().unwrap();
        fs::create_dir_all(source.path().join("node_modules/x")).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", source.path().join("passwd")).unwrap();
        std::os::unix::fs::symlink("/etc", source.path().join("etc")).unwrap();
        let copy = source.path().join("node_modules/copy");
        make(source.path(), &copy, &SKIPPED).unwrap();
        assert_eq!(fs::read_dir(copy).unwrap().count(), 0);
    }

    #[test]
    fn what_the_user_may_not_open_is_left_out_and_the_rest_is_copied() {
        let source = tempfile::tempdir().unwrap();
        fs::create_dir_all(source.path().join("data/postgres")).unwrap();
        for file in ["data/postgres/base", "data/a.csv", "package.json", ".npmrc"] {
            fs::write(source.path().join(file), "{}").unwrap();
        }
        let shut = ["data/postgres", "data/a.csv", ".npmrc"].map(|place| source.path().join(place));
        let base = tempfile::tempdir().unwrap();
        let copy = base.path().join("copy");
        let left_out = while_closed(&shut, || make(source.path(), &copy, &SKIPPED)).unwrap().unwrap();
        let named =
            ["`.npmrc`", "`data/a.csv`", "`data/postgres`"].map(|name| format!("{name}, which may not be opened"));
        assert_eq!(left_out, BTreeSet::from(named));
        assert!(copy.join("package.json").is_file() && !copy.join("data/a.csv").exists());
        let root = [source.path().to_owned()];
        assert!(while_closed(&root, || make(source.path(), &base.path().join("none"), &SKIPPED)).unwrap().is_err());
    }

    #[test]
    fn settings_of_a_folder_and_of_those_around_it_name_its_corner_of_the_cache() {
        let lock = |npmrc: &str, inner: &str| {
            let (copy, _) = copied(&[(".npmrc", npmrc), ("web/.yarnrc.yml", inner), ("other/.npmrc", npmrc)]);
            let copy = copy.path().join("copy");
            (settings(&copy, Path::new("")), settings(&copy, Path::new("web")))
        };
        let (here, there) = ("registry=https://a.example/\n", "registry=https://b.example/\n");
        assert_eq!(lock(here, "nmMode: classic"), lock(here, "nmMode: classic"));
        assert_ne!(lock(here, "nmMode: classic").0, lock(there, "nmMode: classic").0);
        assert_ne!(lock(here, "nmMode: classic").1, lock(there, "nmMode: classic").1);
        let (outer, inner) = (lock(here, "nmMode: classic"), lock(here, "nmMode: hardlinks-local"));
        assert!(outer.0 == inner.0 && outer.1 != inner.1);
        let (copy, _) = copied(&[("package.json", "{}")]);
        assert!(settings(&copy.path().join("copy"), Path::new("")).is_empty());
    }

    #[test]
    fn settings_that_let_other_packages_pass_are_not_followed() {
        let (copy, left_out) = copied(&[(".yarnrc.yml", "checksumBehavior: ignore\nnmMode: classic\n")]);
        assert_eq!(read(&copy, ".yarnrc.yml"), r#"{"nmMode":"classic"}"#);
        assert!(left_out.contains("`checksumBehavior` in `.yarnrc.yml`"), "{left_out:?}");
    }

    #[test]
    fn pnpms_old_settings_move_to_its_own_file() {
        let (copy, _) = copied(&[("package.json", r#"{"pnpm":{"overrides":{"a":"1"},"executionEnv":{}}}"#)]);
        move_pnpm_settings(&copy.path().join("copy")).unwrap();
        assert_eq!(read(&copy, "pnpm-workspace.yaml"), r#"{"overrides":{"a":"1"}}"#);
    }
}
