//! Which process is meant. A pid alone is not enough: pids are used again.

use rustix::process::{Pid, Signal};
use serde::{Deserialize, Serialize};
use std::fs;
use std::time::{Duration, Instant};

/// A pid together with the moment the process behind it began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessIdentity {
    /// The process id.
    pub pid: u32,
    /// Start time in clock ticks since boot; absent where the system does not tell.
    pub started: Option<u64>,
}

impl ProcessIdentity {
    /// The process that has this pid now.
    pub fn of(pid: u32) -> Self {
        Self { pid, started: stat(pid).map(|stat| stat.started) }
    }

    /// This process.
    pub fn own() -> Self {
        Self::of(std::process::id())
    }

    /// Whether this very process still runs. A zombie does not run. Where start times are not to be had, a process
    /// with the same pid is taken for the same.
    pub fn is_running(self) -> bool {
        match (self.started, stat(self.pid)) {
            (Some(started), Some(now)) => now.started == started && !now.dead,
            (_, Some(now)) => !now.dead,
            (_, None) => !cfg!(target_os = "linux") && pid_of(self.pid).is_some_and(answers),
        }
    }

    /// Kills the process group this process leads, if it is certain that it is the same process.
    /// Returns whether a signal was sent.
    pub fn kill_group(self) -> bool {
        let Some(now) = stat(self.pid) else { return false };
        if self.started != Some(now.started) || now.dead {
            return false;
        }
        let Some(pid) = pid_of(self.pid) else { return false };
        if now.group == self.pid {
            rustix::process::kill_process_group(pid, Signal::KILL).is_ok()
        } else {
            rustix::process::kill_process(pid, Signal::KILL).is_ok()
        }
    }
}

/// What a process and all that descend from it use together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Family {
    pub resident_bytes: u64,
    pub threads: u64,
}

/// Adds up a process and its descendants. Whoever is behind walls and loses its parent gets the first process there as its new
/// one, so nobody leaves the family.
pub(crate) fn family(eldest: u32) -> Family {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let living: Vec<(u32, Stat)> = entries
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(|pid| Some((pid, stat(pid)?)))
        .collect();
    let mut members = vec![eldest];
    let mut counted = 0;
    let mut family = Family { resident_bytes: 0, threads: 0 };
    while let Some(member) = members.get(counted).copied() {
        counted += 1;
        members.extend(living.iter().filter(|(_, stat)| stat.parent == member).map(|(pid, _)| *pid));
        for (_, stat) in living.iter().filter(|(pid, _)| *pid == member) {
            family.resident_bytes += resident_bytes(member);
            family.threads += stat.threads;
        }
    }
    family
}

fn resident_bytes(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()).unwrap_or(0) * 1024
}

/// What `/proc/<pid>/stat` tells that matters here.
#[derive(Debug, PartialEq, Eq)]
struct Stat {
    dead: bool,
    parent: u32,
    group: u32,
    threads: u64,
    started: u64,
}

fn stat(pid: u32) -> Option<Stat> {
    parse_stat(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// The second field is the program's name in brackets and may itself hold brackets and spaces, so the fields are
/// counted from the last closing one.
fn parse_stat(line: &str) -> Option<Stat> {
    let fields: Vec<&str> = line.rsplit_once(')')?.1.split_ascii_whitespace().collect();
    Some(Stat {
        dead: matches!(*fields.first()?, "Z" | "X"),
        parent: fields.get(1)?.parse().ok()?,
        group: fields.get(2)?.parse().ok()?,
        threads: fields.get(17)?.parse().ok()?,
        started: fields.get(19)?.parse().ok()?,
    })
}

pub(crate) fn pid_of(pid: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(pid).ok()?)
}

fn answers(pid: Pid) -> bool {
    rustix::process::test_kill_process(pid).is_ok()
}

/// Whether a living process is left in the group.
pub(crate) fn group_is_alive(group: u32) -> bool {
    let Ok(entries) = fs::read_dir("/proc") else {
        return pid_of(group).is_some_and(|group| rustix::process::test_kill_process_group(group).is_ok());
    };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(stat)
        .any(|stat| stat.group == group && !stat.dead)
}

/// Waits, blocking, until the group is gone or the limit is over. Returns whether it is gone.
pub(crate) fn wait_for_group_end(group: u32, limit: Duration) -> bool {
    let deadline = Instant::now() + limit;
    while group_is_alive(group) {
        if Instant::now() >= deadline {
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_stat_line_whose_name_holds_brackets_and_spaces() {
        let line = "77 (a) b (c) S 1 70 70 0 -1 4194560 100 0 0 0 1 2 0 0 20 0 1 0 987654 1000 50";
        assert_eq!(parse_stat(line), Some(Stat { dead: false, parent: 1, group: 70, threads: 1, started: 987_654 }));
    }

    #[test]
    fn a_zombie_is_dead_and_a_torn_line_is_nothing() {
        let line = "77 (x) Z 1 70 70 0 -1 4194560 100 0 0 0 1 2 0 0 20 0 1 0 987654 1000 50";
        assert!(parse_stat(line).is_some_and(|stat| stat.dead));
        assert_eq!(parse_stat("77 (x) S 1 2"), None);
        assert_eq!(parse_stat(""), None);
    }

    #[test]
    fn a_child_is_of_the_family() {
        let before = family(std::process::id());
        let mut child = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        let alone = family(child.id());
        assert!(before.threads >= 1 && alone.threads == 1 && alone.resident_bytes > 0);
        assert!(family(std::process::id()).threads > alone.threads);
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn this_process_runs_and_one_with_another_start_time_does_not() {
        let own = ProcessIdentity::own();
        assert!(own.is_running());
        let earlier = ProcessIdentity { started: own.started.map(|ticks| ticks + 1), ..own };
        assert!(!earlier.is_running());
        assert!(!earlier.kill_group());
    }

    #[test]
    fn without_a_start_time_nothing_is_killed() {
        let unsure = ProcessIdentity { pid: std::process::id(), started: None };
        assert!(!unsure.kill_group());
    }
}
