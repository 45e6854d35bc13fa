//! What the kernel tells about this machine and its processes.

use crate::json::Json;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// A process that cannot be mistaken for a later one with the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProcessId {
    pub pid: u32,
    started: u64,
}

impl ProcessId {
    /// Whether this very process still runs; one that waits to be reaped does not.
    pub fn is_alive(self) -> bool {
        Stat::of(self.pid).is_some_and(|stat| stat.started == self.started && stat.state != 'Z')
    }
}

struct Stat {
    state: char,
    parent: u32,
    started: u64,
}

impl Stat {
    fn of(pid: u32) -> Option<Self> {
        Self::parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    /// The name in parentheses may hold anything, so the fields are counted from the last closing one.
    fn parse(text: &str) -> Option<Self> {
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
        Some(Self {
            state: fields.first()?.chars().next()?,
            parent: fields.get(1)?.parse().ok()?,
            started: fields.get(19)?.parse().ok()?,
        })
    }
}

/// A process and all that it started, directly or not.
pub fn family(root: u32) -> BTreeSet<ProcessId> {
    let mut children: BTreeMap<u32, Vec<ProcessId>> = BTreeMap::new();
    let mut family = BTreeSet::new();
    for pid in pids() {
        let Some(stat) = Stat::of(pid) else { continue };
        let id = ProcessId { pid, started: stat.started };
        children.entry(stat.parent).or_default().push(id);
        if pid == root {
            family.insert(id);
        }
    }
    let mut waiting = vec![root];
    while let Some(pid) = waiting.pop() {
        for child in children.remove(&pid).unwrap_or_default() {
            family.insert(child);
            waiting.push(child.pid);
        }
    }
    family
}

fn pids() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// A line of `/proc/<pid>/status` such as `VmRSS` or `VmHWM`, in megabytes of 1,000,000 bytes.
pub fn memory_mb(pid: u32, field: &str) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    kilobytes(&status, field).map(|kilobytes| kilobytes * 1024.0 / 1e6)
}

fn kilobytes(text: &str, field: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

pub fn is_node(pid: u32) -> bool {
    fs::read_link(format!("/proc/{pid}/exe"))
        .is_ok_and(|program| program.file_name().is_some_and(|name| name == "node"))
}

/// The machine in words that fit into a dated result: no host name, no path.
pub fn describe() -> Json {
    let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu
        .lines()
        .find_map(|line| line.strip_prefix("model name"))
        .map(|rest| rest.trim_start_matches([' ', '\t', ':']));
    let memory = fs::read_to_string("/proc/meminfo").ok().and_then(|text| kilobytes(&text, "MemTotal"));
    Json::object([
        ("cores", cores.into()),
        ("cpu", model.unwrap_or("unknown").into()),
        ("memory_gb", (memory.unwrap_or(0.0) * 1024.0 / 1e9).round().into()),
        ("os", format!("{} {}", std::env::consts::OS, std::env::consts::ARCH).into()),
        ("load_average", load_average().map_or(Json::Null, Json::from)),
    ])
}

/// Over the last minute.
pub fn load_average() -> Option<f64> {
    fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_name_cannot_confuse_the_reader() {
        let fields: Vec<String> = (3..=50).map(|field| field.to_string()).collect();
        let stat = Stat::parse(&format!("7 (a) S 1) (x) {}", fields.join(" ").replacen('3', "R", 1))).unwrap();
        assert_eq!((stat.state, stat.parent, stat.started), ('R', 4, 22));
        assert!(Stat::parse("").is_none() && Stat::parse("7 (x) S").is_none());
    }

    #[test]
    fn a_child_belongs_to_the_family_until_it_ends() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let family = family(std::process::id());
        let member = family.iter().find(|member| member.pid == child.id()).copied().unwrap();
        assert!(member.is_alive() && !is_node(member.pid));
        assert!(memory_mb(member.pid, "VmHWM").unwrap() > 0.0);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!member.is_alive());
    }

    #[test]
    fn memory_is_read_from_the_named_line() {
        assert_eq!(kilobytes("VmPeak:\t  99 kB\nVmRSS:\t  1000 kB\n", "VmRSS"), Some(1000.0));
        assert_eq!(kilobytes("VmRSSx: 1 kB", "VmRSS"), None);
    }
}
