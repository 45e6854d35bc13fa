use super::confine::driver;
use super::wire::{Answer, Incoming, read_answer};
use super::{Instruments, Role};
use crate::process::{Foreign, Program, Stream};
use crate::scratch::{Ledger, Scratch};
use crate::{Result, SandboxError};
use serde_json::{Value, json};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::time::timeout;

/// Why a call gave no result.
#[derive(Debug, thiserror::Error)]
pub enum InstrumentError {
    /// It took too long; the process was replaced by a new one.
    #[error("get an answer from the instrument within {seconds:.0} s")]
    TimedOut {
        /// How long it was given.
        seconds: f64,
    },
    /// The process ended; it was replaced by a new one.
    #[error("keep the instrument running: it ended{}", if stderr.is_empty() { String::new() } else { format!(": {stderr}") })]
    Died {
        /// The end of what it wrote to stderr.
        stderr: String,
    },
    /// The instrument itself reports a failure.
    #[error("use the instrument: {message} ({kind})")]
    Failed {
        /// Which kind, such as `unknown-method`.
        kind: String,
        /// What happened.
        message: String,
    },
    /// It said something that is not an answer; the process was replaced by a new one.
    #[error("understand the instrument: it sent {0}")]
    Garbled(&'static str),
    /// A new process could not be started.
    #[error(transparent)]
    Restart(#[from] SandboxError),
}

/// A warm instrument process. It answers one call at a time and is replaced when it fails.
#[derive(Debug)]
pub struct Instrument {
    program: Program,
    ledger: Arc<Ledger>,
    process: Option<Process>,
    next_id: u64,
    /// A call was begun and not ended: its answer may still come, so the process cannot be trusted with another.
    in_call: bool,
}

#[derive(Debug)]
struct Process {
    foreign: Foreign,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Instrument {
    /// Starts the driver in a role.
    pub fn start(instruments: &Instruments, role: &Role, scratch: &Scratch) -> Result<Self> {
        let home = scratch.folder("instrument")?;
        Self::start_program(driver(instruments, role, &home)?, scratch)
    }

    fn start_program(program: Program, scratch: &Scratch) -> Result<Self> {
        let ledger = scratch.ledger();
        let process = Process::start(&program, &ledger)?;
        Ok(Self { program, ledger, process: Some(process), next_id: 1, in_call: false })
    }

    /// The process id of the present process.
    pub fn pid(&self) -> Option<u32> {
        self.process.as_ref().map(|process| process.foreign.identity().pid)
    }

    /// Calls a method and waits for its answer. A call that ends in anything but an answer costs the process its life,
    /// and a new one is started at once; no other process is touched.
    pub async fn call(&mut self, method: &str, params: Value, limit: Duration) -> Result<Value, InstrumentError> {
        if self.in_call || self.process.is_none() {
            self.replace().await?;
        }
        let process = self.process.as_mut().ok_or_else(no_process)?;
        let id = self.next_id;
        self.next_id += 1;
        self.in_call = true;
        let exchange = process.exchange(id, method, params);
        let failure = match timeout(limit, exchange).await {
            Ok(Incoming::Answer(answer)) => {
                self.in_call = false;
                return match answer {
                    Answer::Result(value) => Ok(value),
                    Answer::Error { kind, message } => Err(InstrumentError::Failed { kind, message }),
                };
            }
            Ok(Incoming::Hangup) => InstrumentError::Died { stderr: process.last_words().await },
            Ok(Incoming::Nonsense(what)) => InstrumentError::Garbled(what),
            Err(_) => InstrumentError::TimedOut { seconds: limit.as_secs_f64() },
        };
        // Should the new start fail, the next call tries again and reports it.
        let _ = self.replace().await;
        Err(failure)
    }

    /// Ends the process. Dropping does the same without waiting.
    pub async fn close(mut self) {
        if let Some(mut process) = self.process.take() {
            process.foreign.kill_now().await;
        }
    }

    async fn replace(&mut self) -> Result<()> {
        if let Some(mut old) = self.process.take() {
            old.foreign.kill_now().await;
        }
        self.process = Some(Process::start(&self.program, &self.ledger)?);
        self.in_call = false;
        Ok(())
    }
}

fn no_process() -> SandboxError {
    SandboxError::Spawn { program: "the instrument driver".into(), source: io::Error::other("it is not running") }
}

impl Process {
    fn start(program: &Program, ledger: &Arc<Ledger>) -> Result<Self> {
        let mut foreign = Foreign::spawn(program, Stream::Piped, Stream::Piped, Some(Arc::clone(ledger)))?;
        let pipes = foreign.take_stdin().zip(foreign.take_stdout());
        let (stdin, stdout) = pipes.ok_or_else(no_process)?;
        Ok(Self { foreign, stdin, stdout: BufReader::new(stdout) })
    }

    async fn exchange(&mut self, id: u64, method: &str, params: Value) -> Incoming {
        let mut line = json!({"id": id, "method": method, "params": params}).to_string();
        line.push('\n');
        // A process that has ended cannot be written to; what it said last is still to be read.
        let _ = self.stdin.write_all(line.as_bytes()).await;
        read_answer(&mut self.stdout, id).await
    }

    async fn last_words(&mut self) -> String {
        self.foreign.kill_now().await;
        self.foreign.stderr_tail().trim().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_mins(1);

    fn shell_instrument(scratch: &Scratch, script: &str) -> Instrument {
        Instrument::start_program(Program::new("/bin/sh").args(["-c", script]), scratch).unwrap()
    }

    fn scratch() -> (tempfile::TempDir, Scratch) {
        let base = tempfile::tempdir().unwrap();
        let scratch = Scratch::new(base.path(), "instrument").unwrap();
        (base, scratch)
    }

    #[tokio::test]
    async fn a_call_over_its_limit_replaces_only_its_own_process() {
        let (_base, scratch) = scratch();
        // Answers the first question of its life and is deaf from then on.
        let script =
            r#"read question; n=${question#*\"id\":}; n=${n%%,*}; echo "{\"id\":$n,\"result\":$$}"; sleep 600"#;
        let mut slow = shell_instrument(&scratch, script);
        let mut other = shell_instrument(&scratch, script);
        let first = slow.call("who", Value::Null, LONG).await.unwrap();
        let error = slow.call("who", Value::Null, Duration::from_millis(100)).await.unwrap_err();
        assert!(matches!(error, InstrumentError::TimedOut { .. }));
        let second = slow.call("who", Value::Null, LONG).await.unwrap();
        assert_ne!(first, second);
        let untouched = other.pid();
        assert_eq!(other.call("who", Value::Null, LONG).await.unwrap(), json!(untouched));
    }

    #[tokio::test]
    async fn a_cancelled_call_does_not_answer_the_next_one() {
        let (_base, scratch) = scratch();
        // The first process never answers; the second, which finds the mark of the first, does.
        let mark = scratch.path().join("mark");
        let script = format!(
            r#"read question; n=${{question#*\"id\":}}; n=${{n%%,*}}
            if [ ! -e '{0}' ]; then : > '{0}'; sleep 600; fi
            echo "{{\"id\":$n,\"result\":$$}}"; sleep 600"#,
            mark.display()
        );
        let mut instrument = shell_instrument(&scratch, &script);
        let before = instrument.pid();
        tokio::select! {
            answer = instrument.call("who", Value::Null, LONG) => panic!("{answer:?}"),
            () = exists(&mark) => {}
        }
        let answer = instrument.call("who", Value::Null, LONG).await.unwrap();
        assert_ne!(Some(answer), before.map(Value::from));
    }

    async fn exists(path: &std::path::Path) {
        while !path.exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    #[tokio::test]
    async fn a_dead_process_is_told_with_its_last_words() {
        let (_base, scratch) = scratch();
        let mut instrument = shell_instrument(&scratch, "read question; echo 'out of luck' >&2; exit 3");
        let error = instrument.call("x", Value::Null, LONG).await.unwrap_err();
        assert!(matches!(&error, InstrumentError::Died { stderr } if stderr == "out of luck"), "{error:?}");
    }

    #[tokio::test]
    async fn noise_on_the_wire_is_garbled() {
        let (_base, scratch) = scratch();
        let mut instrument = shell_instrument(&scratch, "read question; echo hello; sleep 600");
        let error = instrument.call("x", Value::Null, LONG).await.unwrap_err();
        assert!(matches!(error, InstrumentError::Garbled("a line that is not JSON")));
    }

    #[tokio::test]
    async fn a_reported_failure_leaves_the_process_alive() {
        let (_base, scratch) = scratch();
        let script = r#"while read question; do n=${question#*\"id\":}; n=${n%%,*}; echo "{\"id\":$n,\"error\":{\"kind\":\"k\",\"message\":\"m\"}}"; done"#;
        let mut instrument = shell_instrument(&scratch, script);
        let before = instrument.pid();
        for _ in 0..2 {
            let error = instrument.call("x", Value::Null, LONG).await.unwrap_err();
            assert!(matches!(error, InstrumentError::Failed { kind, message } if kind == "k" && message == "m"));
        }
        assert_eq!(instrument.pid(), before);
    }
}
