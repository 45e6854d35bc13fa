//! The part of a source tree that tools are given: a copy of the files they read, and nothing else. The tree itself is never
//! shown to them, and what nobody wrote by hand is left out and named.

use super::StepError;
use crate::evidence::survey::{SkipReason, Skipped};
use benchwright_source::{are_banners_believed, says_generated};
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Extensions of everything that is linted.
pub const SCRIPTS: [&str; 8] = ["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs"];
/// Folders that hold what somebody else wrote or a tool made. So do all whose names begin with a dot.
const SKIPPED_FOLDERS: [&str; 7] = ["node_modules", "dist", "build", "out", "coverage", "benchwright-report", ".git"];
const MAX_FILE_BYTES: u64 = 1024 * 1024;
const MAX_LINE_BYTES: usize = 50 * 1024;
const MAX_ENTRIES: usize = 200_000;
const MAX_FILES: usize = 10_000;
const MAX_BYTES: usize = 64 * 1024 * 1024;
const MAX_DEPTH: usize = 64;

/// A file that is given to a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Relative to the root, with slashes.
    pub path: String,
    /// What is in it.
    pub bytes: Vec<u8>,
    /// Whether a banner at its top says that a tool made it, and is believed.
    pub generated: bool,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Survey {
    /// Files with one of the extensions asked for, by path.
    pub files: Vec<SourceFile>,
    /// Scripts that were left out.
    pub skipped: Skipped,
}

/// Reads all files below `root` with one of the extensions that somebody wrote.
pub async fn survey(root: &Path, extensions: &'static [&'static str]) -> Result<Survey, StepError> {
    let root = root.to_owned();
    tokio::task::spawn_blocking(move || survey_now(&root, extensions))
        .await
        .unwrap_or_else(|error| Err(StepError::Page(error.to_string())))
}

fn survey_now(root: &Path, extensions: &[&str]) -> Result<Survey, StepError> {
    let mut survey = Survey::default();
    let mut bytes = 0;
    for path in candidates(root, extensions, &mut survey.skipped)? {
        if survey.files.len() >= MAX_FILES || bytes >= MAX_BYTES {
            survey.skipped.add(&path, SkipReason::OverLimit);
            continue;
        }
        match read(root, &path) {
            Ok(file) => {
                bytes += file.bytes.len();
                survey.files.push(file);
            }
            Err(reason) => survey.skipped.add(&path, reason),
        }
    }
    doubt_banners(&mut survey);
    Ok(survey)
}

/// Banners on most of the code are not believed: whoever is judged wrote them.
fn doubt_banners(survey: &mut Survey) {
    let bytes = |only_generated: bool| -> u64 {
        let scripts = survey.files.iter().filter(|file| has_extension(&file.path, &SCRIPTS));
        scripts.filter(|file| file.generated || !only_generated).map(|file| file.bytes.len() as u64).sum()
    };
    if are_banners_believed(bytes(true), bytes(false)) {
        return;
    }
    survey.skipped.banners_ignored = true;
    for file in &mut survey.files {
        file.generated = false;
    }
}

/// Paths in one order on every machine. Links are not followed: a source tree must not read the machine around it.
fn candidates(root: &Path, extensions: &[&str], skipped: &mut Skipped) -> Result<BTreeSet<String>, StepError> {
    let mut found = BTreeSet::new();
    let mut left_out = BTreeSet::new();
    let mut folders = vec![(root.to_owned(), String::new(), 0)];
    let mut entries = 0;
    while let Some((folder, prefix, depth)) = folders.pop() {
        let listing = match fs::read_dir(&folder) {
            Ok(listing) => listing,
            Err(error) if depth == 0 => return Err(StepError::Page(format!("cannot read the source folder: {error}"))),
            Err(_) => {
                left_out.insert((prefix, SkipReason::Unreadable));
                continue;
            }
        };
        for entry in listing.flatten() {
            entries += 1;
            if entries > MAX_ENTRIES {
                left_out.insert((format!("{prefix}…"), SkipReason::OverLimit));
                folders.clear();
                break;
            }
            let (name, kind) = (entry.file_name(), entry.file_type());
            let path = format!("{prefix}{}", name.to_string_lossy());
            match kind {
                Ok(kind) if kind.is_dir() && (is_foreign(&name.to_string_lossy()) || depth >= MAX_DEPTH) => {
                    left_out.insert((path, SkipReason::Folder));
                }
                Ok(kind) if kind.is_dir() => folders.push((entry.path(), format!("{path}/"), depth + 1)),
                Ok(kind) if kind.is_file() && has_extension(&path, extensions) => match name.to_str() {
                    Some(_) => drop(found.insert(path)),
                    None => drop(left_out.insert((path, SkipReason::NotText))),
                },
                _ => {}
            }
        }
    }
    for (path, reason) in &left_out {
        skipped.add(path, *reason);
    }
    Ok(found)
}

fn is_foreign(folder: &str) -> bool {
    folder.starts_with('.') || SKIPPED_FOLDERS.contains(&folder)
}

fn has_extension(path: &str, extensions: &[&str]) -> bool {
    Path::new(path).extension().is_some_and(|extension| extensions.iter().any(|known| extension == *known))
}

fn read(root: &Path, path: &str) -> Result<SourceFile, SkipReason> {
    if path.rsplit('/').next().is_some_and(|name| name.contains(".min.")) {
        return Err(SkipReason::Minified);
    }
    let file = fs::File::open(root.join(path)).map_err(|_| SkipReason::Unreadable)?;
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(|_| SkipReason::Unreadable)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(SkipReason::TooLarge);
    }
    if bytes.iter().take(8192).any(|byte| *byte == 0) {
        return Err(SkipReason::NotText);
    }
    if has_extension(path, &SCRIPTS) && bytes.split(|byte| *byte == b'\n').any(|line| line.len() > MAX_LINE_BYTES) {
        return Err(SkipReason::Minified);
    }
    let generated = says_generated(&String::from_utf8_lossy(&bytes));
    Ok(SourceFile { path: path.to_owned(), bytes, generated })
}

/// Writes files into a folder that is ours. Whoever the tool runs as may read them.
pub async fn copy_into(folder: &Path, files: Vec<SourceFile>) -> Result<(), StepError> {
    let folder = folder.to_owned();
    let copied = tokio::task::spawn_blocking(move || write_all(&folder, &files)).await;
    copied
        .unwrap_or_else(|error| Err(io::Error::other(error)))
        .map_err(|error| StepError::Page(format!("cannot copy the source to work on it: {error}")))
}

fn write_all(folder: &Path, files: &[SourceFile]) -> io::Result<()> {
    let mut made: BTreeSet<PathBuf> = BTreeSet::new();
    open_folder(folder)?;
    for file in files {
        let path = folder.join(&file.path);
        let missing = path.ancestors().skip(1).take_while(|above| *above != folder && !made.contains(*above));
        for above in missing.map(Path::to_owned).collect::<Vec<_>>().into_iter().rev() {
            open_folder(&above)?;
            made.insert(above);
        }
        fs::write(&path, &file.bytes)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644))?;
    }
    Ok(())
}

fn open_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gather::tree::tests::tree;

    fn names(survey: &Survey) -> Vec<&str> {
        survey.files.iter().map(|file| file.path.as_str()).collect()
    }

    #[test]
    fn what_nobody_wrote_by_hand_is_left_out_and_named() {
        let long = format!("var a;\n{}", "x".repeat(MAX_LINE_BYTES + 1));
        let huge = "let a = 1;\n".repeat(200_000);
        let folder = tree::<&[u8]>(&[
            ("src/a.tsx", b"export const a = 1;\n"),
            ("src/b.min.js", b"1"),
            ("src/bundle.js", long.as_bytes()),
            ("src/huge.js", huge.as_bytes()),
            ("src/video.ts", b"G\0\0\0"),
            ("node_modules/x/i.js", b"1"),
            ("web/.next/i.js", b"1"),
            (".storybook/main.ts", b"1"),
            ("dist/i.js", b"1"),
            ("style.css", b"a {}"),
        ]);
        let survey = survey_now(folder.path(), &SCRIPTS).unwrap();
        assert_eq!(names(&survey), ["src/a.tsx"]);
        let counts: Vec<_> = survey.skipped.counts.into_iter().collect();
        assert_eq!(
            counts,
            [(SkipReason::Folder, 4), (SkipReason::Minified, 2), (SkipReason::TooLarge, 1), (SkipReason::NotText, 1)]
        );
        assert!(survey.skipped.named.iter().any(|named| named.path == "src/huge.js"));
    }

    #[test]
    fn banners_are_believed_of_some_files_and_not_of_most() {
        let generated: &[u8] = b"// @generated\nexport const routes = [];\n";
        let written = "export const a = 'written by somebody';\n".repeat(9);
        let some = tree::<&[u8]>(&[("src/routes.gen.ts", generated), ("src/a.ts", written.as_bytes())]);
        let survey = survey_now(some.path(), &SCRIPTS).unwrap();
        assert_eq!(survey.files.iter().map(|file| file.generated).collect::<Vec<_>>(), [false, true]);
        assert!(!survey.skipped.banners_ignored);
        let most = tree::<&[u8]>(&[("src/routes.gen.ts", generated), ("src/a.ts", b"let a;\n")]);
        let survey = survey_now(most.path(), &SCRIPTS).unwrap();
        assert!(survey.files.iter().all(|file| !file.generated) && survey.skipped.banners_ignored);
    }

    #[test]
    fn links_lead_nowhere_and_copies_are_readable_for_all() {
        let folder = tree::<&[u8]>(&[("src/deep/a.ts", b"let a;")]);
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("b.ts")).unwrap();
        std::os::unix::fs::symlink("/etc", folder.path().join("etc")).unwrap();
        fs::set_permissions(folder.path().join("src/deep/a.ts"), fs::Permissions::from_mode(0o600)).unwrap();
        let survey = survey_now(folder.path(), &SCRIPTS).unwrap();
        assert_eq!(names(&survey), ["src/deep/a.ts"]);
        let copy = tempfile::tempdir().unwrap();
        write_all(copy.path(), &survey.files).unwrap();
        let mode = |path: &str| fs::metadata(copy.path().join(path)).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode("src"), mode("src/deep"), mode("src/deep/a.ts")), (0o755, 0o755, 0o644));
        assert_eq!(fs::read(copy.path().join("src/deep/a.ts")).unwrap(), b"let a;");
    }
}
