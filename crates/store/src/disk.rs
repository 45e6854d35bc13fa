//! The few file operations whose order decides what survives a crash.

use crate::error::StoreError;
use crate::storage::Put;
use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

/// Makes `destination` hold `bytes` all at once: written beside it, synced, renamed, the folder synced.
pub(crate) fn replace(part: &Path, destination: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    write_synced(part, bytes).inspect_err(|_| {
        // A failed attempt, most likely on a full disk, should not hold the space it took.
        let _ = fs::remove_file(part);
    })?;
    fs::rename(part, destination).map_err(|error| StoreError::io("write", destination, error))?;
    destination.parent().map_or(Ok(()), sync_folder)
}

fn write_synced(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let failed = |error| StoreError::io("write", path, error);
    let mut file = create_fresh(path).map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    file.sync_all().map_err(failed)
}

/// Gives files their content, each if there is none of its name. All are written and synced before the first gets its name, so that one
/// commit of the file system's journal serves them all, and a name never stands for half a file.
pub(crate) fn put_all(files: &[(&Path, &[u8])]) -> Result<Vec<Put>, StoreError> {
    let folders: BTreeSet<&Path> = files.iter().filter_map(|(path, _)| path.parent()).collect();
    for folder in folders.iter().filter(|folder| !folder.is_dir()) {
        make_folder(folder)?;
    }
    let parts = Parts::write(files)?;
    let mut outcomes = Vec::with_capacity(files.len());
    for (part, (path, _)) in parts.0.iter().zip(files) {
        // A link is refused where a rename would replace what is there.
        outcomes.push(match fs::hard_link(part, path) {
            Ok(()) => Put::Done,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Put::Taken,
            Err(error) => return Err(StoreError::io("write", path, error)),
        });
    }
    drop(parts);
    folders.into_iter().try_for_each(sync_folder)?;
    Ok(outcomes)
}

const PART: &str = ".part-";

/// Files that have no name of their own yet; their names are removed in any case.
struct Parts(Vec<PathBuf>);

impl Parts {
    fn write(files: &[(&Path, &[u8])]) -> Result<Self, StoreError> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let mut parts = Self(Vec::with_capacity(files.len()));
        let mut open = Vec::with_capacity(files.len());
        for (path, bytes) in files {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            // No name of ours begins with a point, so that nobody takes it for one.
            let part = path.with_file_name(format!("{PART}{}-{count}", std::process::id()));
            let failed = |error| StoreError::io("write", path, error);
            let mut file = create_fresh(&part).map_err(failed)?;
            parts.0.push(part);
            file.write_all(bytes).map_err(failed)?;
            open.push(file);
        }
        for (file, (path, _)) in open.iter().zip(files) {
            file.sync_all().map_err(|error| StoreError::io("write", path, error))?;
        }
        Ok(parts)
    }
}

impl Drop for Parts {
    fn drop(&mut self) {
        for part in &self.0 {
            // What cannot be removed takes space and does no other harm.
            let _ = fs::remove_file(part);
        }
    }
}

/// Removes the [`Parts`] in a folder that killed writers left; what was touched since `before` may be a living one's. Says how many there were.
pub(crate) fn sweep_parts(folder: &Path, before: SystemTime) -> Result<usize, StoreError> {
    let is_part = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PART));
    let old: Vec<PathBuf> = entries(folder)?.into_iter().filter(|path| is_part(path) && is_old(path, before)).collect();
    // What cannot be removed takes space and does no other harm.
    Ok(old.iter().filter(|path| fs::remove_file(path).is_ok()).count())
}

/// Whether something was last touched before a moment.
pub(crate) fn is_old(path: &Path, before: SystemTime) -> bool {
    fs::symlink_metadata(path).and_then(|it| it.modified()).is_ok_and(|touched| touched < before)
}

/// Creates a file that was not there before. What has its name is removed, not written through: in a run folder that came from
/// elsewhere it could be a link to something precious.
pub(crate) fn create_fresh(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => OpenOptions::new().write(true).create_new(true).open(path),
    }
}

/// Makes the names in a folder durable, where the file system knows how to.
pub(crate) fn sync_folder(path: &Path) -> Result<(), StoreError> {
    match File::open(path).and_then(|folder| folder.sync_all()) {
        Err(error) if !matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => {
            Err(StoreError::io("write", path, error))
        }
        _ => Ok(()),
    }
}

/// Creates a folder and its parents, and makes the names of all that were not there durable.
pub(crate) fn make_folder(path: &Path) -> Result<(), StoreError> {
    let parent = path.parent().map(|parent| if parent.as_os_str().is_empty() { Path::new(".") } else { parent });
    let Some(parent) = parent else { return Ok(()) };
    if !parent.is_dir() {
        make_folder(parent)?;
    }
    match fs::create_dir(path) {
        // Its name may be a moment old, by a process that was killed before it synced it.
        Err(error) if error.kind() == ErrorKind::AlreadyExists && path.is_dir() => sync_folder(parent),
        Err(error) => Err(StoreError::io("create", path, error)),
        Ok(()) => sync_folder(parent),
    }
}

/// Removes a file and makes that durable; it does not matter whether there is one.
pub(crate) fn remove(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(StoreError::io("remove", path, error)),
        Ok(()) => path.parent().map_or(Ok(()), sync_folder),
    }
}

/// Removes whatever has that name, a folder with all that is in it; a link goes, and not what it leads to.
pub(crate) fn remove_all(path: &Path) -> Result<(), StoreError> {
    let removed = match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(StoreError::io("remove", path, error)),
        _ => Ok(()),
    }
}

/// What is in a folder; nothing if there is none.
pub(crate) fn entries(folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let failed = |error| StoreError::io("read", folder, error);
    match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        entries => entries.map_err(failed)?.map(|entry| Ok(entry.map_err(failed)?.path())).collect(),
    }
}

/// Whether there is a regular file of that name. A link or a pipe in a run folder was not put there by us, and opening it could
/// block or reach outside.
pub(crate) fn is_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file())
}

/// The content of a regular file of at most `limit` bytes; nothing if there is no such file.
pub(crate) fn read(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, StoreError> {
    if !is_file(path) {
        return Ok(None);
    }
    let failed = |error| StoreError::io("read", path, error);
    let mut bytes = Vec::new();
    File::open(path).map_err(failed)?.take(limit + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > limit {
        return Err(StoreError::TooLarge { path: path.to_owned(), limit, unit: "bytes" });
    }
    Ok(Some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_over_the_limit_is_refused_and_one_at_the_limit_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, [7; 10]).unwrap();
        assert_eq!(read(&path, 10).unwrap(), Some(vec![7; 10]));
        assert!(matches!(read(&path, 9), Err(StoreError::TooLarge { limit: 9, .. })));
        assert_eq!(read(&folder.path().join("none"), 9).unwrap(), None);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("secret"), "x").unwrap();
        std::os::unix::fs::symlink(folder.path().join("secret"), folder.path().join("link")).unwrap();
        assert_eq!(read(&folder.path().join("link"), 9).unwrap(), None);
        replace(&folder.path().join("link"), &folder.path().join("new"), b"y").unwrap();
        assert_eq!(fs::read(folder.path().join("secret")).unwrap(), b"x");
        assert_eq!(fs::read(folder.path().join("new")).unwrap(), b"y");
    }
}
