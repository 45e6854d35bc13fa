//! Where things are in the tree, and folders that go away by themselves.

use crate::call::Call;
use crate::failure::{Done, Failure, Naming};
use std::fs;
use std::path::{Path, PathBuf};

/// The root of the working tree this program was built from.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// The built program; cargo puts it elsewhere when told to.
pub fn release_binary() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    target.join("release").join(format!("benchwright{}", std::env::consts::EXE_SUFFIX))
}

/// Writes an app of a task (`reference`, `cheat`, `null` or a mutant) to a folder, as a bundle.
pub fn task_app(task: &str, app: &str, folder: &Path) -> Done {
    Call::cargo("run --quiet --package benchwright-fixtures --features corpus --example task_app --")
        .arg(task)
        .arg(app)
        .arg(folder)
        .run()
}

/// The version all crates share, from the root manifest.
pub fn version() -> Result<String, Failure> {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).naming("read Cargo.toml")?;
    manifest
        .lines()
        .find_map(|line| line.strip_prefix("version = \"")?.strip_suffix('"').map(str::to_owned))
        .ok_or_else(|| Failure::check("Cargo.toml names no workspace version"))
}

/// A folder in the system's place for temporary files, removed on drop.
pub struct Scratch {
    path: PathBuf,
}

impl Scratch {
    pub fn new(label: &str) -> Result<Self, Failure> {
        let path = std::env::temp_dir().join(format!("benchwright-xtask-{label}-{}", std::process::id()));
        fs::create_dir(&path).naming("make a temporary folder")?;
        Ok(Self { path })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_has_the_workspace_manifest_and_its_version() {
        assert!(root().join("Cargo.lock").is_file());
        assert!(version().unwrap().split('.').count() == 3);
    }

    #[test]
    fn a_scratch_folder_goes_away_with_its_content() {
        let scratch = Scratch::new("unit").unwrap();
        let path = scratch.path().to_owned();
        fs::write(path.join("file"), "x").unwrap();
        drop(scratch);
        assert!(!path.exists());
    }
}
