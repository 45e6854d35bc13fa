//! What surrounds the process: the only place that looks at environment variables.

use crate::exit::Failure;
use benchwright_llm::ApiKey;
use benchwright_sandbox::instrument::Instruments;
use benchwright_sandbox::{chromium, process, quiet};
use benchwright_scoring::conduct::Workbench;
use benchwright_scoring::gather::judges::JudgeAccess;
use benchwright_scoring::request::Judging;
use std::env;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

/// Names a folder with the instruments when they are not beside the binary.
const INSTRUMENTS_VARIABLE: &str = "BENCHWRIGHT_INSTRUMENTS";

/// Finds everything a run works with, or says what is missing and how to get it.
pub fn workbench(browser: Option<&Path>, judging: &Judging) -> Result<Workbench, Failure> {
    Ok(Workbench {
        chromium: chromium::find(browser, env::var_os("PATH").as_deref())?,
        instruments: instruments()?,
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
    let key = |variable: &String| Some((variable.clone(), ApiKey::new(&env::var(variable).ok()?)?));
    let named = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let caches = named("XDG_CACHE_HOME").or_else(|| named("HOME").map(|home| home.join(".cache")));
    JudgeAccess {
        keys: judging.judges.iter().filter_map(|judge| key(&judge.key_variable)).collect(),
        cache: caches.map(|folder| folder.join("benchwright/judges")),
    }
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

/// Whether progress can be drawn in place.
pub fn can_redraw() -> bool {
    std::io::stderr().is_terminal() && env::var_os("TERM").is_none_or(|term| term != "dumb")
}
