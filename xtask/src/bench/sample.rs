//! The sample app with source: React and TypeScript, with a few faults of every kind. It is built here, as its author would build it.

use super::archive;
use crate::call::{Call, find_program};
use crate::failure::{Done, Failure, Naming};
use crate::{project, setup};
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) const NAME: &str = "slipway";

pub(crate) struct Sample {
    /// The source as its author keeps it, without installed packages.
    pub source: PathBuf,
    pub zip: PathBuf,
    /// What a server serves.
    pub built: PathBuf,
    pub prompt: PathBuf,
}

impl Sample {
    pub fn build(folder: &Path) -> Result<Self, Failure> {
        println!("building the sample app {NAME} in a temporary folder");
        let bench = project::root().join("fixtures/bench");
        let original = bench.join(NAME);
        let sample = Self {
            source: folder.join(NAME),
            zip: folder.join(format!("{NAME}.zip")),
            built: folder.join("built"),
            prompt: bench.join(format!("{NAME}-board.yaml")),
        };
        let work = folder.join("work");
        copy(&original, &sample.source)?;
        copy(&original, &work)?;
        archive::write(&sample.source, &sample.zip)?;
        let npm = find_program(&["npm"]).ok_or_else(|| Failure::environment("npm is missing"))?;
        Call::new(npm).words("ci --ignore-scripts --no-audit --no-fund --loglevel=error").dir(&work).text()?;
        Call::new(setup::pinned_node()?)
            .words("node_modules/vite/bin/vite.js build --logLevel warn --emptyOutDir --outDir")
            .arg(&sample.built)
            .dir(&work)
            .text()?;
        Ok(sample)
    }
}

pub(super) fn copy(from: &Path, to: &Path) -> Done {
    fs::create_dir_all(to).naming("make a folder for the sample app")?;
    for entry in fs::read_dir(from).naming("read the sample app")?.flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target).naming("copy the sample app")?;
        }
    }
    Ok(())
}
