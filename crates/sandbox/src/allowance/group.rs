use super::Allowance;
use crate::process::{ProcessIdentity, Program};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const MOUNT: &str = "/sys/fs/cgroup";
const PREFIX: &str = "benchwright-";
/// Microseconds in which a group may use its share of the processors.
const PERIOD: f64 = 100_000.0;
/// Puts itself into the groups that come before `--`, then becomes the program that comes after. A group that it may not join ends it.
const JOIN: &str = r#"while [ "$1" != -- ]; do echo $$ > "$1" || exit 125; shift; done; shift; exec "$@""#;
static MADE: AtomicU64 = AtomicU64::new(0);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Control {
    Cpus,
    Memory,
    Processes,
}

/// Control groups of one app, as far as they could be made. They go with this value.
#[derive(Debug, Default)]
pub struct Group {
    folders: Vec<PathBuf>,
    holds: BTreeSet<Control>,
}

impl Group {
    /// Makes the groups below (version 1) or beside (version 2) our own, so that whoever limits us limits them, too.
    pub fn make(allowance: &Allowance) -> Self {
        let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let name = format!("{PREFIX}{}-{}", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        let mut group = Self::default();
        if Path::new(MOUNT).join("cgroup.controllers").is_file() {
            group.make_unified(&own, &name, allowance);
        } else {
            group.make_separate(&own, &name, allowance);
        }
        group
    }

    /// Version 2: one folder for everything.
    fn make_unified(&mut self, own: &str, name: &str, allowance: &Allowance) {
        let Some(own) = own.lines().find_map(|line| line.strip_prefix("0::")) else { return };
        let parent = Path::new(MOUNT).join(own.trim_start_matches('/')).parent().map(Path::to_owned);
        let parent = parent.filter(|parent| parent.starts_with(MOUNT)).unwrap_or_else(|| MOUNT.into());
        let _ = fs::write(parent.join("cgroup.subtree_control"), "+cpu +memory +pids");
        let quota = format!("{:.0} {PERIOD:.0}", allowance.cpus * PERIOD);
        self.set(
            &parent,
            name,
            &[
                (Control::Memory, "memory.max", allowance.memory_bytes.to_string()),
                (Control::Processes, "pids.max", allowance.processes.to_string()),
                (Control::Cpus, "cpu.max", quota),
            ],
        );
    }

    /// Version 1: a folder for each.
    fn make_separate(&mut self, own: &str, name: &str, allowance: &Allowance) {
        let quota = format!("{:.0}", allowance.cpus * PERIOD);
        for (controller, control, file, value) in [
            ("memory", Control::Memory, "memory.limit_in_bytes", allowance.memory_bytes.to_string()),
            ("pids", Control::Processes, "pids.max", allowance.processes.to_string()),
            ("cpu", Control::Cpus, "cpu.cfs_quota_us", quota),
        ] {
            let mount = Path::new(MOUNT).join(controller);
            let within = path_of(own, controller).map(|path| mount.join(path.trim_start_matches('/')));
            let parent = within.filter(|folder| folder.is_dir()).unwrap_or(mount);
            self.set(&parent, name, &[(control, file, value)]);
        }
    }

    fn set(&mut self, parent: &Path, name: &str, values: &[(Control, &str, String)]) {
        remove_those_of_the_dead(parent);
        let folder = parent.join(name);
        if fs::create_dir(&folder).is_err() {
            return;
        }
        let before = self.holds.len();
        for (control, file, value) in values {
            if folder.join(file).is_file() && fs::write(folder.join(file), value).is_ok() {
                self.holds.insert(*control);
            }
        }
        if self.holds.len() > before {
            self.folders.push(folder);
        } else {
            let _ = fs::remove_dir(folder);
        }
    }

    pub fn holds_memory(&self) -> bool {
        self.holds.contains(&Control::Memory)
    }

    pub fn holds_processes(&self) -> bool {
        self.holds.contains(&Control::Processes)
    }

    pub fn holds_cpus(&self) -> bool {
        self.holds.contains(&Control::Cpus)
    }

    /// The same program, which joins the groups before it begins: what it starts is born in them.
    pub fn joined(&self, program: Program) -> Program {
        if self.folders.is_empty() {
            return program;
        }
        let mut words: Vec<OsString> = vec!["-c".into(), JOIN.into(), "sh".into()];
        words.extend(self.folders.iter().map(|folder| folder.join("cgroup.procs").into_os_string()));
        words.push("--".into());
        words.push(program.path.into());
        words.extend(program.args);
        Program { path: "/bin/sh".into(), args: words, ..program }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        for folder in &self.folders {
            // Who was killed may not be gone yet, and a group with somebody in it stays.
            for _ in 0..200 {
                if fs::remove_dir(folder).is_ok() || !folder.exists() {
                    break;
                }
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }
}

/// The path of our own group of a controller.
fn path_of<'a>(own: &'a str, controller: &str) -> Option<&'a str> {
    own.lines().find_map(|line| {
        let (_, rest) = line.split_once(':')?;
        let (controllers, path) = rest.split_once(':')?;
        controllers.split(',').any(|name| name == controller).then_some(path)
    })
}

/// Groups whose maker is dead hold nobody: what was in them ended with it. One that holds somebody cannot be removed.
fn remove_those_of_the_dead(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let maker = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split('-').next()?.parse().ok());
        if maker.is_some_and(|pid| !ProcessIdentity { pid, started: None }.is_running()) {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_group_is_found_among_several_controllers() {
        let own = "4:memory:/a/b\n3:cpu,cpuacct:/\n0::/x\n";
        assert_eq!(path_of(own, "memory"), Some("/a/b"));
        assert_eq!(path_of(own, "cpu"), Some("/"));
        assert_eq!(path_of(own, "pids"), None);
    }

    #[test]
    fn a_program_without_groups_is_left_as_it_is() {
        let program = Group::default().joined(Program::new("/bin/true").args(["x"]));
        assert_eq!((program.path, program.args), ("/bin/true".into(), vec!["x".into()]));
    }

    #[test]
    fn who_joins_a_group_is_held_to_its_share() {
        let allowance = Allowance { cpus: 0.5, processes: 40, ..Allowance::default() };
        let group = Group::make(&allowance);
        let program = group.joined(Program::new("/bin/cat").args(["/proc/self/cgroup"]));
        let said = std::process::Command::new(program.path).args(program.args).output().unwrap();
        let said = String::from_utf8(said.stdout).unwrap();
        for folder in &group.folders {
            assert!(said.contains(folder.file_name().unwrap().to_str().unwrap()), "{}: {said}", folder.display());
        }
        let written = |file: &str| group.folders.iter().find_map(|folder| fs::read_to_string(folder.join(file)).ok());
        let cpus = written("cpu.max").or_else(|| written("cpu.cfs_quota_us")).unwrap_or_default();
        assert_eq!(cpus.split_whitespace().next(), group.holds_cpus().then_some("50000"), "{cpus}");
        let processes = written("pids.max").unwrap_or_default();
        assert_eq!(processes.split_whitespace().next(), group.holds_processes().then_some("40"), "{processes}");
        let held_by = if group.holds_cpus() { "0.5 (control group)" } else { "0.5 (not held on this machine)" };
        assert_eq!(allowance.held_by(&group)["cpus"], held_by, "and that is said");
    }

    #[test]
    fn groups_go_with_their_value() {
        let group = Group::make(&Allowance::default());
        let folders = group.folders.clone();
        assert!(folders.iter().all(|folder| folder.is_dir()));
        drop(group);
        assert!(folders.iter().all(|folder| !folder.exists()));
    }
}
