use crate::process::{Limits, Program, is_executable, run};
use crate::{Result, SandboxError};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const APPLICATIONS: [&str; 2] = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
];
const HOW_TO_INSTALL: &str = "install one (Debian: `apt-get install chromium`; Fedora: `dnf install chromium`; \
    macOS: `brew install --cask google-chrome`), or name yours with `--browser PATH`";

/// Finds a Chromium or Chrome: the given one, else by name in the folders of `path_variable` (the value of `PATH`),
/// else where macOS keeps applications.
pub fn find(explicit: Option<&Path>, path_variable: Option<&OsStr>) -> Result<PathBuf> {
    find_among(explicit, path_variable, &APPLICATIONS)
}

fn find_among(explicit: Option<&Path>, path_variable: Option<&OsStr>, applications: &[&str]) -> Result<PathBuf> {
    if let Some(path) = explicit {
        return if is_executable(path) {
            Ok(path.to_owned())
        } else {
            let path = path.display();
            Err(SandboxError::NoBrowser(format!("use the browser {path}: it is not an executable file")))
        };
    }
    let folders: Vec<&Path> = path_variable.map(split_paths).unwrap_or_default();
    NAMES
        .iter()
        .flat_map(|name| folders.iter().filter(|folder| folder.is_absolute()).map(move |folder| folder.join(name)))
        .chain(applications.iter().map(PathBuf::from))
        .find(|path| is_executable(path))
        .ok_or_else(|| SandboxError::NoBrowser(format!("find Chromium or Chrome: {HOW_TO_INSTALL}")))
}

fn split_paths(variable: &OsStr) -> Vec<&Path> {
    variable.as_bytes().split(|byte| *byte == b':').map(|part| Path::new(OsStr::from_bytes(part))).collect()
}

/// What the browser says its version is, such as `Chromium 156.0.8078.79`.
pub async fn version(program: &Path) -> Result<String> {
    let limits = Limits { time: Duration::from_secs(20), stdout_bytes: 4096 };
    let finished = run(&Program::new(program).args(["--version"]), &[], limits, None).await?;
    let text = String::from_utf8_lossy(&finished.stdout).trim().to_owned();
    if finished.succeeded() && !text.is_empty() {
        // Debian appends what it was built on.
        return Ok(text.split(" built on ").next().unwrap_or(&text).trim().to_owned());
    }
    let status = finished.status.map_or("no exit status".to_owned(), |status| status.to_string());
    Err(SandboxError::BrowserExited { program: program.to_owned(), status, stderr: finished.stderr_tail })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    fn put(folder: &Path, name: &str, mode: u32) -> PathBuf {
        fs::create_dir_all(folder).unwrap();
        let path = folder.join(name);
        fs::write(&path, "#!/bin/sh\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    #[test]
    fn chromium_is_preferred_to_chrome_wherever_it_is() {
        let base = tempfile::tempdir().unwrap();
        put(&base.path().join("a"), "google-chrome", 0o755);
        let chromium = put(&base.path().join("b"), "chromium", 0o755);
        let variable = format!("{0}/a:{0}/b", base.path().display());
        assert_eq!(find_among(None, Some(OsStr::new(&variable)), &[]).unwrap(), chromium);
    }

    #[test]
    fn a_file_that_cannot_be_executed_and_a_relative_folder_do_not_count() {
        let base = tempfile::tempdir().unwrap();
        put(base.path(), "chromium", 0o644);
        let variable = format!("{}:bin:", base.path().display());
        let error = find_among(None, Some(OsStr::new(&variable)), &[]).unwrap_err().to_string();
        assert!(error.contains("apt-get install chromium"), "{error}");
    }

    #[test]
    fn a_named_browser_is_taken_or_refused_but_never_replaced() {
        let base = tempfile::tempdir().unwrap();
        let mine = put(base.path(), "my browser", 0o755);
        assert_eq!(find(Some(&mine), None).unwrap(), mine);
        let error = find(Some(&base.path().join("none")), Some(base.path().as_os_str())).unwrap_err().to_string();
        assert!(error.contains("not an executable file"), "{error}");
    }
}
