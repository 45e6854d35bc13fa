//! Which files are read. Links are not followed, foreign folders are left out, and there is a limit to everything.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Folders that hold what somebody else wrote or a tool made.
const FOREIGN_FOLDERS: [&str; 23] = [
    ".cache",
    ".git",
    ".hg",
    ".next",
    ".nuxt",
    ".output",
    ".parcel-cache",
    ".pnpm-store",
    ".svelte-kit",
    ".svn",
    ".turbo",
    ".venv",
    ".vercel",
    ".yarn",
    "__pycache__",
    "benchwright-report",
    "bower_components",
    "build",
    "coverage",
    "dist",
    "node_modules",
    "out",
    "storybook-static",
];

/// What holds no text anybody would look for.
const BINARY_EXTENSIONS: [&str; 40] = [
    "7z", "aac", "avif", "bin", "bmp", "br", "bz2", "class", "db", "dll", "dylib", "eot", "exe", "flac", "gif", "gz",
    "heic", "icns", "ico", "jar", "jpeg", "jpg", "mov", "mp3", "mp4", "ogg", "otf", "pdf", "png", "psd", "rar", "so",
    "sqlite", "tar", "ttf", "wasm", "wav", "webm", "webp", "zip",
];
const FONT_AND_OTHER_BINARY: [&str; 4] = ["woff", "woff2", "xz", "zst"];

/// How much is read at most.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Files.
    pub files: usize,
    /// Bytes of all files together.
    pub bytes: u64,
    /// Bytes of one file; of a larger one the beginning is read.
    pub file_bytes: u64,
    /// Bytes of a script that is parsed; a larger one is searched for secrets only.
    pub script_bytes: usize,
    /// Words and signs of a script that is parsed. Each may be a level of nesting, and the readers get the stack for as many levels; half a
    /// megabyte of written code has this many.
    pub script_tokens: usize,
    /// Folders within folders.
    pub depth: usize,
    /// Findings kept of each kind.
    pub findings: usize,
    /// Threads.
    pub threads: usize,
    /// After this no further file is begun.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            files: 50_000,
            bytes: 512 * 1024 * 1024,
            file_bytes: 16 * 1024 * 1024,
            script_bytes: 2 * 1024 * 1024,
            script_tokens: 128 * 1024,
            depth: 64,
            findings: 500,
            threads: 2,
            time: Duration::from_mins(2),
        }
    }
}

/// A file to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Where it is.
    pub path: PathBuf,
    /// Relative to the root, with `/`.
    pub name: String,
    /// Bytes to read.
    pub bytes: u64,
}

/// Everything to read, in a stable order, and whether a limit left something out.
#[derive(Debug, Default)]
pub struct Listing {
    /// The files.
    pub entries: Vec<Entry>,
    /// A limit was reached, or something could not be read.
    pub truncated: bool,
}

/// Lists what is below a folder. Folders in it that cannot be read count as left out; the root must be readable.
pub fn list(root: &Path, limits: &Limits) -> io::Result<Listing> {
    let mut listing = Listing::default();
    let mut folders = vec![(root.to_owned(), String::new(), 0)];
    fs::read_dir(root)?;
    while let Some((folder, prefix, depth)) = folders.pop() {
        let Ok(read) = fs::read_dir(&folder) else {
            listing.truncated = true;
            continue;
        };
        for entry in read.flatten() {
            let file_name = entry.file_name().to_string_lossy().into_owned();
            let name = format!("{prefix}{file_name}");
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && is_foreign(&file_name) => {}
                Ok(kind) if kind.is_dir() && depth >= limits.depth => listing.truncated = true,
                Ok(kind) if kind.is_dir() => folders.push((entry.path(), format!("{name}/"), depth + 1)),
                Ok(kind) if kind.is_file() && !is_binary(&file_name) => {
                    let bytes = entry.metadata().map_or(0, |metadata| metadata.len());
                    listing.entries.push(Entry { path: entry.path(), name, bytes });
                }
                _ => {}
            }
        }
        // Twice the limit is enough to sort by name and cut; a folder of millions is not listed to its end.
        if listing.entries.len() > limits.files * 2 {
            listing.truncated = true;
            break;
        }
    }
    listing.entries.sort_by(|one, other| one.name.cmp(&other.name));
    cut(&mut listing, limits);
    Ok(listing)
}

fn cut(listing: &mut Listing, limits: &Limits) {
    let mut bytes = 0;
    let mut truncated = listing.truncated || listing.entries.len() > limits.files;
    listing.entries.truncate(limits.files);
    listing.entries.retain_mut(|entry| {
        truncated |= entry.bytes > limits.file_bytes;
        entry.bytes = entry.bytes.min(limits.file_bytes);
        let fits = bytes + entry.bytes <= limits.bytes;
        bytes += if fits { entry.bytes } else { 0 };
        truncated |= !fits;
        fits
    });
    listing.truncated = truncated;
}

/// Whether a folder holds what somebody else wrote or a tool made.
pub fn is_foreign(folder: &str) -> bool {
    FOREIGN_FOLDERS.binary_search(&folder).is_ok() || folder == "vendor" || folder == "third_party"
}

fn is_binary(name: &str) -> bool {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension).to_ascii_lowercase();
    BINARY_EXTENSIONS.binary_search(&extension.as_str()).is_ok() || FONT_AND_OTHER_BINARY.contains(&extension.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "12345").unwrap();
        }
        folder
    }

    fn names(folder: &Path, limits: &Limits) -> (Vec<String>, bool) {
        let listing = list(folder, limits).unwrap();
        (listing.entries.into_iter().map(|entry| entry.name).collect(), listing.truncated)
    }

    #[test]
    fn tables_are_sorted_for_the_search() {
        assert!(FOREIGN_FOLDERS.is_sorted() && BINARY_EXTENSIONS.is_sorted());
    }

    #[test]
    fn dotfiles_are_read_and_foreign_folders_are_not() {
        let folder = tree(&[
            ".env",
            "src/a.ts",
            "node_modules/x/i.js",
            ".git/config",
            "benchwright-report/report.html",
            "dist/a.js",
            "logo.png",
            "Makefile",
        ]);
        assert_eq!(names(folder.path(), &Limits::default()).0, [".env", "Makefile", "src/a.ts"]);
    }

    #[test]
    fn limits_on_files_bytes_and_depth_are_kept_and_told() {
        let folder = tree(&["a.ts", "b.ts", "c/d/e/f.ts"]);
        let all = Limits::default();
        assert_eq!(names(folder.path(), &all), (vec!["a.ts".into(), "b.ts".into(), "c/d/e/f.ts".into()], false));
        assert!(names(folder.path(), &Limits { files: 2, ..all }).1);
        assert_eq!(names(folder.path(), &Limits { bytes: 7, ..all }), (vec!["a.ts".into()], true));
        assert_eq!(names(folder.path(), &Limits { depth: 1, ..all }).0.len(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let folder = tree(&["a.ts"]);
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("b.ts")).unwrap();
        std::os::unix::fs::symlink("/etc", folder.path().join("c")).unwrap();
        assert_eq!(names(folder.path(), &Limits::default()).0, ["a.ts"]);
    }
}
