//! The source as a folder, however it was given.

use super::StepError;
use crate::evidence::Absence;
use benchwright_sandbox::Scratch;
use benchwright_sandbox::archive::{self, ArchiveError, ArchiveLimits};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// A source tree on disk. It is read, never written to and never executed.
#[derive(Debug, Clone)]
pub struct Tree {
    /// Where it is.
    pub root: PathBuf,
    /// What it is called: the name of the folder or archive it was given as.
    pub name: String,
    /// What an archive held and was not unpacked, by name: links, and files behind a password.
    pub left_out: Vec<String>,
}

impl Tree {
    /// Opens what the user gave: a folder as it is, an archive by unpacking it into the run's scratch folder.
    pub async fn open(given: &Path, scratch: &Scratch) -> Result<Self, StepError> {
        let path = given.canonicalize().unwrap_or_else(|_| given.to_owned());
        if path.is_dir() {
            let name = file_name(path.file_name());
            return Ok(Self { root: path, name, left_out: Vec::new() });
        }
        let name = file_name(path.file_stem());
        let into = scratch.folder("source")?;
        let unpacking = move || archive::unpack(&path, &into, ArchiveLimits::default());
        match tokio::task::spawn_blocking(unpacking).await {
            Ok(Ok(unpacked)) => Ok(Self { root: unpacked.root, name, left_out: unpacked.left_out }),
            Ok(Err(error @ ArchiveError::Disk { .. })) => Err(StepError::Page(format!("failed to {error}"))),
            Ok(Err(refused)) => Err(StepError::Absent(Absence::NoInput { reason: format!("failed to {refused}") })),
            Err(panic) => Err(StepError::Page(panic.to_string())),
        }
    }
}

fn file_name(name: Option<&OsStr>) -> String {
    name.map_or_else(|| "source".to_owned(), |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::fs;

    /// A temporary folder with these files.
    pub(crate) fn tree<B: AsRef<[u8]>>(files: &[(&str, B)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, bytes) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        folder
    }

    #[tokio::test]
    async fn what_is_no_archive_is_the_users_to_mend_and_not_our_fault() {
        let base = tempfile::tempdir().unwrap();
        let scratch = Scratch::new(base.path(), "run").unwrap();
        let given = base.path().join("app.zip");
        std::fs::write(&given, "not a zip").unwrap();
        let error = Tree::open(&given, &scratch).await.unwrap_err();
        assert!(matches!(&error, StepError::Absent(Absence::NoInput { .. })), "{error:?}");
        assert!(error.to_string().contains("as a ZIP archive"), "{error}");
    }

    #[tokio::test]
    async fn a_folder_is_taken_as_it_is() {
        let base = tempfile::tempdir().unwrap();
        let scratch = Scratch::new(base.path(), "run").unwrap();
        let given = base.path().join("my-app");
        std::fs::create_dir(&given).unwrap();
        let tree = Tree::open(&given, &scratch).await.unwrap();
        assert_eq!((tree.root, tree.name), (given.canonicalize().unwrap(), "my-app".to_owned()));
    }

    #[tokio::test]
    async fn what_an_archive_holds_behind_a_password_is_part_of_the_evidence() {
        let base = tempfile::tempdir().unwrap();
        let scratch = Scratch::new(base.path(), "run").unwrap();
        let mut packing = archive::Packing::new(std::io::Cursor::new(Vec::new()));
        packing.add("a.ts", b"let a = 1;").unwrap();
        packing.add("b.ts", b"let b = 2;").unwrap();
        let mut bytes = packing.finish().unwrap().into_inner();
        let listed = bytes.windows(4).rposition(|name| name == b"b.ts").unwrap();
        bytes[listed - 46 + 8] |= 1;
        let given = base.path().join("app.zip");
        std::fs::write(&given, bytes).unwrap();
        let tree = Tree::open(&given, &scratch).await.unwrap();
        let source = crate::gather::source::describe(&tree).await.unwrap();
        assert_eq!((source.files, source.left_out), (1, vec!["b.ts".to_owned()]));
    }
}
