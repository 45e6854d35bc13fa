//! What an instrument process may touch.

use super::{Instruments, Role};
use crate::Result;
use crate::process::Program;
use crate::walls::Walls;
use std::ffi::OsString;
use std::path::Path;

/// Node's own heap; its virtual address space is too large to be limited from outside. `instruments/setup.mjs` knows these flags.
const HEAP_LIMIT: &str = "--max-old-space-size=2048";
/// Lets the driver clean up between two runs.
const COLLECTABLE: &str = "--expose-gc";
/// What the set-up compiled in advance.
const COMPILED: &str = "generated/compiled";

/// What holds a program that reads what others made.
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
    let snapshot = instruments.compiler.iter().filter(|_| matches!(role, Role::Compiler { .. }));
    let heap = snapshot.flat_map(|snapshot| [OsString::from("--snapshot-blob"), snapshot.into()]);
    let script = [instruments.root.join("driver.mjs").into_os_string(), role.name().into()];
    let words: Vec<OsString> = node.into_iter().chain(heap).chain(script).collect();
    let program = match role {
        Role::Lighthouse | Role::Model { confinement: Confinement::Plain, .. } => plain(&words, home, home),
        Role::Model { file, confinement: Confinement::Bubblewrap } => Walls::around(home)?
            .read_only(&instruments.root)
            .read_only(&instruments.node)
            .read_only(file)
            .program(words)?,
        Role::Source { work, confinement: Confinement::Plain } => plain(&words, work, work),
        Role::Source { work, confinement: Confinement::Bubblewrap } | Role::Compiler { work } => {
            Walls::around(work)?.read_only(&instruments.root).read_only(&instruments.node).program(words)?
        }
    };
    let compiled = instruments.root.join(COMPILED);
    // Where there is none, Node must not begin one among the instruments.
    Ok(if compiled.is_dir() { program.env("NODE_COMPILE_CACHE", compiled) } else { program })
}

fn plain(words: &[OsString], folder: &Path, home: &Path) -> Program {
    Program::new(&words[0]).args(&words[1..]).folder(folder).env("HOME", home).env("TMPDIR", home)
}
