//! What a model under test hands in: the code of an app, how it is started, and the data it begins with, in a folder or a ZIP archive.

use crate::hex::hex;
use benchwright_sandbox::archive::{self, ArchiveError, ArchiveLimits, Packing};
use benchwright_sandbox::serve::{Content, ServeError};
use benchwright_sandbox::{SandboxError, Scratch};
use sha2::{Digest as _, Sha256};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Names of compose files, in the order in which they are looked for.
pub const COMPOSE_FILES: [&str; 4] = ["compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml"];
/// What somebody else wrote, or says how the app came to be; neither is part of it.
const NOT_PART_OF_IT: [&str; 2] = ["node_modules", ".git"];
const MAX_FILES: usize = 50_000;
const MAX_BYTES: u64 = 1024 * 1024 * 1024;
/// A bundle that is kept beside its evaluation has no more than this.
const MAX_PACKED_BYTES: u64 = 200 * 1024 * 1024;
/// Begins every hash, so that another way of hashing gives other values.
const HASH_FORMAT: &[u8] = b"benchwright bundle 1\n";

/// Why a bundle cannot be used. Messages complete "failed to …".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BundleError {
    /// It cannot be read.
    #[error("read the bundle {}: {source}", path.display())]
    Unreadable {
        /// The bundle, or what in it cannot be read.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// It is larger than any app.
    #[error(
        "read the bundle {}: it holds more than {MAX_FILES} files or {} MiB; leave out what a tool made",
        called(path),
        MAX_BYTES / 1024 / 1024
    )]
    TooLarge {
        /// The bundle.
        path: PathBuf,
    },
    /// It is an archive that is refused.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// There is nothing in it to start.
    #[error("use the bundle {}: {why}; a compose file would do, too", called(path))]
    NothingToStart {
        /// The bundle.
        path: PathBuf,
        /// What is missing.
        why: String,
    },
    /// It could not be unpacked on this machine.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
}

impl BundleError {
    /// Whether the app is to blame, and not this machine or whoever named the bundle.
    pub fn is_the_apps(&self) -> bool {
        match self {
            Self::TooLarge { .. } | Self::NothingToStart { .. } => true,
            Self::Archive(error) => !matches!(error, ArchiveError::Disk { .. }),
            Self::Unreadable { .. } | Self::Sandbox(_) => false,
        }
    }
}

/// Its name alone: what is wrong with an app is part of its evaluation, which may be published.
fn called(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// A bundle. It is only ever read; an archive is unpacked into a folder that goes with this value.
#[derive(Debug)]
pub struct Bundle {
    root: PathBuf,
    compose: Option<PathBuf>,
    content: Option<Content>,
    hash: String,
    notes: Vec<String>,
    _unpacked: Option<Scratch>,
}

impl Bundle {
    /// Opens a folder or an archive. Archives are unpacked below `scratch_base`.
    pub fn open(path: &Path, scratch_base: &Path) -> Result<Self, BundleError> {
        let unreadable = |source| BundleError::Unreadable { path: path.to_owned(), source };
        let path = fs::canonicalize(path).map_err(unreadable)?;
        if path.is_dir() {
            return Self::of_folder(path, Vec::new(), None);
        }
        let scratch = Scratch::new(scratch_base, "bundle")?;
        let unpacked = archive::unpack(&path, &scratch.folder("unpacked")?, ArchiveLimits::default())?;
        let notes = unpacked.left_out.iter().map(|name| format!("left out of the archive: {name}")).collect();
        Self::of_folder(unpacked.root, notes, Some(scratch))
    }

    fn of_folder(root: PathBuf, notes: Vec<String>, unpacked: Option<Scratch>) -> Result<Self, BundleError> {
        let is_file = |path: &PathBuf| path.symlink_metadata().is_ok_and(|found| found.is_file());
        let compose = COMPOSE_FILES.into_iter().map(|name| root.join(name)).find(is_file);
        let content = match Content::of(&root) {
            Ok(content) => Some(content),
            Err(_) if compose.is_some() => None,
            Err(error) => return Err(nothing_to_start(root, error)),
        };
        let hash = hash(&root)?;
        Ok(Self { root, compose, content, hash, notes, _unpacked: unpacked })
    }

    /// SHA-256 over the sorted paths and contents of all files, without installed packages and history.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// The folder with the files.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Its compose file.
    pub fn compose(&self) -> Option<&Path> {
        self.compose.as_deref()
    }

    /// What could be started without a compose file.
    pub fn content(&self) -> Option<Content> {
        self.content
    }

    /// Its files as one archive, the same bytes for the same files; none if they are too many to be kept beside every evaluation.
    pub fn packed(&self) -> Result<Option<Vec<u8>>, BundleError> {
        let files = files(&self.root)?;
        if files.iter().map(|(_, length)| length).sum::<u64>() > MAX_PACKED_BYTES {
            return Ok(None);
        }
        let mut packing = Packing::new(io::Cursor::new(Vec::new()));
        for (path, _) in files {
            let unreadable = |source| BundleError::Unreadable { path: self.root.join(&path), source };
            let bytes = fs::read(self.root.join(&path)).map_err(unreadable)?;
            packing.add(&path.to_string_lossy(), &bytes).map_err(unreadable)?;
        }
        let unreadable = |source| BundleError::Unreadable { path: self.root.clone(), source };
        Ok(Some(packing.finish().map_err(unreadable)?.into_inner()))
    }

    /// What should be known about how it was read.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

fn nothing_to_start(root: PathBuf, error: ServeError) -> BundleError {
    let why = match error {
        ServeError::Nothing { why, .. } => why,
        other => other.to_string(),
    };
    let why = why.replace(&format!("{}/", root.display()), "");
    BundleError::NothingToStart { path: root, why }
}

/// What tells a bundle that cannot be opened from others: the hash of the folder's files or of the archive; none of what is too large.
pub fn hash_unopened(path: &Path) -> Option<String> {
    if path.is_dir() {
        return hash(path).ok();
    }
    let mut digest = Sha256::new();
    take_in(&mut digest, io::Read::take(File::open(path).ok()?, MAX_BYTES)).ok()?;
    Some(hex(&digest.finalize()))
}

fn hash(root: &Path) -> Result<String, BundleError> {
    let mut digest = Sha256::new();
    digest.update(HASH_FORMAT);
    for (path, length) in files(root)? {
        let unreadable = |source| BundleError::Unreadable { path: root.join(&path), source };
        let name = path.to_string_lossy();
        digest.update((name.len() as u64).to_le_bytes());
        digest.update(name.as_bytes());
        digest.update(length.to_le_bytes());
        let content = io::Read::take(File::open(root.join(&path)).map_err(unreadable)?, length);
        take_in(&mut digest, content).map_err(unreadable)?;
    }
    Ok(hex(&digest.finalize()))
}

fn take_in(digest: &mut Sha256, mut content: impl io::Read) -> io::Result<()> {
    let mut chunk = vec![0; 64 * 1024];
    loop {
        match content.read(&mut chunk)? {
            0 => return Ok(()),
            read => digest.update(&chunk[..read]),
        }
    }
}

/// Paths and lengths of all files that are part of a bundle, sorted. Links are not: a copy has none either.
fn files(root: &Path) -> Result<Vec<(PathBuf, u64)>, BundleError> {
    let mut files = Vec::new();
    let mut bytes = 0;
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let unreadable = |source| BundleError::Unreadable { path: root.join(&folder), source };
        for entry in fs::read_dir(root.join(&folder)).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let found = entry.metadata().map_err(unreadable)?;
            let path = folder.join(entry.file_name());
            if found.is_dir() && !NOT_PART_OF_IT.iter().any(|name| entry.file_name() == *name) {
                folders.push(path);
            } else if found.is_file() {
                bytes += found.len();
                files.push((path, found.len()));
            }
            if files.len() > MAX_FILES || folders.len() > MAX_FILES || bytes > MAX_BYTES {
                return Err(BundleError::TooLarge { path: root.to_owned() });
            }
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    fn bundle(files: &[(&str, &str)]) -> (TempDir, Result<Bundle, BundleError>) {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let bundle = Bundle::open(folder.path(), folder.path());
        (folder, bundle)
    }

    fn hash_of(files: &[(&str, &str)]) -> String {
        bundle(files).1.unwrap().hash().to_owned()
    }

    #[test]
    fn the_hash_is_of_names_and_contents_and_of_nothing_else() {
        let app = [("index.html", "<h1>App</h1>"), ("data/seed.json", "[]")];
        let hash = hash_of(&app);
        assert_eq!(hash.len(), 64);
        assert_eq!(hash, hash_of(&[app[1], app[0]]));
        assert_eq!(hash, hash_of(&[app[0], app[1], ("node_modules/a/index.js", "x"), (".git/HEAD", "y")]));
        assert_ne!(hash, hash_of(&[app[0], ("data/seed.json", "[1]")]));
        assert_ne!(hash, hash_of(&[app[0], ("data/seeds.json", "[]")]));
        assert_ne!(hash_of(&[app[0], ("a", "bc")]), hash_of(&[app[0], ("ab", "c")]));
    }

    #[test]
    fn what_starts_it_is_found() {
        let page = ("index.html", "");
        let package = ("package.json", r#"{"scripts":{"start":"node ."}}"#);
        let compose = ("docker-compose.yml", "services: {}");
        let (_folder, both) = bundle(&[page, package, compose]);
        let both = both.unwrap();
        assert!(both.compose().is_some());
        assert_eq!(both.content(), Some(Content::Package { script: "start", builds: false }));
        let (_folder, alone) = bundle(&[compose]);
        assert_eq!(alone.unwrap().content(), None);
        let (_folder, nothing) = bundle(&[("notes.txt", "")]);
        let error = nothing.unwrap_err().to_string();
        assert!(error.contains("compose file") && error.contains("index.html"), "{error}");
        let (folder, built) = bundle(&[("dist/index.html", "")]);
        let built = built.unwrap_err();
        assert!(built.is_the_apps());
        let (error, place) = (built.to_string(), folder.path().to_str().unwrap());
        assert!(error.contains("dist has") && !error.contains(place), "{error}");
    }

    #[test]
    fn what_is_packed_is_the_same_bundle() {
        let (folder, bundle) = bundle(&[("index.html", "<h1>App</h1>"), ("data/seed.json", "[]")]);
        let bundle = bundle.unwrap();
        let file = folder.path().join("packed.zip");
        fs::write(&file, bundle.packed().unwrap().unwrap()).unwrap();
        assert_eq!(Bundle::open(&file, folder.path()).unwrap().hash(), bundle.hash());
    }

    #[test]
    fn a_link_is_no_part_of_it() {
        let (folder, bundle) = bundle(&[("index.html", "")]);
        let before = bundle.unwrap().hash().to_owned();
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("passwd")).unwrap();
        assert_eq!(Bundle::open(folder.path(), folder.path()).unwrap().hash(), before);
    }

    #[test]
    fn an_archive_that_is_none_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("app.zip");
        fs::write(&file, "no archive").unwrap();
        let refused = Bundle::open(&file, folder.path()).unwrap_err();
        assert!(matches!(refused, BundleError::Archive(_)) && refused.is_the_apps());
        let nowhere = Bundle::open(&folder.path().join("none"), folder.path()).unwrap_err();
        assert!(matches!(nowhere, BundleError::Unreadable { .. }) && !nowhere.is_the_apps());
        let left = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(left, 1, "what was unpacked goes with the bundle");
    }
}
