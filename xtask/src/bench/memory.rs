//! Runs a program to its end and notes the most memory it held, alone and with the Node processes it started.

use crate::failure::{Failure, Naming};
use crate::machine;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Short against the seconds a run takes, and cheap enough not to disturb it.
const EVERY: Duration = Duration::from_millis(100);
const MAX_LIFE: Duration = Duration::from_mins(15);

/// What was seen of a finished program.
#[derive(Debug)]
pub(crate) struct Watched {
    pub status: ExitStatus,
    pub seconds: f64,
    /// The kernel's own high-water mark of the program itself.
    pub own_peak_mb: f64,
    /// The largest sum seen of the program and the Node processes below it.
    pub with_node_peak_mb: f64,
}

pub(crate) fn watch(mut command: Command) -> Result<Watched, Failure> {
    let started = Instant::now();
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().naming("start the program to measure")?;
    let mut watched = Watched { status: ExitStatus::default(), seconds: 0.0, own_peak_mb: 0.0, with_node_peak_mb: 0.0 };
    let mut next_look = started;
    loop {
        if let Some(status) = child.try_wait().naming("wait for the program")? {
            return Ok(Watched { status, seconds: started.elapsed().as_secs_f64(), ..watched });
        }
        if started.elapsed() > MAX_LIFE {
            let _ = child.kill();
            let _ = child.wait();
            return Err(Failure::check(format!("the program did not end within {} s", MAX_LIFE.as_secs())));
        }
        if Instant::now() >= next_look {
            look(child.id(), &mut watched);
            next_look = Instant::now() + EVERY;
        }
        // The end is noticed much finer than memory is looked at, because it is what the wall time hangs on.
        thread::sleep(Duration::from_millis(5));
    }
}

fn look(pid: u32, watched: &mut Watched) {
    let own = machine::memory_mb(pid, "VmRSS").unwrap_or(0.0);
    let node: f64 = machine::family(pid)
        .iter()
        .filter(|member| member.pid != pid && machine::is_node(member.pid))
        .filter_map(|member| machine::memory_mb(member.pid, "VmRSS"))
        .sum();
    watched.own_peak_mb = watched.own_peak_mb.max(machine::memory_mb(pid, "VmHWM").unwrap_or(0.0));
    watched.with_node_peak_mb = watched.with_node_peak_mb.max(own + node);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_watched_to_its_end() {
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 0.3; exit 3"]);
        let watched = watch(command).unwrap();
        assert_eq!(watched.status.code(), Some(3));
        assert!(watched.seconds >= 0.3 && watched.own_peak_mb > 0.0, "{watched:?}");
        assert!(watched.with_node_peak_mb > 0.0, "{watched:?}");
    }
}
