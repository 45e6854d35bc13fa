//! The machine a number was measured on, and how busy it was.

use crate::process::{Limits, Program, run, system_tool};
use serde::{Deserialize, Serialize};
use std::fs;
use std::time::Duration;

const UNNAMED_OS: &str = if cfg!(target_os = "macos") { "macOS" } else { "unknown" };

/// What the machine is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineFacts {
    /// Cores this process may use.
    pub cores: usize,
    /// Memory; 0 when the system does not tell.
    pub memory_mb: u64,
    /// The processor's name; empty when the system does not tell.
    pub cpu_model: String,
    /// The operating system's name and version.
    pub os: String,
}

/// Reads what the machine is.
pub fn facts() -> MachineFacts {
    let read = |path| fs::read_to_string(path).unwrap_or_default();
    MachineFacts {
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        memory_mb: field(&read("/proc/meminfo"), "MemTotal").and_then(kilobytes).unwrap_or(0) / 1024,
        cpu_model: field(&read("/proc/cpuinfo"), "model name").unwrap_or_default().to_owned(),
        os: os_name(&read("/etc/os-release")),
    }
}

fn os_name(release: &str) -> String {
    let pretty = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    pretty.map_or_else(|| UNNAMED_OS.to_owned(), |name| name.trim_matches('"').to_owned())
}

/// The value of the first `name : value` line.
fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().filter_map(|line| line.split_once(':')).find(|(key, _)| key.trim() == name).map(|(_, v)| v.trim())
}

fn kilobytes(value: &str) -> Option<u64> {
    value.strip_suffix("kB")?.trim().parse().ok()
}

/// The load averages over 1, 5 and 15 minutes.
pub fn load_average() -> Option<[f64; 3]> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    let mut numbers = text.split_ascii_whitespace().map_while(|number| number.parse().ok());
    Some([numbers.next()?, numbers.next()?, numbers.next()?])
}

/// What all processors together have done since boot, in clock ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuTimes {
    /// Everything, idle included.
    pub total: u64,
    /// Neither idle nor waiting for a disk; steal included.
    pub busy: u64,
    /// Taken by other guests of the same host.
    pub steal: u64,
}

/// How the processors spent the time between two samples, each 0 to 1. Who kept them busy cannot be told.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CpuShares {
    /// Share of the time in which processors were busy.
    pub busy: f64,
    /// Share of the time that other guests of the host took.
    pub steal: f64,
}

/// A sample of [`CpuTimes`]; absent where the system does not tell.
pub fn cpu_times() -> Option<CpuTimes> {
    parse_cpu_times(&fs::read_to_string("/proc/stat").ok()?)
}

fn parse_cpu_times(text: &str) -> Option<CpuTimes> {
    let line = text.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let ticks: Vec<u64> = line.split_ascii_whitespace().map_while(|number| number.parse().ok()).collect();
    // user nice system idle iowait irq softirq steal; guest times after these are part of user already.
    let [user, nice, system, idle, iowait, irq, softirq, steal] = *ticks.first_chunk()?;
    let busy = user + nice + system + irq + softirq + steal;
    Some(CpuTimes { total: busy + idle + iowait, busy, steal })
}

impl CpuTimes {
    /// How the time from this sample to a later one was spent; `None` when no tick lies between them.
    pub fn shares_until(self, later: Self) -> Option<CpuShares> {
        let total = later.total.checked_sub(self.total).filter(|ticks| *ticks > 0)? as f64;
        let share = |before: u64, after: u64| (after.saturating_sub(before) as f64 / total).clamp(0.0, 1.0);
        Some(CpuShares { busy: share(self.busy, later.busy), steal: share(self.steal, later.steal) })
    }
}

/// The most memory this process ever held, in kilobytes.
pub fn peak_rss_kb() -> Option<u64> {
    peak_rss_kb_of(std::process::id())
}

/// The most memory another process ever held, in kilobytes.
pub fn peak_rss_kb_of(pid: u32) -> Option<u64> {
    field(&fs::read_to_string(format!("/proc/{pid}/status")).ok()?, "VmHWM").and_then(kilobytes)
}

/// The font families a page can be rendered with, sorted, each once; empty when `fc-list` is not there.
pub async fn fonts(limit: usize) -> Vec<String> {
    let Some(tool) = system_tool("fc-list") else { return Vec::new() };
    let limits = Limits { time: Duration::from_secs(10), stdout_bytes: 1024 * 1024 };
    let listed = run(&Program::new(tool).args([":", "family"]), &[], limits, None).await;
    listed.map(|finished| families(&String::from_utf8_lossy(&finished.stdout), limit)).unwrap_or_default()
}

/// A line names one family in several languages, the first of them in English.
fn families(listed: &str, limit: usize) -> Vec<String> {
    let mut names: Vec<String> = listed
        .lines()
        .filter_map(|line| line.split(',').next())
        .map(|name| name.trim().replace('\\', "").chars().take(100).collect())
        .filter(|name: &String| !name.is_empty())
        .collect();
    names.sort();
    names.dedup();
    names.truncate(limit);
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_cores_memory_and_a_name() {
        let facts = facts();
        assert!(facts.cores >= 1);
        assert!(!facts.os.is_empty());
        assert!(!cfg!(target_os = "linux") || facts.memory_mb > 100);
    }

    #[test]
    fn busy_and_steal_are_shares_of_the_time_between_two_samples() {
        let before = parse_cpu_times("cpu  100 0 100 700 100 0 0 0 50 0\ncpu0 1 2 3\n").unwrap();
        let after = parse_cpu_times("cpu  130 0 110 740 100 0 0 20 99 0\n").unwrap();
        let shares = before.shares_until(after).unwrap();
        assert_eq!(shares, CpuShares { busy: 0.6, steal: 0.2 });
        assert_eq!(before.shares_until(before), None);
        assert_eq!(after.shares_until(before), None);
    }

    #[test]
    fn a_torn_stat_is_no_sample() {
        assert_eq!(parse_cpu_times("cpu  1 2 3\n"), None);
        assert_eq!(parse_cpu_times(""), None);
    }

    #[test]
    fn own_peak_memory_is_known_on_linux() {
        assert!(!cfg!(target_os = "linux") || peak_rss_kb().is_some_and(|kilobytes| kilobytes > 500));
        assert_eq!(peak_rss_kb_of(u32::MAX), None);
    }

    #[test]
    fn the_load_is_never_negative() {
        assert!(!cfg!(target_os = "linux") || load_average().is_some_and(|load| load.iter().all(|l| *l >= 0.0)));
    }

    #[test]
    fn families_are_sorted_distinct_and_capped() {
        let listed = "Zilla\nNoto Sans CJK JP,Noto Sans CJK JP Black\nDejaVu Sans\nZilla\n\n ,x\nAn\\-o\n";
        assert_eq!(families(listed, 10), ["An-o", "DejaVu Sans", "Noto Sans CJK JP", "Zilla"]);
        assert_eq!(families(listed, 2), ["An-o", "DejaVu Sans"]);
    }

    #[test]
    fn the_systems_own_name_is_preferred() {
        assert_eq!(
            os_name("NAME=x\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n"),
            "Debian GNU/Linux 12 (bookworm)"
        );
        assert_eq!(os_name(""), UNNAMED_OS);
    }
}
