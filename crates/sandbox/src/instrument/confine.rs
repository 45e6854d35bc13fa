//! What an instrument process may touch.

use super::{Instruments, Role};
use crate::process::{Program, is_root, system_tool};
use crate::{Result, SandboxError};
use std::ffi::OsString;
use std::fs;
use std::path::Path;

/// Node's own heap; its virtual address space is too large to be limited from outside.
const HEAP_LIMIT: &str = "--max-old-space-size=2048";
/// Lets the driver clean up between two runs.
const COLLECTABLE: &str = "--expose-gc";
/// The user nobody.
const NOBODY: &str = "65534";
/// What a dynamically linked program needs of the system besides `/usr`.
const LIBRARIES: [&str; 6] = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];

/// What holds a program that reads untrusted source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confinement {
    /// Bubblewrap: no network, a read-only system, one writable folder.
    Bubblewrap,
    /// Nothing: the program has our rights. **Unsafe**; only where the user asked for it by name.
    Plain,
}

/// The command that starts the driver in a role.
pub(super) fn driver(instruments: &Instruments, role: &Role, home: &Path) -> Result<Program> {
    let node = [instruments.node.clone().into_os_string(), HEAP_LIMIT.into(), COLLECTABLE.into()];
    let script = [instruments.root.join("driver.mjs").into_os_string(), role.name().into()];
    let words: Vec<OsString> = node.into_iter().chain(script).collect();
    match role {
        Role::Lighthouse => Ok(plain(&words, home, home)),
        Role::Source { work, confinement: Confinement::Plain } => Ok(plain(&words, work, work)),
        Role::Source { work, confinement: Confinement::Bubblewrap } => {
            let bubblewrap = system_tool("bwrap").ok_or(SandboxError::NoConfinement)?;
            let work = fs::canonicalize(work).map_err(|source| SandboxError::Scratch { path: work.clone(), source })?;
            Ok(Program::new(bubblewrap).args(walls(&instruments.root, &instruments.node, &work)).args(words))
        }
    }
}

fn plain(words: &[OsString], folder: &Path, home: &Path) -> Program {
    Program::new(&words[0]).args(&words[1..]).folder(folder).env("HOME", home).env("TMPDIR", home)
}

/// Bubblewrap's arguments. The new root is made of memory; once everything is mounted it becomes read-only, so that not
/// even memory can be filled through it.
fn walls(instruments: &Path, node: &Path, work: &Path) -> Vec<OsString> {
    let mut walls = Arguments::default();
    walls.add(["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]);
    if is_root() {
        walls.add(["--uid", NOBODY, "--gid", NOBODY]);
    }
    walls.add(["--ro-bind", "/usr", "/usr"]);
    for library in LIBRARIES {
        match fs::read_link(library) {
            Ok(target) => walls.add([OsString::from("--symlink"), target.into(), library.into()]),
            Err(_) => walls.add(["--ro-bind-try", library, library]),
        }
    }
    walls.add(["--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache"]);
    walls.add(["--proc", "/proc", "--dev", "/dev", "--dir", "/tmp"]);
    for folder in [instruments, node] {
        walls.add([OsString::from("--ro-bind"), folder.into(), folder.into()]);
    }
    walls.add([OsString::from("--bind"), work.into(), work.into()]);
    walls.add(["--remount-ro", "/dev", "--remount-ro", "/"]);
    walls.add([OsString::from("--chdir"), work.into()]);
    for variable in ["HOME", "TMPDIR"] {
        walls.add([OsString::from("--setenv"), variable.into(), work.into()]);
    }
    walls.add(["--"]);
    walls.0
}

#[derive(Default)]
struct Arguments(Vec<OsString>);

impl Arguments {
    fn add<I: IntoIterator<Item = S>, S: Into<OsString>>(&mut self, words: I) {
        self.0.extend(words.into_iter().map(Into::into));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(words: &[OsString], sequence: &[&str]) -> Option<usize> {
        words.windows(sequence.len()).position(|window| window.iter().zip(sequence).all(|(a, b)| a == b))
    }

    #[test]
    fn only_the_work_folder_is_bound_writable_and_nothing_shares_the_network() {
        let words = walls(Path::new("/tmp/i"), Path::new("/tmp/i/node"), Path::new("/tmp/w"));
        let writable: Vec<_> = words.iter().zip(&words[1..]).filter(|(word, _)| *word == "--bind").collect();
        assert_eq!(writable.iter().map(|(_, folder)| *folder).collect::<Vec<_>>(), ["/tmp/w"]);
        assert!(position(&words, &["--unshare-all"]).is_some());
        assert!(!words.iter().any(|word| word == "--share-net"));
    }

    #[test]
    fn the_root_becomes_read_only_after_everything_is_mounted() {
        let words = walls(Path::new("/tmp/i"), Path::new("/tmp/i/node"), Path::new("/tmp/w"));
        let sealed = position(&words, &["--remount-ro", "/"]).unwrap();
        let last_mount =
            words.iter().rposition(|word| word == "--bind" || word == "--ro-bind" || word == "--dir").unwrap();
        assert!(sealed > last_mount);
    }
}
