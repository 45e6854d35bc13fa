use super::Program;
use super::identity::{ProcessIdentity, group_is_alive, pid_of};
use crate::ring::Ring;
use crate::scratch::Ledger;
use crate::{Result, SandboxError};
use rustix::process::Signal;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

/// How long a group has to end by itself after it was asked to.
const GRACE: Duration = Duration::from_millis(500);
/// How long a killed group may take to disappear. The kernel is quick unless a process hangs in a driver.
const DISAPPEARANCE: Duration = Duration::from_secs(3);

/// What to do with a standard stream of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Leads nowhere.
    Null,
    /// Leads to us.
    Piped,
}

impl Stream {
    fn stdio(self) -> Stdio {
        match self {
            Self::Null => Stdio::null(),
            Self::Piped => Stdio::piped(),
        }
    }
}

/// A running foreign program. Dropping it kills its whole process group.
#[derive(Debug)]
pub struct Foreign {
    program: PathBuf,
    child: Child,
    identity: ProcessIdentity,
    stderr: Arc<Mutex<Ring>>,
    stderr_reader: Option<JoinHandle<()>>,
    ledger: Option<Arc<Ledger>>,
}

impl Foreign {
    /// Starts a program. With a ledger it is written down there, so that a crash of ours does not hide it.
    pub fn spawn(program: &Program, stdin: Stream, stdout: Stream, ledger: Option<Arc<Ledger>>) -> Result<Self> {
        let spawn_failed = |source| SandboxError::Spawn { program: program.path.clone(), source };
        let mut command = Command::new(&program.path);
        command
            .args(&program.args)
            .env_clear()
            .envs(program.environment.iter().map(|(name, value)| (name, value)))
            .stdin(stdin.stdio())
            .stdout(stdout.stdio())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        if let Some(folder) = &program.folder {
            command.current_dir(folder);
        }
        let mut child = command.spawn().map_err(spawn_failed)?;
        let pid = child.id().ok_or_else(|| spawn_failed(std::io::Error::other("it has no process id")))?;
        let stderr = Arc::new(Mutex::new(Ring::new(program.log_bytes)));
        let stderr_reader = Some(tokio::spawn(drain(child.stderr.take(), Arc::clone(&stderr))));
        let foreign = Self {
            program: program.path.clone(),
            child,
            identity: ProcessIdentity::of(pid),
            stderr,
            stderr_reader,
            ledger,
        };
        if let Some(ledger) = &foreign.ledger {
            ledger.started(foreign.identity)?;
        }
        Ok(foreign)
    }

    /// Who it is.
    pub fn identity(&self) -> ProcessIdentity {
        self.identity
    }

    /// The end we write to, once, if it was piped.
    pub fn take_stdin(&mut self) -> Option<ChildStdin> {
        self.child.stdin.take()
    }

    /// The end we read from, once, if it was piped.
    pub fn take_stdout(&mut self) -> Option<ChildStdout> {
        self.child.stdout.take()
    }

    /// The end of what it wrote to stderr.
    pub fn stderr_tail(&self) -> String {
        self.stderr.lock().unwrap_or_else(PoisonError::into_inner).text()
    }

    /// Whether the program itself (not what it started) still runs.
    pub fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Its exit status, if it has ended.
    pub fn exit_status(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Waits for its end. `None` means the limit was over: then the whole group has been killed.
    pub async fn wait(&mut self, limit: Duration) -> Result<Option<ExitStatus>> {
        match timeout(limit, self.child.wait()).await {
            Ok(Ok(status)) => {
                // What it started and left behind has the same group, and the group's number cannot be given to
                // anybody else while one of them lives.
                self.signal(Signal::KILL);
                self.finish().await;
                Ok(Some(status))
            }
            Ok(Err(source)) => Err(SandboxError::Talk { program: self.program.clone(), source }),
            Err(_) => {
                self.kill_now().await;
                Ok(None)
            }
        }
    }

    /// Asks the group to end, kills what is left after a short grace, and waits until it is gone.
    pub async fn kill(&mut self) {
        if self.is_running() {
            self.signal(Signal::TERM);
            let _ = timeout(GRACE, self.child.wait()).await;
        }
        self.kill_now().await;
    }

    /// Kills the group without asking, and waits until it is gone.
    pub async fn kill_now(&mut self) {
        self.signal(Signal::KILL);
        let _ = timeout(DISAPPEARANCE, self.child.wait()).await;
        self.finish().await;
    }

    fn signal(&self, signal: Signal) {
        if let Some(group) = pid_of(self.identity.pid) {
            // The group may be gone already, which is what is wanted.
            let _ = rustix::process::kill_process_group(group, signal);
        }
    }

    /// Waits for the rest of the group and for the last words on stderr, then strikes it from the ledger.
    /// Harmless when repeated.
    async fn finish(&mut self) {
        let deadline = Instant::now() + DISAPPEARANCE;
        let group = self.identity.pid;
        while group_is_alive(group) && Instant::now() < deadline {
            sleep(Duration::from_millis(5)).await;
        }
        if let Some(mut reader) = self.stderr_reader.take()
            && timeout(GRACE, &mut reader).await.is_err()
        {
            reader.abort();
        }
        if let Some(ledger) = self.ledger.take() {
            ledger.ended(self.identity);
        }
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        // Once the program has been waited for, its number may belong to somebody else.
        if self.child.id().is_some() {
            self.signal(Signal::KILL);
        }
        if let Some(reader) = &self.stderr_reader {
            reader.abort();
        }
    }
}

async fn drain(stream: Option<ChildStderr>, ring: Arc<Mutex<Ring>>) {
    let Some(mut stream) = stream else { return };
    let mut chunk = vec![0; 8 * 1024];
    while let Ok(length @ 1..) = stream.read(&mut chunk).await {
        ring.lock().unwrap_or_else(PoisonError::into_inner).push(&chunk[..length]);
    }
}
