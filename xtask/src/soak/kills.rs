//! SIGKILL at points spread over a run; then the run is resumed and must end as if nothing had happened.

use super::repeats::{Repeated, repeat};
use super::subject::Subject;
use super::{Soak, difference, verdicts};
use crate::call::Call;
use crate::failure::{Failure, Naming};
use crate::json::Json;
use crate::machine::{self, ProcessId};
use crate::project;
use crate::results::{Outcome, Table};
use crate::verdict::Verdict;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How long the children of a killed program may take to notice.
const GRACE: Duration = Duration::from_secs(30);

/// Undisturbed runs that tell what a finished run says and how long it takes.
const UNDISTURBED: usize = 3;

#[derive(Default)]
struct Killed {
    unfinished: Vec<String>,
    differing: Vec<String>,
    processes_left: usize,
    folders_left: usize,
    count: usize,
    seed: u64,
    ended_before_the_kill: usize,
    before_anything_was_kept: usize,
}

impl Killed {
    fn to_json(&self) -> Json {
        Json::object([
            ("count", self.count.into()),
            ("seed", self.seed.to_string().into()),
            ("ended_before_the_kill", self.ended_before_the_kill.into()),
            ("killed_before_anything_was_kept", self.before_anything_was_kept.into()),
            ("unfinished", self.unfinished.clone().into()),
            ("differing", self.differing.clone().into()),
            ("processes_left", self.processes_left.into()),
            ("folders_left", self.folders_left.into()),
        ])
    }
}

pub(super) fn run(soak: &Soak) -> Result<Outcome, Failure> {
    let mut subject = Subject::with_packages(soak)?;
    let undisturbed = repeat(UNDISTURBED, &mut subject, soak.scratch.path())?;
    let killed = kill_all(soak.kills, &subject, soak.scratch.path(), &undisturbed)?;
    let mut table = Table::new(["killed", "ended before", "before anything was kept"]);
    let really = killed.count - killed.ended_before_the_kill;
    table.row([really.into(), killed.ended_before_the_kill.into(), killed.before_anything_was_kept.into()]);
    Ok(Outcome {
        kind: "kills",
        title: "killed and resumed".to_owned(),
        about: format!(
            "Runs of `{}` with its source and prompt, scorers {}, killed with SIGKILL at points spread over the whole run, resumed, and              compared with undisturbed ones.",
            subject.name, subject.scorers
        ),
        table,
        verdicts: vec![
            Verdict::none("undisturbed runs that differ from the first", undisturbed.differing.len()),
            Verdict::none("killed runs that could not be finished", killed.unfinished.len()),
            Verdict::none("finished runs that differ from an undisturbed one", killed.differing.len()),
            Verdict::none("processes left by killed runs", killed.processes_left),
            Verdict::none("temporary folders left by killed runs", killed.folders_left),
        ],
        raw: killed.to_json(),
    })
}

fn kill_all(count: usize, subject: &Subject, scratch: &Path, undisturbed: &Repeated) -> Result<Killed, Failure> {
    let seed = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |elapsed| elapsed.as_nanos() as u64);
    let mut killed = Killed { count, seed, ..Killed::default() };
    let temporary = scratch.join("temporary");
    fs::create_dir_all(&temporary).naming("make a folder for temporary files")?;
    for number in 0..count {
        // One kill in each equal part of the run, at a random point of it: no phase is left out by chance.
        let share = (number as f64 + fraction(seed, number)) / count as f64;
        let out = scratch.join(format!("kill-{number}"));
        kill_one(&mut killed, undisturbed.longest.mul_f64(share), subject, &out, &temporary, &undisturbed.first)?;
        let _ = fs::remove_dir_all(&out);
    }
    if count > 0 {
        Call::new(project::release_binary()).words("doctor --clean").env("TMPDIR", &temporary).text()?;
        killed.folders_left = fs::read_dir(&temporary).naming("look for what was left")?.count();
    }
    println!(
        "soak: {count} kills, {} resumed runs differ, {} could not be finished",
        killed.differing.len(),
        killed.unfinished.len()
    );
    Ok(killed)
}

fn kill_one(
    killed: &mut Killed,
    after: Duration,
    subject: &Subject,
    out: &Path,
    temporary: &Path,
    expected: &Json,
) -> Result<(), Failure> {
    let mut command = subject.score(out, temporary).into_command();
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let mut child = command.spawn().naming("start a run to kill")?;
    let family = wait_and_kill(&mut child, after)?;
    let Some(family) = family else {
        killed.ended_before_the_kill += 1;
        return Ok(());
    };
    killed.processes_left += survivors(&family);
    if !has_a_run(out) {
        killed.before_anything_was_kept += 1;
        return Ok(());
    }
    let place = format!("killed after {:.2} s", after.as_secs_f64());
    let resume = Call::new(project::release_binary()).arg("resume").arg(out).env("TMPDIR", temporary);
    if let Err(failure) = resume.text() {
        killed.unfinished.push(format!("{place}: {}", failure.message));
        return Ok(());
    }
    match Json::read(&out.join("report.json")).and_then(|report| verdicts(&report, subject.scorers)) {
        Err(failure) => killed.unfinished.push(format!("{place}: {}", failure.message)),
        Ok(said) => killed.differing.extend(difference(expected, &said, "").map(|path| format!("{place}: {path}"))),
    }
    Ok(())
}

fn has_a_run(out: &Path) -> bool {
    fs::read_dir(out.join("runs")).is_ok_and(|mut runs| runs.next().is_some())
}

/// The processes the run had started when it was killed; none when it ended by itself before.
fn wait_and_kill(child: &mut Child, after: Duration) -> Result<Option<BTreeSet<ProcessId>>, Failure> {
    let started = Instant::now();
    while started.elapsed() < after {
        if child.try_wait().naming("look at a run")?.is_some() {
            return Ok(None);
        }
        thread::sleep(Duration::from_millis(2));
    }
    let family = machine::family(child.id());
    child.kill().naming("kill a run")?;
    child.wait().naming("reap a killed run")?;
    Ok(Some(family))
}

/// How many of them still run after the grace.
fn survivors(family: &BTreeSet<ProcessId>) -> usize {
    let started = Instant::now();
    loop {
        let alive = family.iter().filter(|member| member.is_alive()).count();
        if alive == 0 || started.elapsed() > GRACE {
            return alive;
        }
        thread::sleep(Duration::from_millis(50));
    }
}

/// A number in [0, 1) that depends on the seed and the index alone, so that a sweep can be repeated.
fn fraction(seed: u64, index: usize) -> f64 {
    let mut mixed = seed ^ (index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for _ in 0..3 {
        mixed ^= mixed >> 29;
        mixed = mixed.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    }
    (mixed >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_spread_and_repeatable() {
        let all: Vec<f64> = (0..200).map(|index| fraction(7, index)).collect();
        assert!(all.iter().all(|fraction| (0.0..1.0).contains(fraction)));
        assert!(all.iter().any(|fraction| *fraction < 0.1) && all.iter().any(|fraction| *fraction > 0.9));
        assert_eq!(fraction(7, 3), all[3]);
    }

    #[test]
    fn a_run_that_ended_is_not_killed_and_a_killed_one_leaves_nobody() {
        let mut quick = std::process::Command::new("true").spawn().unwrap();
        assert!(wait_and_kill(&mut quick, Duration::from_secs(20)).unwrap().is_none());
        let mut slow = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let family = wait_and_kill(&mut slow, Duration::ZERO).unwrap().unwrap();
        assert_eq!(survivors(&family), 0);
    }
}
