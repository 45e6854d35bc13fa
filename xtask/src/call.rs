//! Running other programs.

use crate::failure::{Done, Failure, Naming};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const TOLD_BY_CARGO: [&str; 2] = ["CARGO_PKG_", "CARGO_MANIFEST_"];

/// A program about to be run, in the project's root unless told otherwise.
pub struct Call {
    name: String,
    command: Command,
}

impl Call {
    pub fn new(program: impl AsRef<Path>) -> Self {
        let program = program.as_ref();
        let mut command = Command::new(program);
        command.current_dir(crate::project::root());
        forget_who_runs_us(&mut command);
        let name = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned();
        Self { name, command }
    }

    /// The cargo that started this program.
    pub fn cargo(words: &str) -> Self {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut call = Self::new(PathBuf::from(cargo)).words(words);
        call.name = format!("cargo {words}");
        call
    }

    /// Arguments without blanks inside, written as one text.
    pub fn words(mut self, words: &str) -> Self {
        self.command.args(words.split_whitespace());
        self
    }

    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.command.arg(argument);
        self
    }

    pub fn dir(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Runs with this program's own output; a code other than 0 is a failure with that code.
    pub fn run(mut self) -> Done {
        let status = self.command.stdin(Stdio::null()).status().naming(&format!("start {}", self.name))?;
        if status.success() {
            return Ok(());
        }
        let code = status.code().unwrap_or(1);
        Err(Failure { message: format!("{} ended with {status}", self.name), ..Failure::passed_through(code) })
    }

    /// Runs and returns what it wrote to its standard output.
    pub fn text(mut self) -> Result<String, Failure> {
        let output = self.command.stdin(Stdio::null()).output().naming(&format!("start {}", self.name))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let tail: Vec<_> = said.trim().lines().rev().take(8).collect();
        let tail: Vec<_> = tail.into_iter().rev().collect();
        Err(Failure::check(format!("{} ended with {}\n{}", self.name, output.status, tail.join("\n"))))
    }

    /// The prepared command, for those who watch the process themselves.
    pub fn into_command(self) -> Command {
        self.command
    }
}

/// Cargo tells a program it runs which package it is of. A cargo started from here must not hear of it: build scripts that look at it would
/// run again, and all that depends on them would be compiled again, whenever a command is given through xtask and then without it.
fn forget_who_runs_us(command: &mut Command) {
    let told = std::env::vars_os().map(|(name, _)| name);
    for name in
        told.filter(|name| name.to_str().is_some_and(|name| TOLD_BY_CARGO.iter().any(|told| name.starts_with(told))))
    {
        command.env_remove(name);
    }
}

/// The first of these programs that is on the path.
pub fn find_program(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    names.iter().find_map(|name| {
        std::env::split_paths(&path).map(|folder| folder.join(name)).find(|candidate| is_executable(candidate))
    })
}

fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_program_passes_its_code_on() {
        let failure = Call::new("sh").arg("-c").arg("exit 7").run().unwrap_err();
        assert_eq!(failure.code, 7);
    }

    #[test]
    fn a_failing_program_is_quoted() {
        let failure = Call::new("sh").arg("-c").arg("echo it broke >&2; exit 1").text().unwrap_err();
        assert!(failure.message.contains("it broke"), "{}", failure.message);
    }

    #[test]
    fn nobody_below_hears_which_package_this_is() {
        let said = Call::new("env").text().unwrap();
        assert!(std::env::var_os("CARGO_PKG_NAME").is_some(), "cargo runs this test");
        assert!(!said.contains("CARGO_PKG_NAME") && !said.contains("CARGO_MANIFEST_DIR"), "{said}");
    }

    #[test]
    fn programs_are_found_on_the_path_or_not_at_all() {
        assert!(find_program(&["no-such-program-here", "sh"]).is_some_and(|path| path.ends_with("sh")));
        assert_eq!(find_program(&["no-such-program-here"]), None);
    }
}
