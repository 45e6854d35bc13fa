//! Walks the source folder once: sizes and one hash over everything read.

use super::StepError;
use super::tree::Tree;
use crate::evidence::Source;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Folders that hold what somebody else wrote or a tool made, we among them.
const SKIPPED_FOLDERS: [&str; 9] =
    ["node_modules", ".git", "dist", "build", ".next", "out", ".cache", "coverage", "benchwright-report"];
const MAX_FILES: usize = 50_000;
const MAX_BYTES: u64 = 512 * 1024 * 1024;
const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;
/// What was left out that is named.
const MAX_NAMED: usize = 10;

/// Describes a source tree.
pub async fn describe(tree: &Tree) -> Result<Source, StepError> {
    let tree = tree.clone();
    tokio::task::spawn_blocking(move || survey(&tree))
        .await
        .unwrap_or_else(|error| Err(StepError::Page(error.to_string())))
}

/// The hash by which the evidence knows a source folder.
pub fn hash_of(folder: &Path) -> Result<String, StepError> {
    survey(&Tree { root: folder.to_owned(), name: String::new(), left_out: Vec::new() }).map(|source| source.hash)
}

fn survey(tree: &Tree) -> Result<Source, StepError> {
    let root = &tree.root;
    let mut source = Source { name: tree.name.clone(), left_out: tree.left_out.clone(), ..Source::default() };
    let mut bytes_by_extension = BTreeMap::new();
    let mut digest = Sha256::new();
    let mut closed = Closed { root, places: BTreeSet::new() };
    for path in files_below(&mut closed, &mut source.truncated)? {
        let Some(length) = closed.unless(&path, fs::metadata(&path).map(|found| found.len()))? else { continue };
        if length > MAX_FILE_BYTES || source.bytes + length > MAX_BYTES {
            source.truncated = true;
            continue;
        }
        let Some(bytes) = closed.unless(&path, fs::read(&path))? else { continue };
        let relative = place(root, &path);
        digest.update((relative.len() as u64).to_le_bytes());
        digest.update(relative.as_bytes());
        digest.update((bytes.len() as u64).to_le_bytes());
        digest.update(&bytes);
        source.files += 1;
        source.bytes += bytes.len() as u64;
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
        *bytes_by_extension.entry(extension).or_insert(0) += bytes.len() as u64;
    }
    source.bytes_by_extension = bytes_by_extension;
    source.hash = hex(&digest.finalize());
    let room = MAX_NAMED.saturating_sub(source.left_out.len());
    source.left_out.extend(closed.places.into_iter().take(room));
    Ok(source)
}

/// Places below the root that this user may not open. They are named and left out: one of them says nothing about the rest.
struct Closed<'a> {
    root: &'a Path,
    places: BTreeSet<String>,
}

impl Closed<'_> {
    /// What was done there; none where it may not be done.
    fn unless<T>(&mut self, path: &Path, done: io::Result<T>) -> Result<Option<T>, StepError> {
        let place = place(self.root, path);
        match done {
            Ok(done) => Ok(Some(done)),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied && !place.is_empty() => {
                self.places.insert(place);
                Ok(None)
            }
            Err(error) => Err(StepError::Page(format!("cannot read `./{place}` of the source: {error}"))),
        }
    }
}

fn place(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/")
}

/// All regular files in a stable order. Links are not followed: a source tree must not read the machine around it.
fn files_below(closed: &mut Closed<'_>, truncated: &mut bool) -> Result<Vec<PathBuf>, StepError> {
    let mut found = Vec::new();
    let mut folders = vec![closed.root.to_owned()];
    while let Some(folder) = folders.pop() {
        let Some(listing) = closed.unless(&folder, fs::read_dir(&folder))? else { continue };
        for entry in listing {
            let Some(entry) = closed.unless(&folder, entry)? else { continue };
            let Some(kind) = closed.unless(&entry.path(), entry.file_type())? else { continue };
            let skipped = SKIPPED_FOLDERS.iter().any(|name| entry.file_name() == *name);
            if kind.is_dir() && !skipped {
                folders.push(entry.path());
            } else if kind.is_file() {
                found.push(entry.path());
            }
            if found.len() > MAX_FILES {
                *truncated = true;
                found.sort();
                return Ok(found);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// SHA-256 in lower-case hex.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gather::tree::tests::tree;
    use benchwright_fixtures::while_closed;

    fn described(root: &Path) -> Result<Source, StepError> {
        survey(&Tree { root: root.to_owned(), name: "app".to_owned(), left_out: Vec::new() })
    }

    #[test]
    fn sizes_are_summed_by_extension_and_foreign_folders_are_left_out() {
        let folder = tree(&[
            ("src/a.ts", "12345"),
            ("b.CSS", "123"),
            ("node_modules/x.js", "1234567"),
            (".env", "1"),
            ("benchwright-report/runs/1/log", "1"),
        ]);
        let source = described(folder.path()).unwrap();
        assert_eq!((source.files, source.bytes), (3, 9));
        assert_eq!(source.bytes_by_extension["ts"], 5);
        assert_eq!(source.bytes_by_extension["css"], 3);
        assert!(!source.bytes_by_extension.contains_key("js"));
    }

    #[test]
    fn the_hash_follows_content_and_names_and_nothing_else() {
        let one = described(tree(&[("a", "x"), ("b", "y")]).path()).unwrap().hash;
        assert_eq!(described(tree(&[("b", "y"), ("a", "x")]).path()).unwrap().hash, one);
        assert_ne!(described(tree(&[("a", "x"), ("c", "y")]).path()).unwrap().hash, one);
        assert_ne!(described(tree(&[("a", "xy"), ("b", "")]).path()).unwrap().hash, one);
    }

    #[test]
    fn what_the_user_may_not_open_is_named_and_left_out() {
        let folder = tree(&[("src/a.ts", "12345"), ("src/closed.ts", "123"), ("data/postgres/base", "1")]);
        let shut = ["src/closed.ts", "data/postgres"].map(|place| folder.path().join(place));
        let source = while_closed(&shut, || described(folder.path())).unwrap().unwrap();
        assert_eq!((source.files, source.bytes), (1, 5));
        assert_eq!(source.left_out, ["data/postgres", "src/closed.ts"]);
        assert_eq!(source.hash, described(tree(&[("src/a.ts", "12345")]).path()).unwrap().hash);
        let refused = while_closed(&[folder.path().to_owned()], || described(folder.path())).unwrap().unwrap_err();
        let told = refused.to_string();
        assert!(told.contains("`./` of the source") && !told.contains(&*folder.path().to_string_lossy()), "{told}");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let folder = tree(&[("a.js", "1")]);
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("b.js")).unwrap();
        assert_eq!(described(folder.path()).unwrap().files, 1);
    }
}
