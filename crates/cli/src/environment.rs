//! What surrounds the process: the only place that looks at environment variables.

use crate::exit::Failure;
use benchwright_llm::ApiKey;
use benchwright_sandbox::instrument::Instruments;
use benchwright_sandbox::{RegistryAccess, chromium, process, quiet};
use benchwright_scoring::conduct::Workbench;
use benchwright_scoring::gather::judges::JudgeAccess;
use benchwright_scoring::request::Judging;
use std::env;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

/// Names a folder with the instruments when they are not beside the binary.
const INSTRUMENTS_VARIABLE: &str = "BENCHWRIGHT_INSTRUMENTS";
/// Names a folder with the files of the quiz page when they are not beside the binary.
const SITE_VARIABLE: &str = "BENCHWRIGHT_SITE";
/// Names the index when it is not in the data folder.
const DATABASE_VARIABLE: &str = "BENCHWRIGHT_DATABASE";

/// Finds everything a run works with, or says what is missing and how to get it.
pub fn workbench(browser: Option<&Path>, judging: &Judging) -> Result<Workbench, Failure> {
    let chromium = chromium::find(browser, env::var_os("PATH").as_deref())?;
    let instruments = instruments()?;
    Ok(Workbench {
        chromium,
        registry: registry(&instruments.public_registry),
        instruments,
        scratch_base: env::temp_dir(),
        quiet_lock: quiet::default_lock_path(),
        as_root: process::is_root(),
        path_variable: env::var("PATH").unwrap_or_default(),
        judges: judge_access(judging),
    })
}

/// Variables that should hold a judge's key and do not.
pub fn missing_keys(judging: &Judging) -> Vec<String> {
    let keys = judge_access(judging).keys;
    let mut missing: Vec<String> = judging.judges.iter().map(|judge| judge.key_variable.clone()).collect();
    missing.retain(|variable| !variable.is_empty() && !keys.contains_key(variable));
    missing.dedup();
    missing
}

/// The keys of the judges, sealed at once, and the folder where their answers are kept.
fn judge_access(judging: &Judging) -> JudgeAccess {
    let sealed = |variable: &String| Some((variable.clone(), key(variable)?));
    JudgeAccess {
        keys: judging.judges.iter().filter_map(|judge| sealed(&judge.key_variable)).collect(),
        cache: caches().map(|folder| folder.join("judges")),
    }
}

/// Where answers of models that walk, judge walks and write tasks are kept.
pub fn answers_folder() -> Option<PathBuf> {
    caches().map(|folder| folder.join("answers"))
}

/// Where recorded walks are kept, for walking them again.
pub fn walks_folder() -> Option<PathBuf> {
    caches().map(|folder| folder.join("walks"))
}

fn caches() -> Option<PathBuf> {
    let named = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let caches = named("XDG_CACHE_HOME").or_else(|| named("HOME").map(|home| home.join(".cache")));
    caches.map(|folder| folder.join("benchwright"))
}

/// The key in a variable, sealed at once.
pub fn key(variable: &str) -> Option<ApiKey> {
    ApiKey::new(&env::var(variable).ok()?)
}

/// How packages are fetched: from the registry that the user's own npm would ask, with the same certificates and proxy, without credentials.
fn registry(public: &RegistryAccess) -> RegistryAccess {
    let variable = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    let home = variable("HOME").map(PathBuf::from);
    let npmrc = home.as_ref().and_then(|home| std::fs::read_to_string(home.join(".npmrc")).ok()).unwrap_or_default();
    let caches = variable("XDG_CACHE_HOME").map(PathBuf::from).or_else(|| home.map(|home| home.join(".cache")));
    let cache = caches.map(|folder| folder.join("benchwright/packages"));
    RegistryAccess { cache, ..registry_named_by(variable, &npmrc, public) }
}

/// What variables and a user's `.npmrc` say, variables first, as npm has it. Tokens are not looked at.
fn registry_named_by(
    variable: impl Fn(&str) -> Option<String>,
    npmrc: &str,
    public: &RegistryAccess,
) -> RegistryAccess {
    let setting = |name: &str| {
        let lines = npmrc.lines().filter_map(|line| line.split_once('='));
        let mut values = lines.filter(|(key, _)| key.trim() == name).map(|(_, value)| value.trim().trim_matches('"'));
        values.next_back().filter(|value| !value.is_empty() && !value.contains("${")).map(str::to_owned)
    };
    let first = |names: &[&str]| names.iter().find_map(|name| variable(name));
    let registry = first(&["npm_config_registry", "NPM_CONFIG_REGISTRY"]).or_else(|| setting("registry"));
    let access = registry.and_then(|address| RegistryAccess::at(&address)).unwrap_or_else(|| public.clone());
    let certificates = first(&["NODE_EXTRA_CA_CERTS", "npm_config_cafile", "NPM_CONFIG_CAFILE"])
        .or_else(|| setting("cafile"))
        .or_else(|| first(&["SSL_CERT_FILE"]))
        .map(PathBuf::from)
        .filter(|path| path.is_file());
    let proxy = first(&["npm_config_https_proxy", "NPM_CONFIG_HTTPS_PROXY", "HTTPS_PROXY", "https_proxy"])
        .or_else(|| setting("https-proxy"))
        .or_else(|| setting("proxy"));
    RegistryAccess { certificates, proxy, ..access }
}

/// The browser, without the rest.
pub fn browser(named: Option<&Path>) -> Result<PathBuf, Failure> {
    Ok(chromium::find(named, env::var_os("PATH").as_deref())?)
}

/// The instruments: named by a variable, beside the binary (a release), or in the source tree the binary was built in.
pub fn instruments() -> Result<Instruments, Failure> {
    if let Some(named) = env::var_os(INSTRUMENTS_VARIABLE) {
        return Ok(Instruments::locate(Path::new(&named))?);
    }
    let binary = env::current_exe().and_then(|path| path.canonicalize()).unwrap_or_default();
    let found = binary
        .ancestors()
        .skip(1)
        .flat_map(|folder| [folder.join("instruments"), folder.join("share/benchwright/instruments")])
        .find(|folder| folder.join("package-lock.json").is_file());
    match found {
        Some(folder) => Ok(Instruments::locate(&folder)?),
        None => Err(Failure::Environment(format!(
            "the instruments (axe-core, Lighthouse and their Node) are not beside the binary; \
             run `cargo xtask setup` in the source tree, or set {INSTRUMENTS_VARIABLE} to their folder"
        ))),
    }
}

/// The files of the quiz page (`dist/`) and the weights of models (`weights/`): in a folder that a variable names, beside the binary (a
/// release), or in the source tree the binary was built in.
pub fn site_folder() -> Option<PathBuf> {
    if let Some(named) = env::var_os(SITE_VARIABLE).filter(|named| !named.is_empty()) {
        return Some(PathBuf::from(named));
    }
    let binary = env::current_exe().and_then(|path| path.canonicalize()).unwrap_or_default();
    binary
        .ancestors()
        .skip(1)
        .flat_map(|folder| [folder.join("site"), folder.join("share/benchwright/site")])
        .find(|folder| folder.join("dist").is_dir() || folder.join("weights").is_dir())
}

/// The address of the index, when it is not in the data folder. It may hold a password, which does not belong on a command line.
pub fn database() -> Option<String> {
    env::var(DATABASE_VARIABLE).ok().filter(|address| !address.is_empty())
}

/// A bucket with the key and the address that the usual variables hold.
#[cfg(feature = "bucket")]
pub fn bucket(bucket: &str, prefix: &str) -> Result<benchwright_store::BucketSettings, Failure> {
    let variable = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    let needed = |name: &str| {
        variable(name).ok_or_else(|| Failure::Environment(format!("{name} is not set; a bucket needs a key")))
    };
    Ok(benchwright_store::BucketSettings {
        bucket: bucket.to_owned(),
        prefix: prefix.to_owned(),
        endpoint: variable("AWS_ENDPOINT_URL_S3").or_else(|| variable("AWS_ENDPOINT_URL")),
        region: variable("AWS_REGION").or_else(|| variable("AWS_DEFAULT_REGION")),
        access_key_id: needed("AWS_ACCESS_KEY_ID")?,
        secret_access_key: needed("AWS_SECRET_ACCESS_KEY")?,
    })
}

/// Where Docker is, if not where it usually is.
pub fn docker_host() -> Option<String> {
    env::var("DOCKER_HOST").ok().filter(|host| !host.is_empty())
}

/// Where temporary folders go.
pub fn scratch_base() -> PathBuf {
    env::temp_dir()
}

/// Where this machine's calibration is kept.
pub fn state_folder() -> Option<PathBuf> {
    let named = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    named("XDG_STATE_HOME")
        .or_else(|| named("HOME").map(|home| home.join(".local/state")))
        .map(|f| f.join("benchwright"))
}

/// Whether standard output is a terminal that wants colour.
pub fn color() -> bool {
    std::io::stdout().is_terminal() && env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Whether somebody can be asked.
pub fn is_asked_in_person() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// Whether progress can be drawn in place.
pub fn can_redraw() -> bool {
    std::io::stderr().is_terminal() && env::var_os("TERM").is_none_or(|term| term != "dumb")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn public() -> RegistryAccess {
        RegistryAccess::at("https://public.example/").unwrap()
    }

    #[test]
    fn the_registry_is_the_users_and_tokens_stay_where_they_are() {
        let npmrc =
            "registry=https://joe:pw@npm.example/team\n//npm.example/:_authToken=s3cret\ncafile=/no/such/file\n";
        let access = registry_named_by(|_| None, npmrc, &public());
        assert_eq!(access.registry, "https://npm.example/team/");
        assert_eq!(access.certificates, None);
        assert!(!format!("{access:?}").contains("s3cret"));
    }

    #[test]
    fn variables_go_before_the_file_and_nothing_means_the_public_registry() {
        let variable = |name: &str| (name == "npm_config_registry").then(|| "http://127.0.0.1:4873".to_owned());
        let named = registry_named_by(variable, "registry=https://npm.example/", &public());
        assert_eq!(named.registry, "http://127.0.0.1:4873/");
        assert_eq!(registry_named_by(|_| None, "", &public()).registry, public().registry);
    }
}
