use super::flags::flags;
use super::startup::{await_port, exchange_version};
use crate::process::{Foreign, Program, Stream};
use crate::scratch::Scratch;
use crate::{Result, SandboxError};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::process::{ChildStdin, ChildStdout};
use tokio::time::{Instant, timeout_at};

/// Turns stdin and stdout into the descriptors 3 and 4 that `--remote-debugging-pipe` speaks through. When we die, for
/// whatever reason, the kernel closes our ends and the browser ends by itself.
const PIPE_AS_DEBUGGING_CHANNEL: &str = r#"exec "$@" 3<&0 4>&1 </dev/null >/dev/null"#;

/// Chromium makes a socket in its temporary folder and aborts when the socket's address does not fit into the 104 bytes that
/// every system grants it. This is what it leaves for the folder.
const LONGEST_TEMPORARY_FOLDER: usize = 56;
/// Where a scratch folder is short enough in any case.
const SHORT_BASE: &str = "/tmp";

/// How to start a browser.
#[derive(Debug)]
pub struct Launch<'a> {
    /// The browser.
    pub program: &'a Path,
    /// Where its profile and its temporary files go.
    pub scratch: &'a Scratch,
    /// Also listen on a free port of the loopback interface, for Lighthouse.
    pub debugging_port: bool,
    /// Give up the browser's own sandbox, which it cannot build as root.
    pub as_root: bool,
    /// Further switches.
    pub extra_args: Vec<String>,
    /// How long it may take until it answers.
    pub start_limit: Duration,
}

/// A browser that has answered once. Dropping it kills it with everything it started.
#[derive(Debug)]
pub struct RunningChromium {
    /// The port it listens on, if asked to.
    pub port: Option<u16>,
    /// What it calls itself, such as `Chrome/156.0.8078.79`.
    pub product: String,
    foreign: Foreign,
    pipe: Option<(ChildStdout, ChildStdin)>,
    profile: PathBuf,
    // After the process, so that it is removed when nobody writes to it any more.
    _temporary: Option<Scratch>,
}

impl RunningChromium {
    /// The two ends of the debugging pipe, once: messages are JSON, each ended by a NUL byte.
    /// The browser ends when they are dropped.
    pub fn take_pipe(&mut self) -> Option<(ChildStdout, ChildStdin)> {
        self.pipe.take()
    }

    /// Whether the browser process runs.
    pub fn is_running(&mut self) -> bool {
        self.foreign.is_running()
    }

    /// The browser's process id, which also is that of its process group.
    pub fn pid(&self) -> u32 {
        self.foreign.identity().pid
    }

    /// The end of what it wrote to stderr.
    pub fn stderr_tail(&self) -> String {
        self.foreign.stderr_tail()
    }

    /// Ends the browser with everything it started, and removes its profile.
    pub async fn close(mut self) {
        // It is not asked first: there is nothing in the profile worth saving.
        self.foreign.kill_now().await;
        let _ = tokio::fs::remove_dir_all(&self.profile).await;
    }
}

/// Starts a browser and waits until it answers.
pub async fn launch(launch: Launch<'_>) -> Result<RunningChromium> {
    let deadline = Instant::now() + launch.start_limit;
    let profile = launch.scratch.fresh_folder("profile")?;
    let (temporary, short_scratch) = temporary_folder(launch.scratch)?;
    let program = through_shell(&launch, &profile, &temporary);
    let mut foreign = Foreign::spawn(&program, Stream::Piped, Stream::Piped, Some(launch.scratch.ledger()))?;
    let answered = timeout_at(deadline, start_up(&mut foreign, &profile, launch.debugging_port)).await;
    match answered {
        Ok(Some((pipe, product, port))) => {
            Ok(RunningChromium { port, product, foreign, pipe: Some(pipe), profile, _temporary: short_scratch })
        }
        Ok(None) => Err(exited(&launch, foreign).await),
        Err(_) => {
            foreign.kill_now().await;
            let seconds = launch.start_limit.as_secs_f64();
            let stderr = foreign.stderr_tail();
            Err(SandboxError::BrowserSilent { program: launch.program.to_owned(), seconds, stderr })
        }
    }
}

type Answered = ((ChildStdout, ChildStdin), String, Option<u16>);

/// `None` when the browser closed the channel.
async fn start_up(foreign: &mut Foreign, profile: &Path, debugging_port: bool) -> Option<Answered> {
    let mut from_browser = foreign.take_stdout()?;
    let mut to_browser = foreign.take_stdin()?;
    let product = exchange_version(&mut from_browser, &mut to_browser).await?;
    let port = if debugging_port { Some(await_port(profile).await) } else { None };
    Some(((from_browser, to_browser), product, port))
}

async fn exited(launch: &Launch<'_>, mut foreign: Foreign) -> SandboxError {
    // The channel closes a moment before the process is gone.
    let status = foreign.wait(Duration::from_secs(2)).await.ok().flatten();
    SandboxError::BrowserExited {
        program: launch.program.to_owned(),
        status: status.map_or("it closed its debugging channel".to_owned(), |status| status.to_string()),
        stderr: foreign.stderr_tail(),
    }
}

/// A folder in the scratch folder, or a scratch folder of its own where that would have too long a name.
fn temporary_folder(scratch: &Scratch) -> Result<(PathBuf, Option<Scratch>)> {
    let folder = scratch.folder("tmp")?;
    if folder.as_os_str().len() <= LONGEST_TEMPORARY_FOLDER {
        return Ok((folder, None));
    }
    let short = Scratch::new(Path::new(SHORT_BASE), "tmp")?;
    Ok((short.path().to_owned(), Some(short)))
}

fn through_shell(launch: &Launch<'_>, profile: &Path, temporary: &Path) -> Program {
    let mut user_data = OsString::from("--user-data-dir=");
    user_data.push(profile);
    let mut program = Program::new("/bin/sh")
        .args(["-c", PIPE_AS_DEBUGGING_CHANNEL, "sh"])
        .args([launch.program])
        .args(flags(launch.debugging_port, launch.as_root))
        .args(&launch.extra_args)
        .args([user_data])
        .args(["--remote-debugging-pipe"])
        .env("HOME", launch.scratch.path())
        .env("TMPDIR", temporary)
        .env("DBUS_SESSION_BUS_ADDRESS", "disabled:")
        .folder(launch.scratch.path());
    if launch.debugging_port {
        program = program.args(["--remote-debugging-port=0"]);
    }
    program.args(["about:blank"])
}
