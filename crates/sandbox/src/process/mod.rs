//! Foreign programs: started in a process group of their own, heard with limits, ended as a whole group.

mod foreign;
pub mod identity;
mod run;

pub use foreign::{Foreign, Stream};
pub use identity::ProcessIdentity;
pub use run::{Finished, Limits, run};

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Folders searched for system tools. The caller's `PATH` is the user's affair and may hold anything.
pub const SYSTEM_FOLDERS: [&str; 6] =
    ["/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/opt/homebrew/bin"];

/// What to start. The environment is exactly what is given here: nothing is inherited.
#[derive(Debug, Clone)]
pub struct Program {
    /// The executable.
    pub path: PathBuf,
    /// Its arguments, without its own name.
    pub args: Vec<OsString>,
    /// Where it starts; ours when absent.
    pub folder: Option<PathBuf>,
    /// Its whole environment.
    pub environment: Vec<(OsString, OsString)>,
    /// How much of the end of its stderr is kept.
    pub log_bytes: usize,
}

/// Enough for error messages.
const LOG_BYTES: usize = 64 * 1024;

impl Program {
    /// A program without arguments and with a bare environment (`PATH` to the system folders, UTF-8, UTC).
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let environment =
            [("PATH", SYSTEM_FOLDERS.join(":").as_str()), ("LANG", "C.UTF-8"), ("LC_ALL", "C.UTF-8"), ("TZ", "UTC")]
                .map(|(name, value)| (name.into(), value.into()))
                .to_vec();
        Self { path: path.into(), args: Vec::new(), folder: None, environment, log_bytes: LOG_BYTES }
    }

    /// Adds arguments.
    pub fn args<I: IntoIterator<Item = S>, S: Into<OsString>>(mut self, args: I) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets where it starts.
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// Sets one environment variable, in place of an earlier value.
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        let name = name.into();
        self.environment.retain(|(present, _)| *present != name);
        self.environment.push((name, value.into()));
        self
    }
}

/// Finds a system tool by its name.
pub fn system_tool(name: &str) -> Option<PathBuf> {
    SYSTEM_FOLDERS.iter().map(|folder| Path::new(folder).join(name)).find(|path| is_executable(path))
}

/// Whether this process has the rights of the superuser; a browser cannot build its own sandbox then.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Whether the path leads to a file that may be executed.
pub fn is_executable(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_environment_value_replaces_an_earlier_one() {
        let program = Program::new("/bin/true").env("TZ", "Asia/Tokyo").env("TZ", "Europe/Rome");
        let zones: Vec<_> = program.environment.iter().filter(|(name, _)| name == "TZ").collect();
        assert_eq!(zones, [&("TZ".into(), "Europe/Rome".into())]);
    }

    #[test]
    fn system_tools_are_found_by_name_only_when_executable() {
        assert!(system_tool("sh").is_some_and(|path| path.ends_with("sh")));
        assert_eq!(system_tool("no-such-tool-anywhere"), None);
    }
}
