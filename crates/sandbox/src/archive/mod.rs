//! Archives from outside. Nothing in one is believed: names are checked part by part, sizes are counted as bytes are read,
//! links and devices are left out, and what lies inside is never opened as an archive again.

mod name;
mod pack;

pub use pack::Packing;

use name::{Refusal, checked};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek};
use std::path::{Path, PathBuf};
use zip::ZipArchive;
use zip::read::Config;
use zip::result::ZipError;
use zip::unstable::read::ZipIterable;

/// Folders that hold what somebody else wrote; they are not worth the disk.
const LEFT_OUT: [&str; 3] = ["node_modules", ".git", "__MACOSX"];

/// How much an archive may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArchiveLimits {
    /// Of the archive itself.
    pub archive_bytes: u64,
    /// Files and folders in it.
    pub entries: usize,
    /// Of one unpacked file.
    pub file_bytes: u64,
    /// Of all unpacked files together.
    pub total_bytes: u64,
}

impl Default for ArchiveLimits {
    fn default() -> Self {
        Self {
            archive_bytes: 256 * 1024 * 1024,
            entries: 20_000,
            file_bytes: 64 * 1024 * 1024,
            total_bytes: 512 * 1024 * 1024,
        }
    }
}

/// Why an archive was refused. Messages complete "failed to …".
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// It cannot be read from or written to the disk.
    #[error("unpack {}: {source}", called(path))]
    Disk {
        /// The archive or the file that was being written.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// It is not an archive, or a damaged one.
    #[error("read {} as a ZIP archive: {problem}; make it again, for example with `zip -r app.zip app`", called(path))]
    NotAnArchive {
        /// The file.
        path: PathBuf,
        /// What the reader says.
        problem: String,
    },
    /// Whatever it holds is left out.
    #[error(
        "unpack {}: nothing in it can be read, because all of it is behind a password, a link or packed in an unknown way; \
         make it again without, for example with `zip -r app.zip app`",
        called(path)
    )]
    NothingToRead {
        /// The file.
        path: PathBuf,
    },
    /// It holds more than is read.
    #[error(
        "unpack {}: it holds more than {limit} {unit}; leave out what the app's author did not write",
        called(path)
    )]
    TooMuch {
        /// The file.
        path: PathBuf,
        /// How much is allowed.
        limit: u64,
        /// Of what.
        unit: &'static str,
    },
    /// An entry would land outside, or has a name no honest tool writes.
    #[error("unpack {}: the entry `{entry}` {problem}", called(path))]
    HostileEntry {
        /// The file.
        path: PathBuf,
        /// The entry's name, cut and without control characters.
        entry: String,
        /// What is wrong with it.
        problem: Refusal,
    },
}

/// Its name alone: what is said of an archive is part of evidence, which may be published.
fn called(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// What came out of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unpacked {
    /// The folder with the files: where they were unpacked to, or the one folder everything lies in.
    pub root: PathBuf,
    /// Files written.
    pub files: usize,
    /// Bytes written.
    pub bytes: u64,
    /// Links, devices and encrypted files that were left out, by name; at most ten are named.
    pub left_out: Vec<String>,
}

/// Looks at an archive's list of contents without unpacking anything. What is refused here would be refused later, but the user
/// hears it before anything else happens.
pub fn inspect(path: &Path, limits: ArchiveLimits) -> Result<usize, ArchiveError> {
    let mut archive = open(path, limits)?;
    for index in 0..archive.len() {
        let name = name_of(&archive, index);
        checked(&name).map_err(|problem| hostile(path, &name, problem))?;
    }
    if has_nothing_to_read(&mut archive) {
        return Err(ArchiveError::NothingToRead { path: path.to_owned() });
    }
    Ok(archive.len())
}

/// Whether there is something in it, and all of that would be left out. Scored as an empty tree, it would look like an app without source.
fn has_nothing_to_read<R: Read + Seek>(archive: &mut ZipArchive<R>) -> bool {
    let mut leaves_out = false;
    for index in 0..archive.len() {
        match archive.by_index(index) {
            Ok(entry) if entry.is_dir() => {}
            Ok(entry) if entry.is_symlink() => leaves_out = true,
            Err(error) if is_sealed(&error) => leaves_out = true,
            // A file; or damage, of which unpacking tells.
            _ => return false,
        }
    }
    leaves_out
}

/// Encrypted, or packed in a way nobody uses for source.
fn is_sealed(error: &ZipError) -> bool {
    matches!(error, ZipError::UnsupportedArchive(_) | ZipError::InvalidPassword)
}

/// Unpacks an archive into an empty folder.
pub fn unpack(path: &Path, into: &Path, limits: ArchiveLimits) -> Result<Unpacked, ArchiveError> {
    inspect(path, limits)?;
    let mut archive = open(path, limits)?;
    let mut unpacking = Unpacking {
        path,
        into,
        limits,
        tops: BTreeSet::new(),
        unpacked: Unpacked { root: into.to_owned(), files: 0, bytes: 0, left_out: Vec::new() },
    };
    for index in 0..archive.len() {
        unpacking.entry(&mut archive, index)?;
    }
    // Most tools put everything into one folder named after the app.
    let Unpacking { tops, mut unpacked, .. } = unpacking;
    if let Some(only) = tops.first().filter(|top| tops.len() == 1 && into.join(top).is_dir()) {
        unpacked.root = into.join(only);
    }
    Ok(unpacked)
}

fn open(path: &Path, limits: ArchiveLimits) -> Result<ZipArchive<BufReader<File>>, ArchiveError> {
    let disk = |source| ArchiveError::Disk { path: path.to_owned(), source };
    let file = File::open(path).map_err(disk)?;
    if file.metadata().map_err(disk)?.len() > limits.archive_bytes {
        return Err(too_much(path, limits.archive_bytes, "bytes"));
    }
    let unreadable = |error| not_an_archive(path, &error);
    // Its end says how many entries there are; a crowd is refused before anybody makes room for it.
    let listed = ZipIterable::try_new(BufReader::new(&file), Config::default()).map_err(unreadable)?.len();
    if listed > limits.entries {
        return Err(too_much(path, limits.entries as u64, "entries"));
    }
    ZipArchive::new(BufReader::new(file)).map_err(unreadable)
}

/// An archive on its way to the disk.
struct Unpacking<'a> {
    path: &'a Path,
    into: &'a Path,
    limits: ArchiveLimits,
    /// What lies at the top of the archive.
    tops: BTreeSet<String>,
    unpacked: Unpacked,
}

impl Unpacking<'_> {
    fn entry<R: Read + Seek>(&mut self, archive: &mut ZipArchive<R>, index: usize) -> Result<(), ArchiveError> {
        let name = name_of(archive, index);
        let mut entry = match archive.by_index(index) {
            Ok(entry) => entry,
            Err(error) if is_sealed(&error) => {
                self.leave_out(&name);
                return Ok(());
            }
            Err(error) => return Err(not_an_archive(self.path, &error)),
        };
        let parts = checked(&name).map_err(|problem| hostile(self.path, &name, problem))?;
        if parts.iter().any(|part| LEFT_OUT.contains(&part.as_str())) {
            return Ok(());
        }
        self.tops.extend(parts.first().cloned());
        let target = parts.iter().fold(self.into.to_owned(), |folder, part| folder.join(part));
        if entry.is_dir() {
            return fs::create_dir_all(&target).map_err(|source| ArchiveError::Disk { path: target, source });
        }
        if entry.is_symlink() || !entry.is_file() {
            self.leave_out(&name);
            return Ok(());
        }
        self.file(&mut entry, &target, &name)
    }

    fn file(&mut self, entry: &mut impl Read, target: &Path, name: &str) -> Result<(), ArchiveError> {
        if let Some(folder) = target.parent() {
            let disk = |source| ArchiveError::Disk { path: folder.to_owned(), source };
            fs::create_dir_all(folder).map_err(disk)?;
        }
        // A name that is there already (twice in the archive, or the same where case is ignored) is not overwritten.
        let Ok(mut file) = File::create_new(target) else {
            self.leave_out(name);
            return Ok(());
        };
        let left = self.limits.total_bytes - self.unpacked.bytes;
        let allowed = self.limits.file_bytes.min(left);
        let written = io::copy(&mut entry.take(allowed + 1), &mut file)
            .map_err(|error| not_an_archive(self.path, &ZipError::Io(error)))?;
        if written > self.limits.file_bytes {
            return Err(too_much(self.path, self.limits.file_bytes, "bytes in one file"));
        }
        if written > left {
            return Err(too_much(self.path, self.limits.total_bytes, "unpacked bytes"));
        }
        self.unpacked.files += 1;
        self.unpacked.bytes += written;
        Ok(())
    }

    fn leave_out(&mut self, name: &str) {
        if self.unpacked.left_out.len() < 10 {
            self.unpacked.left_out.push(name::shown(name));
        }
    }
}

/// The name as its writer meant it, as far as that can be told.
fn name_of<R: Read + Seek>(archive: &ZipArchive<R>, index: usize) -> String {
    match archive.name_for_index(index) {
        Some(Ok(name)) => name.into_owned(),
        _ => format!("unreadable name {index}"),
    }
}

fn hostile(path: &Path, name: &str, problem: Refusal) -> ArchiveError {
    ArchiveError::HostileEntry { path: path.to_owned(), entry: name::shown(name), problem }
}

fn too_much(path: &Path, limit: u64, unit: &'static str) -> ArchiveError {
    ArchiveError::TooMuch { path: path.to_owned(), limit, unit }
}

fn not_an_archive(path: &Path, error: &ZipError) -> ArchiveError {
    ArchiveError::NotAnArchive { path: path.to_owned(), problem: error.to_string() }
}

#[cfg(test)]
mod tests;
