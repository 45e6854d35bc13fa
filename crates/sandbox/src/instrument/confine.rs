//! What an instrument process may touch.

use super::{Instruments, Mount, Role};
use crate::process::{Program, is_root, system_tool};
use crate::{Result, SandboxError};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::fs::{lchown, symlink};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Node's own heap; its virtual address space is too large to be limited from outside.
const HEAP_LIMIT: &str = "--max-old-space-size=2048";
/// Lets the driver clean up between two runs.
const COLLECTABLE: &str = "--expose-gc";
/// The user nobody.
const NOBODY: u32 = 65534;
/// Every namespace but that of users: root needs none to make the others, and inside a chroot the kernel refuses it.
/// What is left of root's rights is just enough to become nobody, see [`BECOME_NOBODY`].
const AS_ROOT: [&str; 9] = [
    "--unshare-ipc",
    "--unshare-pid",
    "--unshare-net",
    "--unshare-uts",
    "--unshare-cgroup-try",
    "--cap-add",
    "CAP_SETUID",
    "--cap-add",
    "CAP_SETGID",
];
/// The last step inside the walls, where we are root: give up being root.
const BECOME_NOBODY: [&str; 5] =
    ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all"];
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
        Role::Source { work, confinement: Confinement::Plain, mounts } => {
            mounts.iter().try_for_each(link).map_err(|source| SandboxError::Scratch { path: work.clone(), source })?;
            Ok(plain(&words, work, work))
        }
        Role::Source { work, confinement: Confinement::Bubblewrap, mounts } => {
            let bubblewrap = system_tool("bwrap").ok_or(SandboxError::NoConfinement)?;
            let failed = |source| SandboxError::Scratch { path: work.clone(), source };
            let work = fs::canonicalize(work).map_err(failed)?;
            mounts.iter().try_for_each(|mount| fs::create_dir_all(&mount.at)).map_err(failed)?;
            if is_root() {
                hand_over(&work).map_err(failed)?;
            }
            let walls = walls(&instruments.root, &instruments.node, &work, mounts, is_root());
            Ok(Program::new(bubblewrap).args(walls).args(words))
        }
    }
}

fn plain(words: &[OsString], folder: &Path, home: &Path) -> Program {
    Program::new(&words[0]).args(&words[1..]).folder(folder).env("HOME", home).env("TMPDIR", home)
}

/// Without walls, a link is as good as a mount.
fn link(mount: &Mount) -> io::Result<()> {
    if let Some(above) = mount.at.parent() {
        fs::create_dir_all(above)?;
    }
    match symlink(&mount.from, &mount.at) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Bubblewrap's arguments. The new root is made of memory; once everything is mounted it becomes read-only, so that not
/// even memory can be filled through it.
fn walls(instruments: &Path, node: &Path, work: &Path, mounts: &[Mount], as_root: bool) -> Vec<OsString> {
    let mut walls = Arguments::default();
    walls.add(["--die-with-parent", "--new-session", "--cap-drop", "ALL"]);
    if as_root {
        walls.add(AS_ROOT);
    } else {
        walls.add(["--unshare-all"]);
    }
    walls.add(["--ro-bind", "/usr", "/usr"]);
    for library in LIBRARIES {
        match fs::read_link(library) {
            Ok(target) => walls.add([OsString::from("--symlink"), target.into(), library.into()]),
            Err(_) => walls.add(["--ro-bind-try", library, library]),
        }
    }
    // Bubblewrap makes missing parents for their owner alone, and nobody must pass through them.
    walls.add(["--perms", "0755", "--dir", "/etc", "--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache"]);
    walls.add(["--proc", "/proc", "--dev", "/dev", "--dir", "/tmp"]);
    for parent in parents(&[instruments, node, work]) {
        walls.add([OsString::from("--perms"), "0755".into(), "--dir".into(), parent.into()]);
    }
    for folder in [instruments, node] {
        walls.add([OsString::from("--ro-bind"), folder.into(), folder.into()]);
    }
    walls.add([OsString::from("--bind"), work.into(), work.into()]);
    for mount in mounts {
        walls.add([OsString::from("--ro-bind"), mount.from.clone().into(), mount.at.clone().into()]);
    }
    walls.add(["--remount-ro", "/dev", "--remount-ro", "/"]);
    for variable in ["HOME", "TMPDIR"] {
        walls.add([OsString::from("--setenv"), variable.into(), work.into()]);
    }
    if as_root {
        // The folder is nobody's: root without its rights may not even enter it.
        walls.add(["--chdir", "/", "--"]);
        walls.add(BECOME_NOBODY);
        walls.add([OsString::from("/usr/bin/env"), "-C".into(), work.into()]);
    } else {
        walls.add([OsString::from("--chdir"), work.into(), "--".into()]);
    }
    walls.0
}

/// All folders above some paths but the root and the mount points already made, outermost first.
fn parents(paths: &[&Path]) -> BTreeSet<PathBuf> {
    let made = [Path::new("/"), Path::new("/tmp")];
    paths.iter().flat_map(|path| path.ancestors().skip(1)).filter(|p| !made.contains(p)).map(Path::to_owned).collect()
}

/// Gives a folder and what is in it to nobody, who is to work there. Links are handed over, never followed.
fn hand_over(path: &Path) -> io::Result<()> {
    lchown(path, Some(NOBODY), Some(NOBODY))?;
    if path.symlink_metadata()?.is_dir() {
        for entry in fs::read_dir(path)? {
            hand_over(&entry?.path())?;
        }
    }
    Ok(())
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
        for (as_root, no_network) in [(true, "--unshare-net"), (false, "--unshare-all")] {
            let words = walls(Path::new("/tmp/i"), Path::new("/tmp/i/node"), Path::new("/tmp/w"), &[], as_root);
            let writable: Vec<_> = words.iter().zip(&words[1..]).filter(|(word, _)| *word == "--bind").collect();
            assert_eq!(writable.iter().map(|(_, folder)| *folder).collect::<Vec<_>>(), ["/tmp/w"]);
            assert!(position(&words, &[no_network]).is_some());
            assert!(!words.iter().any(|word| word == "--share-net"));
        }
    }

    #[test]
    fn the_root_becomes_read_only_after_everything_is_mounted() {
        let modules = Mount { from: "/tmp/m".into(), at: "/tmp/w/m".into() };
        let words = walls(Path::new("/tmp/i"), Path::new("/tmp/i/node"), Path::new("/tmp/w"), &[modules], true);
        assert!(position(&words, &["--ro-bind", "/tmp/m", "/tmp/w/m"]) > position(&words, &["--bind", "/tmp/w"]));
        let sealed = position(&words, &["--remount-ro", "/"]).unwrap();
        let last_mount =
            words.iter().rposition(|word| word == "--bind" || word == "--ro-bind" || word == "--dir").unwrap();
        assert!(sealed > last_mount);
    }
}
