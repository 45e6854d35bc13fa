//! The walls around a program that reads untrusted source: no network, a read-only system, few writable folders.

use crate::process::{self, Limits, Program, is_root, system_tool};
use crate::scratch::Scratch;
use crate::{Result, SandboxError};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::fs::{MetadataExt as _, lchown};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The user nobody.
pub(crate) const NOBODY: u32 = 65534;
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

/// 64 MB.
const TMP_BYTES: &str = "67108864";
/// Bounds that no decent program comes near: one file of 2 GB, 4,096 processes and threads of nobody's, no core dumps.
const BOUNDS: [&str; 4] = ["--fsize=2147483648", "--nproc=4096", "--core=0", "--"];

/// What to put before a command inside the walls, so that it stays within bounds.
pub(crate) fn bounds() -> Vec<OsString> {
    let prlimit = system_tool("prlimit").filter(|path| path.starts_with("/usr"));
    prlimit.into_iter().flat_map(|path| std::iter::once(path.into()).chain(BOUNDS.map(Into::into))).collect()
}

/// Finds out whether walls can be built here at all, before anything is done that would be in vain.
pub(crate) async fn prove(scratch: &Scratch) -> Result<()> {
    let work = scratch.fresh_folder("walls")?;
    let program = Walls::around(&work)?.program(vec!["/usr/bin/env".into(), "true".into()])?;
    let finished = process::run(&program, b"", Limits::default(), Some(scratch)).await?;
    let _ = fs::remove_dir_all(work);
    if finished.succeeded() {
        return Ok(());
    }
    Err(SandboxError::WallsRefused { said: finished.stderr_tail.trim().to_owned() })
}

/// A folder that is laid over what is inside already.
#[derive(Debug, Clone)]
struct OnTop {
    outside: PathBuf,
    inside: PathBuf,
    bind: &'static str,
}

/// What is inside the walls. There is never a network, only a loopback interface of its own.
#[derive(Debug, Clone)]
pub(crate) struct Walls {
    work: PathBuf,
    /// Where the work folder is seen behind the walls.
    home: PathBuf,
    writable: Vec<PathBuf>,
    read_only: Vec<(PathBuf, PathBuf)>,
    on_top: Vec<OnTop>,
    start_in: PathBuf,
    open_tmp: bool,
}

impl Walls {
    /// Walls with one writable folder, which is also home and the place for temporary files. As root it is handed over to nobody,
    /// with all that is in it.
    pub fn around(work: &Path) -> Result<Self> {
        let work = canonical(work)?;
        give_up(&work)?;
        Ok(Self {
            start_in: work.clone(),
            home: work.clone(),
            work,
            writable: Vec::new(),
            read_only: Vec::new(),
            on_top: Vec::new(),
            open_tmp: false,
        })
    }

    /// Shows the work folder at another place, so that what is inside cannot tell one copy of it from another.
    pub fn seen_at(mut self, home: &Path) -> Self {
        home.clone_into(&mut self.home);
        home.clone_into(&mut self.start_in);
        self
    }

    /// Lays a folder over a place in the work folder, read-only. What is laid later lies above.
    pub fn read_only_on_top(mut self, outside: &Path, inside: &Path) -> Self {
        self.on_top.push(OnTop { outside: outside.to_owned(), inside: inside.to_owned(), bind: "--ro-bind" });
        self
    }

    /// Lays a folder over a place in the work folder that may be written to.
    pub fn writable_on_top(mut self, outside: &Path, inside: &Path) -> Result<Self> {
        let outside = canonical(outside)?;
        give_up(&outside)?;
        self.on_top.push(OnTop { outside, inside: inside.to_owned(), bind: "--bind" });
        Ok(self)
    }

    /// Shows a file or folder at its own place, read-only.
    pub fn read_only(self, path: &Path) -> Self {
        self.read_only_at(path, path)
    }

    /// Shows a file or folder at another place, read-only.
    pub fn read_only_at(mut self, outside: &Path, inside: &Path) -> Self {
        self.read_only.push((outside.to_owned(), inside.to_owned()));
        self
    }

    /// Adds a writable folder that outlives the program. It is handed over once: what nobody's folder holds, nobody put there.
    pub fn writable(mut self, folder: &Path) -> Result<Self> {
        let folder = canonical(folder)?;
        if !is_nobodys(&folder) {
            give_up(&folder)?;
        }
        self.writable.push(folder);
        Ok(self)
    }

    /// Where the program starts, instead of the work folder.
    pub fn start_in(mut self, folder: &Path) -> Self {
        folder.clone_into(&mut self.start_in);
        self
    }

    /// Lets `/tmp` be written to, in a little memory: some programs know no other place.
    pub fn open_tmp(mut self) -> Self {
        self.open_tmp = true;
        self
    }

    /// The command that runs `words` inside.
    pub fn program(&self, words: Vec<OsString>) -> Result<Program> {
        let bubblewrap = system_tool("bwrap").ok_or(SandboxError::NoConfinement)?;
        Ok(Program::new(bubblewrap).args(self.arguments(is_root())).args(words))
    }

    /// Bubblewrap's arguments. The new root is made of memory; once everything is mounted it becomes read-only, so that not
    /// even memory can be filled through it.
    fn arguments(&self, as_root: bool) -> Vec<OsString> {
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
        walls.add(["--proc", "/proc", "--dev", "/dev"]);
        if self.open_tmp {
            walls.add(["--perms", "1777", "--size", TMP_BYTES, "--tmpfs", "/tmp"]);
        } else {
            walls.add(["--dir", "/tmp"]);
        }
        for parent in self.parents() {
            walls.add([OsString::from("--perms"), "0755".into(), "--dir".into(), parent.into()]);
        }
        for (outside, inside) in &self.read_only {
            walls.add([OsString::from("--ro-bind"), outside.into(), inside.into()]);
        }
        walls.add([OsString::from("--bind"), self.work.clone().into(), self.home.clone().into()]);
        for folder in &self.writable {
            walls.add([OsString::from("--bind"), folder.into(), folder.into()]);
        }
        for OnTop { outside, inside, bind } in &self.on_top {
            walls.add([OsString::from(bind), outside.into(), inside.into()]);
        }
        walls.add(["--remount-ro", "/dev", "--remount-ro", "/"]);
        for variable in ["HOME", "TMPDIR"] {
            walls.add([OsString::from("--setenv"), variable.into(), self.home.clone().into()]);
        }
        if as_root {
            // The folder is nobody's: root without its rights may not even enter it.
            walls.add(["--chdir", "/", "--"]);
            walls.add(BECOME_NOBODY);
            walls.add([OsString::from("/usr/bin/env"), "-C".into(), self.start_in.clone().into()]);
        } else {
            walls.add([OsString::from("--chdir"), self.start_in.clone().into(), "--".into()]);
        }
        walls.0
    }

    /// All folders above the mounted paths but the root and the mount points already made, outermost first.
    fn parents(&self) -> BTreeSet<PathBuf> {
        let made = ["/", "/tmp", "/etc"].map(Path::new);
        let mounted = self.read_only.iter().map(|(_, inside)| inside).chain(&self.writable).chain([&self.home]);
        let above = mounted.flat_map(|path| path.ancestors().skip(1));
        above.filter(|folder| !made.contains(folder) && !folder.starts_with("/usr")).map(Path::to_owned).collect()
    }
}

fn canonical(path: &Path) -> Result<PathBuf> {
    fs::canonicalize(path).map_err(|source| SandboxError::Scratch { path: path.to_owned(), source })
}

fn give_up(folder: &Path) -> Result<()> {
    if is_root() {
        hand_over(folder).map_err(|source| SandboxError::Scratch { path: folder.to_owned(), source })?;
    }
    Ok(())
}

fn is_nobodys(folder: &Path) -> bool {
    folder.symlink_metadata().is_ok_and(|found| found.uid() == NOBODY)
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

    fn walls() -> Walls {
        let work = PathBuf::from("/tmp/w");
        let walls = Walls {
            start_in: work.clone(),
            home: work.clone(),
            work,
            writable: Vec::new(),
            read_only: Vec::new(),
            on_top: Vec::new(),
            open_tmp: false,
        };
        walls.read_only(Path::new("/tmp/i")).read_only_at(Path::new("/tmp/i/node"), Path::new("/node"))
    }

    fn position(words: &[OsString], sequence: &[&str]) -> Option<usize> {
        words.windows(sequence.len()).position(|window| window.iter().zip(sequence).all(|(a, b)| a == b))
    }

    #[test]
    fn only_the_work_folder_is_bound_writable_and_nothing_shares_the_network() {
        for (as_root, no_network) in [(true, "--unshare-net"), (false, "--unshare-all")] {
            let words = walls().arguments(as_root);
            let writable: Vec<_> = words.iter().zip(&words[1..]).filter(|(word, _)| *word == "--bind").collect();
            assert_eq!(writable.iter().map(|(_, folder)| *folder).collect::<Vec<_>>(), ["/tmp/w"]);
            assert!(position(&words, &[no_network]).is_some());
            assert!(position(&words, &["--ro-bind", "/tmp/i/node", "/node"]).is_some());
            assert!(!words.iter().any(|word| word == "--share-net"));
        }
    }

    #[test]
    fn what_is_laid_on_top_comes_after_the_folder_it_lies_on() {
        let walls = walls().seen_at(Path::new("/app")).read_only_on_top(Path::new("/tmp/m"), Path::new("/app/modules"));
        let words = walls.arguments(false);
        let below = position(&words, &["--bind", "/tmp/w", "/app"]).unwrap();
        assert!(position(&words, &["--ro-bind", "/tmp/m", "/app/modules"]).unwrap() > below);
        assert!(position(&words, &["--setenv", "HOME", "/app"]).is_some());
        assert!(position(&words, &["--chdir", "/app"]).is_some());
    }

    #[test]
    fn the_root_becomes_read_only_after_everything_is_mounted() {
        let words = walls().arguments(true);
        let sealed = position(&words, &["--remount-ro", "/"]).unwrap();
        let last_mount =
            words.iter().rposition(|word| word == "--bind" || word == "--ro-bind" || word == "--dir").unwrap();
        assert!(sealed > last_mount);
    }
}
