//! What a package says of itself: its manifest, and the lockfiles beside it.

use super::Manager;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

const MAX_MANIFEST_BYTES: u64 = 4 * 1024 * 1024;
const MAX_LOCKFILE_BYTES: u64 = 64 * 1024 * 1024;

/// Names of lockfiles in the order in which they are tried, and in which an install is preferred.
pub const LOCKFILES: [(&str, Manager); 6] = [
    ("npm-shrinkwrap.json", Manager::Npm),
    ("package-lock.json", Manager::Npm),
    ("pnpm-lock.yaml", Manager::Pnpm),
    ("yarn.lock", Manager::YarnClassic),
    ("bun.lock", Manager::Bun),
    ("bun.lockb", Manager::Bun),
];
/// A manifest's lists of packages that have to be installed.
pub const DEPENDENCY_LISTS: [&str; 3] = ["dependencies", "devDependencies", "optionalDependencies"];

/// A committed lockfile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lockfile {
    /// The name of the file.
    pub name: &'static str,
    /// Who reads it.
    pub manager: Manager,
    /// SHA-256 of its content, to begin with.
    pub key: String,
}

/// A `package.json`; one that is no JSON object counts as one without content, so that its app is not taken for no app.
pub fn manifest(folder: &Path) -> Option<Value> {
    let path = folder.join("package.json");
    if !is_file(&path) || fs::metadata(&path).ok()?.len() > MAX_MANIFEST_BYTES {
        return None;
    }
    let bytes = fs::read(&path).ok()?;
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let parsed = serde_json::from_slice::<Value>(text).ok().filter(Value::is_object);
    Some(parsed.unwrap_or_else(|| Value::Object(serde_json::Map::default())))
}

/// The lockfiles in a folder.
pub fn lockfiles(folder: &Path) -> Vec<Lockfile> {
    let present = LOCKFILES.into_iter().filter_map(|(name, manager)| {
        let path = folder.join(name);
        if !is_file(&path) || fs::metadata(&path).ok()?.len() > MAX_LOCKFILE_BYTES {
            return None;
        }
        let bytes = fs::read(&path).ok()?;
        let manager = if name == "yarn.lock" && is_berry(&bytes) { Manager::YarnBerry } else { manager };
        Some(Lockfile { name, manager, key: key(&bytes) })
    });
    present.collect()
}

/// Whether a package has to be installed before it can run.
pub fn needs_install(manifest: &Value) -> bool {
    let names_some = |list: &str| manifest.get(list).and_then(Value::as_object).is_some_and(|list| !list.is_empty());
    DEPENDENCY_LISTS.iter().any(|list| names_some(list)) || manifest.get("workspaces").is_some()
}

/// Yarn 2 and later begin their lockfile with metadata.
fn is_berry(lockfile: &[u8]) -> bool {
    lockfile.split(|byte| *byte == b'\n').take(200).any(|line| line.starts_with(b"__metadata:"))
}

fn is_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_file())
}

/// What stands for some content.
pub(super) fn key(content: &[u8]) -> String {
    Sha256::digest(content).iter().take(16).fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
