use super::{Foreign, Program, Stream};
use crate::scratch::Scratch;
use crate::{Result, SandboxError};
use std::process::ExitStatus;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{Instant, timeout_at};

/// What a one-shot program may use.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// From start to end.
    pub time: Duration,
    /// Of stdout. A program that writes more is ended: whoever floods once floods on.
    pub stdout_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: Duration::from_secs(30), stdout_bytes: 1024 * 1024 }
    }
}

/// What a one-shot program left.
#[derive(Debug)]
pub struct Finished {
    /// Absent when we ended it.
    pub status: Option<ExitStatus>,
    /// At most [`Limits::stdout_bytes`].
    pub stdout: Vec<u8>,
    /// The end of what it wrote to stderr.
    pub stderr_tail: String,
    /// It was ended because its time was over.
    pub timed_out: bool,
    /// It was ended because it wrote too much; the beginning is in `stdout`.
    pub truncated: bool,
}

impl Finished {
    /// Whether it ended by itself with success.
    pub fn succeeded(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }
}

/// Runs a program to its end, feeding it `stdin`. With a scratch folder it is written down there.
pub async fn run(program: &Program, stdin: &[u8], limits: Limits, scratch: Option<&Scratch>) -> Result<Finished> {
    let deadline = Instant::now() + limits.time;
    let ledger = scratch.map(Scratch::ledger);
    let mut foreign = Foreign::spawn(program, Stream::Piped, Stream::Piped, ledger)?;
    let mut input = foreign.take_stdin();
    let output = foreign.take_stdout();
    let mut stdout = Vec::new();
    let feed = async {
        if let Some(pipe) = input.as_mut() {
            // A program that does not read its input is free to end before we have written all of it.
            let _ = pipe.write_all(stdin).await;
        }
        drop(input);
    };
    let read = async {
        match output {
            Some(pipe) => pipe.take(limits.stdout_bytes as u64 + 1).read_to_end(&mut stdout).await,
            None => Ok(0),
        }
    };
    // Reading ends first: waiting for the feeding of a program that has closed its stdout would wait for ever.
    let reading = async {
        tokio::pin!(feed);
        tokio::pin!(read);
        tokio::select! {
            result = &mut read => result,
            () = &mut feed => read.await,
        }
    };
    let read_in_time = timeout_at(deadline, reading).await;
    let truncated = stdout.len() > limits.stdout_bytes;
    stdout.truncate(limits.stdout_bytes);
    let status = match read_in_time {
        Ok(Err(source)) => return Err(SandboxError::Talk { program: program.path.clone(), source }),
        Ok(Ok(_)) if !truncated => foreign.wait(deadline.saturating_duration_since(Instant::now())).await?,
        _ => {
            foreign.kill_now().await;
            None
        }
    };
    let timed_out = status.is_none() && !truncated;
    Ok(Finished { status, stdout, stderr_tail: foreign.stderr_tail(), timed_out, truncated })
}
