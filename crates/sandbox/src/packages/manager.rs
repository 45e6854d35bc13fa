use super::access::RegistryAccess;
use crate::instrument::Instruments;
use crate::process::{Program, is_executable};
use crate::{Result, SandboxError};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{fs, io};

const BUN_PACKAGES: [&str; 6] = [
    "@oven/bun-linux-x64",
    "@oven/bun-linux-aarch64",
    "@oven/bun-linux-x64-baseline",
    "@oven/bun-linux-x64-musl",
    "@oven/bun-darwin-aarch64",
    "@oven/bun-darwin-x64",
];
const PNPM_PACKAGES: [&str; 5] = [
    "@pnpm/exe.linux-x64",
    "@pnpm/exe.linux-arm64",
    "@pnpm/exe.linux-x64-musl",
    "@pnpm/exe.darwin-arm64",
    "@pnpm/exe.darwin-x64",
];

/// A package manager, in the one version that is pinned among the instruments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Manager {
    /// npm.
    Npm,
    /// pnpm.
    Pnpm,
    /// Yarn 1.
    YarnClassic,
    /// Yarn 2 and later.
    YarnBerry,
    /// Bun.
    Bun,
}

impl Manager {
    /// The command a user would type.
    pub fn command(self) -> &'static str {
        match self {
            Self::Npm => "npm",
            Self::Pnpm => "pnpm",
            Self::YarnClassic | Self::YarnBerry => "yarn",
            Self::Bun => "bun",
        }
    }

    /// The pinned version.
    pub fn version(self, instruments: &Instruments) -> Result<String> {
        let folder = self.folder(instruments)?;
        let unreadable = |error: String| self.missing(instruments, &error);
        let text = fs::read(folder.join("package.json")).map_err(|error| unreadable(error.to_string()))?;
        let manifest: serde_json::Value =
            serde_json::from_slice(&text).map_err(|error| unreadable(error.to_string()))?;
        Ok(manifest["version"].as_str().unwrap_or("unknown").to_owned())
    }

    /// A name for folders.
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Npm => "npm",
            Self::Pnpm => "pnpm",
            Self::YarnClassic => "yarn-classic",
            Self::YarnBerry => "yarn-berry",
            Self::Bun => "bun",
        }
    }

    /// Whether what it keeps has its content for a name, so that no app can put something else in the place of what another one looks
    /// for, and is checked every time. Such a cache may be shared by all; the others get a corner for each lockfile and the settings
    /// beside it. Yarn 4 checks too, but names its archives by version alone: what one app's registry sends fails another's install.
    pub(super) fn shares_cache(self) -> bool {
        matches!(self, Self::Npm | Self::Pnpm)
    }

    /// Program and leading arguments.
    pub(crate) fn words(self, instruments: &Instruments) -> Result<Vec<OsString>> {
        let folder = self.folder(instruments)?;
        let script = match self {
            Self::Npm => "bin/npm-cli.js",
            Self::Pnpm => return Ok(vec![folder.join("pnpm").into()]),
            Self::YarnClassic | Self::YarnBerry => "bin/yarn.js",
            Self::Bun => return Ok(vec![folder.join("bin/bun").into()]),
        };
        let script = folder.join(script);
        if script.is_file() {
            Ok(vec![instruments.node.clone().into(), script.into()])
        } else {
            Err(self.missing(instruments, "not installed"))
        }
    }

    fn folder(self, instruments: &Instruments) -> Result<PathBuf> {
        let modules = instruments.root.join("node_modules");
        let native = |packages: &[&str], program: &str| {
            let mut folders = packages.iter().map(|package| modules.join(package));
            folders
                .find(|folder| is_executable(&folder.join(program)))
                .ok_or_else(|| self.missing(instruments, "not installed"))
        };
        match self {
            Self::Npm => Ok(modules.join("npm")),
            Self::Pnpm => native(&PNPM_PACKAGES, "pnpm"),
            Self::YarnClassic => Ok(modules.join("yarn-classic")),
            Self::YarnBerry => Ok(modules.join("@yarnpkg/cli-dist")),
            Self::Bun => native(&BUN_PACKAGES, "bin/bun"),
        }
    }

    fn missing(self, instruments: &Instruments, what: &str) -> SandboxError {
        SandboxError::Instruments { root: instruments.root.clone(), what: format!("{}: {what}", self.key()) }
    }

    /// Settings that must hold whatever the app's own files say.
    pub(super) fn environment(self, program: Program, cache: &Path) -> Program {
        match self {
            Self::Npm => program
                .env("npm_config_cache", cache)
                .env("npm_config_logs_max", "0")
                .env("npm_config_update_notifier", "false")
                .env("npm_config_git", "/usr/bin/git")
                .env("npm_config_allow_git", "all")
                .env("npm_config_allow_remote", "all")
                .env("npm_config_fetch_retries", "1")
                .env("npm_config_fetch_retry_mintimeout", "1000"),
            Self::Pnpm => program
                .env("pnpm_config_store_dir", cache.join("store"))
                .env("pnpm_config_cache_dir", cache.join("metadata"))
                .env("pnpm_config_package_import_method", "copy")
                .env("pnpm_config_enable_global_virtual_store", "false")
                .env("pnpm_config_pm_on_fail", "ignore")
                .env("pnpm_config_minimum_release_age", "0")
                .env("pnpm_config_strict_dep_builds", "false")
                .env("pnpm_config_fetch_retries", "1")
                .env("pnpm_config_fetch_retry_mintimeout", "1000")
                .env("pnpm_config_update_notifier", "false"),
            Self::YarnClassic => program
                .env("YARN_CACHE_FOLDER", cache)
                .env("YARN_IGNORE_PATH", "1")
                .env("SKIP_YARN_COREPACK_CHECK", "1"),
            Self::YarnBerry => program
                .env("YARN_IGNORE_PATH", "1")
                .env("YARN_GLOBAL_FOLDER", cache)
                .env("YARN_ENABLE_GLOBAL_CACHE", "1")
                .env("YARN_NODE_LINKER", "node-modules")
                .env("YARN_ENABLE_TELEMETRY", "0")
                .env("YARN_ENABLE_SCRIPTS", "0")
                .env("YARN_ENABLE_HARDENED_MODE", "0")
                .env("YARN_NPM_MINIMAL_AGE_GATE", "0"),
            Self::Bun => program.env("BUN_INSTALL_CACHE_DIR", cache).env("DO_NOT_TRACK", "1"),
        }
    }
}

/// Writes the settings of the user nobody: the registry, which the app's own settings may name anew.
pub(super) fn write_home(home: &Path, access: &RegistryAccess, proxy: &str) -> io::Result<()> {
    let registry = &access.registry;
    fs::write(home.join(".npmrc"), format!("registry={registry}\n"))?;
    let mut berry = serde_json::json!({"npmRegistryServer": registry.trim_end_matches('/'), "httpsProxy": proxy});
    if access.endpoint().is_loopback() {
        // Yarn knows no exception from its proxy setting, and a loopback address needs none.
        berry["unsafeHttpWhitelist"] = serde_json::json!(["127.0.0.1", "localhost"]);
    } else {
        berry["httpProxy"] = proxy.into();
    }
    if let Some(certificates) = &access.certificates {
        berry["httpsCaFilePath"] = certificates.to_string_lossy().into();
    }
    fs::write(home.join(".yarnrc.yml"), berry.to_string())
}
