//! Installs from every committed lockfile, in a sandbox, into a folder that is thrown away.

use super::StepError;
use super::tree::Tree;
use crate::conduct::Workbench;
use crate::evidence::Install;
use benchwright_sandbox::Scratch;
use std::path::PathBuf;

/// A copy of a package with its dependencies installed, for whoever needs their types.
#[derive(Debug, Clone)]
pub struct Installed {
    /// The package's folder relative to the source root.
    pub package: PathBuf,
    /// Where its `node_modules` is.
    pub node_modules: PathBuf,
}

/// Installs from every committed lockfile.
pub async fn run(
    _tree: &Tree,
    _bench: &Workbench,
    _scratch: &Scratch,
) -> Result<(Install, Option<Installed>), StepError> {
    Err(StepError::Page("this version does not gather it yet".to_owned()))
}
